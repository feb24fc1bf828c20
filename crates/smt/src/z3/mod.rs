//! Z3 behind the trait [`Solver`].
//!
//! # Invariants
//! * I1: all solvers of one [`Z3`] live on its thread, in that thread's context, and serve one arena of terms.
//! * I2: an assumption that is not a literal is represented by an activation constant that implies it; the
//!   implication is asserted on the level where it was first needed, and counts as long as that level is open.
//! * I3: after a failure inside of Z3 nothing is asked any more: every answer is unknown.

mod contain;
mod float;
mod model;
mod spacer;
mod translate;
mod watchdog;

use std::cell::{Cell, OnceCell, RefCell};
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use base::Budget;
use base::timeline::{self, Detail};
use rustc_hash::FxHashSet;
use term::{BvOp, Evaluator, Node, Sort, TermId, Terms};
use z3::ast::Bool;
use z3::{Context, Params, SatResult, StatisticsValue};

use crate::effort::{UNITS_PER_TICK, charge, ticks_left};
use crate::log::QueryLog;
use crate::{Answer, Core, Solver, SolverFactory, Statistics, Why};
use contain::contain;
pub use spacer::{Derivable, spacer};
use translate::Translator;
use watchdog::Watchdog;

/// The version of the linked Z3, such as `5.4.0.0`.
pub fn z3_version() -> String {
    let text = z3::full_version();
    text.split_whitespace().find(|word| word.starts_with(char::is_numeric)).unwrap_or(text).to_owned()
}

/// Limits the memory of all of Z3 in this process. Should be called before the first solver is made.
pub fn limit_memory(megabytes: u32) {
    z3::set_global_param("memory_max_size", &megabytes.to_string());
}

/// Leaves out what is never used of Z3. Its usual solver is a pair: one that applies tactics and one that is incremental. Only the second is asked here,
/// but the tactics for all logics would be made, configured and taken apart with each solver, which costs as much as many small queries. Nor are
/// models compressed: that is for functions which are defined by others, and queries without quantifiers have none.
fn leave_out_the_unused() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        z3::set_global_param("tactic.default_tactic", "skip");
        z3::set_global_param("combined_solver.ignore_solver1", "true");
        z3::set_global_param("model.compact", "false");
    });
}

static KEEPS_CONTEXTS: AtomicBool = AtomicBool::new(false);

/// From now on contexts last as long as the process: to take one apart takes longer than a small proof. For a process that ends with its threads.
pub fn keep_contexts() {
    KEEPS_CONTEXTS.store(true, Ordering::Relaxed);
}

thread_local! {
    static FREES_CONTEXT: Cell<bool> = const { Cell::new(false) };
}

/// The context of this thread ends with the thread, whatever [`keep_contexts`] says: for a thread that ends long before the process.
pub fn free_context_with_thread() {
    FREES_CONTEXT.set(true);
}

/// Which of Z3's two solvers for linear integer arithmetic is used.
///
/// Measured on queries of quantifier elimination (docs/decisions/011-solver-and-elimination.md): the older one is faster by
/// orders of magnitude where several divisibilities meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// The older one.
    #[default]
    Simplex,
    /// The newer one, Z3's own default.
    Lp,
}

impl Arithmetic {
    /// Z3's number for it.
    fn number(self) -> u32 {
        match self {
            Self::Simplex => 2,
            Self::Lp => 6,
        }
    }
}

/// What may be chosen about Z3.
#[derive(Clone, Debug, Default)]
pub struct Z3Settings {
    /// The most units of effort for one query; none is no limit but the budget's.
    pub query_effort: Option<u32>,
    /// Whether cores are minimised by Z3 itself.
    pub minimise_cores: bool,
    /// The solver for linear integer arithmetic.
    pub arithmetic: Arithmetic,
}

/// Z3 on this thread: makes solvers that share translated terms, a watchdog, statistics and a query log.
#[derive(Clone)]
pub struct Z3 {
    shared: Rc<Shared>,
}

struct Shared {
    /// Made with the first solver: a run that only executes the program does not pay for it.
    guarded: OnceCell<Guarded>,
    settings: Z3Settings,
    state: RefCell<State>,
}

/// A context and who interrupts it.
struct Guarded {
    /// Before the context, so that it ends first.
    watchdog: Watchdog,
    _context: Context,
}

