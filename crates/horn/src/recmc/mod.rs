//! RecMC: the search for a solution or a derivation, by bounded safety.
//!
//! # Paper
//! [Recmc14]. A procedure is a predicate, a call is an atom of a body, and `main` with its error is false.
//!
//! | paper | here |
//! |---|---|
//! | figure 1 and figure 5, the main loop | [`Recmc::run`] |
//! | figure 5, propagation and the check for inductiveness | `propagate.rs` |
//! | figure 6, BndSafety with the rules SUM, REACH, QUERY | `bounded.rs` |
//! | σ and ρ, equation (3) | `facts.rs` |
//! | β_P | `rules.rs`, `body.rs` |
//! | §5, model-based projection | `smt::project` |
//!
//! Beyond the paper: candidate facts that are given (`crate::candidates`), inductive facts that are found first (`crate::invariants`), and unrolling of linear systems (`unroll.rs`).
//!
//! There are no interpolants: the rule SUM uses unsatisfiable cores of the query's literals, generalised by induction (`generalise.rs`).
//!
//! # Invariants
//! * I1: `bodies[p]` has been told all of `facts` at the sites of `relations[p]`.

mod body;
mod bounded;
mod components;
mod derive;
mod facts;
mod generalise;
mod propagate;
mod rules;
mod unroll;

use base::{Budget, IndexVec};
use smt::SolverFactory;
use term::{Substitution, TermId, Terms};

use crate::candidates::{self, Candidates, Scope};
use crate::derivation::Derivation;
use crate::invariants::{self, Cases, Known};
use crate::solution::{Definition, Solution};
use crate::system::{PredicateId, System};
use crate::{Answer, Reason};
use body::{Body, LevelLiterals};
use facts::{Facts, Lemma, Level, Over, Reached};
use rules::Relation;
use unroll::Unrolling;

/// What the search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The bound on the height of derivations that was looked at last.
    pub height: u32,
    /// Queries that were made by the rule QUERY of figure 6, and those about false.
    pub queries: u64,
    /// Summary facts.
    pub summary_facts: u64,
    /// Reachability facts.
    pub reach_facts: u64,
}

/// Looks for a solution or a derivation, neither of which has been checked yet. Candidates that are inductive are facts from the start.
pub fn search(
    terms: &mut Terms,
    system: &System,
    candidates: &Candidates,
    solvers: &dyn SolverFactory,
    budget: &mut Budget,
) -> (Answer, Statistics) {
    let mut search = Recmc::new(terms, system, solvers);
    let answer = match search.in_turns(system, candidates, budget) {
        Ok(Found::Solution(solution)) => Answer::Sat(solution),
        Ok(Found::Derivation(derivation)) => Answer::Unsat(derivation),
        Err(reason) => Answer::Unknown(reason),
    };
    (answer, search.statistics)
}

/// Figure 6 alone: whether false has no derivation of at most this height.
pub fn bounded_safety(
    terms: &mut Terms,
    system: &System,
    solvers: &dyn SolverFactory,
    height: u32,
    budget: &mut Budget,
) -> Result<bool, Reason> {
    let end = Recmc::new(terms, system, solvers).bounded(height, budget)?;
    Ok(matches!(end, Bounded::Safe))
}

/// So many heights without a derivation are looked at all the same: they cost little, and their facts guide the search.
const VACUOUS_HEIGHTS: u32 = 4;
/// The effort for the search before anything else is tried, and what each relation adds to it.
const FIRST_TICKS: u64 = 1_000;
const FIRST_TICKS_OF_RELATION: u64 = 50;
/// The effort for the reduction of candidate facts.
const CANDIDATE_TICKS: u64 = 2_000;
/// The effort for inductive facts.
const INVARIANT_TICKS: u64 = 4_000;
/// The effort for the search before a linear system is unrolled.
const SECOND_TICKS: u64 = 3_000;
/// The effort for unrolling at first; from then on the two take turns, with twice the effort each time.
const UNROLL_TICKS: u64 = 6_000;

enum Found {
    Solution(Solution),
    Derivation(Derivation),
}

/// How bounded safety ends.
enum Bounded {
    /// No derivation of this height.
    Safe,
    /// False is derived by this reachability fact.
    Unsafe(usize),
}

