//! Corrected versions of the cases of `retriever`, each in a module with the name of the case.

#![deny(warnings)]

mod text_query {
    use genkit::model::Document;
    use genkit::retriever;

    /// Searches the notes.
    #[retriever]
    pub(super) async fn notes(query: Document, k: usize) -> Vec<Document> {
        vec![Document::from(query.text()); k]
    }
}

mod signed_count {
    use genkit::model::Document;
    use genkit::retriever;

    /// Searches the notes.
    #[retriever]
    pub(super) async fn notes(query: Document, k: usize) -> Vec<Document> {
        vec![query; k]
    }
}

mod returns_text {
    use genkit::model::Document;
    use genkit::{Result, retriever};

    /// Searches the notes.
    #[retriever]
    pub(super) async fn notes(query: Document, k: usize) -> Result<Vec<Document>> {
        Ok(vec![query; k])
    }
}

mod returns_nothing {
    use genkit::model::Document;
    use genkit::retriever;

    /// Searches the notes.
    #[retriever]
    pub(super) async fn notes(query: Document, k: usize) -> Vec<Document> {
        vec![query; k]
    }
}

mod without_count {
    use genkit::model::Document;
    use genkit::retriever;

    /// Searches the notes.
    #[retriever]
    pub(super) async fn notes(query: Document, k: usize) -> Vec<Document> {
        vec![query; k]
    }
}

mod other_name {
    use genkit::model::Document;
    use genkit::retriever;

    /// Searches the notes.
    #[retriever]
    pub(super) async fn notes(query: Document, k: usize) -> Vec<Document> {
        vec![query; k]
    }
}

mod third_parameter {
    use genkit::model::Document;
    use genkit::retriever;

    pub(super) struct Folder(pub(super) String);

    /// Searches the notes.
    #[retriever]
    pub(super) async fn notes(folder: &Folder, query: Document, k: usize) -> Vec<Document> {
        vec![Document::from(folder.0.as_str()), query].into_iter().take(k).collect()
    }
}

mod not_a_retriever {
    use genkit::model::Document;
    use genkit::retriever;

    /// Searches the notes.
    #[retriever]
    pub(super) async fn notes(query: Document, k: usize) -> Vec<Document> {
        vec![query; k]
    }

    pub(super) fn name() -> String {
        genkit::retrieval::Retriever::of::<notes>().name().to_owned()
    }
}

mod tool_option {
    use genkit::model::Document;
    use genkit::retriever;

    /// Searches the notes.
    #[retriever]
    pub(super) async fn notes(query: Document, k: usize) -> Vec<Document> {
        vec![query; k]
    }
}

fn main() {
    let folder = third_parameter::Folder("notes".to_owned());
    let _ = third_parameter::notes(&folder, "q".into(), 1);
    assert_eq!(not_a_retriever::name(), "notes");
    let _ = text_query::notes("q".into(), 1);
    let _ = signed_count::notes("q".into(), 1);
    let _ = returns_text::notes("q".into(), 1);
    let _ = returns_nothing::notes("q".into(), 1);
    let _ = without_count::notes("q".into(), 1);
    let _ = other_name::notes("q".into(), 1);
    let _ = not_a_retriever::notes("q".into(), 1);
    let _ = tool_option::notes("q".into(), 1);
}
