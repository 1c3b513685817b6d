//! Tests of saves that fail once, or until the work stops and another process resumes it.

use super::failing_saves::{
    a_save_that_fails_once_changes_nothing, a_store_that_is_down_loses_nothing,
};
use super::memory::MemoryStore;
use super::stored::Temp;

#[tokio::test(start_paused = true)]
async fn failed_save_is_retried_and_nothing_happens_twice() {
    a_save_that_fails_once_changes_nothing(MemoryStore::default(), "order").await;
}

#[tokio::test(start_paused = true)]
async fn failed_store_stops_the_worker_and_another_process_continues() {
    a_store_that_is_down_loses_nothing(MemoryStore::default(), "order").await;
}

#[tokio::test]
async fn save_that_fails_at_any_time_loses_nothing_in_a_folder() {
    let temp = Temp::new("failing-folder");
    a_save_that_fails_once_changes_nothing(temp.folder(), "order").await;
    a_store_that_is_down_loses_nothing(temp.folder(), "order").await;
}

#[tokio::test]
async fn save_that_fails_at_any_time_loses_nothing_in_sqlite() {
    let temp = Temp::new("failing-sqlite");
    a_save_that_fails_once_changes_nothing(temp.sqlite(), "order").await;
    a_store_that_is_down_loses_nothing(temp.sqlite(), "order").await;
}
