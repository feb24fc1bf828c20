//! Questions to the guide: which values to choose next.
//!
//! # Paper
//! [Gps25] §4, the queries `Check+` of `EXPLORE` (figure 4, line 18), and §5.3. At a point that is followed by choices the guide is one formula: a step from there, then the summary of where it leads.
//! Under the state of a test, a model of it is a plan.
//!
//! # Order of questions
//! 1. A state among those known to be dead needs no question.
//! 2. The plan of the last visit is asked for first, within the gas that is left: so choices that do not matter stay the same, and a
//!    test may soon go on without asking (`gallop`). Where that is refused again and again, it is tried less often.
//! 3. Any plan within the gas.
//! 4. Any plan at all, if the test may still be given new gas, and then one with less gas: by the summary's account, a shorter way.
//! 5. If there is none, the state is dead, and what is to blame is remembered (`dead`).
//!
//! # Invariants
//! * P1: the number of questions at one stop is bounded: by a constant, and for each of the bounded number of refuels by the digits of the gas.
//! * P2: memory changes only which of several models is taken, and which states without any are told apart without asking. It never
//!   makes a plan of its own: what is not confirmed in the state at hand is a leap, and that is confirmed at its end.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::Budget;
use cfa::Program;
use encode::Site;
use interp::View;
use smt::{Answer, Solver, Z3Solver};
use term::{Integer, Model, SymbolId, TermId, Terms};

use super::dead::States;

/// Values for the choices of one step, by their places in the program.
pub(super) type Plan = BTreeMap<Site, i128>;

/// How often a test gets new gas.
const REFUELS: u32 = 32;
/// After refusals in a row, a remembered plan is not asked for during at most so many visits.
const MOST_DOUBT: u32 = 7;

/// The values that a model gives to choices.
pub(super) fn plan_of(choices: &[(Site, SymbolId)], model: &Model) -> Plan {
    choices.iter().filter_map(|(site, symbol)| Some((*site, model.int(*symbol).to_i128()?))).collect()
}

/// How often memory was of use.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recollections {
    /// Stops at which the plan of an earlier visit was used again.
    pub(super) choices: u64,
    /// Leaps that were kept.
    pub(super) leaps: u64,
    /// States that were known to be dead.
    pub(super) dead_states: u64,
}

impl Recollections {
    /// A leap was kept. Only at the last of its stops there was a question.
    pub(super) fn leap(&mut self, stops: u64) {
        self.leaps += 1;
        self.choices += stops - 1;
    }
}

/// A point that is followed by choices.
pub(super) struct Guided {
    /// Holds the guide: a step, then what the summary says of where it leads.
    solver: Z3Solver,
    choices: Vec<(Site, SymbolId)>,
    states: States,
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
    doubt: u32,
    /// Visits on which it will not be asked for.
    pass: u32,
}

/// How much a test may use.
#[derive(Clone, Debug)]
pub(super) struct Tank {
    /// The symbol of the gas, if the guide has it.
    pub(super) symbol: Option<SymbolId>,
    /// What is left, once there was a first question.
    pub(super) left: Option<Integer>,
    /// How often it can be filled again.
    pub(super) refuels: u32,
}

/// A question at a stop.
pub(super) struct Stop<'a> {
    pub(super) program: &'a Program,
    pub(super) view: View<'a>,
    pub(super) terms: &'a mut Terms,
    pub(super) budget: &'a mut Budget,
    /// Whether new gas may be taken. If not, a refusal says nothing about the state.
    pub(super) may_refuel: bool,
}

/// What to choose.
pub(super) struct Course {
    pub(super) plan: Rc<Plan>,
    /// Whether it is what was chosen on the last visit.
    pub(super) is_kept: bool,
}

impl Tank {
    /// Not filled yet.
    pub(super) fn new(symbol: Option<SymbolId>) -> Self {
        Self { symbol, left: None, refuels: REFUELS }
    }

    /// Takes what a step from a point needs.
    pub(super) fn take(&mut self, guided: &Guided) {
        if let Some(left) = &mut self.left
            && guided.is_counted
        {
            *left -= &Integer::ONE;
        }
    }

    /// Sets what a model says is enough.
    fn fill(&mut self, model: &Model) {
        self.left = self.symbol.map(|gas| model.int(gas));
    }
}

