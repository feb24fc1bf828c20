//! Interrupts Z3 when a budget's time is over or its flag is raised.
//!
//! # Invariants
//! * I1: Z3 is interrupted only while a query runs: query and interrupt exclude each other by the lock.
//! * I2: the thread ends before the context is freed.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use base::{Budget, Stop};
use z3::Context;
use z3_sys::{Z3_context, Z3_interrupt};

/// How often the clock and the flag are looked at.
const INTERVAL: Duration = Duration::from_millis(10);

/// Watches over the queries of one context.
pub(super) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    /// The budget of the running query.
    query: Option<Budget>,
    /// Why it was interrupted.
    interrupted: Option<Stop>,
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The context, which only the interrupt touches from the other thread.
struct Interruptible(Z3_context);

// SAFETY: Z3_interrupt is made to be called from another thread, and nothing else is done with the pointer; the
// context outlives the thread (I2).
#[expect(unsafe_code, reason = "Z3's interrupt from another thread")]
unsafe impl Send for Interruptible {}

impl Interruptible {
    fn interrupt(&self) {
        // SAFETY: the context is alive (I2), and a query is running on it (I1).
        #[expect(unsafe_code, reason = "the safe handle cannot outlive a borrow of the context")]
        unsafe {
            Z3_interrupt(self.0);
        }
    }
}

impl Watchdog {
    /// Starts to watch over a context.
    pub(super) fn new(context: &Context) -> Self {
        let shared = Arc::new(Shared::default());
        let interruptible = Interruptible(context.get_z3_context());
        let watched = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("smt-watchdog".to_owned())
            .spawn(move || watch(&watched, &interruptible))
            .ok();
        Self { shared, thread }
    }

    /// Runs a query under a budget; says why it was interrupted, if it was.
    pub(super) fn guard<T>(&self, budget: &Budget, query: impl FnOnce() -> T) -> (T, Option<Stop>) {
        *self.shared.lock() = State { query: Some(budget.clone()), ..State::default() };
        let result = query();
        let state = std::mem::take(&mut *self.shared.lock());
        (result, state.interrupted)
    }
}

fn watch(shared: &Shared, context: &Interruptible) {
    let mut state = shared.lock();
    while !state.is_over {
        if let Some(query) = &state.query
            && let Err(stop) = query.poll()
        {
            state.interrupted = Some(stop);
            // Again at the next look, if Z3 was at a place where it did not notice.
            context.interrupt();
        }
        state = shared.wake.wait_timeout(state, INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            // The thread does not panic; if it did, there is nothing left to stop.
            let _ = thread.join();
        }
    }
}