impl Guarded {
    fn new() -> Self {
        leave_out_the_unused();
        let context = Context::thread_local();
        if KEEPS_CONTEXTS.load(Ordering::Relaxed) && !FREES_CONTEXT.get() {
            std::mem::forget(context.clone());
        }
        Self { watchdog: Watchdog::new(&context), _context: context }
    }
}

thread_local! {
    /// Z3's count of effort in the context of this thread when last looked at. The count goes on from one [`Z3`] to the next, and it has 32 bits.
    static EFFORT: Cell<u32> = const { Cell::new(0) };
}

#[derive(Default)]
struct State {
    translator: Translator,
    statistics: Statistics,
    log: Option<QueryLog>,
    failure: Option<String>,
}

impl Default for Z3 {
    fn default() -> Self {
        Self::new(Z3Settings::default())
    }
}

impl Z3 {
    /// Z3 on this thread.
    pub fn new(settings: Z3Settings) -> Self {
        let state = RefCell::new(State { log: QueryLog::everywhere(), ..State::default() });
        Self { shared: Rc::new(Shared { guarded: OnceCell::new(), settings, state }) }
    }

    /// Writes every query from now on to a file of its own in `directory`, which is made if need be.
    pub fn log_queries(&self, directory: &Path) -> io::Result<()> {
        self.shared.state.borrow_mut().log = Some(QueryLog::new(directory)?);
        Ok(())
    }

    /// What was asked of all solvers together.
    pub fn statistics(&self) -> Statistics {
        self.shared.state.borrow().statistics
    }

    /// A solver without assertions.
    pub fn z3_solver(&self) -> Z3Solver {
        let arithmetic = self.shared.settings.arithmetic;
        self.new_solver(|parameters| {
            parameters.set_u32("arith.solver", arithmetic.number());
            z3::Solver::new()
        })
    }

    /// A solver for one query about a formula of bit-vectors: it is simplified, made propositional and given to a SAT solver, which is much faster than the incremental solver and
    /// keeps nothing from one query to the next. Formulas with arrays of bit-vectors, or with integers, are for the incremental one.
    pub fn bit_solver(&self, terms: &Terms, formula: TermId) -> Z3Solver {
        let order = terms.reachable(&[formula]);
        let is_other =
            |term: &TermId| matches!(terms.sort(*term), Sort::Int | Sort::Array | Sort::BitArray(_));
        if order.iter().any(is_other) {
            return self.z3_solver();
        }
        let has_floats = order.iter().any(|term| matches!(terms.node(*term), Node::Bv(BvOp::Float(..), _)));
        self.new_solver(|_| z3::Tactic::new(if has_floats { "qffp" } else { "qfbv" }).solver())
    }

    fn new_solver(&self, make: impl FnOnce(&mut Params) -> z3::Solver) -> Z3Solver {
        self.shared.guarded.get_or_init(Guarded::new);
        let made = contain(|| {
            let mut parameters = Params::new();
            let solver = make(&mut parameters);
            // Ctrl-C is for the process, which has its own way to end: Z3 would take it for the end of one query.
            parameters.set_bool("ctrl_c", false);
            solver.set_params(&parameters);
            solver
        });
        if let Err(message) = &made {
            self.shared.state.borrow_mut().failure.get_or_insert(message.clone());
        }
        Z3Solver {
            shared: Rc::clone(&self.shared),
            solver: made.ok(),
            levels: vec![Level::default()],
            limit: None,
            statistics: Statistics::default(),
        }
    }
}

impl SolverFactory for Z3 {
    fn solver(&self) -> Box<dyn Solver> {
        Box::new(self.z3_solver())
    }
}

/// A solver of [`Z3`].
pub struct Z3Solver {
    shared: Rc<Shared>,
    /// Absent if it could not be made (I3).
    solver: Option<z3::Solver>,
    levels: Vec<Level>,
    /// The limit of effort that Z3 was told last.
    limit: Option<u32>,
    statistics: Statistics,
}

/// What one level holds.
#[derive(Default)]
struct Level {
    assertions: Vec<TermId>,
    /// Assumptions whose activation constant implies them since this level.
    activated: FxHashSet<TermId>,
    /// Terms whose definition is asserted since this level.
    defined: FxHashSet<TermId>,
}

