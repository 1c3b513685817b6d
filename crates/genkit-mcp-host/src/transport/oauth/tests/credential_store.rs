//! Tests of the file that stores credentials.

use serde_json::json;

use crate::transport::oauth::{CredentialStore, FileCredentials};

#[tokio::test]
async fn credentials_file_stores_several_servers_with_mode_0600() {
    let folder = std::env::temp_dir().join(format!("genkit-keep-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("mcp.json");
    let store = FileCredentials::new(&path);
    assert_eq!(store.load("a").await.unwrap(), None);
    store.save("a", Some(json!(1))).await.unwrap();
    store.save("b", Some(json!(2))).await.unwrap();
    assert_eq!(FileCredentials::new(&path).load("a").await.unwrap(), Some(json!(1)));
    store.save("a", None).await.unwrap();
    assert_eq!(store.load("a").await.unwrap(), None);
    assert_eq!(store.load("b").await.unwrap(), Some(json!(2)));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // Opening it would wait for a program that reads from it.
        let pipe = folder.join("pipe.json.lock");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let store = FileCredentials::new(folder.join("pipe.json"));
        let error = store.save("a", Some(json!(1))).await.unwrap_err().chain();
        assert!(error.contains("is not a regular file"), "{error}");
    }
    std::fs::write(&path, "no JSON").unwrap();
    let error = store.load("b").await.unwrap_err().to_string();
    assert!(
        error.contains("cannot access the credentials file") && error.contains("mcp.json"),
        "{error}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

/// Two programs share one file, and each writes for its own servers.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writes_are_not_lost() {
    let folder = std::env::temp_dir().join(format!("genkit-keep-two-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("mcp.json");
    // Acts like another program: takes the lock, reads, and writes later.
    let lock = std::fs::File::create(folder.join("mcp.json.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let store = FileCredentials::new(&path);
    let saving = tokio::spawn(async move { store.save("ours", Some(json!(1))).await });
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    std::fs::write(&path, json!({"theirs": 2}).to_string()).unwrap();
    drop(lock);
    saving.await.unwrap().unwrap();
    let store = FileCredentials::new(&path);
    assert_eq!(store.load("ours").await.unwrap(), Some(json!(1)));
    assert_eq!(store.load("theirs").await.unwrap(), Some(json!(2)));
    std::fs::remove_dir_all(folder).unwrap();
}
