//! Corrected versions of the cases of `arguments`, each in a module with the name of the case.

#![deny(warnings)]

mod borrowed_str {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(text: String) -> String {
        text
    }
}

mod borrowed_string {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(text: std::string::String) -> String {
        text
    }
}

mod borrowed_slice {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(list: Vec<u8>) -> usize {
        list.len()
    }
}

mod unsized_str {
    use genkit::tool;

    /// Greets a person.
    #[tool]
    async fn greet(name: String) -> String {
        name
    }
}

mod unsized_slice {
    use genkit::tool;

    /// Adds numbers.
    #[tool]
    async fn add(numbers: Vec<f64>) -> f64 {
        numbers.iter().sum()
    }
}

mod borrowed_path {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(path: std::path::PathBuf) -> String {
        path.display().to_string()
    }
}

mod borrowed_number {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(n: u32) -> u32 {
        n
    }
}

mod borrowed_inside {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(text: Option<String>) -> String {
        text.unwrap_or_default()
    }
}

mod borrowed_cow {
    use genkit::tool;

    use std::borrow::Cow;

    /// Does something.
    #[tool]
    async fn act(text: Cow<'static, str>) -> String {
        text.into_owned()
    }
}

mod static_str {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(text: Box<str>) -> String {
        text.into()
    }
}

mod pattern {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(pair: (u8, u8)) -> u8 {
        let (a, b) = pair;
        a + b
    }
}

mod wildcard {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(days: u8) -> u8 {
        let _ = days;
        1
    }
}

mod reserved_name {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(#[serde(rename = "days")] _days: u8) -> u8 {
        1
    }
}

mod same_name_twice {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(days: u8, mut hours: u8) -> u8 {
        hours += days;
        hours
    }
}

mod same_name_by_rename {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(#[serde(rename = "d", alias = "day")] d: u8, days: u8) -> u8 {
        d + days
    }
}

mod conditional {
    use genkit::tool;

    /// Tells the folder of the system.
    #[cfg(unix)]
    #[tool]
    async fn folder() -> String {
        "/etc".to_owned()
    }

    /// Tells the folder of the system.
    #[tool]
    #[cfg(not(unix))]
    async fn folder() -> String {
        "C:/Windows".to_owned()
    }

    pub fn check() {
        assert_eq!(genkit::tools![folder].len(), 1);
    }
}

mod without_traits {
    use genkit::tool;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct City {
        name: String,
    }

    /// Does something.
    #[tool]
    async fn act(city: City) -> String {
        city.name
    }
}

mod without_traits_inside {
    use std::collections::{BTreeMap, HashSet};

    use genkit::{Tool, tool};

    #[derive(serde::Deserialize, schemars::JsonSchema, PartialEq, Eq, Hash)]
    struct City {
        name: String,
    }

    type Maybe<T> = Option<T>;

    /// Counts cities.
    #[tool]
    async fn count(
        cities: Vec<City>,
        more: HashSet<City>,
        by_name: BTreeMap<String, City>,
        maybe: Maybe<City>,
    ) -> usize {
        drop(maybe);
        cities.iter().chain(&more).chain(by_name.values()).map(|city| city.name.len()).sum()
    }

    pub fn check() {
        // An `Option` may be left out, whatever it is called.
        let tool = Tool::of::<count>();
        assert_eq!(tool.input_schema()["required"].as_array().map(Vec::len), Some(3));
    }
}

mod without_schema {
    use genkit::tool;

    #[derive(serde::Deserialize)]
    struct City(String);

    /// Does something.
    #[tool]
    async fn act(#[schemars(with = "String")] city: City) -> String {
        city.0
    }
}

mod without_deserialize {
    use genkit::tool;

    #[derive(schemars::JsonSchema)]
    struct City(String);

    fn city<'de, D: serde::Deserializer<'de>>(from: D) -> Result<City, D::Error> {
        serde::Deserialize::deserialize(from).map(City)
    }

    /// Does something.
    #[tool]
    async fn act(#[serde(deserialize_with = "city")] city: City) -> String {
        city.0
    }
}

mod misspelt_type {
    use genkit::tool;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct City {
        name: String,
    }

    /// Does something.
    #[tool]
    async fn act(city: City) -> String {
        city.name
    }
}

mod misspelt_type_inside {
    use genkit::tool;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct City {
        name: String,
    }

    /// Does something.
    #[tool]
    async fn act(cities: Vec<City>) -> String {
        cities.into_iter().map(|city| city.name).collect()
    }
}

mod mistake_in_serde {
    use genkit::{Tool, tool};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Page {
        limit: usize,
    }

    /// Lists.
    #[tool]
    async fn list(
        /// How many days.
        #[serde(rename = "days")]
        #[schemars(range(min = 1))]
        d: u8,
        #[serde(flatten)] page: Page,
        #[serde(skip)] hidden: u8,
    ) -> usize {
        usize::from(d + hidden) + page.limit
    }

    pub fn check() {
        let tool = Tool::of::<list>();
        let days = &tool.input_schema()["properties"]["days"];
        assert_eq!((&days["minimum"], &days["description"]), (&1.into(), &"How many days.".into()));
        assert!(tool.input_schema()["properties"]["limit"].is_object());
    }
}

mod context_by_value {
    use genkit::{Context, tool};

    /// Does something.
    #[tool]
    async fn act(ctx: &Context) -> bool {
        ctx.is_cancelled()
    }
}

mod described_by_an_attribute {
    use genkit::tool;

    /// Adds two numbers.
    #[tool]
    async fn add(
        /// The number.
        a: i64,
    ) -> i64 {
        a
    }
}

mod default_by_an_attribute {
    use genkit::tool;

    /// Adds two numbers.
    #[tool]
    async fn add(#[arg(default = 5)] a: i64) -> i64 {
        a
    }
}

mod input_misspelt {
    use genkit::tool;

    /// Adds two numbers.
    #[tool]
    async fn add(a: i64) -> i64 {
        a
    }
}

mod parameter_of_rmcp {
    use genkit::tool;

    /// Adds two numbers.
    #[tool]
    async fn add(a: i64) -> i64 {
        a
    }
}

mod chunks_by_value {
    use genkit::{Chunks, tool};

    /// Counts.
    #[tool]
    async fn count(chunks: &Chunks<String>) -> u8 {
        let _ = chunks;
        3
    }
}

fn main() {
    conditional::check();
    without_traits_inside::check();
    mistake_in_serde::check();
}
