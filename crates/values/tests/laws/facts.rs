//! A1 of crate values: intervals and congruences.

use base::Budget;
use cfa::Program;
use passes::Prepared;
use testkit::{Options, Size};
use values::state::type_range;
use values::{Facts, analyze};

use crate::{compiled, contradiction, execute};

/// Programs of each generator.
const PROGRAMS: u64 = 120;
/// Executions of each.
const RUNS: u64 = 6;

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    states: u64,
    /// Bounds and residues that say more than the type does.
    facts: u64,
    ended: u64,
}

fn check(program: &Program, seed: u64, text: &str, tally: &mut Tally) {
    let facts: Vec<Facts> = program
        .procs
        .iter()
        .map(|procedure| analyze(program, procedure, &mut Budget::unlimited()).expect("no budget ends"))
        .collect();
    for run in 0..RUNS {
        let ended = execute(program, seed * RUNS + run, |(proc, location), view| {
            let Some(state) = facts[proc.0 as usize].at(location) else {
                panic!("an execution comes to {location} of {proc}, where nothing arrives\n{text}")
            };
            tally.states += 1;
            let says_more = |var: cfa::VarId, value: values::value::Value| {
                program.vars[var].scalar().and_then(type_range).is_some_and(|range| value != range)
            };
            tally.facts += state.iter().filter(|(var, value)| says_more(*var, *value)).count() as u64;
            if let Some(found) = contradiction(program, state, view) {
                panic!("seed {seed}, run {run}, {location} of {proc}: {found}\n{text}");
            }
        });
        tally.ended += u64::from(ended);
    }
}

#[test]
fn facts_hold_in_every_state_of_random_loops() {
    let mut tally = Tally::default();
    for seed in 0..PROGRAMS {
        let text = testkit::verdicts::random_loops(seed);
        let program = compiled(&text, seed);
        check(Prepared::of(&program).program(), seed, &text, &mut tally);
        // Procedures that are analysed by themselves, started in any state.
        check(&program, seed, &text, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.facts > 100_000 && tally.ended > PROGRAMS, "{tally:?}");
}

#[test]
fn facts_hold_in_every_state_of_random_programs() {
    let mut tally = Tally::default();
    for seed in 0..PROGRAMS {
        let options = Options { size: Size::Small, nondet: true, ..Options::default() };
        let text = testkit::generate(seed, &options);
        // The passes would remove everything: these programs have no error.
        check(&compiled(&text, u64::MAX), seed, &text, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.facts > 100_000 && tally.ended > PROGRAMS, "{tally:?}");
}
