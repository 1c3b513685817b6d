//! The account, in a JSON file.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use genkit::{Error, ErrorContext as _, ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// One account.
pub(crate) struct Account {
    path: PathBuf,
    book: Mutex<Book>,
}

/// What stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Book {
    /// In euros.
    balance: u64,
    recipients: Vec<String>,
    numbers: u64,
    transfers: Vec<Transfer>,
}

/// Money that went out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Transfer {
    pub(crate) number: u64,
    pub(crate) to: String,
    pub(crate) euros: u64,
    pub(crate) purpose: String,
}

impl Account {
    /// Opens the account, and makes one with 1000 euros if there is none.
    pub(crate) fn open(path: PathBuf) -> Result<Self> {
        let book = match std::fs::read(&path) {
            Ok(stored) => serde_json::from_slice(&stored)
                .context(format!("{} is no account", path.display()))?,
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

    /// The recipient as the account spells it.
    pub(crate) fn recipient(&self, name: &str) -> Result<String> {
        let known = self.recipients();
        known.iter().find(|known| known.eq_ignore_ascii_case(name.trim())).cloned().ok_or_else(
            || {
                Error::not_found(format!(
                    "there is no recipient {name}; there are {}",
                    known.join(", ")
                ))
            },
        )
    }

    /// Whether that much can be paid.
    pub(crate) fn covers(&self, euros: u64) -> Result<()> {
        let balance = self.balance();
        if euros == 0 || euros > balance {
            let said = format!("cannot transfer {euros} euros: the balance is {balance} euros");
            return Err(Error::new(ErrorKind::FailedPrecondition, said));
        }
        Ok(())
    }

    /// A number that no other transfer gets.
    pub(crate) fn take_number(&self) -> Result<u64> {
        self.change(|book| {
            book.numbers += 1;
            book.numbers
        })
    }

    /// Moves the money. The number makes it safe to say twice: a transfer is booked once.
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

    /// Changes the account in the file and then in memory, or in neither.
    fn change<T>(&self, change: impl FnOnce(&mut Book) -> T) -> Result<T> {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = book.clone();
        let made = change(&mut changed);
        write(&self.path, &serde_json::to_vec_pretty(&changed)?)?;
        *book = changed;
        Ok(made)
    }
}

/// Writes a whole file or nothing: the program may be ended at any time.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<()> {
    let new = path.with_extension("new");
    std::fs::write(&new, content)
        .and_then(|()| std::fs::rename(&new, path))
        .context(format!("cannot write {}", path.display()))
}
