//! Keeps panics of the binding inside: it panics where Z3 has no memory left for a term.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `action`; if it panics, returns the message instead. Nothing is printed.
pub(super) fn contain<T>(action: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_CONTAINED.get() {
                previous(info);
            }
        }));
    });
    let before = IS_CONTAINED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(action));
    IS_CONTAINED.set(before);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<&str>().copied().map(str::to_owned);
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_message() {
        assert_eq!(contain(|| 7), Ok(7));
        let words = ["one"];
        let result = contain(|| words.get(1).map(|word| word.len()).expect("memory should be left"));
        assert_eq!(result, Err("memory should be left".to_owned()));
    }
}
