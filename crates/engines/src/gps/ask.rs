//! Queries to the guide: which values a test chooses next.
//!
//! # Paper
//! [Gps25] §4, the queries `Check+` of `EXPLORE` (figure 4, line 18), and §5.3. At a point that is followed by choices the guide is one formula: a step
//! from there, then the summary of where it leads. Under the state of a test, a model of it is a plan.
//!
//! # Order of queries
//! 1. A state among those known to be dead needs no query.
//! 2. The plan of the last visit is asked for first, within the gas that is left: so choices that do not matter stay the same, and a
//!    test may soon go on without queries (`repeat`). Where that is refused again and again, it is tried less often.
//! 3. Any plan within the gas.
//! 4. Any plan at all, if the test may still be given new gas, and then one with less gas: according to the summary, a shorter path.
//! 5. Where the test has committed to indices (`commit`), the same without them, and then the test commits anew.
//! 6. If there is none, the state is dead, and the facts that show it are remembered (`dead_states`).
//!
//! # Invariants
//! * P1: the number of queries at one stop is bounded: by a constant, and for each of the bounded number of refills by the digits of the gas.
//! * P2: memory changes only which of several models is taken, and which states without any are recognised without a query. It never
//!   makes a plan of its own: what is not confirmed in the state at hand is a skip, and that is confirmed at its end.

use std::rc::Rc;

use base::Budget;
use cfa::Program;
use encode::Site;
use graph::cut::Point;
use interp::View;
use paths::{Contents, Plan, plan_of};
use smt::{Answer, Solver, Z3Solver};
use term::{Integer, Model, SymbolId, TermId, Terms};

use super::commit::{Commitment, Followed};
use super::dead_states::States;
use super::gas::Gas;
use super::repeat::Choices;

/// After refusals in a row, a remembered plan is not asked for during at most so many visits.
const MAX_PAUSE: u32 = 7;

/// How often memory saved a query.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CacheHits {
    /// Stops at which the plan of an earlier visit was used again.
    pub(super) choices: u64,
    /// Skips that were kept.
    pub(super) skips: u64,
    /// States that were known to be dead.
    pub(super) dead_states: u64,
}

impl CacheHits {
    /// A skip was kept. Only at the last of its stops there was a query.
    pub(super) fn skip(&mut self, stops: u64) {
        self.skips += 1;
        self.choices += stops - 1;
    }
}

/// A point that is followed by choices.
pub(super) struct Guided {
    /// Holds the guide: a step, then what the summary says of where it leads.
    solver: Z3Solver,
    choices: Vec<(Site, SymbolId)>,
    states: States,
    /// What a test commits to.
    followed: Followed,
    /// Whether a step from here takes gas.
    is_counted: bool,
    memory: Option<Memory>,
}

/// The last plan of a point.
struct Memory {
    plan: Rc<Plan>,
    /// Whether it was good on the last two visits.
    is_steady: bool,
    /// Grows with refusals.
    pause: u32,
    /// Visits on which it will not be asked for.
    pass: u32,
}

/// Whether a test may take new gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refill {
    Allowed,
    /// A refusal says nothing about the state.
    Forbidden,
}

/// A stop at which choices follow.
pub(super) struct Stop<'a> {
    pub(super) program: &'a Program,
    pub(super) view: View<'a>,
    pub(super) terms: &'a mut Terms,
    pub(super) budget: &'a mut Budget,
    /// Whether new gas may be taken.
    pub(super) refill: Refill,
}

/// What to choose.
pub(super) struct Chosen {
    pub(super) plan: Rc<Plan>,
    pub(super) choices: Choices,
    /// What elements are to be that have no value yet, where the graph has arrays.
    pub(super) contents: Option<Contents>,
}

impl Guided {
    /// A point whose guide is asserted in `solver`. Loop heads take gas.
    pub(super) fn new(
        solver: Z3Solver,
        choices: Vec<(Site, SymbolId)>,
        states: States,
        followed: Followed,
        point: &Point,
    ) -> Self {
        Self { solver, choices, states, followed, is_counted: point.body.is_some(), memory: None }
    }

    /// Takes the gas of a step from here.
    pub(super) fn consume(&self, gas: &mut Gas) {
        if self.is_counted {
            gas.consume();
        }
    }

    /// The plan of the last visits, if it was good on two of them in a row.
    pub(super) fn steady(&self) -> Option<&Rc<Plan>> {
        self.memory.as_ref().filter(|memory| memory.is_steady).map(|memory| &memory.plan)
    }

    /// Whether a state is known to be dead.
    pub(super) fn is_dead(&self, view: &View<'_>) -> bool {
        self.states.is_dead(view)
    }

    /// What to choose at a stop, or nothing if the guide sees no way to the error. The gas of the step is taken.
    pub(super) fn choose(
        &mut self,
        stop: &mut Stop<'_>,
        gas: &mut Gas,
        commitment: &mut Commitment,
    ) -> Option<Chosen> {
        let state = self.states.formula(stop.program, &stop.view, stop.terms);
        let mut found = self.within(state, stop, gas, commitment);
        if matches!(found, Found::Dead) && commitment.is_made() {
            if stop.refill == Refill::Forbidden || !commitment.may_change() {
                return None;
            }
            let other = commitment.given_up();
            found = self.within(state, stop, gas, &other);
            if matches!(found, Found::Plan(..)) {
                *commitment = other;
            }
        }
        match found {
            Found::Plan(mut chosen, model) => {
                self.followed.commit(commitment, &model);
                chosen.contents = self.followed.contents(&model, stop.terms);
                self.consume(gas);
                Some(chosen)
            }
            Found::Dead => {
                let Stop { program, view, terms, budget, .. } = stop;
                self.states.learn(program, view, &mut self.solver, terms, budget);
                None
            }
            Found::Nothing => None,
        }
    }

