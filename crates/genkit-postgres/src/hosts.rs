//! The hosts of a configuration.

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// Returns a configuration for each host. The driver has no timeout for the start of a session, so a host that accepts
/// connections and never responds would hide the hosts after it.
pub(crate) fn split_hosts(config: &Config) -> Vec<Config> {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let (ports, count) = (config.get_ports(), hosts.len().max(addresses.len()));
    let is_complete = |items: usize, least: usize| items <= least || items == count;
    let names: Option<Vec<&str>> = hosts.iter().map(host_name).collect();
    // The driver reports an error if the numbers differ.
    let can_split = is_complete(hosts.len(), 0)
        && is_complete(addresses.len(), 0)
        && is_complete(ports.len(), 1);
    let Some(names) = names.filter(|_| count > 1 && can_split) else {
        return vec![config.clone()];
    };
    let with_host = |at: usize| {
        let mut one = without_hosts(config);
        if let Some(name) = names.get(at) {
            one.host(*name);
        }
        if let Some(address) = addresses.get(at) {
            one.hostaddr(*address);
        }
        if let Some(port) = ports.get(at).or_else(|| ports.first()) {
            one.port(*port);
        }
        one
    };
    (0..count).map(with_host).collect()
}

/// Returns the name of a host. `None` for a Unix socket, which needs no second host.
#[allow(unreachable_patterns, reason = "systems without Unix sockets have only this variant")]
fn host_name(host: &Host) -> Option<&str> {
    match host {
        Host::Tcp(name) => Some(name),
        _ => None,
    }
}

fn without_hosts(config: &Config) -> Config {
    let mut one = Config::new();
    if let Some(user) = config.get_user() {
        one.user(user);
    }
    if let Some(password) = config.get_password() {
        one.password(password);
    }
    if let Some(name) = config.get_dbname() {
        one.dbname(name);
    }
    if let Some(options) = config.get_options() {
        one.options(options);
    }
    if let Some(name) = config.get_application_name() {
        one.application_name(name);
    }
    if let Some(timeout) = config.get_connect_timeout() {
        one.connect_timeout(*timeout);
    }
    if let Some(timeout) = config.get_tcp_user_timeout() {
        one.tcp_user_timeout(*timeout);
    }
    if let Some(interval) = config.get_keepalives_interval() {
        one.keepalives_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        one.keepalives_retries(retries);
    }
    one.keepalives(config.get_keepalives()).keepalives_idle(config.get_keepalives_idle());
    one.ssl_mode(config.get_ssl_mode()).ssl_negotiation(config.get_ssl_negotiation());
    one.channel_binding(config.get_channel_binding());
    one.target_session_attrs(config.get_target_session_attrs());
    one
}
