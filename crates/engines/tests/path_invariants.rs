//! The three programs of Path Invariants §2, with the number of refinements that the paper needs: one path program for FORWARD and INITCHECK, two for PARTITION.

use std::fs;
use std::path::Path;

use base::Budget;
use certify::{Certified, certify};
use engine::{Counter, Env, Part, Recorder, Settings};
use passes::Prepared;
use verdict::Verdict;

/// What a run counted.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    refinements: u64,
    by_summaries: u64,
    by_templates: u64,
}

/// Decides a program of the corpus.
fn decide(name: &str, settings: &Settings) -> (Certified, Counts) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let text = fs::read(path.join(name)).expect("the program should be readable").into();
    let input = cfront::Input::Text { name: name.to_owned(), text };
    let options = cfront::Options::new(cfa::DataModel::Lp64);
    let program = cfront::compile(&[input], &options).expect("the program should compile").program;
    let task = Prepared::of(&program);
    let recorder = Recorder::default();
    let mut env = Env::new(Budget::unlimited(), &recorder);
    let spec = engines::find("path-invariants").expect("the engine should exist");
    let engine = spec.create(settings).expect("the engine should have that part");
    let verdict = engine.solve(&task, &mut env);
    let certified = certify(&task, verdict, &mut Budget::unlimited());
    let counts = Counts {
        refinements: recorder.get(Counter::Refinements),
        by_summaries: recorder.get(Counter::InvariantsBySummaries),
        by_templates: recorder.get(Counter::InvariantsByTemplates),
    };
    (certified, counts)
}

/// Proves a program of the paper.
fn prove(name: &str, settings: &Settings) -> Counts {
    let (certified, counts) = decide(&format!("path_invariants/{name}"), settings);
    assert!(matches!(certified.verdict(), Verdict::Safe(_)), "{name}: {certified:?}");
    counts
}

#[test]
fn a_feasible_path_to_the_error_is_confirmed() {
    let (certified, _) = decide("states/flag_and_state_bad.c", &Settings::default());
    assert!(matches!(certified.verdict(), Verdict::Unsafe(_)), "{certified:?}");
}

const PROGRAMS: [(&str, u64); 3] = [("forward.c", 1), ("initcheck.c", 1), ("partition.c", 2)];

#[test]
fn the_programs_of_the_paper_take_as_many_path_programs_as_there() {
    for (name, programs) in PROGRAMS {
        let counts = prove(name, &Settings::default());
        let by_invariants = counts.by_summaries + counts.by_templates;
        assert_eq!((counts.refinements, by_invariants), (programs, programs), "{name}: {counts:?}");
    }
}

#[test]
fn templates_alone_refute_their_path_programs() {
    let settings = Settings::leaving_out([Part::Summaries]);
    for (name, programs) in PROGRAMS {
        let counts = prove(name, &settings);
        let expected = Counts { refinements: programs, by_summaries: 0, by_templates: programs };
        assert_eq!(counts, expected, "{name}");
    }
}
