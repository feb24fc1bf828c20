//! The engines, one folder or file for each paper, and the registry of them.
//!
//! An engine is a composition of shared parts: path summaries (crate summary), path formulas, dead-end interpolation and tests (crate paths), the
//! abstract reachability tree (crate graph). A new engine is one folder and one line in [`ENGINES`].
//!
//! Knows no files and no flags.

mod around_calls;
mod bit_candidates;
mod bself;
mod counterexample;
mod cra;
mod draw;
mod exact_bits;
mod explicit;
mod facts_of_others;
mod float_sums;
mod gps;
mod guide;
mod heaviest;
mod impact;
mod in_bits;
mod joint_facts;
mod kind;
mod path_invariants;
mod polynomial_candidates;
mod problem;
mod recmc;
mod rounded;
mod rounds;
mod run_first;
mod sample;
mod tracer;
mod trial_walks;
mod unwinding;

use encode::LogicName;
use engine::{Engine, EngineSpec, Executions, Part, Settings};
use summary::StarOptions;

use around_calls::{AroundCalls, Contracts};
use bself::{Backward, Folding};
use exact_bits::ExactBits;
use gps::explore::{Explore, TestGuide};
use gps::lite::NoCover;
use gps::try_cover::{Cover, TryCover};
use gps::{Gps, Strategies};
use guide::Guidance;
use in_bits::InBits;
use kind::Kind;
use path_invariants::PathInvariants;
use paths::Strength;
use rounds::Rounds;
use run_first::RunFirst;
use tracer::Tracer;
use unwinding::{Chosen, Unwinding};

pub use recmc::{CLAUSES_HEAD, clauses_text};
pub use run_first::{Tried, try_executions};
pub use sample::sample;

/// All engines; the first is the default.
pub static ENGINES: &[EngineSpec] = &[
    EngineSpec {
        name: "auto",
        purpose: "the engines below in turn, in rounds whose budgets double; they tell each other what they find out",
        paper: "",
        parts: &[Part::Gas, Part::Summaries, Part::Congruences, Part::Exchange, Part::Integers, Part::Bits],
        configure: |settings| {
            if settings.has(Part::Integers) {
                after_run(|settings| Box::new(Rounds::new(settings)), settings)
            } else {
                after_run(|_| Box::new(InBits), settings)
            }
        },
    },
    EngineSpec {
        name: "gps",
        purpose: "runs tests that path summaries guide to the error; dead ends prove that there is none",
        paper: "Gps25",
        parts: &[Part::Gas, Part::Summaries, Part::Congruences, Part::Integers, Part::Bits],
        configure: |settings| match (settings.has(Part::Integers), settings.has(Part::Bits)) {
            (true, true) => after_run(|settings| exactly(in_integers, settings), settings),
            (true, false) => after_run(in_integers, settings),
            (false, _) => after_run(|_| Box::new(InBits), settings),
        },
    },
    EngineSpec {
        name: "gps-lite",
        purpose: "gps without covering: dead ends by summaries alone",
        paper: "Gps25",
        parts: &[Part::Gas, Part::Summaries, Part::Congruences],
        configure: |settings| {
            after_run(|settings| around(gps(settings, &NoCover), Contracts::Never), settings)
        },
    },
    EngineSpec {
        name: "impact",
        purpose: "lazy abstraction with interpolants: no summaries, no tests",
        paper: "Impact06",
        parts: &[],
        configure: |settings| after_run(|_| around(impact::impact(), Contracts::Never), settings),
    },
    EngineSpec {
        name: "cra",
        purpose: "proves programs by the summary of all their paths",
        paper: "Gps25",
        parts: &[Part::Congruences],
        configure: |settings| {
            after_run(|settings| around(cra::Cra(star(settings)), Contracts::Never), settings)
        },
    },
    EngineSpec {
        name: "recmc",
        purpose: "procedures by facts about what they may do and facts about what they can do; no inlining needed",
        paper: "Recmc14",
        parts: &[],
        configure: |settings| after_run(|_| Box::new(recmc::Recmc), settings),
    },
    EngineSpec {
        name: "path-invariants",
        purpose: "predicate abstraction whose counterexamples are programs; invariants of these refute all repetitions of loops at once",
        paper: "PathInvariants06",
        parts: &[Part::Summaries, Part::Congruences],
        configure: |settings| {
            after_run(|settings| around(path_invariants(settings), Contracts::Never), settings)
        },
    },
    EngineSpec {
        name: "bself",
        purpose: "searches backwards from the error, and folds loops into invariants that exclude it",
        paper: "Bself21",
        parts: &[],
        configure: |settings| after_run(|_| around(Backward(Folding::On), Contracts::Never), settings),
    },
    EngineSpec {
        name: "bse",
        purpose: "bself without folding: loops are unwound backwards until nothing new is found",
        paper: "Bself21",
        parts: &[],
        configure: |settings| after_run(|_| around(Backward(Folding::Off), Contracts::Never), settings),
    },
    EngineSpec {
        name: "se-bself",
        purpose: "bounded symbolic execution (bmc) and bself in turn, in rounds whose budgets double",
        paper: "Bself21",
        parts: &[Part::Exchange],
        configure: |settings| {
            after_run(|settings| Box::new(Rounds::forwards_and_backwards(settings)), settings)
        },
    },
    EngineSpec {
        name: "kind",
        purpose: "k-induction over loop heads, with facts that hold together",
        paper: "Sheeran00",
        parts: &[Part::Integers, Part::Bits],
        configure: |settings| {
            if settings.has(Part::Integers) {
                after_run(|_| around(Kind, Contracts::Never), settings)
            } else {
                after_run(|_| Box::new(InBits), settings)
            }
        },
    },
    EngineSpec {
        name: "bmc",
        purpose: "bounded model checking: loops unwound 1, 2, 3, 5, 9, ... times; proves programs whose loops are bounded",
        paper: "Sheeran00",
        parts: &[Part::Integers, Part::Bits],
        configure: |settings| match (settings.has(Part::Integers), settings.has(Part::Bits)) {
            (true, true) => after_run(|_| Box::new(Unwinding::new(Chosen::ByProgram)), settings),
            (true, false) => {
                after_run(|_| Box::new(Unwinding::new(Chosen::Always(LogicName::Integers))), settings)
            }
            (false, _) => after_run(|_| Box::new(Unwinding::new(Chosen::Always(LogicName::Bits))), settings),
        },
    },
    EngineSpec {
        name: "tracer",
        purpose: "symbolic execution, depth first, with interpolants that subsume paths and widening at loops",
        paper: "Tracer12",
        parts: &[],
        configure: |settings| after_run(|_| around(Tracer(Strength::Weakest), Contracts::Never), settings),
    },
    EngineSpec {
        name: "tracer-sp",
        purpose: "tracer with strongest postconditions as interpolants",
        paper: "Tracer12",
        parts: &[],
        configure: |settings| after_run(|_| around(Tracer(Strength::Strongest), Contracts::Never), settings),
    },
    EngineSpec {
        name: "explicit",
        purpose: "decides programs without nondeterminism by running them",
        paper: "",
        parts: &[],
        configure: |_| Box::new(explicit::Explicit),
    },
];