impl Guided {
    /// A point whose guide is asserted in `solver`.
    pub(super) fn new(
        solver: Z3Solver,
        choices: Vec<(Site, SymbolId)>,
        states: States,
        is_counted: bool,
    ) -> Self {
        Self { solver, choices, states, is_counted, memory: None }
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
    pub(super) fn choose(&mut self, stop: &mut Stop<'_>, tank: &mut Tank) -> Option<Course> {
        let state = self.states.formula(stop.program, &stop.view, stop.terms);
        self.solver.push();
        self.solver.assert(stop.terms, state);
        let found = self.search(stop, tank);
        self.solver.pop();
        match found {
            Found::Course(course) => {
                tank.take(self);
                Some(course)
            }
            Found::Dead => {
                let Stop { program, view, terms, budget, .. } = stop;
                self.states.learn(program, view, &mut self.solver, terms, budget);
                None
            }
            Found::Nothing => None,
        }
    }

    /// Questions 2 to 4 of the list.
    fn search(&mut self, stop: &mut Stop<'_>, tank: &mut Tank) -> Found {
        if tank.symbol.is_none() || tank.left.is_some() {
            let within = tank.symbol.zip(tank.left.clone()).map(|(gas, left)| {
                let (gas, left) = (stop.terms.of_symbol(gas), stop.terms.number(left));
                stop.terms.le(gas, left)
            });
            let within: Vec<TermId> = within.into_iter().collect();
            if let Some(course) = self.repeat(stop, tank, &within) {
                return Found::Course(course);
            }
            match self.solver.check(stop.terms, &within, stop.budget) {
                Answer::Sat(model) => return Found::Course(self.follow(&model, tank)),
                Answer::Unsat(_) if within.is_empty() => return Found::Dead,
                Answer::Unsat(_) | Answer::Unknown(_) => {}
            }
            if within.is_empty() || !stop.may_refuel || tank.refuels == 0 {
                return Found::Nothing;
            }
            tank.refuels -= 1;
        }
        match self.solver.check(stop.terms, &[], stop.budget) {
            Answer::Sat(model) => {
                let model = self.with_less(stop, tank, model);
                Found::Course(self.follow(&model, tank))
            }
            Answer::Unsat(_) => Found::Dead,
            Answer::Unknown(_) => Found::Nothing,
        }
    }

    /// Asks for the plan of the last visit.
    fn repeat(&mut self, stop: &mut Stop<'_>, tank: &mut Tank, within: &[TermId]) -> Option<Course> {
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
            tank.fill(&model);
            return Some(memory.confirm());
        }
        None
    }

    /// Less gas is a shorter way to the error.
    fn with_less(&mut self, stop: &mut Stop<'_>, tank: &Tank, mut best: Model) -> Model {
        let Some(gas) = tank.symbol else { return best };
        while best.int(gas) > Integer::ONE {
            let half = best.int(gas).div_floor(&Integer::from(2));
            let (variable, half) = (stop.terms.of_symbol(gas), stop.terms.number(half));
            let less = stop.terms.le(variable, half);
            match self.solver.check(stop.terms, &[less], stop.budget) {
                Answer::Sat(model) => best = model,
                Answer::Unsat(_) | Answer::Unknown(_) => break,
            }
        }
        best
    }

    /// Takes the plan of a model and remembers it.
    fn follow(&mut self, model: &Model, tank: &mut Tank) -> Course {
        tank.fill(model);
        let plan = plan_of(&self.choices, model);
        match &mut self.memory {
            Some(memory) if *memory.plan == plan => memory.confirm(),
            Some(memory) => memory.replace(Rc::new(plan)),
            None => {
                let plan = Rc::new(plan);
                self.memory = Some(Memory { plan: Rc::clone(&plan), is_steady: false, doubt: 0, pass: 0 });
                Course { plan, is_kept: false }
            }
        }
    }
}

impl Memory {
    /// The plan was good once more.
    fn confirm(&mut self) -> Course {
        (self.is_steady, self.doubt, self.pass) = (true, 0, 0);
        Course { plan: Rc::clone(&self.plan), is_kept: true }
    }

    /// The plan had to be changed.
    fn replace(&mut self, plan: Rc<Plan>) -> Course {
        self.is_steady = false;
        self.plan = Rc::clone(&plan);
        if self.pass > 0 {
            self.pass -= 1;
        } else {
            self.doubt = (2 * self.doubt + 1).min(MOST_DOUBT);
            self.pass = self.doubt;
        }
        Course { plan, is_kept: false }
    }
}

/// What the questions came to.
enum Found {
    Course(Course),
    /// The guide has no way from here.
    Dead,
    /// None was found.
    Nothing,
}
