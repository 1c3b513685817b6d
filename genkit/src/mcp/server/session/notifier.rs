//! Notifications of changes: lists, and resources that clients subscribed to.

use std::sync::{Arc, Mutex, Weak};

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionSink};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Session;
use crate::registry::{Registry, RegistryChange};
use crate::sync::lock;

/// Notifies the clients that want to hear of changes.
#[derive(Default)]
pub(crate) struct Notifier {
    subscribers: Arc<Mutex<Vec<Subscriber>>>,
    /// Ends the task that reads the registry's events when the server goes.
    task: Mutex<Option<DropGuard>>,
}

enum Subscriber {
    /// A session of the older protocols.
    Session(Peer<RoleServer>, Weak<Session>),
    /// A `subscriptions/listen` stream.
    Stream(SubscriptionSink),
}

impl Notifier {
    pub(crate) fn add_session(
        &self,
        peer: Peer<RoleServer>,
        session: &Arc<Session>,
        registry: &Registry,
    ) {
        self.add(Subscriber::Session(peer, Arc::downgrade(session)), registry);
    }

    pub(crate) fn add_stream(&self, sink: SubscriptionSink, registry: &Registry) {
        self.add(Subscriber::Stream(sink), registry);
    }

    /// Takes a stream out when its request ends.
    pub(crate) fn remove_stream(&self, sink: &SubscriptionSink) {
        lock(&self.subscribers).retain(|subscriber| match subscriber {
            Subscriber::Stream(other) => other.id() != sink.id(),
            Subscriber::Session(..) => true,
        });
    }

    fn add(&self, subscriber: Subscriber, registry: &Registry) {
        lock(&self.subscribers).push(subscriber);
        let mut task = lock(&self.task);
        task.get_or_insert_with(|| {
            let stop = CancellationToken::new();
            tokio::spawn(forward(registry.clone(), Arc::clone(&self.subscribers), stop.clone()));
            stop.drop_guard()
        });
    }
}

/// Reads the registry's events until the server goes.
async fn forward(
    registry: Registry,
    subscribers: Arc<Mutex<Vec<Subscriber>>>,
    stop: CancellationToken,
) {
    let mut events = registry.changes();
    loop {
        let event = tokio::select! {
            () = stop.cancelled() => return,
            event = events.recv() => event,
        };
        // Copies are cheap, and no lock is held while a slow client is notified.
        let known: Vec<Subscriber> = lock(&subscribers).iter().map(Subscriber::copy).collect();
        let mut any_gone = false;
        for subscriber in &known {
            any_gone |= !match &event {
                Ok(event) => subscriber.notify(event).await,
                // Too many to count: everything may have changed.
                Err(RecvError::Lagged(_)) => subscriber.notify_all().await,
                Err(RecvError::Closed) => return,
            };
        }
        if any_gone {
            lock(&subscribers).retain(Subscriber::is_alive);
        }
    }
}

impl Subscriber {
    fn copy(&self) -> Self {
        match self {
            Self::Session(peer, session) => Self::Session(peer.clone(), Weak::clone(session)),
            Self::Stream(sink) => Self::Stream(sink.clone()),
        }
    }

    fn is_alive(&self) -> bool {
        match self {
            Self::Session(peer, session) => {
                session.strong_count() > 0 && !peer.is_transport_closed()
            }
            Self::Stream(_) => true,
        }
    }

    /// Returns whether the client is still there.
    async fn notify(&self, event: &RegistryChange) -> bool {
        if !self.is_alive() {
            return false;
        }
        match self {
            Self::Session(peer, session) => match event {
                RegistryChange::Tools => peer.notify_tool_list_changed().await.is_ok(),
                RegistryChange::Prompts => peer.notify_prompt_list_changed().await.is_ok(),
                RegistryChange::Resources => peer.notify_resource_list_changed().await.is_ok(),
                RegistryChange::ResourceUpdated(uri) => {
                    let wanted = session.upgrade().is_some_and(|s| s.is_subscribed(uri));
                    let param = ResourceUpdatedNotificationParam::new(uri);
                    !wanted || peer.notify_resource_updated(param).await.is_ok()
                }
            },
            Self::Stream(sink) => {
                // A stream that did not subscribe to this kind refuses it: that is no fault.
                let _ = match event {
                    RegistryChange::Tools => sink.notify_tool_list_changed().await,
                    RegistryChange::Prompts => sink.notify_prompt_list_changed().await,
                    RegistryChange::Resources => sink.notify_resource_list_changed().await,
                    RegistryChange::ResourceUpdated(uri) => sink.notify_resource_updated(uri).await,
                };
                true
            }
        }
    }

    async fn notify_all(&self) -> bool {
        let uris = match self {
            Self::Session(_, session) => {
                session.upgrade().map(|s| s.subscriptions()).unwrap_or_default()
            }
            Self::Stream(sink) => {
                sink.accepted().resource_subscriptions.clone().unwrap_or_default()
            }
        };
        let lists = [RegistryChange::Tools, RegistryChange::Prompts, RegistryChange::Resources];
        for event in lists.into_iter().chain(uris.into_iter().map(RegistryChange::ResourceUpdated))
        {
            if !self.notify(&event).await {
                return false;
            }
        }
        true
    }
}