/// How far the rule SUM generalises.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Generalisation {
    /// Literals are dropped.
    Drop,
    /// And inequalities are added up and moved: more questions for each fact, fewer facts.
    Arithmetic,
}

struct Recmc<'a> {
    terms: &'a mut Terms,
    solvers: &'a dyn SolverFactory,
    relations: Vec<Relation>,
    bodies: Vec<Body>,
    facts: Vec<Facts>,
    levels: LevelLiterals,
    generalisation: Generalisation,
    /// For each relation where it occurs: relation, rule, site.
    uses: Vec<Vec<(usize, usize, usize)>>,
    /// How far a linear system has been unrolled.
    unrolling: Option<Unrolling>,
    statistics: Statistics,
}

impl<'a> Recmc<'a> {
    fn new(terms: &'a mut Terms, system: &System, solvers: &'a dyn SolverFactory) -> Self {
        let relations = rules::relations(terms, system);
        let bodies = relations.iter().map(|relation| Body::new(terms, solvers, relation)).collect();
        let facts = vec![Facts::default(); relations.len()];
        let mut uses = vec![Vec::new(); relations.len()];
        for (user, relation) in relations.iter().enumerate() {
            for (rule_index, rule) in relation.rules.iter().enumerate() {
                for (site_index, site) in rule.sites.iter().enumerate() {
                    uses[site.relation].push((user, rule_index, site_index));
                }
            }
        }
        let levels = LevelLiterals::default();
        let least = rules::least_height(&relations);
        let height = if least < VACUOUS_HEIGHTS { 0 } else { least };
        let statistics = Statistics { height, ..Statistics::default() };
        let generalisation = Generalisation::Drop;
        Self {
            terms,
            solvers,
            relations,
            bodies,
            facts,
            levels,
            generalisation,
            uses,
            unrolling: None,
            statistics,
        }
    }

    /// The relation that stands for false.
    fn goal(&self) -> usize {
        self.relations.len() - 1
    }

    /// The search, in turns with the search for inductive facts and with unrolling. Each has its share of ticks; the search has the rest.
    fn in_turns(
        &mut self,
        system: &System,
        candidates: &Candidates,
        budget: &mut Budget,
    ) -> Result<Found, Reason> {
        if !candidates.is_empty() {
            self.consider(system, candidates, Scope::All, budget);
        }
        let derived = self.relations.iter().filter(|relation| !relation.rules.is_empty()).count();
        let first = FIRST_TICKS + FIRST_TICKS_OF_RELATION * derived as u64;
        if let Some(found) = self.turn(first, budget, Self::run)? {
            return Ok(found);
        }
        self.generalisation = Generalisation::Arithmetic;
        if !candidates.is_empty() {
            self.consider(system, candidates, Scope::Seen, budget);
            if let Some(found) = self.turn(SECOND_TICKS, budget, Self::run)? {
                return Ok(found);
            }
        }
        for cases in [Cases::Booleans, Cases::Comparisons] {
            let mut share = budget.child(INVARIANT_TICKS);
            let known = invariants::find(self.terms, system, cases, self.solvers, &mut share);
            budget.absorb(&share);
            self.assume(&known.map(|known| known.into_iter().collect::<Vec<_>>()).unwrap_or_default());
            if let Some(found) = self.turn(SECOND_TICKS, budget, Self::run)? {
                return Ok(found);
            }
        }
        if !self.is_linear() {
            return self.run(budget);
        }
        let mut ticks = UNROLL_TICKS;
        loop {
            let before = budget.spent();
            let unroll = |search: &mut Self, share: &mut Budget| search.unroll(share).map(Found::Derivation);
            if let Some(found) = self.turn(ticks, budget, unroll)? {
                return Ok(found);
            }
            if let Some(found) = self.turn(ticks, budget, Self::run)? {
                return Ok(found);
            }
            if budget.spent() == before {
                // Neither gets anywhere: the search says why.
                return self.run(budget);
            }
            ticks = ticks.saturating_mul(2);
        }
    }

    /// Assumes the candidates that are inductive together.
    fn consider(&mut self, system: &System, candidates: &Candidates, scope: Scope, budget: &mut Budget) {
        let mut share = budget.child(CANDIDATE_TICKS);
        let kept = candidates::reduce(self.terms, system, candidates, scope, self.solvers, &mut share);
        budget.absorb(&share);
        let literals = |fact: &TermId| self.terms.disjuncts(*fact);
        let known: Vec<Known> = system
            .predicates
            .ids()
            .map(|predicate| kept.of(predicate).iter().map(literals).collect())
            .collect();
        self.assume(&known);
    }

