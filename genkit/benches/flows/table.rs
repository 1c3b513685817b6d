//! Samples side by side, and their medians.

/// Takes one sample.
pub(crate) type Sample = Box<dyn FnMut() -> f64>;

/// One measurement of several sides.
pub(crate) struct Figure {
    pub(crate) title: String,
    /// The first is the baseline for the others.
    pub(crate) sides: Vec<(&'static str, Sample)>,
    /// The maximum ratio that the last one should have.
    pub(crate) budget: Option<f64>,
}

impl Figure {
    /// Takes the samples and prints the results. The sides alternate, so that load on the machine affects all of them.
    pub(crate) fn measure(mut self, rounds: usize) {
        let mut samples = vec![Vec::new(); self.sides.len()];
        for _ in 0..rounds {
            for ((_, sample), samples) in self.sides.iter_mut().zip(&mut samples) {
                samples.push(sample());
            }
        }
        println!("\n{:<64}{:>9}", self.title, "ratio");
        let last = self.sides.len() - 1;
        for (side, (name, _)) in self.sides.iter().enumerate() {
            let ratios = samples[side].iter().zip(&samples[0]).map(|(own, base)| own / base);
            let (ratio, median) = (median(ratios.collect()), median(samples[side].clone()));
            print!("  {name:<44}{median:>18.2}{ratio:>9.3}");
            match self.budget.filter(|_| side == last) {
                Some(budget) => println!("   budget {budget}"),
                None => println!(),
            }
        }
    }
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}
