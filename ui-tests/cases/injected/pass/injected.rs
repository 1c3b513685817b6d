//! Corrected versions of the cases of `injected`, each in a module with the name of the case.

#![deny(warnings)]

mod mutable {
    use genkit::tool;

    struct Db(std::sync::Mutex<u8>);

    /// Does something.
    #[tool]
    async fn act(db: &Db) -> u8 {
        let mut db = db.0.lock().expect("no poison");
        *db += 1;
        *db
    }
}

mod trait_object {
    use genkit::tool;

    use std::sync::Arc;

    trait Db: Send + Sync {
        fn get(&self) -> u8;
    }

    pub struct One;

    impl Db for One {
        fn get(&self) -> u8 {
            1
        }
    }

    pub fn state() -> impl Send + Sync {
        Arc::new(One) as Arc<dyn Db>
    }

    /// Does something.
    #[tool]
    async fn act(db: &Arc<dyn Db>) -> u8 {
        db.get()
    }
}

mod static_lifetime {
    use genkit::tool;

    struct Db(u8);

    /// Does something.
    #[tool]
    async fn act(Db(n): &Db) -> u8 {
        *n
    }
}

mod reference_to_reference {
    use genkit::{Context, tool};

    struct Db(u8);

    /// Does something.
    #[tool]
    async fn act(db: &Db, _: &Context) -> u8 {
        db.0
    }
}

mod impl_trait {
    use genkit::tool;

    trait Db {
        fn get(&self) -> u8;
    }

    struct One;

    impl Db for One {
        fn get(&self) -> u8 {
            1
        }
    }

    struct Pool<D>(D);

    fn get(db: &impl Db) -> u8 {
        db.get()
    }

    /// Does something.
    #[tool]
    async fn act(db: &Pool<One>) -> u8 {
        get(&db.0)
    }
}

mod not_sync {
    use genkit::tool;

    use std::cell::RefCell;
    use std::sync::Mutex;

    struct Db(Mutex<RefCell<u8>>);

    /// Does something.
    #[tool]
    async fn act(db: &Db) -> u8 {
        *db.0.lock().expect("no poison").borrow()
    }
}

mod borrowing {
    use genkit::tool;

    struct Name<'a>(&'a str);

    /// Does something.
    #[tool]
    async fn act(name: &Name<'static>) -> String {
        name.0.to_owned()
    }
}

mod chunks_without_traits {
    use genkit::{Chunks as Stream, Context as Ctx, Flow, flow};

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Step(u8);

    type Steps = Stream<Step>;

    /// Counts. The rule looks at types, not at how they are spelled.
    #[flow]
    async fn count(steps: &Steps, ctx: &Ctx, to: u8) -> genkit::Result<u8> {
        for i in 0..to {
            steps.send(Step(i)).await?;
        }
        ctx.info("counted").await;
        Ok(to)
    }

    pub fn check() {
        assert_eq!(Flow::of::<count>().name(), "count");
    }
}

mod serde_on_a_reference {
    use genkit::tool;

    struct Db(u8);

    /// Does something.
    #[tool]
    async fn act(
        /// Doc comments are for readers of the source.
        db: &Db,
    ) -> u8 {
        db.0
    }
}

mod misspelt_type {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(ctx: &genkit::Context) -> bool {
        ctx.is_cancelled()
    }
}

mod misspelt_type_inside {
    use genkit::tool;

    struct Db(u8);

    /// Does something.
    #[tool]
    async fn act(db: &Option<Db>) -> u8 {
        db.as_ref().map_or(0, |db| db.0)
    }
}

fn main() {
    chunks_without_traits::check();
}
