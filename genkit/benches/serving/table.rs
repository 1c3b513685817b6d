//! Samples side by side, and their medians.

/// What one server was measured at, one sample for each round.
pub(crate) struct Row {
    pub(crate) server: &'static str,
    pub(crate) samples: Vec<f64>,
}

/// One thing that was measured of several servers.
pub(crate) struct Figure {
    pub(crate) title: &'static str,
    /// The first is the floor.
    pub(crate) rows: Vec<Row>,
    /// The server that is written by hand with rmcp.
    pub(crate) rmcp: &'static str,
    /// What `ours` should be at.
    pub(crate) budget: &'static str,
}

impl Figure {
    pub(crate) fn new(
        title: &'static str,
        servers: &[&'static str],
        rmcp: &'static str,
        budget: &'static str,
    ) -> Self {
        let rows = servers.iter().map(|server| Row { server, samples: Vec::new() }).collect();
        Self { title, rows, rmcp, budget }
    }

    /// Adds a sample of the server at `place`.
    pub(crate) fn add(&mut self, place: usize, sample: f64) {
        self.rows[place].samples.push(sample);
    }

    pub(crate) fn print(&self) {
        let rmcp = self.rows.iter().find(|row| row.server == self.rmcp).unwrap();
        println!("\n{:<44}{:>10}{:>12}{:>12}", self.title, "", "x bare", "x rmcp");
        for row in &self.rows {
            let figure = median(row.samples.clone());
            let digits = if figure < 1000.0 { 2 } else { 0 };
            print!(
                "  {:<40}{figure:>12.digits$}{:>12.3}{:>12.3}",
                row.server,
                ratio(row, &self.rows[0]),
                ratio(row, rmcp)
            );
            if matches!(row.server, "ours" | "ours-list" | "ours-http") {
                print!("   budget {}", self.budget);
            }
            println!();
        }
    }
}

/// The median of the ratios of samples that were taken in the same round.
fn ratio(row: &Row, base: &Row) -> f64 {
    median(row.samples.iter().zip(&base.samples).map(|(own, base)| own / base).collect())
}

pub(crate) fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}
