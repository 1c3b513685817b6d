async fn run(genkit: &genkit::Genkit) -> genkit::Result<()> {
    genkit.durable_run("1", genkit::generate("hi")).await?;
    Ok(())
}

fn main() {
    let _ = run;
}
