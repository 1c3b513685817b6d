//! Samples side by side, and their medians.

/// The measurements of one server, with one sample for each round.
pub(crate) struct Row {
    pub(crate) server: &'static str,
    pub(crate) samples: Vec<f64>,
}

/// One measurement of several servers.
pub(crate) struct Figure {
    pub(crate) title: &'static str,
    /// The first is the baseline.
    pub(crate) rows: Vec<Row>,
    /// The server that is written by hand with rmcp.
    pub(crate) rmcp: &'static str,
    /// The budget of `ours`.
    pub(crate) budget: Budget,
}

/// The budget of a figure.
#[derive(Clone, Copy)]
pub(crate) enum Budget {
    /// At most this multiple of the baseline.
    Times(f64),
    /// At least this multiple of the baseline.
    AtLeast(f64),
    /// At most this value.
    Figure(f64),
    None,
}

impl Budget {
    /// Returns the text of the budget, with a note if the budget is missed.
    fn words(self, figure: f64, times: f64) -> String {
        let (words, met) = match self {
            Self::Times(most) => (format!("≤ {most:.2} x bare"), times <= most),
            Self::AtLeast(least) => (format!("≥ {least:.2} x bare"), times >= least),
            Self::Figure(most) => (format!("≤ {most:.2}"), figure <= most),
            Self::None => return String::new(),
        };
        format!("   budget {words}{}", if met { "" } else { ", missed" })
    }
}

impl Figure {
    pub(crate) fn new(
        title: &'static str,
        servers: &[&'static str],
        rmcp: &'static str,
        budget: Budget,
    ) -> Self {
        let rows = servers.iter().map(|server| Row { server, samples: Vec::new() }).collect();
        Self { title, rows, rmcp, budget }
    }

    /// Adds a sample of the server at index `place`.
    pub(crate) fn add(&mut self, place: usize, sample: f64) {
        self.rows[place].samples.push(sample);
    }

    pub(crate) fn print(&self) {
        let rmcp = self.rows.iter().find(|row| row.server == self.rmcp).unwrap();
        let [floor, other] = [self.rows[0].server, self.rmcp].map(|server| format!("x {server}"));
        println!("\n{:<46}{:>8}{floor:>23}{other:>23}", self.title, "");
        for row in &self.rows {
            let figure = median(row.samples.clone());
            let digits = if figure < 1000.0 { 2 } else { 0 };
            let times = ratio(row, &self.rows[0]);
            let is_ours =
                matches!(row.server, "ours" | "ours-list" | "ours-http" | "ours-http-stateless");
            let budget = if is_ours { self.budget.words(figure, times) } else { String::new() };
            println!(
                "  {:<40}{figure:>12.digits$}{times:>23.3}{:>23.3}{budget}",
                row.server,
                ratio(row, rmcp)
            );
        }
    }
}

/// Returns the median of the ratios of samples from the same round.
fn ratio(row: &Row, base: &Row) -> f64 {
    median(row.samples.iter().zip(&base.samples).map(|(own, base)| own / base).collect())
}

pub(crate) fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}
