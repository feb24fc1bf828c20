//! Summaries as readable formulas, with the names and lines of the source.
//!
//! A formula is shortened by a solver, Skolem constants are eliminated where that makes it shorter, and what remains is written one
//! conjunct a line.
//!
//! # Invariants
//! * R1: for values within their types that satisfy the facts of the point, a reading that is not cut is equivalent to the formula that it
//!   shows, with all Skolem constants existential and, as far as they stand for values of the program, within their types too.
//!
//! # Cost
//! For each formula at most the ticks of `simplify` and `eliminate` (module `simplify`), a few times; reading forwards takes at most
//! [`MAX_FORWARD_TICKS`] more for all points together. What takes longer is shown as it is.

mod forward;
mod layout;
mod names;
mod quotient;
mod simplify;
mod star;

use base::{Budget, Region, Stop};
use cfa::Program;
use smt::{Solver, Z3};
use term::{SymbolId, SymbolKind, TermId, Terms};

pub use layout::Line;
use layout::{is_cut, layout};
use names::Origins;
use quotient::substitute_quotients;
use simplify::{Simplifier, substitute_definitions};

use crate::single_target::Summaries;
use graph::cut::{ENTRY, Graph, PointId};

/// What may be spent on reading forwards.
const MAX_FORWARD_TICKS: u64 = 10_000;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most lines of one formula.
    pub lines: usize,
    /// About the most bytes of one line.
    pub width: usize,
}

impl Limits {
    /// What fits on a screen.
    pub const SCREEN: Self = Self { lines: 40, width: 160 };
    /// All of it, as far as memory is concerned.
    pub const FULL: Self = Self { lines: usize::MAX, width: 1_000_000 };
}

/// A formula for people.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What is shown, over variables and Skolem constants.
    pub formula: TermId,
    /// Whether it has a model; nothing if that is not known.
    pub possible: Option<bool>,
    /// Its lines, or the first of them.
    pub lines: Vec<Line>,
    /// So many lines are not shown.
    pub cut: usize,
    /// Names that occur and are no variables, with what they mean.
    pub meanings: Vec<(String, String)>,
}

impl Reading {
    /// How much there is to read.
    fn length(&self) -> usize {
        self.lines.len() + self.cut + self.meanings.len()
    }
}

/// Which formulas of a point are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// From which states the error may be reached.
    Backward,
    /// That, and which states may arrive.
    Both,
}

/// What a point is in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// Where execution starts.
    Entry,
    /// The head of a loop.
    Loop,
    /// The error.
    Error,
}

/// All there is to say about a point.
#[derive(Clone, Debug)]
pub struct PointReading {
    /// The point.
    pub point: PointId,
    /// What it is.
    pub kind: PointKind,
    /// Where it is.
    pub region: Region,
    /// What the analysis of values knows; taken for granted in all that follows.
    pub facts: Reading,
    /// The states from which the error may be reached.
    pub summary: Reading,
    /// Any number of iterations of the loop, if it is the head of one.
    pub star: Option<StarReading>,
    /// What is known of states that arrive, if asked for.
    pub forward: Option<Reading>,
}

/// The star of a loop.
#[derive(Clone, Debug)]
pub struct StarReading {
    /// The relation between values before and, with primes, after.
    pub relation: Reading,
    /// Whether it is exactly what iterations do.
    pub exact: bool,
}

/// Reads the summaries of a graph.
pub struct Reader<'a> {
    program: &'a Program,
    graph: &'a Graph,
    summaries: &'a Summaries,
    terms: &'a mut Terms,
    solvers: &'a Z3,
    origins: Origins,
    limits: Limits,
}

impl<'a> Reader<'a> {
    /// A reader. `program` should be the one that the graph was made from.
    pub fn new(
        program: &'a Program,
        graph: &'a Graph,
        summaries: &'a Summaries,
        terms: &'a mut Terms,
        solvers: &'a Z3,
        limits: Limits,
    ) -> Self {
        let origins = Origins::new(program, graph, summaries, terms);
        Self { program, graph, summaries, terms, solvers, origins, limits }
    }

    /// Where a point is.
    pub fn region(program: &Program, graph: &Graph, point: PointId) -> Region {
        program.procs[graph.procedure].locations[graph.points[point].location].region
    }

    /// What a point is.
    pub fn kind(graph: &Graph, point: PointId) -> PointKind {
        if point == ENTRY {
            PointKind::Entry
        } else if Some(point) == graph.target {
            PointKind::Error
        } else {
            PointKind::Loop
        }
    }

    /// Reads the given points.
    pub fn read(
        &mut self,
        points: &[PointId],
        directions: Directions,
        budget: &mut Budget,
    ) -> Result<Vec<PointReading>, Stop> {
        let mut reachable = None;
        if directions == Directions::Both {
            let mut solver = self.solvers.z3_solver();
            let allowance = budget.child(MAX_FORWARD_TICKS);
            let mut simplifier = Simplifier { terms: self.terms, solver: &mut solver, budget: allowance };
            reachable = Some(forward::reachable(self.graph, self.summaries, &self.origins, &mut simplifier));
            budget.absorb(&simplifier.budget);
        }
        let mut readings = Vec::new();
        for point in points {
            budget.poll()?;
            let summary = self.summary(*point, budget);
            let star = self.summaries.stars().get(point).map(|star| {
                let star = star.pruning();
                StarReading { relation: self.star(*point, star, budget), exact: star.exact }
            });
            let forward = reachable.as_ref().map(|reachable| {
                let facts = self.graph.points[*point].facts;
                self.show(reachable[*point], facts, &[], None, budget)
            });
            let facts = self.show(self.graph.points[*point].facts, Terms::TRUE, &[], None, budget);
            readings.push(PointReading {
                point: *point,
                kind: Self::kind(self.graph, *point),
                region: Self::region(self.program, self.graph, *point),
                facts,
                summary,
                star,
                forward,
            });
        }
        Ok(readings)
    }

