//! Joint candidates: which of many candidate facts survive together, found with few questions.
//!
//! # Paper
//! [Houdini01]: guess many facts, drop those that are refuted under the assumption of the others, until none is. Here one question asks for a model that
//! breaks any of the candidates, and each model drops all that it breaks: the number of questions is that of the models, plus one.
//!
//! What "broken" means is up to who asks. For facts of which each is to be preserved by itself nothing is assumed, and a candidate is broken where it holds before and not
//! after; for facts that are preserved together each is assumed before, and broken where it does not hold after.
//!
//! # Invariants
//! * J1: no state that satisfies what all survivors assume breaks one of them.
//! * J2: the survivors are the greatest such subset, which is unique, unless a question had no answer: then there may be fewer.
//!
//! # Cost
//! At most one question for each candidate and one more, if all are answered; a question without answer is asked again in halves.

use std::collections::BTreeSet;
use std::rc::Rc;

use base::{Budget, IndexVec, Stop};
use graph::cut::{ArcId, Graph, PointId};
use smt::{Answer, Solver, Why};
use term::{Evaluator, Model, TermId, Terms};

/// An answer that can be acted on; what is unknown is treated as the weaker case.
#[derive(Clone, Debug)]
pub enum Reply {
    /// There is such a state.
    Yes(Rc<Model>),
    /// There is none.
    No,
    /// The solver does not know.
    Unknown,
}

/// What questions are about: one step, or the states of a point.
pub trait Relation {
    /// The arena of the formulas.
    fn terms(&mut self) -> &mut Terms;
    /// Whether the relation has a state that satisfies a condition.
    fn ask(&mut self, condition: TermId) -> Result<Reply, Stop>;
}

/// A relation that a solver knows.
pub struct Asserted<'a> {
    /// The arena.
    pub terms: &'a mut Terms,
    /// Has the relation as its assertions.
    pub solver: &'a mut dyn Solver,
    /// What is charged.
    pub budget: &'a mut Budget,
}

impl Relation for Asserted<'_> {
    fn terms(&mut self) -> &mut Terms {
        self.terms
    }

    fn ask(&mut self, condition: TermId) -> Result<Reply, Stop> {
        match self.solver.check(self.terms, &[condition], self.budget) {
            Answer::Sat(model) => Ok(Reply::Yes(Rc::new(model))),
            Answer::Unsat(_) => Ok(Reply::No),
            Answer::Unknown(Why::Stopped(stop)) => Err(stop),
            Answer::Unknown(_) => Ok(Reply::Unknown),
        }
    }
}

/// A candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What it contributes to the assumptions under which all are tested.
    pub assumed: TermId,
    /// When it is broken.
    pub broken: TermId,
}

/// The positions of the candidates that survive (J1, J2), ascending.
pub fn survivors(relation: &mut dyn Relation, candidates: &[Candidate]) -> Result<Vec<usize>, Stop> {
    let mut alive: Vec<usize> = (0..candidates.len()).collect();
    loop {
        let assumed = alive.iter().map(|at| candidates[*at].assumed).collect::<Vec<_>>();
        let assumed = relation.terms().and(assumed);
        let lost = broken(relation, assumed, candidates, &alive)?;
        if lost.is_empty() {
            return Ok(alive);
        }
        alive.retain(|at| !lost.contains(at));
    }
}

/// Some of the candidates that are broken under an assumption, or of which nothing is known; none if none is broken.
fn broken(
    relation: &mut dyn Relation,
    assumed: TermId,
    candidates: &[Candidate],
    alive: &[usize],
) -> Result<Vec<usize>, Stop> {
    let mut groups = vec![alive.to_vec()];
    while let Some(group) = groups.pop() {
        let any = group.iter().map(|at| candidates[*at].broken).collect::<Vec<_>>();
        let any = relation.terms().or(any);
        let question = relation.terms().and([assumed, any]);
        if question == Terms::FALSE {
            continue;
        }
        let lost = match relation.ask(question)? {
            Reply::No => continue,
            Reply::Yes(model) => {
                let mut evaluator = Evaluator::new(relation.terms(), &model);
                alive.iter().copied().filter(|at| evaluator.holds(candidates[*at].broken)).collect()
            }
            Reply::Unknown => Vec::new(),
        };
        if !lost.is_empty() || group.len() == 1 {
            return Ok(if lost.is_empty() { group } else { lost });
        }
        let (first, second) = group.split_at(group.len() / 2);
        groups.extend([second.to_vec(), first.to_vec()]);
    }
    Ok(Vec::new())
}