impl Z3Solver {
    /// Runs something inside of Z3; a failure there is remembered.
    fn inside<T>(&mut self, action: impl FnOnce(&mut Self, &z3::Solver) -> T) -> Option<T> {
        if self.shared.state.borrow().failure.is_some() {
            return None;
        }
        // Taken out for the time being: a clone would be a second solver.
        let solver = self.solver.take()?;
        let result = contain(|| action(self, &solver));
        self.solver = Some(solver);
        match result {
            Ok(result) => Some(result),
            Err(message) => {
                self.shared.state.borrow_mut().failure = Some(message);
                None
            }
        }
    }

    /// Translates a formula and asserts the definitions that it needs.
    fn translate(&mut self, solver: &z3::Solver, terms: &Terms, formula: TermId) -> Bool {
        let (translated, definitions) = {
            let translator = &mut self.shared.state.borrow_mut().translator;
            let translated = translator.formula(terms, formula);
            (translated, translator.definitions_below(terms, formula))
        };
        for (term, equation) in definitions {
            if !self.levels.iter().any(|level| level.defined.contains(&term)) {
                solver.assert(&equation);
                self.last_level().defined.insert(term);
            }
        }
        translated
    }

    fn last_level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the first level should never be closed")
    }

    /// The literal that stands for an assumption (I2).
    fn activate(&mut self, solver: &z3::Solver, terms: &Terms, assumption: TermId) -> Bool {
        let formula = self.translate(solver, terms, assumption);
        let is_symbol = |term: TermId| matches!(terms.node(term), Node::Symbol(_));
        match terms.node(assumption) {
            Node::Symbol(_) => return formula,
            Node::Not(inner) if is_symbol(*inner) => return formula,
            _ => {}
        }
        let literal = Bool::new_const(format!("a{}", assumption.0));
        if !self.levels.iter().any(|level| level.activated.contains(&assumption)) {
            solver.assert(literal.implies(&formula));
            self.last_level().activated.insert(assumption);
        }
        literal
    }

    fn search(
        &mut self,
        solver: &z3::Solver,
        terms: &Terms,
        assumptions: &[TermId],
        budget: &mut Budget,
    ) -> Answer {
        let literals: Vec<Bool> =
            assumptions.iter().map(|assumption| self.activate(solver, terms, *assumption)).collect();
        let left = ticks_left(budget).saturating_mul(UNITS_PER_TICK);
        let most = self.shared.settings.query_effort.unwrap_or(u32::MAX);
        let limit = u32::try_from(left).unwrap_or(u32::MAX).min(most);
        self.limit_effort(solver, limit);
        let guarded = self.shared.guarded.get_or_init(Guarded::new);
        let (result, interrupted) = guarded.watchdog.guard(budget, || {
            if literals.is_empty() { solver.check() } else { solver.check_assumptions(&literals) }
        });
        self.measure(solver, budget);
        match result {
            // An interrupted search may leave a model that is not complete.
            SatResult::Sat if let Some(stop) = interrupted => Answer::Unknown(Why::Stopped(stop)),
            SatResult::Sat => match self.read_model(solver) {
                Ok(model) => Answer::Sat(model),
                Err(reason) => Answer::Unknown(Why::Incomplete(reason)),
            },
            SatResult::Unsat => {
                let core = solver.get_unsat_core();
                let is_needed = |literal: &Bool| core.contains(literal);
                let needed = assumptions.iter().zip(&literals).filter(|(_, literal)| is_needed(literal));
                Answer::Unsat(Core(needed.map(|(assumption, _)| *assumption).collect()))
            }
            SatResult::Unknown => {
                let reason = solver.get_reason_unknown().unwrap_or_default();
                // Some parts of Z3 report the end of their effort as a cancellation.
                let is_spent = reason.contains("resource") || reason.contains("cancel");
                Answer::Unknown(match interrupted {
                    Some(stop) => Why::Stopped(stop),
                    None if is_spent && u64::from(limit) == left => Why::Stopped(base::Stop::Ticks),
                    None if is_spent => Why::Effort,
                    None if reason.contains("memory") => Why::Stopped(base::Stop::Memory),
                    None => Why::Incomplete(reason),
                })
            }
        }
    }

    /// Limits the effort of the next query. Z3 looks up every parameter among those of all its tactics, which takes longer than a small
    /// query: it is told of changes only.
    fn limit_effort(&mut self, solver: &z3::Solver, limit: u32) {
        if self.limit == Some(limit) {
            return;
        }
        let mut parameters = Params::new();
        // Zero would be no limit at all.
        parameters.set_u32("rlimit", if limit == u32::MAX { 0 } else { limit.max(1) });
        if self.shared.settings.minimise_cores {
            parameters.set_bool("core.minimize", true);
        }
        solver.set_params(&parameters);
        self.limit = Some(limit);
    }

    fn read_model(&self, solver: &z3::Solver) -> Result<term::Model, String> {
        let model = solver.get_model().ok_or("no model")?;
        model::read(&model, &self.shared.state.borrow().translator)
    }

    /// Charges the effort that Z3 counts.
    fn measure(&mut self, solver: &z3::Solver, budget: &mut Budget) {
        let count = match solver.get_statistics().value("rlimit count") {
            Some(StatisticsValue::UInt(count)) => count,
            Some(StatisticsValue::Double(_)) | None => return,
        };
        let spent = u64::from(count.wrapping_sub(EFFORT.replace(count)));
        self.shared.state.borrow_mut().statistics.effort += spent;
        self.statistics.effort += spent;
        charge(budget, spent);
    }

    /// What the timeline says of a query.
    fn details(&self, terms: &Terms, assumptions: &[TermId], answer: &Answer) -> Vec<(&'static str, Detail)> {
        let asked: Vec<TermId> = self.assertions().chain(assumptions.iter().copied()).collect();
        let nodes = terms.reachable(&asked).len();
        vec![
            ("answer", Detail::Word(answer.status())),
            ("formulas", Detail::Number(asked.len() as u64)),
            ("nodes", Detail::Number(nodes as u64)),
        ]
    }

    /// The same answer, unless it is a model that does not satisfy what was asked.
    fn check_model(&self, terms: &Terms, assumptions: &[TermId], answer: Answer) -> Answer {
        let Answer::Sat(model) = &answer else { return answer };
        let mut evaluator = Evaluator::new(terms, model);
        let mut all = self.assertions().chain(assumptions.iter().copied());
        if all.all(|formula| evaluator.holds(formula)) {
            return answer;
        }
        Answer::Unknown(Why::Incomplete("its model does not satisfy the query".to_owned()))
    }

    /// All that is asserted, in order.
    fn assertions(&self) -> impl Iterator<Item = TermId> {
        self.levels.iter().flat_map(|level| level.assertions.iter().copied())
    }
}

