//! A conformance check for stores of durable runs.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{RunChange, RunFilter, RunHead, RunId, RunStatus, RunStore, StoredRun};

/// The number of concurrent attempts, of which only one can succeed.
const RIVALS: usize = 16;

/// A lease that does not expire during the check.
const LONG: Duration = Duration::from_secs(600);

/// Checks that a store of durable runs fulfills the contract of [`RunStore`], as far as one process can observe it. The
/// store can contain other runs; the runs of the check are deleted at the end.
///
/// ```
/// use genkit::durable::FolderStore;
/// use genkit::testing::check_run_store;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("genkit-check-{}", std::process::id()));
/// check_run_store(FolderStore::open(&folder)?).await?;
/// # std::fs::remove_dir_all(folder).ok();
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns the errors from the store, and `Internal` with the part of the contract that the store violates.
pub async fn check_run_store(store: impl RunStore) -> Result<()> {
    let store: Arc<dyn RunStore> = Arc::new(store);
    let check = StoreCheck { store, number: genkit_core::internal::error::new_reference() };
    check.runs_are_made_once().await?;
    check.saves_are_compared_and_whole().await?;
    check.texts_come_back_as_they_were().await?;
    check.leases_have_one_owner().await?;
    check.saves_are_fenced().await?;
    check.due_is_what_has_work_now().await?;
    check.many_make_one_run().await?;
    check.lists_are_filtered_and_paged().await?;
    for name in ["made", "saved", "texts", "leased", "fenced", "rivals", "Made"] {
        check.store.delete(&check.run_id(name)?).await?;
    }
    Ok(())
}

struct StoreCheck {
    store: Arc<dyn RunStore>,
    number: String,
}

fn check_promise(promise: &str, is_kept: bool) -> Result<()> {
    match is_kept {
        true => Ok(()),
        false => {
            Err(Error::new(ErrorKind::Internal, format!("store contract violated: {promise}")))
        }
    }
}

fn working_change(head: &str) -> RunChange {
    RunChange::new(RunStatus::Working, head)
}

impl StoreCheck {
    fn run_id(&self, name: &str) -> Result<RunId> {
        RunId::new(format!("{name}-{}", self.number))
    }

    async fn runs_are_made_once(&self) -> Result<()> {
        let (store, id, large) = (&self.store, self.run_id("made")?, self.run_id("Made")?);
        let is_empty = store.load(&id).await?.is_none()
            && store.peek(&id).await?.is_none()
            && store.save(&id, 0, &working_change("{}")).await?.is_none()
            && store.save(&id, 1, &working_change("{}")).await?.is_none()
            && store.lease(&id, "a", LONG).await?.is_none()
            && !store.delete(&id).await?;
        check_promise("a run that was not created does not exist", is_empty)?;
        store.release(&id, "a").await?;
        let first = working_change("1").with_log(["a", "b"]);
        check_promise("`create` creates a run", store.create(&id, &first).await?)?;
        let again = RunChange::new(RunStatus::Completed, "2");
        check_promise("`create` creates a run only once", !store.create(&id, &again).await?)?;
        let incarnation = store.peek(&id).await?.map_or(0, |head| head.incarnation);
        let head = RunHead::new(1, RunStatus::Working, None).with_incarnation(incarnation);
        let stored = StoredRun::new(head, "1", vec!["a".to_owned(), "b".to_owned()]);
        check_promise("`load` returns the created run", store.load(&id).await? == Some(stored))?;
        check_promise("`peek` returns the state of the run", store.peek(&id).await? == Some(head))?;
        check_promise("ids are case-sensitive", store.peek(&large).await?.is_none())?;
        check_promise(
            "another id is another run",
            store.create(&large, &working_change("L")).await?,
        )?;
        check_promise("`delete` deletes a run", store.delete(&id).await?)?;
        check_promise("a deleted run is gone", store.load(&id).await?.is_none())?;
        check_promise(
            "the id of a deleted run can be reused",
            store.create(&id, &working_change("3")).await?,
        )?;
        let fresh = store.load(&id).await?.map(|run| (run.at.revision, run.head, run.log.len()));
        check_promise("a recreated run has no old data", fresh == Some((1, "3".to_owned(), 0)))
    }

