//! Data sets, from a file, from text, or built by the program.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::error::Error as E;
use crate::evaluator::DataPoint;
use genkit_core::Result;
use genkit_schema::internal::bounded_json::{
    MAX_RESPONSE_VALUES, ValueBudget, parse_response, parse_within,
};

/// The maximum size of a data set file, in bytes. Default is 64 MiB.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// A data set: rows of inputs, with their expected outputs.
///
/// ```
/// use genkit::evaluate::DataSet;
///
/// let list = DataSet::from_json(r#"[{"input": "capital of Norway?", "reference": "Oslo"}]"#)?;
/// let lines = DataSet::from_jsonl("{\"input\": 1}\n\n{\"input\": 2}\n")?;
/// assert_eq!((list.len(), lines.len()), (1, 2));
/// # Ok::<(), genkit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataSet(Vec<DataPoint>);

impl DataSet {
    /// Reads a data set from a file: one row per line if the name ends in `.jsonl`, otherwise a JSON list.
    ///
    /// ```no_run
    /// let data = genkit::evaluate::DataSet::read("evals/capitals.jsonl")?;
    /// # Ok::<(), genkit::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`from_json`](Self::from_json), and an error if the file cannot be read or is larger than
    /// 64 MiB.
    pub fn read(file: impl AsRef<Path>) -> Result<Self> {
        let file = file.as_ref();
        let unreadable = |error| E::Unreadable(file.to_owned(), error);
        let bytes =
            genkit_files::read_regular_file(file, MAX_FILE).map_err(|error| match error {
                genkit_files::Error::TooLarge(limit) => E::TooLarge(limit),
                error => unreadable(error.into()),
            })?;
        let text = String::from_utf8(bytes)
            .map_err(|error| unreadable(io::Error::new(io::ErrorKind::InvalidData, error)))?;
        let is_lines = file.extension().is_some_and(|extension| extension == "jsonl");
        if is_lines { Self::from_jsonl(&text) } else { Self::from_json(&text) }
    }

    /// Parses a data set from a JSON list.
    ///
    /// # Errors
    /// Returns `InvalidArgument` with the number of the first invalid row.
    pub fn from_json(text: &str) -> Result<Self> {
        let rows: Vec<Value> = parse_response(text.trim_start_matches('\u{feff}').as_bytes())
            .map_err(|why| E::InvalidDataSet(why.to_string()))?;
        rows.into_iter().enumerate().map(|(at, row)| read(at + 1, row)).collect()
    }

    /// Parses a data set from lines of JSON. Empty lines are skipped.
    ///
    /// # Errors
    /// Returns `InvalidArgument` with the number of the first invalid line.
    pub fn from_jsonl(text: &str) -> Result<Self> {
        let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        let budget = ValueBudget::new(MAX_RESPONSE_VALUES);
        lines
            .map(|(at, line)| {
                let row = parse_within(line.as_bytes(), &budget)
                    .map_err(|why| E::Row { row: at + 1, why: why.to_string() })?;
                read(at + 1, row)
            })
            .collect()
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the data set has no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the rows.
    pub fn points(&self) -> &[DataPoint] {
        &self.0
    }

    pub(super) fn into_points(self) -> Vec<DataPoint> {
        self.0
    }
}

fn read(row: usize, value: Value) -> Result<DataPoint> {
    if value.get("input").is_none() {
        return Err(E::Row { row, why: "`input` is missing".to_owned() }.into());
    }
    Ok(serde_json::from_value(value).map_err(|why| E::Row { row, why: why.to_string() })?)
}

impl FromIterator<DataPoint> for DataSet {
    fn from_iter<I: IntoIterator<Item = DataPoint>>(points: I) -> Self {
        Self(points.into_iter().collect())
    }
}

/// A data set for [`evaluate`](super::evaluate()): a [`DataSet`], or a list of [`DataPoint`]s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a data set",
    label = "not a data set",
    note = "pass a `DataSet`, such as `DataSet::read(\"evals.jsonl\")?`, or a list of `DataPoint`s"
)]
pub trait IntoDataSet {
    /// Converts this to a data set.
    fn into_data_set(self) -> DataSet;
}

impl IntoDataSet for DataSet {
    fn into_data_set(self) -> DataSet {
        self
    }
}

impl IntoDataSet for Vec<DataPoint> {
    fn into_data_set(self) -> DataSet {
        DataSet(self)
    }
}

impl<const N: usize> IntoDataSet for [DataPoint; N] {
    fn into_data_set(self) -> DataSet {
        DataSet(self.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_row_is_named() {
        let message = |text| DataSet::from_json(text).unwrap_err().to_string();
        assert!(message(r#"[{"input": 1}, {"reference": 1}]"#).contains("row 2"));
        assert!(message(r#"[{"input": 1, "context": 7}]"#).contains("row 1"));
        assert!(message("{}").contains("a JSON list"));
        let error = DataSet::from_jsonl("{\"input\": 1}\n\noops").unwrap_err();
        assert!(error.to_string().contains("row 3"), "{error}");
        assert_eq!(
            DataSet::read("/no/such.json").unwrap_err().kind(),
            genkit_core::ErrorKind::NotFound
        );
    }

    #[test]
    fn file_is_read_by_its_name() {
        let folder = std::env::current_exe().unwrap().with_extension("data_set");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.jsonl"), "\u{feff}{\"input\": 1}\n{\"input\": 2}").unwrap();
        std::fs::write(folder.join("a.json"), "\u{feff}[{\"input\": 1}]").unwrap();
        assert_eq!(DataSet::read(folder.join("a.jsonl")).unwrap().len(), 2);
        assert_eq!(DataSet::read(folder.join("a.json")).unwrap().points()[0].input(), 1);
    }
}