impl Solver for Z3Solver {
    fn assert(&mut self, terms: &Terms, formula: TermId) {
        self.last_level().assertions.push(formula);
        self.inside(|this, solver| {
            let formula = this.translate(solver, terms, formula);
            solver.assert(&formula);
        });
    }

    fn push(&mut self) {
        self.levels.push(Level::default());
        self.inside(|_, solver| solver.push());
    }

    fn pop(&mut self) {
        if self.levels.len() > 1 {
            self.levels.pop();
            self.inside(|_, solver| solver.pop(1));
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId], budget: &mut Budget) -> Answer {
        let event = timeline::event("query");
        let answer = if let Err(stop) = budget.poll().and_then(|()| budget.tick()) {
            Answer::Unknown(Why::Stopped(stop))
        } else {
            let answer = self.inside(|this, solver| this.search(solver, terms, assumptions, budget));
            let answer = answer.unwrap_or_else(|| {
                let failure = self.shared.state.borrow().failure.clone();
                Answer::Unknown(Why::Crashed(failure.unwrap_or_default()))
            });
            self.check_model(terms, assumptions, answer)
        };
        if let Some(event) = event {
            event.end(|| self.details(terms, assumptions, &answer));
        }
        self.statistics.count(&answer);
        let state = &mut *self.shared.state.borrow_mut();
        state.statistics.count(&answer);
        if let Some(log) = &state.log {
            let asserted = self.levels.iter().flat_map(|level| &level.assertions);
            let asked: Vec<TermId> = asserted.chain(assumptions).copied().collect();
            log.write(terms, &asked, answer.status());
        }
        answer
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}
