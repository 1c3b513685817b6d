//! Corrected versions of the cases of `function`, each in a module with the name of the case.

#![deny(warnings)]

mod not_async {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(a: i64, b: i64) -> i64 {
        a + b
    }
}

mod const_fn {
    use genkit::tool;

    const fn sum(a: i64, b: i64) -> i64 {
        a + b
    }

    /// Does something.
    #[tool]
    async fn act(a: i64, b: i64) -> i64 {
        sum(a, b)
    }
}

mod receiver {
    use genkit::tool;

    struct Adder;

    impl Adder {
        fn add(&self, a: i64, b: i64) -> i64 {
            a + b
        }
    }

    /// Does something.
    #[tool]
    async fn act(adder: &Adder, a: i64, b: i64) -> i64 {
        adder.add(a, b)
    }
}

mod method_of_a_trait {
    use genkit::flow;

    trait Add {
        async fn add(a: i64, b: i64) -> i64;
    }

    struct Adder;

    impl Add for Adder {
        async fn add(a: i64, b: i64) -> i64 {
            a + b
        }
    }

    /// Does something.
    #[flow]
    async fn act(a: i64, b: i64) -> i64 {
        Adder::add(a, b).await
    }
}

mod on_a_struct {
    use genkit::tool;

    struct Adder(u8);

    /// Does something.
    #[tool]
    async fn act(adder: &Adder) -> u8 {
        adder.0
    }
}

mod on_an_enum {
    use genkit::tool;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub enum Adder {
        Fast,
        Slow,
    }

    /// Does something.
    #[tool]
    async fn act(adder: Adder) -> bool {
        matches!(adder, Adder::Fast)
    }
}

mod on_an_impl_block {
    pub struct Adder;

    impl Adder {
        pub async fn add(&self, a: i64, b: i64) -> i64 {
            /// A function inside of one may be a tool.
            #[genkit::tool]
            async fn add(a: i64, b: i64) -> i64 {
                a + b
            }
            add(a, b).await
        }
    }
}

mod on_a_trait {
    use std::sync::Arc;

    use genkit::tool;

    trait Adder: Send + Sync {
        fn add(&self, a: i64, b: i64) -> i64;
    }

    /// Adds.
    #[tool]
    async fn add(adder: &Arc<dyn Adder>, a: i64, b: i64) -> i64 {
        adder.add(a, b)
    }

    struct Plain;

    impl Adder for Plain {
        fn add(&self, a: i64, b: i64) -> i64 {
            a + b
        }
    }

    pub fn state() -> impl Send + Sync {
        Arc::new(Plain) as Arc<dyn Adder>
    }
}

mod on_a_module {
    mod adder {
        /// Adds.
        #[genkit::tool]
        pub async fn add(a: i64, b: i64) -> i64 {
            a + b
        }
    }

    pub fn tools() -> usize {
        genkit::tools![adder::add].len()
    }
}

mod on_a_constant {
    use genkit::tool;

    const MORE: u8 = 1;

    /// Does something.
    #[tool]
    async fn act(a: u8) -> u8 {
        a.saturating_add(MORE)
    }
}

mod generic_type {
    use genkit::tool;

    fn length<T>(list: &[T]) -> usize {
        list.len()
    }

    /// Does something.
    #[tool]
    async fn act(list: Vec<String>) -> usize {
        length(&list)
    }
}

mod generic_constant {
    use genkit::tool;

    fn length<const N: usize>(list: [u8; N]) -> usize {
        list.len()
    }

    /// Does something.
    #[tool]
    async fn act(list: [u8; 4]) -> usize {
        length(list)
    }
}

mod lifetime {
    use genkit::{Context, tool};

    /// Does something.
    #[tool]
    async fn act(ctx: &'_ Context) -> bool {
        ctx.is_cancelled()
    }
}

mod where_clause {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act() -> String {
        "hello".to_owned()
    }
}

mod impl_argument {
    use genkit::tool;

    fn shout(text: impl Into<String>) -> String {
        text.into().to_uppercase()
    }

    /// Does something.
    #[tool]
    async fn act(text: String) -> String {
        shout(text)
    }
}

mod impl_result {
    use genkit::tool;

    fn hello() -> impl ToString {
        "hello"
    }

    /// Does something.
    #[tool]
    async fn act() -> String {
        hello().to_string()
    }
}

mod unsafe_fn {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act() -> String {
        "hello".to_owned()
    }
}

mod extern_fn {
    use genkit::tool;

    fn hello() -> String {
        "hello".to_owned()
    }

    /// Does something.
    #[tool]
    async fn act() -> String {
        hello()
    }
}

mod two_macros {
    use genkit::{prompt, tool};

    /// Says hello.
    #[tool]
    async fn hello() -> String {
        "hello".to_owned()
    }

    /// Says hello.
    #[prompt(name = "hello")]
    async fn hello_prompt() -> String {
        hello().await
    }
}

mod macro_twice {
    use genkit::tool;

    /// Does something.
    #[tool(title = "Hello")]
    async fn act() -> String {
        "hello".to_owned()
    }
}

mod named_like_a_primitive {
    use genkit::tool;

    /// Does something.
    #[tool(name = "char")]
    async fn choose_char() -> String {
        "a".to_owned()
    }
}

mod on_a_macro_call {
    macro_rules! add {
        () => {
            /// Adds.
            #[genkit::tool]
            async fn add() {}
        };
    }

    add!();
}

mod future_boxed_below {
    use genkit::tool;

    /// Counts down.
    #[tool]
    async fn count(n: u8) -> u8 {
        n
    }
}

mod two_macros_in_a_list {
    use genkit::{prompt, prompts};

    /// Says hello.
    #[prompt]
    async fn hello() -> String {
        "hello".to_owned()
    }

    fn all() {
        let _ = genkit::Registry::new().add(prompts![hello]);
    }
}

fn main() {}
