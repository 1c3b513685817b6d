//! Servers and hosts of tasks that are killed with -9 at each point of a task, and others that continue.

#[macro_use]
#[path = "../../behaviour/durable/handed_on.rs"]
mod handed_on;

mod deadly;
mod hosts;
mod servers;
mod worker;
