mod http {
    pub async fn serve() -> genkit::Result<()> {
        genkit::serve_mcp().name("notes").await
    }
}

mod cli {
    pub async fn serve() -> genkit::Result<()> {
        genkit::serve_mcp().shutdown(async {}).await
    }
}

mod prompts_dir {
    pub fn build() {
        let _ = genkit::Genkit::builder().build();
    }
}

mod durable_run {
    pub async fn run(genkit: &genkit::Genkit) -> genkit::Result<()> {
        genkit.generate("hi").await?;
        Ok(())
    }
}

mod host {
    pub fn serve() {
        let _ = genkit::serve_mcp();
    }
}

fn main() {
    let _ = (http::serve(), cli::serve(), durable_run::run);
    prompts_dir::build();
    host::serve();
}
