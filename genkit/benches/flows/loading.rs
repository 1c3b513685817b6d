//! A thousand `.prompt` files of typical size.

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;

use genkit_dotprompt::{Environment, Folder, Library, PromptFile};
use saphyr_parser::{Event, Parser};
use serde_json::Value;

use super::table::{Figure, Sample};
use super::time;

const CALLS: u32 = 4;

const MILLISECOND: f64 = 1e6;

const FILES: usize = 1000;

fn source(number: usize) -> String {
    format!(
        r#"---
model: vendor/model-{number}
description: Plans a trip, with what the traveller likes and what it may cost
config:
  temperature: 0.7
  maxOutputTokens: 1000
  topK: 40
input:
  schema:
    city: string, where to go
    days?: integer, how long
    likes(array, what the traveller likes): string
    budget?:
      amount: number
      currency(enum, of the amount): [EUR, USD, GBP]
  default:
    days: 3
output:
  format: json
  schema:
    title: string
    stops(array):
      place: string
      hours: number, how long to stay there
tools: [findPlaces, getWeather]
maxTurns: 4
---
{{{{role "system"}}}}
You plan trips. Answer with a list of stops.
{{{{role "user"}}}}
Plan {{{{days}}}} days in {{{{city}}}}.
{{{{#if likes}}}}
I like:
{{{{#each likes}}}}
- {{{{this}}}}
{{{{/each}}}}
{{{{/if}}}}
"#
    )
}

/// Returns the YAML of a file, which is the text between the markers.
fn yaml(source: &str) -> &str {
    let end = source.find("\n---\n").unwrap();
    &source[4..end]
}

/// Parses the YAML of a file into values, as a typical reader does.
fn read_values(source: &str) -> Value {
    serde_yaml_ng::from_str(yaml(source)).unwrap()
}

/// Reads only the events of the YAML: the baseline for every reader.
fn read_events(source: &str) -> usize {
    let mut scalars = 0;
    for event in Parser::new_from_str(yaml(source)) {
        if let (Event::Scalar(text, ..), _) = event.unwrap() {
            scalars += text.len();
        }
    }
    scalars
}

/// Creates a sample of an operation on all prompts.
fn sample<T>(mut run: impl FnMut() -> T + 'static) -> Sample {
    Box::new(move || time::of_making(CALLS, || black_box(run())) / MILLISECOND)
}

/// Measures without the disk.
pub(crate) fn in_memory(title: &str) -> Figure {
    fn each<T: 'static>(sources: &Arc<[String]>, of_one: fn(&str) -> T) -> Sample {
        let sources = sources.clone();
        sample(move || sources.iter().map(|source| of_one(source)).collect::<Vec<_>>())
    }
    let sources = (0..FILES).map(source).collect();
    let parse = |source: &str| PromptFile::parse("bench", source).unwrap();
    Figure {
        title: title.to_owned(),
        sides: vec![
            ("their YAML as values (serde_yaml_ng)", each(&sources, read_values)),
            ("their YAML as events (saphyr-parser)", each(&sources, read_events)),
            ("ours: frontmatter and template", each(&sources, parse)),
        ],
        budget: None,
    }
}

/// A folder of prompts that exists while it is measured.
struct PromptFolder(PathBuf);

impl PromptFolder {
    fn make() -> Arc<Self> {
        let path = std::env::current_exe().unwrap().with_file_name("flows_bench_prompts");
        std::fs::create_dir_all(&path).unwrap();
        for number in 0..FILES {
            std::fs::write(path.join(format!("p{number}.prompt")), source(number)).unwrap();
        }
        Arc::new(Self(path))
    }

    /// Creates a sample of an operation on each file.
    fn each<T: 'static>(self: &Arc<Self>, of_one: fn(&str) -> T) -> Sample {
        let folder = self.clone();
        sample(move || {
            let files = std::fs::read_dir(&folder.0).unwrap();
            let sources = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
            sources.map(|source| of_one(&source)).collect::<Vec<_>>()
        })
    }

    fn read(&self) -> Folder {
        Folder::read(&self.0).unwrap()
    }
}

impl Drop for PromptFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Measures with a temporary folder.
pub(crate) fn from_disk(title: &str) -> Figure {
    let folder = PromptFolder::make();
    let (parsed, checked) = (folder.clone(), folder.clone());
    let library = move || Library::build(&checked.read(), Environment::builder()).unwrap();
    let prompts = move || {
        let folder = parsed.read();
        folder.prompts().iter().map(|prompt| prompt.parse().unwrap()).collect::<Vec<_>>()
    };
    Figure {
        title: title.to_owned(),
        sides: vec![
            ("files, their YAML as values (serde_yaml_ng)", folder.each(read_values)),
            ("files, their YAML as events (saphyr-parser)", folder.each(read_events)),
            ("ours, schemas expanded and names checked", sample(library)),
            ("ours: frontmatter and template", sample(prompts)),
        ],
        budget: Some(1.5),
    }
}