/// The engine of a name.
pub fn find(name: &str) -> Option<&'static EngineSpec> {
    ENGINES.iter().find(|spec| spec.name == name)
}

/// The engine behind a run of the only execution.
fn after_run(configure: fn(&Settings) -> Box<dyn Engine>, settings: &Settings) -> Box<dyn Engine> {
    match settings.executions() {
        Executions::First => Box::new(RunFirst { configure, settings: settings.clone() }),
        Executions::Never => configure(settings),
    }
}

/// An engine that knows one procedure, with what is done where calls stay.
fn around(search: impl Engine + 'static, contracts: Contracts) -> Box<dyn Engine> {
    Box::new(AroundCalls { search: Box::new(search), contracts })
}

/// The default engine over integers.
fn in_integers(settings: &Settings) -> Box<dyn Engine> {
    around(gps(settings, &TryCover), Contracts::Learned)
}

/// An engine over integers, with bits in turn where integers are rounded up.
fn exactly(configure: fn(&Settings) -> Box<dyn Engine>, settings: &Settings) -> Box<dyn Engine> {
    Box::new(ExactBits { configure, settings: settings.clone() })
}

fn star(settings: &Settings) -> StarOptions {
    if settings.has(Part::Congruences) { StarOptions::default() } else { StarOptions::without_congruences() }
}

/// Without summaries the invariants of path programs are found by templates alone.
fn path_invariants(settings: &Settings) -> PathInvariants {
    PathInvariants { summaries: settings.has(Part::Summaries).then(|| star(settings)) }
}

/// The search of GPS with one way to cover nodes.
fn gps(settings: &Settings, cover: &'static dyn Cover) -> Gps {
    let star = star(settings);
    let (guidance, tests) = match (settings.has(Part::Summaries), settings.has(Part::Gas)) {
        (true, true) => (Guidance::Summaries(star), TestGuide::WithGas(star)),
        (true, false) => (Guidance::Summaries(star), TestGuide::AsSearch),
        (false, _) => (Guidance::Anything, TestGuide::AsSearch),
    };
    Gps(Strategies { guidance, cover, testing: Box::new(Explore(tests)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_refuses_to_leave_out_what_it_does_not_have() {
        for spec in ENGINES {
            for part in [Part::Gas, Part::Summaries, Part::Congruences, Part::Exchange] {
                let created = spec.create(&Settings::leaving_out([part]));
                assert_eq!(created.is_ok(), spec.parts.contains(&part), "{} {part:?}", spec.name);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        for (position, spec) in ENGINES.iter().enumerate() {
            assert!(ENGINES[..position].iter().all(|other| other.name != spec.name), "{}", spec.name);
            assert!(find(spec.name).is_some_and(|found| std::ptr::eq(found, spec)));
        }
    }
}