    /// The queries in a state, with what the test has committed to.
    fn within(
        &mut self,
        state: TermId,
        stop: &mut Stop<'_>,
        gas: &mut Gas,
        commitment: &Commitment,
    ) -> Found {
        let committed = self.followed.formula(commitment, &stop.view, stop.terms);
        self.solver.push();
        self.solver.assert(stop.terms, state);
        self.solver.assert(stop.terms, committed);
        let found = self.search(stop, gas);
        self.solver.pop();
        found
    }

    /// Queries 2 to 4 of the list.
    fn search(&mut self, stop: &mut Stop<'_>, gas: &mut Gas) -> Found {
        if gas.symbol.is_none() || gas.left.is_some() {
            let within = gas.symbol.zip(gas.left.clone()).map(|(symbol, left)| {
                let (needed, left) = (stop.terms.of_symbol(symbol), stop.terms.number(left));
                stop.terms.le(needed, left)
            });
            let within: Vec<TermId> = within.into_iter().collect();
            if let Some((chosen, model)) = self.repeat(stop, gas, &within) {
                return Found::Plan(chosen, model);
            }
            match self.solver.check(stop.terms, &within, stop.budget) {
                Answer::Sat(model) => return Found::Plan(self.follow(&model, gas), model),
                Answer::Unsat(_) if within.is_empty() => return Found::Dead,
                Answer::Unsat(_) | Answer::Unknown(_) => {}
            }
            if within.is_empty() || stop.refill == Refill::Forbidden || gas.refills == 0 {
                return Found::Nothing;
            }
            gas.refills -= 1;
        }
        match self.solver.check(stop.terms, &[], stop.budget) {
            Answer::Sat(model) => {
                let model = self.with_less(stop, gas, model);
                Found::Plan(self.follow(&model, gas), model)
            }
            Answer::Unsat(_) => Found::Dead,
            Answer::Unknown(_) => Found::Nothing,
        }
    }

    /// Asks for the plan of the last visit.
    fn repeat(&mut self, stop: &mut Stop<'_>, gas: &mut Gas, within: &[TermId]) -> Option<(Chosen, Model)> {
        let memory = self.memory.as_mut()?;
        if memory.pass > 0 {
            return None;
        }
        let mut assumptions = within.to_vec();
        for (site, symbol) in &self.choices {
            if let Some(value) = memory.plan.get(site) {
                let (variable, value) = (stop.terms.of_symbol(*symbol), stop.terms.number(*value));
                assumptions.push(stop.terms.eq(variable, value));
            }
        }
        if let Answer::Sat(model) = self.solver.check(stop.terms, &assumptions, stop.budget) {
            gas.fill(&model);
            return Some((memory.confirm(), model));
        }
        None
    }

    /// Less gas is a shorter way to the error.
    fn with_less(&mut self, stop: &mut Stop<'_>, gas: &Gas, mut best: Model) -> Model {
        let Some(symbol) = gas.symbol else { return best };
        while best.int(symbol) > Integer::ONE {
            let half = best.int(symbol).div_floor(&Integer::from(2));
            let (variable, half) = (stop.terms.of_symbol(symbol), stop.terms.number(half));
            let less = stop.terms.le(variable, half);
            match self.solver.check(stop.terms, &[less], stop.budget) {
                Answer::Sat(model) => best = model,
                Answer::Unsat(_) | Answer::Unknown(_) => break,
            }
        }
        best
    }

    /// Takes the plan of a model and remembers it.
    fn follow(&mut self, model: &Model, gas: &mut Gas) -> Chosen {
        gas.fill(model);
        let plan = plan_of(&self.choices, model);
        match &mut self.memory {
            Some(memory) if *memory.plan == plan => memory.confirm(),
            Some(memory) => memory.replace(Rc::new(plan)),
            None => {
                let plan = Rc::new(plan);
                self.memory = Some(Memory { plan: Rc::clone(&plan), is_steady: false, pause: 0, pass: 0 });
                Chosen { plan, choices: Choices::Changed, contents: None }
            }
        }
    }
}

impl Memory {
    /// The plan was good once more.
    fn confirm(&mut self) -> Chosen {
        (self.is_steady, self.pause, self.pass) = (true, 0, 0);
        Chosen { plan: Rc::clone(&self.plan), choices: Choices::Repeated, contents: None }
    }

    /// The plan had to be changed.
    fn replace(&mut self, plan: Rc<Plan>) -> Chosen {
        self.is_steady = false;
        self.plan = Rc::clone(&plan);
        if self.pass > 0 {
            self.pass -= 1;
        } else {
            self.pause = (2 * self.pause + 1).min(MAX_PAUSE);
            self.pass = self.pause;
        }
        Chosen { plan, choices: Choices::Changed, contents: None }
    }
}

/// What the queries came to.
enum Found {
    /// With the model that shows it.
    Plan(Chosen, Model),
    /// The guide has no way from here.
    Dead,
    /// None was found.
    Nothing,
}
