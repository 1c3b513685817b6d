//! Servers and hosts of tasks that are killed with -9 at each point of a task, and others that go on.

mod deadly;
mod hosts;
mod servers;
mod work;
