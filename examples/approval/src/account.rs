//! An account stored in a JSON file.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use genkit::{Error, ErrorContext as _, ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// A bank account.
pub(crate) struct Account {
    path: PathBuf,
    book: Mutex<Book>,
}

/// The content of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Book {
    /// The balance in euros.
    balance: u64,
    recipients: Vec<String>,
    numbers: u64,
    transfers: Vec<Transfer>,
}

/// A completed transfer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Transfer {
    pub(crate) number: u64,
    pub(crate) to: String,
    pub(crate) euros: u64,
    pub(crate) purpose: String,
}

impl Account {
    /// Opens the account, or creates one with 1000 euros if the file does not exist.
    pub(crate) fn open(path: PathBuf) -> Result<Self> {
        let book = match std::fs::read(&path) {
            Ok(stored) => serde_json::from_slice(&stored)
                .context(format!("{} is not an account file", path.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Book {
                balance: 1000,
                recipients: ["Ada", "Grace", "Linus"].map(str::to_owned).into(),
                numbers: 0,
                transfers: Vec::new(),
            },
            Err(error) => return Err(error).context(format!("cannot read {}", path.display())),
        };
        Ok(Self { path, book: Mutex::new(book) })
    }

    pub(crate) fn balance(&self) -> u64 {
        self.read(|book| book.balance)
    }

    pub(crate) fn recipients(&self) -> Vec<String> {
        self.read(|book| book.recipients.clone())
    }

    pub(crate) fn transfers(&self) -> Vec<Transfer> {
        self.read(|book| book.transfers.clone())
    }

    /// Returns the recipient's name as spelled in the account.
    pub(crate) fn recipient(&self, name: &str) -> Result<String> {
        let known = self.recipients();
        known.iter().find(|known| known.eq_ignore_ascii_case(name.trim())).cloned().ok_or_else(
            || {
                Error::not_found(format!(
                    "recipient {name} not found; known recipients: {}",
                    known.join(", ")
                ))
            },
        )
    }

    /// Checks that the balance covers the amount.
    pub(crate) fn covers(&self, euros: u64) -> Result<()> {
        let balance = self.balance();
        if euros == 0 || euros > balance {
            let said = format!("cannot transfer {euros} euros: the balance is {balance} euros");
            return Err(Error::new(ErrorKind::FailedPrecondition, said));
        }
        Ok(())
    }

    /// Returns a unique transfer number.
    pub(crate) fn take_number(&self) -> Result<u64> {
        self.change(|book| {
            book.numbers += 1;
            book.numbers
        })
    }

    /// Books a transfer. The number makes it idempotent: each number is booked once.
    pub(crate) fn transfer(&self, transfer: Transfer) -> Result<()> {
        if self.transfers().iter().any(|booked| booked.number == transfer.number) {
            return Ok(());
        }
        self.covers(transfer.euros)?;
        self.change(|book| {
            book.balance -= transfer.euros;
            book.transfers.push(transfer);
        })
    }

    pub(crate) fn delete_recipient(&self, name: &str) -> Result<()> {
        self.change(|book| book.recipients.retain(|known| known != name))
    }

    fn read<T>(&self, look: impl FnOnce(&Book) -> T) -> T {
        look(&self.book.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the account in the file and in memory, or in neither.
    fn change<T>(&self, change: impl FnOnce(&mut Book) -> T) -> Result<T> {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = book.clone();
        let made = change(&mut changed);
        write(&self.path, &serde_json::to_vec_pretty(&changed)?)?;
        *book = changed;
        Ok(made)
    }
}

/// Writes a file atomically, because the program can be stopped at any time.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<()> {
    let new = path.with_extension("new");
    std::fs::write(&new, content)
        .and_then(|()| std::fs::rename(&new, path))
        .context(format!("cannot write {}", path.display()))
}
