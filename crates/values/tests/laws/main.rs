//! The laws of crate values against the interpreter, on random programs: whatever location an execution comes to, the facts that are stated of the location hold in its state.
//!
//! Every location of the prepared program is a stop of the interpreter. Each test counts what was compared, and fails if the programs no longer have what it is about.

mod cases;
mod facts;
mod growth;

use base::Budget;
use cfa::{Loc, ProcId, Program, Storage};
use interp::{
    Code, CompileOptions, Config, Machine, Markers, Outcome, Seed, Silent, Step, Uninitialised, View,
};
use values::state::State;

/// Steps of one execution.
const MAX_STEPS: u64 = 6_000;

/// Compiles a text as a seed says how.
fn compiled(text: &str, seed: u64) -> Program {
    let dialect = testkit::verdicts::Dialect::of(seed);
    testkit::verdicts::judge::compile(text, dialect).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Executes a program with random inputs and shows every state to `look`. Says whether the execution came to its end.
fn execute(program: &Program, seed: u64, mut look: impl FnMut((ProcId, Loc), &View<'_>)) -> bool {
    let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Locations };
    let code = Code::new(program, options);
    let mut machine = Machine::new(program, &code, Config::default());
    for (proc, procedure) in program.procs.iter_enumerated() {
        machine.stop_at(procedure.locations.ids().map(|location| (proc, location)));
    }
    let (mut oracle, mut budget) = (Seed::new(seed), Budget::ticks(MAX_STEPS));
    loop {
        match machine.step(&mut oracle, &mut Silent, &mut std::io::sink(), &mut budget) {
            Step::Location(proc, location) => look((proc, location), &machine.view()),
            Step::Ended(outcome) => return !matches!(outcome, Outcome::Stopped(_)),
        }
    }
}

/// A value that a state does not allow.
fn contradiction(program: &Program, state: &State, view: &View<'_>) -> Option<String> {
    for (var, value) in state.iter() {
        let info = &program.vars[var];
        let found = match info.storage {
            Storage::Array { .. } => view.elements(var).into_iter().map(|(_, value)| value).collect(),
            Storage::Scalar(_) => Vec::from_iter(view.scalar(var)),
            Storage::Object { .. } => Vec::new(),
        };
        if let Some(found) = found.into_iter().find(|found| !value.contains(found.as_int())) {
            return Some(format!("{} is {}, not {value:?}", info.name, found.as_int()));
        }
    }
    None
}
