//! The program as a weighted graph: cut points joined by transition formulas.
//!
//! # Paper
//! [Gps25] §3: a weighted graph (V, E, w, s, t). Vertices are the entry, the error and the loop heads; an edge is the union of all paths
//! between two of them ([`encode::Pieces`]). Vertices that cannot reach the error are left out.
//!
//! # Invariants
//! * G1: every cycle goes through the head of a loop, and all loop heads are points.
//! * G2: in every execution of the program the facts of a point hold whenever it is reached; the formulas of the edges that leave it
//!   are exact (or over-approximate) for states that satisfy them.
//! * G3: points are in the weak topological order: an edge goes to a later point, or to the head of a loop that contains its source.

use std::ops::Range;

use base::{Budget, IndexVec, Stop, newtype_index};
use cfa::loops::{LoopForest, reaching_error};
use cfa::{Loc, ProcId, Program, VarId};
use encode::facts::{stated, stated_of};
use encode::{Pieces, Skolem, Vocabulary};
use term::{Node, SymbolId, TermId, Terms};
use values::analyze;
use values::cases::Cases;
use values::liveness::live_variables;
use values::state::State;

use crate::transition::TransitionFormula;

newtype_index!(
    /// A vertex of the graph.
    PointId,
    "n"
);
newtype_index!(
    /// An edge of the graph.
    ArcId,
    "a"
);

/// A vertex: a cut location.
#[derive(Clone, Debug)]
pub struct Point {
    /// The location.
    pub location: Loc,
    /// What the analysis knows there of the variables that matter.
    pub known: State,
    /// The same as a formula, with the cases.
    pub facts: TermId,
    /// Which combinations of values of state variables occur there, as a formula.
    pub cases: TermId,
    /// The variables whose values matter there, ascending.
    pub live: Vec<SymbolId>,
    /// Edges that leave it.
    pub outgoing: Vec<ArcId>,
    /// If it is the head of a loop: the points of that loop, itself first, as a range of ids (G3).
    pub body: Option<Range<u32>>,
}

/// An edge: all paths between two points.
#[derive(Clone, Debug)]
pub struct Arc {
    /// Where it starts.
    pub source: PointId,
    /// Where it ends.
    pub target: PointId,
    /// What the paths do.
    pub formula: TransitionFormula,
    /// The values that are chosen on the way.
    pub skolems: Vec<Skolem>,
}

/// The graph of one procedure.
#[derive(Debug)]
pub struct Graph {
    /// The vertices in weak topological order; the entry is the first.
    pub points: IndexVec<PointId, Point>,
    /// The edges.
    pub arcs: IndexVec<ArcId, Arc>,
    /// The error vertex; absent if the error cannot be reached in the graph.
    pub error: Option<PointId>,
    /// Loop heads and the error where the analysis of values shows that no execution arrives: no points, but part of the proof.
    pub unreachable: Vec<Loc>,
    /// The procedure.
    pub procedure: ProcId,
    /// The symbols of the variables.
    pub vocabulary: Vocabulary,
}

/// The first of all points.
pub const ENTRY: PointId = PointId(0);