    /// Something with a share of the budget; nothing if the share is used up.
    fn turn(
        &mut self,
        ticks: u64,
        budget: &mut Budget,
        attempt: impl FnOnce(&mut Self, &mut Budget) -> Result<Found, Reason>,
    ) -> Result<Option<Found>, Reason> {
        let mut share = budget.child(ticks);
        let result = attempt(self, &mut share);
        budget.absorb(&share);
        match result {
            Ok(found) => Ok(Some(found)),
            Err(Reason::Stopped(base::Stop::Ticks)) if !budget.is_spent() => Ok(None),
            Err(Reason::Solver(_)) => Ok(None),
            Err(reason) => Err(reason),
        }
    }

    /// Figures 1 and 5: bounded safety for greater and greater heights, until the facts of a level are inductive.
    fn run(&mut self, budget: &mut Budget) -> Result<Found, Reason> {
        loop {
            let height = self.statistics.height;
            match self.bounded(height, budget)? {
                Bounded::Unsafe(fact) => return Ok(Found::Derivation(self.derive(fact, budget)?)),
                Bounded::Safe => {}
            }
            if let Some(level) = self.propagate(height, budget)? {
                return Ok(Found::Solution(self.solution(level)));
            }
            self.statistics.height += 1;
        }
    }

    /// The summary facts of a level as a solution.
    fn solution(&mut self, level: Level) -> Solution {
        let goal = self.goal();
        let mut definitions: IndexVec<PredicateId, Definition> = IndexVec::new();
        for facts in &self.facts[..goal] {
            let clauses: Vec<TermId> = facts.over(level).collect();
            definitions.push(Definition::Formula(self.terms.and(clauses)));
        }
        Solution { definitions }
    }

    /// Adds facts that were shown to be inductive together; each is given as literals of which one holds.
    fn assume(&mut self, known: &[Known]) {
        for (relation, facts) in known.iter().enumerate() {
            for literals in facts {
                let mut cube: Vec<TermId> = literals.iter().map(|literal| self.terms.not(*literal)).collect();
                cube.sort_unstable();
                let clause = Over::by_sum(self.terms.or(literals.iter().copied()));
                self.learn(relation, Lemma { cube, clause, level: Level::ALWAYS });
            }
        }
    }

    /// Adds a summary fact and tells it to all bodies (I1).
    fn learn(&mut self, relation: usize, lemma: Lemma) {
        self.statistics.summary_facts += 1;
        self.tell_lemma(relation, *lemma.clause.get(), lemma.level);
        self.facts[relation].add_lemma(lemma);
    }

    fn tell_lemma(&mut self, relation: usize, clause: TermId, level: Level) {
        for (user, rule, site) in self.uses[relation].clone() {
            let step = self.relations[user].rules[rule].sites[site].step;
            let literal = self.levels.literal(self.terms, step.above(level));
            let fact = self.at_site((user, rule, site), relation, clause);
            self.bodies[user].tell_over(self.terms, (rule, site), fact, literal);
        }
    }

    /// Adds a reachability fact and tells it to all bodies (I1).
    fn reach(&mut self, relation: usize, reached: Reached) -> usize {
        self.statistics.reach_facts += 1;
        for (user, rule, site) in self.uses[relation].clone() {
            let at = &self.relations[user].rules[rule].sites[site];
            let formals = &self.relations[relation].formals;
            let pairs: Vec<_> = formals
                .iter()
                .zip(&at.symbols)
                .map(|(formal, own)| (*formal, self.terms.of_symbol(*own)))
                .collect();
            let fact = reached.states.rename(self.terms, &mut Substitution::new(pairs));
            self.bodies[user].tell_under(self.terms, (rule, site), &fact);
        }
        self.facts[relation].reached.push(reached);
        self.facts[relation].reached.len() - 1
    }

    /// What is said about the formals of a relation, said about a site of it.
    fn at_site(
        &mut self,
        (user, rule, site): (usize, usize, usize),
        relation: usize,
        formula: TermId,
    ) -> TermId {
        let formals = &self.relations[relation].formals;
        self.relations[user].rules[rule].sites[site].at(self.terms, formals, formula)
    }
}
