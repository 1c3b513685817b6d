//! The output types. The model receives them as a JSON Schema, with their doc comments as descriptions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An invoice. Omit values that the text does not contain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Invoice {
    /// The number of the invoice.
    pub(crate) number: Option<String>,
    /// The date of the invoice, in the form 2024-12-31.
    #[schemars(extend("format" = "date"))]
    pub(crate) date: Option<String>,
    /// The sender of the invoice.
    pub(crate) supplier: Option<String>,
    /// The total to be paid, including taxes.
    pub(crate) total: Option<f64>,
    /// The currency of all amounts.
    pub(crate) currency: Option<Currency>,
    /// The items sold, in the order of the text.
    #[serde(default)]
    pub(crate) lines: Vec<Line>,
}

/// A currency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Currency {
    Eur,
    Usd,
    Gbp,
    Chf,
}

/// One item sold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Line {
    /// The description of the item.
    pub(crate) description: String,
    /// The number of items.
    pub(crate) quantity: Option<f64>,
    /// The price of all items of this line.
    pub(crate) amount: Option<f64>,
}

impl Invoice {
    /// Returns the values found so far in one line.
    pub(crate) fn summary(&self) -> String {
        let text = |name: &str, value: &Option<String>| Some(format!("{name} {}", value.as_ref()?));
        let lines = Some(format!("lines {}", self.lines.len())).filter(|_| !self.lines.is_empty());
        let found = [
            text("number", &self.number),
            text("date", &self.date),
            text("supplier", &self.supplier),
            self.total.map(|total| format!("total {total}")),
            self.currency.map(|currency| format!("currency {currency:?}").to_lowercase()),
            lines,
        ];
        found.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// Returns the sum of the lines, if all of them have an amount.
    fn sum(&self) -> Option<f64> {
        let amounts: Option<Vec<f64>> = self.lines.iter().map(|line| line.amount).collect();
        amounts.filter(|all| !all.is_empty()).map(|all| all.iter().sum())
    }

    /// Rejects an inconsistent invoice. The model receives the error and reads the text again.
    pub(crate) fn check(&self) -> Result<(), String> {
        match (self.sum(), self.total) {
            (Some(sum), Some(total)) if sum > total + 0.005 => Err(format!(
                "the lines add up to {sum:.2}, which is more than the total of {total:.2}"
            )),
            _ => Ok(()),
        }
    }

    /// Lists missing values and possible errors.
    pub(crate) fn doubts(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let mut check = |there: bool, name: &str| {
            if !there {
                missing.push(name.to_owned());
            }
        };
        let said =
            |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
        check(said(&self.number), "number");
        check(said(&self.date), "date");
        check(said(&self.supplier), "supplier");
        check(self.total.is_some(), "total");
        check(self.currency.is_some(), "currency");
        check(!self.lines.is_empty(), "lines");
        for (at, line) in self.lines.iter().enumerate() {
            check(!line.description.trim().is_empty(), &format!("lines[{at}].description"));
            check(line.quantity.is_some(), &format!("lines[{at}].quantity"));
            check(line.amount.is_some(), &format!("lines[{at}].amount"));
        }
        let mut doubts = Vec::new();
        if !missing.is_empty() {
            doubts.push(format!("not found: {}", missing.join(", ")));
        }
        if let (Some(total), Some(sum)) = (self.total, self.sum())
            && (sum - total).abs() > 0.005
        {
            doubts.push(format!("the lines add up to {sum:.2}, but the total is {total:.2}"));
        }
        doubts
    }
}