impl Graph {
    /// The graph of the program's entry procedure, whose calls should be inlined (others are arbitrary effects).
    pub fn new(
        program: &Program,
        forest: &LoopForest,
        terms: &mut Terms,
        budget: &mut Budget,
    ) -> Result<Self, Stop> {
        let procedure = &program.procs[program.entry];
        let vocabulary = Vocabulary::new(program, terms);
        let facts = analyze(program, procedure, budget)?;
        let cases = Cases::of(program, procedure, budget)?;
        let mut relevant = reaching_error(procedure);
        // Variables that are only read where no execution arrives count: facts about them are why none does.
        let live = live_variables(program, procedure, forest, &relevant, &vocabulary.compared_factors());
        let mut unreachable = Vec::new();
        for location in procedure.locations.ids() {
            let is_excluded = cases.as_ref().is_some_and(|cases| cases.is_unreachable(location));
            if relevant[location] && (is_excluded || facts.at(location).is_none()) {
                relevant[location] = false;
                if forest.is_header(location) || Some(location) == procedure.error {
                    unreachable.push(location);
                }
            }
        }
        let mut cuts = IndexVec::filled(false, procedure.locations.len());
        let mut number: IndexVec<Loc, Option<PointId>> = IndexVec::filled(None, procedure.locations.len());
        let mut points = IndexVec::new();
        for &location in forest.order() {
            let is_entry = location == procedure.entry;
            let is_error = Some(location) == procedure.error;
            if is_entry || relevant[location] && (is_error || forest.is_header(location)) {
                cuts[location] = true;
                let live: Vec<VarId> =
                    program.vars.ids().filter(|var| live[location].contains(*var)).collect();
                let known = facts.at(location).map_or_else(State::new, |state| state.restricted_to(&live));
                let formula = stated_of(&known, program, &live, &vocabulary, terms);
                let cases = cases.as_ref().map_or_else(Vec::new, |cases| cases.at(location, &live));
                let cases: Vec<TermId> =
                    cases.iter().map(|case| stated(case, program, &vocabulary, terms)).collect();
                let cases = if cases.is_empty() { Terms::TRUE } else { terms.or(cases) };
                let formula = terms.and([formula, cases]);
                // A product matters where all its factors do: later values are polynomials in these.
                let is_live = |var: &VarId| live.binary_search(var).is_ok();
                let products = vocabulary.products().filter(|(_, factors)| factors.iter().all(is_live));
                let products: Vec<SymbolId> = products.map(|(symbol, _)| symbol).collect();
                let mut live: Vec<SymbolId> =
                    live.into_iter().filter_map(|var| vocabulary.symbol(var)).collect();
                live.extend(products);
                let point =
                    Point { location, known, facts: formula, cases, live, outgoing: Vec::new(), body: None };
                number[location] = Some(points.push(point));
            }
        }
        let mut graph = Self {
            points,
            arcs: IndexVec::new(),
            error: None,
            unreachable,
            procedure: program.entry,
            vocabulary,
        };
        graph.error = procedure.error.and_then(|error| number[error]);
        graph.find_loops(forest, &number);
        let pieces = Pieces::new(program, procedure, forest, &cuts, &relevant);
        for source in graph.points.ids() {
            budget.tick()?;
            let location = graph.points[source].location;
            let known = graph.points[source].known.clone();
            for block in pieces.from(location, &known, terms, &mut graph.vocabulary) {
                let target = number[block.target].expect("G1: a block should end at a point");
                let live = &graph.points[target].live;
                let is_live = |symbol| live.binary_search(&symbol).is_ok();
                let formula = block.transition.restricted_to(is_live);
                let arc = graph.arcs.push(Arc { source, target, formula, skolems: block.skolems });
                graph.points[source].outgoing.push(arc);
            }
        }
        Ok(graph)
    }

    fn find_loops(&mut self, forest: &LoopForest, number: &IndexVec<Loc, Option<PointId>>) {
        for (id, cycle) in forest.loops().iter_enumerated() {
            let Some(head) = number[cycle.header] else { continue };
            let inside = forest.body(id).iter().filter_map(|location| number[*location]);
            let last = inside.max().unwrap_or(head);
            self.points[head].body = Some(head.0..last.0 + 1);
        }
    }

    /// Conditions over the live variables of a point that any edge tests: candidates for facts that loops preserve.
    pub fn hints(&self, terms: &Terms, point: PointId) -> Vec<TermId> {
        let roots: Vec<TermId> = self.arcs.iter().map(|arc| arc.formula.guard).collect();
        let live = &self.points[point].live;
        let tested = |term: &TermId| {
            matches!(terms.node(*term), Node::Le(_) | Node::Zero(_) | Node::Divides(..))
                && terms.symbols_of(*term).iter().all(|symbol| live.binary_search(symbol).is_ok())
        };
        terms.reachable(&roots).into_iter().filter(tested).collect()
    }

    /// Whether a point lies in the loop of a head (the head included).
    pub fn in_loop(&self, head: PointId, point: PointId) -> bool {
        self.points[head].body.as_ref().is_some_and(|body| body.contains(&point.0))
    }
}