    async fn saves_are_compared_and_whole(&self) -> Result<()> {
        let (store, id) = (&self.store, self.run_id("saved")?);
        store.create(&id, &working_change("0").with_log(["0"])).await?;
        let asks = RunChange::new(RunStatus::InputRequired, "1").with_log(["1", "2"]);
        let asks = asks.with_wake_at_ms(Some(7));
        check_promise(
            "`save` returns the next revision",
            store.save(&id, 1, &asks).await? == Some(2),
        )?;
        let stale = store.save(&id, 1, &working_change("x").with_log(["x"])).await?;
        check_promise("a save at an old revision is rejected", stale.is_none())?;
        let early = store.save(&id, 3, &working_change("x")).await?;
        check_promise("a save at a future revision is rejected", early.is_none())?;
        let incarnation = store.peek(&id).await?.map_or(0, |head| head.incarnation);
        let head = RunHead::new(2, RunStatus::InputRequired, Some(7)).with_incarnation(incarnation);
        let log = ["0", "1", "2"].map(str::to_owned).to_vec();
        let stored = Some(StoredRun::new(head, "1", log));
        check_promise("the head is replaced and the log grows", store.load(&id).await? == stored)?;
        check_promise(
            "`peek` and `load` return the same state",
            store.peek(&id).await? == Some(head),
        )?;
        let rivals = (0..RIVALS).map(|rival| {
            let (store, id) = (Arc::clone(store), id.clone());
            let change = working_change(&rival.to_string()).with_log([format!("of {rival}")]);
            tokio::spawn(async move { store.save(&id, 2, &change).await })
        });
        let mut winners = Vec::new();
        for (rival, saved) in join_all(rivals).await.into_iter().enumerate() {
            let saved =
                saved.map_err(|ended| Error::new(ErrorKind::Internal, ended.to_string()))?;
            winners.extend(saved?.map(|revision| (rival, revision)));
        }
        let [(winner, 3)] = winners[..] else {
            return check_promise("only one of several saves at one revision succeeds", false);
        };
        let stored = store.load(&id).await?;
        let is_whole = stored.is_some_and(|run| {
            run.head == winner.to_string()
                && run.log.len() == 4
                && run.log.last() == Some(&format!("of {winner}"))
        });
        check_promise("the successful save is stored completely", is_whole)?;
        for status in [
            RunStatus::Working,
            RunStatus::InputRequired,
            RunStatus::Completed,
            RunStatus::Failed,
            RunStatus::Cancelled,
        ] {
            let at = store.peek(&id).await?.map_or(0, |head| head.revision);
            store.save(&id, at, &RunChange::new(status, "s")).await?;
            let head = store.peek(&id).await?;
            check_promise(
                "every status is stored",
                head.is_some_and(|head| head.status == status),
            )?;
        }
        Ok(())
    }

    async fn texts_come_back_as_they_were(&self) -> Result<()> {
        let (store, id) = (&self.store, self.run_id("texts")?);
        let texts = ["\"é\u{2028}\\n\\u0000\r\t\u{1f980}'; --", "", " ", &"x".repeat(1 << 20)];
        store.create(&id, &working_change(texts[0]).with_log(texts)).await?;
        let stored = store.load(&id).await?;
        let is_same = stored.is_some_and(|run| run.head == texts[0] && run.log == texts);
        check_promise("texts are returned unchanged", is_same)?;
        for broken in [working_change("a\nb"), working_change("a").with_log(["a\nb"])] {
            let refused = store.save(&id, 1, &broken).await;
            let is_told = refused.is_err_and(|error| error.kind() == ErrorKind::InvalidArgument);
            check_promise("line breaks are rejected with `InvalidArgument`", is_told)?;
        }
        Ok(())
    }

