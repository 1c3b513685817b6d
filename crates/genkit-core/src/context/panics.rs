//! The location of a panic. Only the panic hook receives it; `catch_unwind` returns only the payload.

use std::any::Any;
use std::cell::RefCell;
use std::panic;
use std::sync::Once;

thread_local! {
    static LAST_LOCATION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Installs a panic hook that records the location and then runs the previous hook.
pub(super) fn install_location_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string);
            LAST_LOCATION.with(|slot| *slot.borrow_mut() = place);
            before(info);
        }));
    });
}

/// Returns the message of a panic and its location.
pub(super) fn describe_panic(payload: &(dyn Any + Send)) -> (String, Option<String>) {
    let message = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    (message, LAST_LOCATION.with(|slot| slot.borrow_mut().take()))
}
