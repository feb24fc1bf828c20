//! A panic of an engine is a defect of that engine, not the end of the run: it becomes [`Reason::Crashed`].

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

use passes::Prepared;
use verdict::{Reason, Verdict};

use crate::{Engine, Env};

thread_local! {
    /// What the panic of a contained engine on this thread said, with its place; `None` outside of [`solve_contained`].
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Lets an engine work. If it panics, the verdict is unknown, with what it said and where. What it has spent of its budget counts.
pub fn solve_contained(engine: Box<dyn Engine>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let is_contained = SAID.with_borrow_mut(|said| {
                if let Some(said) = said {
                    *said = describe(info);
                }
                said.is_some()
            });
            if !is_contained {
                before(info);
            }
        }));
    });
    // An engine may contain others.
    let outer = SAID.replace(Some(String::new()));
    let solved = catch_unwind(AssertUnwindSafe(|| engine.solve(task, env)));
    let said = SAID.replace(outer).unwrap_or_default();
    solved.unwrap_or_else(|payload| {
        let message = if said.is_empty() { text(&*payload).to_owned() } else { said };
        Verdict::Unknown(Reason::Crashed { message })
    })
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let message = text(info.payload());
    match info.location() {
        Some(location) => format!("{message} ({}:{})", location.file(), location.line()),
        None => message.to_owned(),
    }
}

fn text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown cause")
}

#[cfg(test)]
mod tests {
    use base::Budget;

    use super::*;
    use crate::Recorder;

    struct Broken;

    impl Engine for Broken {
        fn solve(self: Box<Self>, _: &Prepared<'_>, _: &mut Env<'_>) -> Verdict {
            panic!("I7: the frontier should be empty")
        }
    }

    #[test]
    fn a_panic_of_an_engine_is_unknown_with_its_message_and_place() {
        let text = "program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n\
                    proc %start() {\n  entry l0\n  exit l1\n  l0 -> l1\n}\n";
        let program = cfa::text::parse("test.cfa", text).unwrap();
        let recorder = Recorder::default();
        let mut env = Env::new(Budget::unlimited(), &recorder);
        let verdict = solve_contained(Box::new(Broken), &Prepared::of(&program), &mut env);
        let Verdict::Unknown(Reason::Crashed { message }) = verdict else { panic!("{verdict:?}") };
        assert!(
            message.starts_with("I7: the frontier should be empty (") && message.contains("contain.rs:"),
            "{message}"
        );
    }
}