/// Drops candidates at the points of a graph until every arc leads from what is left at its source to what is left at its target.
///
/// `keep` says for an arc which candidates of its target are kept, given those of all points; what it drops is dropped for good.
pub fn settle<C>(
    graph: &Graph,
    candidates: &mut IndexVec<PointId, Vec<C>>,
    mut keep: impl FnMut(ArcId, &IndexVec<PointId, Vec<C>>) -> Result<Vec<usize>, Stop>,
) -> Result<(), Stop> {
    let mut pending: BTreeSet<ArcId> = graph.arcs.ids().collect();
    while let Some(arc) = pending.pop_first() {
        let target = graph.arcs[arc].target;
        if candidates[target].is_empty() {
            continue;
        }
        let kept = keep(arc, candidates)?;
        if kept.len() < candidates[target].len() {
            let mut position = 0;
            candidates[target].retain(|_| {
                position += 1;
                kept.binary_search(&(position - 1)).is_ok()
            });
            pending.extend(&graph.points[target].outgoing);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use smt::Logic;
    use term::{Sort, SymbolKind};

    use super::*;

    /// A solver without assertions that counts what it is asked.
    struct Steps {
        logic: Logic,
        solver: smt::Z3Solver,
        questions: usize,
    }

    impl Steps {
        fn new() -> Self {
            let logic = Logic::new(Budget::unlimited());
            let solver = logic.solvers.z3_solver();
            Self { logic, solver, questions: 0 }
        }

        fn variable(&mut self, name: &str) -> TermId {
            self.logic.terms.constant(name, Sort::Int, SymbolKind::Variable)
        }
    }

    impl Relation for Steps {
        fn terms(&mut self) -> &mut Terms {
            &mut self.logic.terms
        }

        fn ask(&mut self, condition: TermId) -> Result<Reply, Stop> {
            self.questions += 1;
            let Logic { terms, budget, .. } = &mut self.logic;
            Asserted { terms, solver: &mut self.solver, budget }.ask(condition)
        }
    }

    #[test]
    fn what_is_preserved_only_together_survives_and_few_questions_are_asked() {
        let mut steps = Steps::new();
        let [a, b, i, j] = ["a", "b", "i", "j"].map(|name| steps.variable(name));
        let terms = &mut steps.logic.terms;
        let (one, two) = (terms.int(1), terms.int(2));
        let difference = terms.sub(j, i);
        let after = [terms.add(a, one), terms.add(b, difference), terms.add(i, two), terms.add(j, two)];
        let equal = |terms: &mut Terms, [a, b, i, j]: [TermId; 4]| {
            let successor = terms.add(i, one);
            [terms.eq(a, b), terms.eq(j, successor), terms.eq(a, i), terms.le(i, b), terms.le(a, one)]
        };
        let before = equal(terms, [a, b, i, j]);
        let after = equal(terms, after).map(|fact| terms.not(fact));
        let pairs = before.into_iter().zip(after);
        let together: Vec<Candidate> =
            pairs.clone().map(|(assumed, broken)| Candidate { assumed, broken }).collect();
        let mut alone = Vec::new();
        for (before, lost) in pairs {
            let broken = steps.logic.terms.and([before, lost]);
            alone.push(Candidate { assumed: Terms::TRUE, broken });
        }
        assert_eq!(survivors(&mut steps, &together).unwrap(), [0, 1]);
        assert!(steps.questions <= 4, "{}", steps.questions);
        assert_eq!(survivors(&mut steps, &alone).unwrap(), [1]);
    }

    /// Knows nothing about conditions that mention a symbol.
    struct Puzzled(Steps, term::SymbolId);

    impl Relation for Puzzled {
        fn terms(&mut self) -> &mut Terms {
            self.0.terms()
        }

        fn ask(&mut self, condition: TermId) -> Result<Reply, Stop> {
            if self.0.terms().mentions(condition, &[self.1]) {
                Ok(Reply::Unknown)
            } else {
                self.0.ask(condition)
            }
        }
    }

    #[test]
    fn a_candidate_about_which_the_solver_knows_nothing_does_not_cost_the_others() {
        let mut steps = Steps::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| steps.variable(name));
        let terms = &mut steps.logic.terms;
        let one = terms.int(1);
        let mut candidates = Vec::new();
        for variable in [x, y, z] {
            let next = terms.add(variable, one);
            let (lower, higher) = (terms.le(one, variable), terms.le(one, next));
            let broken = terms.not(higher);
            candidates.push(Candidate { assumed: Terms::TRUE, broken: terms.and([lower, broken]) });
        }
        let term::Node::Symbol(puzzle) = *steps.logic.terms.node(y) else { unreachable!() };
        let kept = survivors(&mut Puzzled(steps, puzzle), &candidates).unwrap();
        assert_eq!(kept, [0, 2]);
    }
}