    /// The summary of a point: of two equivalent forms, with and without numbers of iterations, the shorter one.
    fn summary(&mut self, point: PointId, budget: &mut Budget) -> Reading {
        let formula = self.summaries.reach(point).pruning().formula;
        let facts = self.graph.points[point].facts;
        let mut gone = self.terms.symbols_of(formula);
        gone.retain(|symbol| {
            self.terms.symbol(*symbol).kind != SymbolKind::Variable
                && !self.origins.is_choice(self.terms, *symbol)
        });
        let Reduced { whole, eliminated } = self.reduce(formula, facts, &gone, budget);
        let whole = self.show(whole, facts, &[], None, budget);
        let Some(eliminated) = eliminated else { return whole };
        let shorter = self.show(eliminated, facts, &[], None, budget);
        if shorter.length() <= whole.length() { shorter } else { whole }
    }

    /// A formula with fewer of the symbols that may go, and, if that takes little effort, with none.
    fn reduce(&mut self, formula: TermId, facts: TermId, gone: &[SymbolId], budget: &mut Budget) -> Reduced {
        let is_gone = |_: &Terms, symbol: SymbolId| gone.binary_search(&symbol).is_ok();
        let formula = substitute_definitions(self.terms, formula, &is_gone);
        let formula = substitute_quotients(self.terms, formula, &is_gone);
        let (mut open, kept): (Vec<SymbolId>, Vec<SymbolId>) =
            self.terms.symbols_of(formula).into_iter().partition(|symbol| is_gone(self.terms, *symbol));
        // What is taken for granted may speak of symbols that stay only: it does not commute with the quantification of the others.
        let context = [self.origins.typing(self.terms, &kept), facts];
        let typing = self.origins.typing(self.terms, &open);
        let formula = self.terms.and([formula, typing]);
        self.simplifier(&context, budget, |simplifier| {
            if simplifier.is_possible(formula) == Some(false) {
                return Reduced { whole: Terms::FALSE, eliminated: None };
            }
            let shorter = simplifier.simplify(formula);
            // What was an alternative may have become a definition.
            let whole = substitute_definitions(simplifier.terms, shorter, &is_gone);
            let whole = substitute_quotients(simplifier.terms, whole, &is_gone);
            open = simplifier.terms.symbols_of(whole);
            open.retain(|symbol| is_gone(simplifier.terms, *symbol));
            let eliminated = if open.is_empty() { None } else { simplifier.eliminate(whole, &open) };
            let eliminated = eliminated.map(|formula| simplifier.conjoin_implied(formula, &[]));
            Reduced { whole, eliminated }
        })
    }

    /// Shows a formula where facts hold, under definitions, which are shown too.
    fn show(
        &mut self,
        formula: TermId,
        facts: TermId,
        definitions: &[TermId],
        own: Option<PointId>,
        budget: &mut Budget,
    ) -> Reading {
        let roots: Vec<TermId> = definitions.iter().copied().chain([formula]).collect();
        let symbols = self.terms.symbols_of_all(&roots);
        let typing = self.origins.typing(self.terms, &symbols);
        let mut context = vec![typing, facts];
        context.extend(definitions);
        let (shorter, possible) = self.simplifier(&context, budget, |simplifier| {
            let shorter = simplifier.simplify(formula);
            (shorter, simplifier.is_possible(shorter))
        });
        let shown = if possible == Some(false) {
            Terms::FALSE
        } else {
            self.terms.and(definitions.iter().copied().chain([shorter]))
        };
        let glossary = self.origins.names(self.program, self.graph, self.terms, shown, own);
        let names = |symbol: SymbolId| glossary.names.get(&symbol).cloned().unwrap_or_default();
        let mut lines = layout(self.terms, shown, &names, self.limits.width);
        let cut = lines.len().saturating_sub(self.limits.lines);
        let cut = if is_cut(&lines) { cut.max(1) } else { cut };
        lines.truncate(self.limits.lines);
        Reading { formula: shown, possible, lines, cut, meanings: glossary.meanings }
    }

    /// Asks a solver that takes the context for granted.
    fn simplifier<T>(
        &mut self,
        context: &[TermId],
        budget: &mut Budget,
        action: impl FnOnce(&mut Simplifier<'_>) -> T,
    ) -> T {
        let mut solver = self.solvers.z3_solver();
        for assertion in context {
            solver.assert(self.terms, *assertion);
        }
        let mut simplifier = Simplifier { terms: self.terms, solver: &mut solver, budget: budget.clone() };
        let result = action(&mut simplifier);
        *budget = simplifier.budget;
        result
    }
}

/// A formula in two forms.
struct Reduced {
    whole: TermId,
    eliminated: Option<TermId>,
}
