//! A proof from assertions: what a program checks at its loop heads, taken as the invariants there.
//!
//! A witness of correctness is woven into the program as checks that an execution may or may not carry out: it asks a function
//! for an arbitrary number, and unless that is zero, a check decides between the error and the end. Executions that carry out none are those of the
//! program without checks, so the program with them is safe if and only if the program without is and all checks succeed.
//!
//! The states from which a check that comes before the next loop head fails are what an [`Annotation`] claims never to be reached. Whether that is
//! inductive is for the checker of annotations to say: nothing here has to be believed.
//!
//! # Invariants
//! * I1: the annotation covers all locations that the check demands.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Budget, IndexVec};
use cfa::loops::reaching_error;
use cfa::{Loc, Source, VarId};
use encode::{Origin, Piece, Pieces, Vocabulary};
use passes::Prepared;
use term::{Sort, Substitution, SymbolId, TermId, Terms};
use values::analyze;
use values::liveness::live_variables;

use certify::no_calls;
use verdict::{Annotation, Claim, Proof, Reason, Verdict};

/// Takes the checks that start with a call of `check_function` as invariants. The verdict is safe, subject to certification.
pub fn checks_as_invariants(
    task: &Prepared<'_>,
    check_function: &str,
    budget: &mut Budget,
) -> Result<Verdict, Reason> {
    no_calls(task)?;
    let prepared = task.program();
    let procedure = &prepared.procs[prepared.entry];
    let mut terms = Terms::new();
    let mut vocabulary = Vocabulary::of(prepared, prepared.entry, &mut terms);
    let facts = analyze(prepared, procedure, budget).map_err(Reason::Stopped)?;
    let forest = task.loops(prepared.entry);
    let relevant = reaching_error(procedure);
    let compared = vocabulary.compared_factors();
    let read_at = procedure.error.map(|error| (error, &*compared));
    let live = live_variables(prepared, procedure, forest, &relevant, read_at);
    let is_cut = |location: Loc| {
        location == procedure.entry
            || relevant[location] && (forest.is_header(location) || Some(location) == procedure.error)
    };
    let mut cuts = IndexVec::filled(false, procedure.locations.len());
    for location in forest.order() {
        cuts[*location] = is_cut(*location);
    }
    let pieces = Pieces::new(prepared, procedure, forest, &cuts, &relevant);
    let mut claims = BTreeMap::new();
    for location in forest.order().iter().copied().filter(|location| cuts[*location]) {
        let vars: Vec<VarId> = prepared.vars.ids().filter(|var| live[location].contains(*var)).collect();
        let facts = facts.at(location).map(|state| state.restricted_to(&vars));
        let never = match &facts {
            _ if Some(location) == procedure.error => Terms::TRUE,
            Some(facts) if location != procedure.entry => {
                let blocks = pieces.from(location, facts, &mut terms, &mut vocabulary);
                let failing = blocks.iter().filter(|block| Some(block.target) == procedure.error);
                let failing: Vec<TermId> =
                    failing.map(|block| failing_check(block, check_function, &mut terms)).collect();
                terms.or(failing)
            }
            _ => Terms::FALSE,
        };
        claims.insert(location, Claim { facts, never, instances: vec![Vec::new()] });
    }
    let annotation = Annotation::of(&terms, &vocabulary, prepared.entry, &claims, &BTreeMap::new());
    Ok(Verdict::Safe(Proof::Annotation(Arc::new(annotation))))
}

/// The states in which one of the checks of a piece fails.
fn failing_check(block: &Piece, check_function: &str, terms: &mut Terms) -> TermId {
    let is_check = |origin: &Origin| matches!(origin, Origin::Input(Source::Input { function }, _) if &**function == check_function);
    let choices: Vec<SymbolId> =
        block.skolems.iter().filter(|skolem| is_check(&skolem.origin)).map(|skolem| skolem.symbol).collect();
    let others: Vec<SymbolId> =
        block.skolems.iter().map(|skolem| skolem.symbol).filter(|symbol| !choices.contains(symbol)).collect();
    let (zero, one) = (terms.int(0), terms.int(1));
    let mut failing = Vec::new();
    for chosen in &choices {
        let values = choices.iter().map(|choice| (*choice, if choice == chosen { one } else { zero }));
        let fails = Substitution::new(values).apply(terms, block.transition.guard);
        if !terms.mentions(fails, &others) {
            failing.push(fails);
            continue;
        }
        // A check that comes before other choices does not depend on them: any will do.
        for (number, truth) in [(zero, Terms::FALSE), (one, Terms::TRUE)] {
            let any = others.iter().filter_map(|symbol| match terms.symbol(*symbol).sort {
                Sort::Int => Some((*symbol, number)),
                Sort::Bool => Some((*symbol, truth)),
                Sort::Array | Sort::BitVec(_) | Sort::BitArray(_) => None,
            });
            let any: Vec<(SymbolId, TermId)> = any.collect();
            let fails = Substitution::new(any).apply(terms, fails);
            if !terms.mentions(fails, &others) {
                failing.push(fails);
            }
        }
    }
    terms.or(failing)
}
