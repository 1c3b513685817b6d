//! The tools of the agent, and their questions.

use genkit::{Context, Error, Result, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::account::{Account, Transfer};

/// Shows the balance of the account and the known recipients.
#[tool(read_only)]
pub(crate) async fn balance(account: &Account) -> String {
    let known = account.recipients().join(", ");
    format!("The balance is {} euros. Known recipients: {known}.", account.balance())
}

/// The purpose of a transfer.
#[derive(Deserialize, JsonSchema)]
struct Purpose {
    /// A few words that the recipient reads.
    purpose: String,
}

/// Transfers money to a known recipient. The program asks the user for approval, so do not ask yourself.
#[tool(needs_approval, destructive)]
pub(crate) async fn transfer(
    ctx: &Context,
    account: &Account,
    /// The name of the recipient.
    to: String,
    /// The amount in euros.
    #[schemars(range(min = 1))]
    euros: u64,
) -> Result<String> {
    let to = account.recipient(&to)?;
    account.covers(euros)?;
    // This function runs again when the next question is answered, possibly in another process.
    // `once` returns the same number again, and the account books each number only once.
    let number: u64 = ctx.once("number", async { account.take_number() }).await?;
    let asked = format!("Transfer {number}, {euros} euros to {to}: what is it for?");
    let purpose = ctx.elicit::<Purpose>(asked).await?.accepted()?.purpose;
    account.transfer(Transfer { number, to: to.clone(), euros, purpose: purpose.clone() })?;
    let left = account.balance();
    Ok(format!(
        "Transfer {number} is done: {euros} euros to {to} for {purpose}, {left} euros are left."
    ))
}

/// Deletes a recipient permanently. The program asks the user for approval, so do not ask yourself.
#[tool(destructive)]
pub(crate) async fn delete_recipient(
    ctx: &Context,
    account: &Account,
    /// The name of the recipient.
    name: String,
) -> Result<String> {
    let name = account.recipient(&name)?;
    let sent = account.transfers().iter().filter(|transfer| transfer.to == name).count();
    let message =
        format!("{name} received {sent} transfers. Type {name} to delete this recipient:");
    // The payload contains the text to type, for programs that display the question.
    let typed = ctx.interrupt(json!({ "message": message, "type": name })).await?;
    if typed != name.as_str() {
        return Err(Error::invalid_argument(format!(
            "{name} was not deleted: the user did not type the name"
        )));
    }
    account.delete_recipient(&name)?;
    Ok(format!("{name} is deleted."))
}
