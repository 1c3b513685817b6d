//! Macros that register definitions at link time.

pub use ::inventory;

pub use crate::{
    __submit as submit, __submit_files as submit_files, __submit_skills as submit_skills,
};

/// Registers a definition at link time.
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($function:ty) => {
        $crate::__private::inventory::submit! {
            <$function as $crate::__private::AnnotatedFn>::LINKED
        }
    };
}

/// Registers a folder of `.prompt` files at link time.
#[doc(hidden)]
#[macro_export]
macro_rules! __submit_files {
    ($files:path) => {
        $crate::__private::inventory::submit! {
            $crate::__private::Linked::PromptFiles(&$files)
        }
    };
}

/// Registers a folder of skills at link time.
#[doc(hidden)]
#[macro_export]
macro_rules! __submit_skills {
    ($skills:path) => {
        $crate::__private::inventory::submit! {
            $crate::__private::Linked::Skills(&$skills)
        }
    };
}
