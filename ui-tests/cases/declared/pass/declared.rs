//! Corrected versions of the cases of `declared`, each in a module with the name of the case.

#![deny(warnings)]

mod without_return_type {
    use genkit::tool;

    /// Asks the user for a seat.
    #[tool]
    async fn pick_seat(row: u32) -> String;
}

mod returns_a_result {
    use genkit::tool;

    /// Asks the user for a seat.
    #[tool]
    async fn pick_seat(row: u32) -> String;
}

mod context {
    use genkit::tool;

    /// Asks the user for a seat.
    #[tool]
    async fn pick_seat(row: u32) -> String;
}

mod generic {
    use genkit::tool;

    /// Asks the user for a seat.
    #[tool]
    async fn pick_seat(row: u32) -> String;
}

mod not_async {
    use genkit::tool;

    /// Asks the user for a seat.
    #[tool]
    async fn pick_seat(row: u32) -> String;
}

mod state {
    use genkit::tool;

    struct Plane;

    /// Picks a seat.
    #[tool]
    async fn pick_seat(plane: &Plane, row: u32) -> String {
        let Plane = plane;
        format!("{row}A")
    }
}

mod at_most_once {
    use genkit::tool;

    /// Asks the user for a seat.
    #[tool(needs_approval, read_only)]
    async fn pick_seat(row: u32) -> String;
}

mod task {
    use genkit::tool;

    /// Asks the user for a seat.
    #[tool(needs_approval, read_only)]
    async fn pick_seat(row: u32) -> String;
}

mod timeout {
    use genkit::tool;

    /// Asks the user for a seat.
    #[tool(needs_approval, read_only)]
    async fn pick_seat(row: u32) -> String;
}

mod flow {
    use genkit::flow;

    /// Picks a seat.
    #[flow]
    async fn pick_seat(row: u32) -> String {
        format!("{row}A")
    }
}

mod called {
    use genkit::tool;

    /// Picks a seat.
    #[tool]
    async fn pick_seat(row: u32) -> String {
        format!("{row}A")
    }

    #[allow(dead_code)]
    async fn book() -> String {
        pick_seat(7).await
    }
}

mod response_of_another_type {
    use genkit::{Answer, Interrupt, tool};

    /// Asks the user for a seat.
    #[tool]
    async fn pick_seat(row: u32) -> String;

    #[allow(dead_code)]
    fn answer(question: &Interrupt) -> Answer {
        question.respond_as::<pick_seat>("7A".to_owned())
    }
}

mod response_of_a_function {
    use genkit::{Answer, Interrupt, tool};

    /// Picks a seat.
    #[tool]
    async fn pick_seat(row: u32) -> String {
        format!("{row}A")
    }

    #[allow(dead_code)]
    fn answer(question: &Interrupt) -> Answer {
        question.respond("7A")
    }
}

mod return_type_without_schema {
    use genkit::tool;

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Seat(String);

    /// Asks the user for a seat, with arguments that need a derive.
    #[tool]
    async fn pick_seat(
        #[serde(rename = "rowNumber")] row: u32,
        #[arg(default = 3)] count: u8,
        #[serde(flatten)] more: std::collections::BTreeMap<String, String>,
    ) -> Seat;
}

fn main() {}
