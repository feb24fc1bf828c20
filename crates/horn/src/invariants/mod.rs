//! Inductive facts of predicates by abstract interpretation, before the search.
//!
//! Each predicate has abstract states, one for each case: an affine hull, bounds and strides
//! of the integer arguments ([`element`]). Cases are told apart by the boolean arguments, or also by comparisons of an argument with a number that the clauses make ([`split`]): McCarthy's function is `n - 10` for n > 100 and
//! 91 otherwise. The solver is asked for an application of a clause that leaves the abstract states;
//! its result is joined, and bounds that keep growing are widened to constants of the clauses. When there is no such application, the states are inductive.
//!
//! # Invariants
//! * I1: a result is returned only if the solver showed that it is inductive; nobody has to trust it all the same.
//! * I2: the number of joins is bounded: the dimension of a hull grows, a stride is divided, a bound is widened after [`element::PATIENCE`] changes.

pub(crate) mod element;
mod hull;
pub(crate) mod split;

use std::collections::BTreeMap;

use base::{Budget, IndexVec};
use smt::{Answer, Solver, SolverFactory};
use term::{Evaluator, Integer, Model, Node, Sort, SymbolId, TermId, Terms};

use crate::system::{Clause, Predicate, PredicateId, System};
use element::{Element, Form};

/// More cases are not told apart.
const CASE_LIMIT: usize = 48;
/// More applications of clauses are not joined.
const JOIN_LIMIT: usize = 600;
/// More constants are no thresholds of widening.
const THRESHOLD_LIMIT: usize = 60;

/// What is known of a predicate: for each fact literals of which one holds.
pub(crate) type Known = Vec<Vec<TermId>>;

/// How the arguments of a predicate are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cases {
    /// By booleans.
    Booleans,
    /// By booleans, and by comparisons of integers with numbers.
    Comparisons,
}

/// Inductive facts of all predicates; nothing if they are not found within the budget.
pub(crate) fn find(
    terms: &mut Terms,
    system: &System,
    cases: Cases,
    solvers: &dyn SolverFactory,
    budget: &mut Budget,
) -> Option<IndexVec<PredicateId, Known>> {
    let mut analysis = Analysis::new(terms, system, cases);
    let mut solver = solvers.solver();
    analysis.run(terms, &mut *solver, budget)?;
    let states = analysis.states;
    Some(states.iter().map(|state| state.known(terms)).collect())
}

/// The abstract states of a predicate.
struct State {
    integers: Vec<SymbolId>,
    forms: Vec<Form>,
    /// What tells cases apart: conditions on the formals.
    conditions: Vec<TermId>,
    /// By which of the conditions hold.
    cases: BTreeMap<Vec<bool>, Element>,
}

impl State {
    fn new(terms: &mut Terms, formals: &[SymbolId], comparisons: Vec<TermId>) -> Self {
        let of_sort = |sort: Sort| {
            formals.iter().copied().filter(|formal| terms.symbol(*formal).sort == sort).collect::<Vec<_>>()
        };
        let (integers, booleans) = (of_sort(Sort::Int), of_sort(Sort::Bool));
        let forms = element::forms(integers.len());
        let conditions = booleans.iter().map(|symbol| terms.of_symbol(*symbol)).chain(comparisons).collect();
        Self { integers, forms, conditions, cases: BTreeMap::new() }
    }

    fn join(&mut self, terms: &Terms, model: &Model, thresholds: &[Integer]) {
        let mut evaluator = Evaluator::new(terms, model);
        let key: Vec<bool> = self.conditions.iter().map(|condition| evaluator.holds(*condition)).collect();
        debug_assert!(self.integers.iter().all(|symbol| terms.symbol(*symbol).sort == Sort::Int));
        let point: Vec<Integer> = self.integers.iter().map(|symbol| model.int(*symbol)).collect();
        match self.cases.get_mut(&key) {
            Some(element) => element.join(&point, &self.forms, thresholds),
            None => {
                self.cases.insert(key, Element::new(&point, &self.forms));
            }
        }
        if self.cases.len() > CASE_LIMIT && !self.conditions.is_empty() {
            self.conditions = Vec::new();
            let cases = std::mem::take(&mut self.cases);
            let elements = cases.into_values();
            let merged = elements.reduce(|a, b| a.merge(&b, &self.forms));
            self.cases.extend(merged.map(|element| (Vec::new(), element)));
        }
    }

    /// The facts, each as literals of which one holds.
    fn known(&self, terms: &mut Terms) -> Known {
        let mut known = Vec::new();
        let mut keys = Vec::new();
        for (key, element) in &self.cases {
            let is_case = self.key(terms, key);
            let outside: Vec<TermId> = is_case.iter().map(|literal| terms.not(*literal)).collect();
            keys.push(terms.and(is_case));
            for fact in element.facts(terms, &self.integers, &self.forms) {
                known.push(outside.iter().copied().chain([fact]).collect());
            }
        }
        let some_case = terms.or(keys);
        if some_case != Terms::TRUE {
            known.push(vec![some_case]);
        }
        known
    }

