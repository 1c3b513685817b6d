//! Corrected versions of the cases of `uri`, each in a module with the name of the case.

#![deny(warnings)]

mod missing {
    use genkit::resource;

    /// A note.
    #[resource("note://all")]
    async fn note() -> String {
        String::new()
    }
}

mod missing_beside_options {
    use genkit::resource;

    /// A note.
    #[resource("note://all", title = "Note")]
    async fn note() -> String {
        String::new()
    }
}

mod as_an_option {
    use genkit::resource;

    /// A note.
    #[resource("note://all")]
    async fn note() -> String {
        String::new()
    }
}

mod not_first {
    use genkit::resource;

    /// A note.
    #[resource("note://all", title = "Note")]
    async fn note() -> String {
        String::new()
    }
}

mod not_a_string {
    use genkit::resource;

    /// A note.
    #[resource(r"note://all")]
    async fn note() -> String {
        String::new()
    }
}

mod empty {
    use genkit::resource;

    /// A note.
    #[resource("a:b")]
    async fn note() -> String {
        String::new()
    }
}

mod without_scheme {
    use genkit::resource;

    /// A note.
    #[resource("notes:all")]
    async fn note() -> String {
        String::new()
    }
}

mod with_a_space {
    use genkit::resource;

    /// A note.
    #[resource("note://all%20notes")]
    async fn note() -> String {
        String::new()
    }
}

mod brace_not_closed {
    use genkit::resource;

    /// A note.
    #[resource("note://{id}")]
    async fn note(id: u64) -> String {
        id.to_string()
    }
}

mod brace_not_opened {
    use genkit::resource;

    /// A note.
    #[resource("note://%7D{id}")]
    async fn note(id: u64) -> String {
        id.to_string()
    }
}

mod variable_without_name {
    use genkit::resource;

    /// A note.
    #[resource("note://{id}")]
    async fn note(id: u64) -> String {
        id.to_string()
    }
}

mod variable_with_odd_name {
    use genkit::resource;

    /// A note.
    #[resource("note://{note_id}")]
    async fn note(note_id: u64) -> String {
        note_id.to_string()
    }
}

mod variable_twice {
    use genkit::resource;

    /// A note.
    #[resource("note://{id}/{other}")]
    async fn note(id: u64, other: u64) -> String {
        format!("{id}{other}")
    }
}

mod variable_with_prefix {
    use genkit::resource;

    /// A note.
    #[resource("note://{id}")]
    async fn note(id: u64) -> String {
        id.to_string()
    }
}

mod variables_touch {
    use genkit::resource;

    /// A note.
    #[resource("note://{folder}/{id}")]
    async fn note(folder: String, id: u64) -> String {
        format!("{folder}{id}")
    }
}

mod unknown_operator {
    use genkit::resource;

    /// A note.
    #[resource("note:///{+path}{?limit}")]
    async fn note(path: String, limit: Option<u64>) -> String {
        format!("{path}{limit:?}")
    }
}

mod variable_without_argument {
    use genkit::resource;

    /// A note.
    #[resource("note://{folder}/{id}")]
    async fn note(folder: String, id: u64) -> String {
        format!("{folder}{id}")
    }
}

mod argument_without_variable {
    use genkit::resource;

    struct Db(u8);

    /// A note.
    #[resource("note://{id}")]
    async fn note(id: u64, db: &Db) -> String {
        format!("{}{id}", db.0)
    }
}

mod argument_misspelt {
    use genkit::resource;

    /// A note.
    #[resource("note://{number}")]
    async fn note(number: u64) -> String {
        number.to_string()
    }
}

mod argument_renamed {
    use genkit::resource;

    /// A note.
    #[resource("note://{number}")]
    async fn note(#[serde(rename = "number")] id: u64) -> String {
        id.to_string()
    }
}

mod option_misspelt {
    use genkit::resource;

    /// A note.
    #[resource("note://all", mime_type = "text/plain")]
    async fn note() -> String {
        String::new()
    }
}

mod several_mistakes {
    use genkit::resource;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Place {
        id: u64,
        page: u64,
    }

    /// A note.
    #[resource("note://{id}/{page}")]
    async fn note(#[input] place: Place) -> String {
        format!("{}{}", place.id, place.page)
    }
}

mod text_after_query {
    use genkit::resource;

    /// A note.
    #[resource("note://all/more{?limit}")]
    async fn note(limit: Option<u64>) -> String {
        format!("{limit:?}")
    }
}

mod two_that_can_hold_anything {
    use genkit::resource;

    /// A note.
    #[resource("note:///{id}/{+folder}")]
    async fn note(folder: String, id: u64) -> String {
        format!("{folder}{id}")
    }
}

mod media_type_without_key {
    use genkit::resource;

    /// The log.
    #[resource("file:///log", mime_type = "text/plain")]
    async fn log() -> String {
        String::new()
    }
}

fn main() {}