    async fn leases_have_one_owner(&self) -> Result<()> {
        let (store, id) = (&self.store, self.run_id("leased")?);
        store.create(&id, &working_change("1")).await?;
        let incarnation = store.peek(&id).await?.map_or(0, |head| head.incarnation);
        let head = RunHead::new(1, RunStatus::Working, None).with_incarnation(incarnation);
        let head = Some(head);
        check_promise(
            "a run without a lease can be leased",
            store.lease(&id, "a", LONG).await? == head,
        )?;
        check_promise("a lease can be renewed", store.lease(&id, "a", LONG).await? == head)?;
        check_promise("a lease has one owner", store.lease(&id, "b", LONG).await?.is_none())?;
        store.release(&id, "b").await?;
        let other = store.lease(&id, "b", LONG).await?;
        check_promise("only the owner can release a lease", other.is_none())?;
        store.save(&id, 1, &working_change("2")).await?;
        let renewed = store.lease(&id, "a", LONG).await?.map(|head| head.revision);
        check_promise("`lease` returns the state of the run", renewed == Some(2))?;
        store.release(&id, "a").await?;
        let free = store.lease(&id, "b", Duration::from_millis(1)).await?;
        check_promise("a released run can be leased", free.is_some())?;
        check_promise("a released run is not abandoned", free.is_some_and(|at| !at.is_abandoned))?;
        // The clock of the store determines when the lease expires.
        let mut tries = 0;
        let expired = loop {
            if let Some(head) = store.lease(&id, "c", LONG).await? {
                break head;
            }
            tries += 1;
            check_promise("a lease expires", tries < 1000)?;
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        check_promise("a run whose lease expired is abandoned", expired.is_abandoned)?;
        let renewed = store.lease(&id, "c", LONG).await?;
        check_promise(
            "a renewed run is not abandoned",
            renewed.is_some_and(|at| !at.is_abandoned),
        )?;
        store.release(&id, "c").await?;
        let rivals = (0..RIVALS).map(|rival| {
            let (store, id) = (Arc::clone(store), id.clone());
            tokio::spawn(async move { store.lease(&id, &format!("r{rival}"), LONG).await })
        });
        let mut owners = 0;
        for leased in join_all(rivals).await {
            let leased =
                leased.map_err(|ended| Error::new(ErrorKind::Internal, ended.to_string()))?;
            owners += usize::from(leased?.is_some());
        }
        // A store can reject all concurrent attempts, but must not grant the lease twice.
        check_promise("at most one of several concurrent attempts gets a lease", owners <= 1)
    }

    async fn saves_are_fenced(&self) -> Result<()> {
        let (store, id) = (&self.store, self.run_id("fenced")?);
        let of_owner = |owner: &str| working_change("o").with_owner(owner);
        store.create(&id, &working_change("1")).await?;
        let unowned = store.save(&id, 1, &of_owner("a")).await?;
        check_promise("a save for an owner requires its lease", unowned.is_none())?;
        let head = store.lease(&id, "a", Duration::from_millis(1)).await?;
        let before = head.map_or(0, |head| head.incarnation);
        let another = store.save(&id, 1, &of_owner("b")).await?;
        check_promise("a save for another owner is rejected", another.is_none())?;
        let other = working_change("i").with_incarnation(before.wrapping_add(1));
        let other = store.save(&id, 1, &other).await?;
        check_promise("a save for another incarnation is rejected", other.is_none())?;
        let own = store.save(&id, 1, &of_owner("a").with_incarnation(before)).await?;
        check_promise("the owner of the lease can save", own == Some(2))?;
        // The lease has expired, and no other owner has taken it.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let late = store.save(&id, 2, &of_owner("a")).await?;
        check_promise("the last owner can save while no other has the lease", late == Some(3))?;
        let mut tries = 0;
        while store.lease(&id, "b", LONG).await?.is_none() {
            tries += 1;
            check_promise("a lease expires", tries < 1000)?;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let lost = store.save(&id, 3, &of_owner("a")).await?;
        check_promise("an owner that lost its lease cannot save", lost.is_none())?;
        let outside = store.save(&id, 3, &working_change("4")).await?;
        check_promise("a change without an owner needs no lease", outside == Some(4))?;
        store.delete(&id).await?;
        store.create(&id, &working_change("new")).await?;
        let head = store.peek(&id).await?;
        check_promise(
            "a recreated run has another incarnation",
            head.is_some_and(|head| head.incarnation != before && head.incarnation > 0),
        )?;
        let old = working_change("old").with_incarnation(before);
        let stale = store.save(&id, 1, &old).await?;
        check_promise("a change of a deleted run does not reach its successor", stale.is_none())?;
        let stale = store.save(&id, 1, &of_owner("b")).await?;
        check_promise("a lease ends with its run", stale.is_none())
    }

    async fn due_is_what_has_work_now(&self) -> Result<()> {
        let store = &self.store;
        let far = u64::MAX / 4;
        let table = [
            ("due-now", working_change("{}"), true),
            ("due-past", working_change("{}").with_wake_at_ms(Some(1)), true),
            ("due-later", working_change("{}").with_wake_at_ms(Some(far)), false),
            ("due-asks", RunChange::new(RunStatus::InputRequired, "{}"), false),
            ("due-done", RunChange::new(RunStatus::Completed, "{}"), false),
            ("due-failed", RunChange::new(RunStatus::Failed, "{}"), false),
            ("due-ended", RunChange::new(RunStatus::Cancelled, "{}"), false),
        ];
        for (name, first, _) in &table {
            store.create(&self.run_id(name)?, first).await?;
        }
        let leased = self.run_id("due-leased")?;
        store.create(&leased, &working_change("{}")).await?;
        store.lease(&leased, "a", LONG).await?;
        let due = store.due(10_000).await?;
        for (name, _, is_due) in &table {
            let promise = format!("`due` returns exactly the runs with work now ({name})");
            check_promise(&promise, due.contains(&self.run_id(name)?) == *is_due)?;
        }
        check_promise("a leased run is not due", !due.contains(&leased))?;
        store.release(&leased, "a").await?;
        check_promise("a released run is due", store.due(10_000).await?.contains(&leased))?;
        check_promise(
            "`due` returns at most as many runs as requested",
            store.due(1).await?.len() == 1,
        )?;
        check_promise(
            "`due` returns no runs if none are requested",
            store.due(0).await?.is_empty(),
        )?;
        let woken = self.run_id("due-asks")?;
        store.save(&woken, 1, &working_change("{}")).await?;
        check_promise("an answered run is due", store.due(10_000).await?.contains(&woken))?;
        for name in table.iter().map(|(name, ..)| *name).chain(["due-leased"]) {
            store.delete(&self.run_id(name)?).await?;
        }
        let left = store.due(10_000).await?;
        check_promise("a deleted run is not due", !left.contains(&woken) && !left.contains(&leased))
    }

    async fn many_make_one_run(&self) -> Result<()> {
        let id = self.run_id("rivals")?;
        let rivals = (0..RIVALS).map(|rival| {
            let (store, id) = (Arc::clone(&self.store), id.clone());
            tokio::spawn(
                async move { store.create(&id, &working_change(&rival.to_string())).await },
            )
        });
        let mut made = Vec::new();
        for (rival, created) in join_all(rivals).await.into_iter().enumerate() {
            let created =
                created.map_err(|ended| Error::new(ErrorKind::Internal, ended.to_string()))?;
            if created? {
                made.push(rival.to_string());
            }
        }
        let stored = self.store.load(&id).await?.map(|run| vec![run.head]);
        check_promise(
            "only one concurrent `create` succeeds",
            made.len() == 1 && stored == Some(made),
        )
    }

    /// Checks `list`, which a store may leave unimplemented.
    async fn lists_are_filtered_and_paged(&self) -> Result<()> {
        let store = &self.store;
        let mine = RunFilter::new().tag(format!("tag-{}", self.number));
        match store.list(&mine).await {
            Err(error) if error.kind() == ErrorKind::FailedPrecondition => return Ok(()),
            listed => check_promise("a tag that no run has selects none", listed?.is_empty())?,
        }
        let before = genkit_core::internal::run_store::now_ms();
        let names = ["list-a", "list-b", "list-c", "list-d"];
        for (name, kind) in names.iter().zip(["one", "two", "one", "two"]) {
            let tags = [format!("tag-{}", self.number), (*name).to_owned()];
            let first = working_change("{}").with_name(kind).with_tags(tags);
            store.create(&self.run_id(name)?, &first).await?;
        }
        let failed =
            RunChange::new(RunStatus::Failed, "{}").with_error(Some("it's 50% 'off'".into()));
        store.save(&self.run_id("list-c")?, 1, &failed).await?;
        let table = [
            ("all", mine.clone(), "abcd"),
            ("name", mine.clone().name("one"), "ac"),
            ("status", mine.clone().status(RunStatus::Failed), "c"),
            (
                "statuses",
                mine.clone().status(RunStatus::Failed).status(RunStatus::Working).name("two"),
                "bd",
            ),
            ("error", mine.clone().error("50% 'o"), "c"),
            ("no error", mine.clone().error("50_"), ""),
            ("tag", RunFilter::new().tag("list-b").name("two"), "b"),
            ("part of a tag", RunFilter::new().tag(format!("ag-{}", self.number)), ""),
            ("page", mine.clone().limit(2), "ab"),
            ("next page", mine.clone().limit(2).after(self.run_id("list-b")?), "cd"),
            ("created before", mine.clone().created_before_ms(before.saturating_sub(600_000)), ""),
            ("updated before", mine.clone().updated_before_ms(before + 600_000), "abcd"),
        ];
        for (what, filter, expected) in table {
            let listed = store.list(&filter).await?;
            let found: Vec<RunId> = listed.into_iter().map(|entry| entry.id).collect();
            let wanted: Result<Vec<RunId>> =
                expected.chars().map(|name| self.run_id(&format!("list-{name}"))).collect();
            check_promise(&format!("`list` selects and orders runs ({what})"), found == wanted?)?;
        }
        let listed = store.list(&mine.status(RunStatus::Failed)).await?;
        let entry = listed.into_iter().next();
        let is_whole = entry.is_some_and(|entry| {
            entry.status == Some(RunStatus::Failed)
                && entry.name == "one"
                && entry.tags.len() == 2
                && entry.error.as_deref() == Some("it's 50% 'off'")
                && entry.created_ms > 0
                && entry.updated_ms >= entry.created_ms
        });
        check_promise("a save keeps the name and the tags, and replaces the error", is_whole)?;
        for name in names {
            store.delete(&self.run_id(name)?).await?;
        }
        Ok(())
    }
}