    fn key(&self, terms: &mut Terms, key: &[bool]) -> Vec<TermId> {
        let literal =
            |(condition, value): (&TermId, &bool)| if *value { *condition } else { terms.not(*condition) };
        self.conditions.iter().zip(key).map(literal).collect()
    }

    /// All facts together.
    fn formula(&self, terms: &mut Terms) -> TermId {
        let mut cases = Vec::new();
        for (key, element) in &self.cases {
            let mut items = self.key(terms, key);
            items.extend(element.facts(terms, &self.integers, &self.forms));
            cases.push(terms.and(items));
        }
        terms.or(cases)
    }
}

/// Whether a clause leaves the states of its head.
enum Left {
    /// It does not.
    Nothing,
    /// The states of this predicate were joined with what it derives.
    Joined(PredicateId),
    /// The solver does not know.
    Unknown,
}

struct Analysis<'a> {
    system: &'a System,
    states: IndexVec<PredicateId, State>,
    thresholds: Vec<Integer>,
}

impl<'a> Analysis<'a> {
    fn new(terms: &mut Terms, system: &'a System, cases: Cases) -> Self {
        let state = |(id, predicate): (PredicateId, &Predicate)| {
            let comparisons = match cases {
                Cases::Booleans => Vec::new(),
                Cases::Comparisons => split::comparisons(terms, system, id),
            };
            State::new(terms, &predicate.formals, comparisons)
        };
        let states = system.predicates.iter_enumerated().map(state).collect();
        Self { system, states, thresholds: thresholds(terms, system) }
    }

    /// Joins until nothing is left to join.
    fn run(&mut self, terms: &mut Terms, solver: &mut dyn Solver, budget: &mut Budget) -> Option<()> {
        let clauses: Vec<&Clause> =
            self.system.clauses.iter().filter(|clause| clause.head.is_some()).collect();
        let mut joins = 0;
        let mut is_stable = vec![false; clauses.len()];
        while let Some(index) = is_stable.iter().position(|stable| !stable) {
            match self.leave(terms, clauses[index], solver, budget) {
                Left::Unknown => return None,
                Left::Nothing => is_stable[index] = true,
                Left::Joined(head) => {
                    joins += 1;
                    if joins > JOIN_LIMIT {
                        return None;
                    }
                    for (other, clause) in clauses.iter().enumerate() {
                        if clause.body.iter().any(|atom| atom.predicate == head) {
                            is_stable[other] = false;
                        }
                    }
                }
            }
        }
        Some(())
    }

    /// Joins the result of one application of a clause that leaves the states of its head.
    fn leave(
        &mut self,
        terms: &mut Terms,
        clause: &Clause,
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Left {
        let Some(head) = clause.head.as_ref() else { return Left::Nothing };
        let mut conjuncts = vec![clause.constraint];
        for atom in &clause.body {
            let inside = self.states[atom.predicate].formula(terms);
            conjuncts.push(atom.instantiate(terms, self.system, inside));
        }
        let inside = self.states[head.predicate].formula(terms);
        let inside = head.instantiate(terms, self.system, inside);
        conjuncts.push(terms.not(inside));
        let question = terms.and(conjuncts);
        match smt::check_formula(solver, terms, question, budget) {
            Answer::Unknown(_) => Left::Unknown,
            Answer::Unsat(_) => Left::Nothing,
            Answer::Sat(model) => {
                let mut evaluator = Evaluator::new(terms, &model);
                let mut point = Model::new();
                for (formal, argument) in
                    self.system.predicates[head.predicate].formals.iter().zip(&head.arguments)
                {
                    point.set(*formal, evaluator.value(*argument));
                }
                self.states[head.predicate].join(terms, &point, &self.thresholds);
                Left::Joined(head.predicate)
            }
        }
    }
}

/// Constants of the clauses, and their neighbours, ascending.
pub(crate) fn thresholds(terms: &Terms, system: &System) -> Vec<Integer> {
    let roots: Vec<TermId> = system.clauses.iter().flat_map(Clause::terms).collect();
    let mut found = Vec::new();
    for term in terms.reachable(&roots) {
        let constant = match terms.node(term) {
            Node::Number(value) => value.clone(),
            Node::Linear(form) => form.constant_part().clone(),
            Node::Mod(_, divisor) | Node::Div(_, divisor) => divisor.clone(),
            _ => continue,
        };
        for base in [constant.clone(), -constant] {
            found.extend([&base - Integer::ONE, base.clone(), base + Integer::ONE]);
        }
    }
    found.sort();
    found.dedup();
    if found.len() > THRESHOLD_LIMIT {
        found.sort_by_key(Integer::abs);
        found.truncate(THRESHOLD_LIMIT);
        found.sort();
    }
    found
}
