//! Confirmation of counterexamples: a path that is feasible in the encoding is shown by an execution of the program as given, or it is spurious.
//!
//! # Invariants
//! * C1: a confirmed trace was replayed on the program as given and reached the error there.
//!
//! # Cost
//! At most [`MAX_ATTEMPTS`] tests and queries: where values are rounded up, other choices may do what the first ones do not.

use encode::{Site, Skolem};
use graph::cut::{ArcId, Graph, PointId};
use passes::Prepared;
use smt::{Answer, Logic};
use term::{Model, SymbolId, TermId, Terms};
use verdict::{Reason, Trace};

use crate::contents::{Contents, cells_of, open_arrays};
use crate::execution::{Ending, Plan, Script, Test, plan_of};
use crate::formula::PathFormula;
use crate::replay::on_original;

/// Upper bound on the executions of a path that are tried.
const MAX_ATTEMPTS: usize = 8;

/// Runs tests along paths.
pub trait Tests {
    /// Runs a test that first follows a path, as a script says.
    fn test(&mut self, points: &[PointId], script: Script, logic: &mut Logic) -> Result<Test, Reason>;
}

/// What became of a counterexample.
#[derive(Debug)]
pub enum Confirmation {
    /// This execution of the program as given reaches the error.
    Confirmed(Trace),
    /// A test was too long; with more steps it may reach the error.
    TooLong,
    /// No execution was found.
    Spurious,
}

/// Looks for an execution along a path that is feasible, as `model` shows.
pub fn confirm(
    task: &Prepared<'_>,
    graph: &Graph,
    path: &mut PathFormula,
    points: &[PointId],
    model: &Model,
    tests: &mut dyn Tests,
    logic: &mut Logic,
) -> Result<Confirmation, Reason> {
    let mut model = model.clone();
    let mut tried = Vec::new();
    for _ in 0..MAX_ATTEMPTS {
        let test = tests.test(points, script(graph, path, &model, &logic.terms), logic)?;
        match test.ending {
            Ending::Error(choices) => {
                if let Ok(trace) = on_original(task, &choices, &mut logic.budget) {
                    return Ok(Confirmation::Confirmed(trace));
                }
            }
            Ending::TooLong => return Ok(Confirmation::TooLong),
            Ending::NoError => {}
        }
        tried.push(other_choices(graph, path, &model, &mut logic.terms));
        match path.check(logic, &tried) {
            Answer::Sat(other) => model = other,
            Answer::Unsat(_) | Answer::Unknown(_) => break,
        }
    }
    Ok(Confirmation::Spurious)
}

/// What a model chooses on each step of a path, and of which elements it speaks.
pub fn script(graph: &Graph, path: &PathFormula, model: &Model, terms: &Terms) -> Script {
    let mut contents = Contents::default();
    let cells = cells_of(graph);
    for (arc, chosen) in path.choices() {
        let arrays = open_arrays(graph, &graph.arcs[arc], terms).filter_map(|(var, skolem)| {
            let (_, name) = chosen.iter().find(|(symbol, _)| *symbol == skolem.symbol)?;
            Some((var, *name))
        });
        contents.extend(Contents::of_open(&arrays.collect::<Vec<_>>(), &cells, model, terms));
    }
    let ghosts = graph.cells.ghosts.iter();
    let ghosts = ghosts.filter(|ghost| model.get(**ghost).is_some()).map(|ghost| (*ghost, model.int(*ghost)));
    Script { plans: plans(graph, path, model), contents, ghosts: ghosts.collect() }
}

fn plans(graph: &Graph, path: &PathFormula, model: &Model) -> Vec<Plan> {
    let plan = |(arc, chosen): (ArcId, &[(SymbolId, SymbolId)])| {
        let sites: Vec<(Site, SymbolId)> =
            inputs(graph, arc, chosen).map(|(skolem, name)| (skolem.site, name)).collect();
        plan_of(&sites, model)
    };
    path.choices().map(plan).collect()
}

/// The numbers that a step chooses, with their names on the path.
fn inputs<'a>(
    graph: &'a Graph,
    arc: ArcId,
    chosen: &'a [(SymbolId, SymbolId)],
) -> impl Iterator<Item = (&'a Skolem, SymbolId)> {
    let skolems = graph.arcs[arc].skolems.iter().zip(chosen);
    skolems.filter(|(skolem, _)| skolem.is_chosen_number()).map(|(skolem, (_, name))| (skolem, *name))
}

/// That a path chooses otherwise than a model does.
fn other_choices(graph: &Graph, path: &PathFormula, model: &Model, terms: &mut Terms) -> TermId {
    let mut different = Vec::new();
    for (arc, chosen) in path.choices() {
        for (_, name) in inputs(graph, arc, chosen) {
            let (variable, value) = (terms.of_symbol(name), terms.number(model.int(name)));
            different.push(terms.ne(variable, value));
        }
    }
    terms.or(different)
}
