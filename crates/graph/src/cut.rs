//! The program as a weighted graph: cut points joined by transition formulas.
//!
//! # Paper
//! [Gps25] §3: a weighted graph (V, E, w, s, t). Vertices are the entry, the target and the loop heads of one procedure; an edge is the union of all
//! paths between two of them ([`encode::Pieces`]). Vertices that cannot reach the target are left out. The target is the error, or the exit: the
//! graph of paths to the exit is what summaries of a procedure are computed on.
//!
//! # Invariants
//! * G1: every cycle goes through the head of a loop, and all loop heads are points. There may be more ([`Cuts`]).
//! * G2: in every execution of the program the facts of a point hold whenever it is reached; the formulas of the edges that leave it
//!   are exact (or over-approximate) for states that satisfy them.
//! * G3: points are in the weak topological order: an edge goes to a later point, or to the head of a loop that contains its source.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::cells::Cells;
use crate::elements::Elements;
use base::{Budget, IndexVec, Stop, newtype_index};
use cfa::loops::{LoopForest, reaching};
use cfa::{Edge, Loc, ProcId, Procedure, Program, VarId};
use encode::facts::{not_zero, stated, stated_of};
use encode::{LogicName, Pieces, Skolem, Transition, Vocabulary};
use term::{BvOp, FloatOp, Node, Sort, SymbolId, TermId, Terms};
use values::analyze;
use values::cases::{Case, Cases};
use values::liveness::{VarSet, live_variables};
use values::state::State;
use values::sums::{Bound, Sum};

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

/// Blocks of more operations are cut where paths meet, if that is asked for.
const MAX_BLOCK: usize = 1_000;

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
    pub formula: Transition,
    /// The values that are chosen on the way.
    pub skolems: Vec<Skolem>,
    /// What the ghosts are if the target is reached by this edge ([`crate::cells`]).
    pub focus: Vec<(SymbolId, TermId)>,
}

/// Where the paths of a graph lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To the error location of the procedure itself.
    Error,
    /// To the location where the procedure returns.
    Exit,
}

impl Target {
    /// The location in a procedure.
    pub fn location(self, procedure: &Procedure) -> Option<Loc> {
        match self {
            Self::Error => procedure.error,
            Self::Exit => Some(procedure.exit),
        }
    }

    /// The variables whose values matter at the target: globals and results when a procedure returns, factors of products that are compared at the
    /// error.
    fn read(self, program: &Program, procedure: &Procedure, vocabulary: &Vocabulary) -> Vec<VarId> {
        match self {
            Self::Error => vocabulary.compared_factors(),
            Self::Exit => {
                let globals = program.vars.iter_enumerated().filter(|(_, var)| var.owner.is_none());
                globals.map(|(id, _)| id).chain(procedure.results.iter().copied()).collect()
            }
        }
    }
}

/// Which locations are points, besides the entry, the target and the heads of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cuts {
    /// None: blocks are as large as they can be.
    Loops,
    /// Where paths meet, so that blocks of much code become smaller ones.
    HugeBlocks,
    /// All: a block is an operation.
    Everywhere,
}

/// How a graph is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Which locations are points.
    pub cuts: Cuts,
    /// How machine values are modelled.
    pub logic: LogicName,
}

impl Form {
    /// With blocks that are as large as they can be, over integers.
    pub const PLAIN: Self = Self::over_integers(Cuts::Loops);
    /// With blocks that are as large as they can be, over bit-vectors.
    pub const BITS: Self = Self { cuts: Cuts::Loops, logic: LogicName::Bits };

    /// With these points, over integers.
    pub const fn over_integers(cuts: Cuts) -> Self {
        Self { cuts, logic: LogicName::Integers }
    }
}

/// The graph of one procedure and one target.
#[derive(Debug)]
pub struct Graph {
    /// The vertices in weak topological order; the entry is the first.
    pub points: IndexVec<PointId, Point>,
    /// The edges.
    pub arcs: IndexVec<ArcId, Arc>,
    /// The vertex of the target; absent if the target cannot be reached in the graph.
    pub target: Option<PointId>,
    /// Loop heads and the target where the analysis of values shows that no execution arrives: no points, but part of the proof.
    pub unreachable: Vec<Loc>,
    /// The procedure.
    pub procedure: ProcId,
    /// The symbols of the variables.
    pub vocabulary: Vocabulary,
    /// The elements of arrays that are followed.
    pub cells: Cells,
    /// What is known of all elements of arrays.
    pub elements: Elements,
}

/// The first of all points.
pub const ENTRY: PointId = PointId(0);

/// What is known of the locations of a procedure before its graph is built.
struct Known<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    forest: &'a LoopForest,
    facts: values::Facts,
    cases: Option<Cases>,
    target: Option<Loc>,
    /// Locations from which the target can be reached, and which an execution may reach.
    relevant: IndexVec<Loc, bool>,
    live: IndexVec<Loc, VarSet>,
    /// Locations that are points although no loop needs it.
    more: IndexVec<Loc, bool>,
}

impl Known<'_> {
    /// Finds the locations where blocks are cut beyond what loops need.
    fn cut(&mut self, cuts: Cuts) {
        let relevant = |edge: &&Edge| self.relevant[edge.source] && self.relevant[edge.target];
        match cuts {
            Cuts::Loops => {}
            Cuts::Everywhere => self.more = self.relevant.clone(),
            Cuts::HugeBlocks => {
                let mut arrivals: IndexVec<Loc, u32> = IndexVec::filled(0, self.relevant.len());
                for edge in self.procedure.edges().iter().filter(relevant) {
                    arrivals[edge.target] += 1;
                }
                // In the order of the loops, all that leads to a location without a cycle comes before it.
                let mut size = 0;
                for location in self.forest.order() {
                    if size > MAX_BLOCK && arrivals[*location] > 1 {
                        self.more[*location] = true;
                        size = 0;
                    }
                    let leaving = self.procedure.outgoing(*location).iter();
                    size += leaving.map(|edge| self.procedure.edges()[*edge].ops.len()).sum::<usize>();
                }
            }
        }
    }

    /// Leaves out locations that no execution reaches. Returns the loop heads among them, and the target.
    fn leave_out_unreachable(&mut self) -> Vec<Loc> {
        let mut unreachable = Vec::new();
        for location in self.procedure.locations.ids() {
            let is_excluded = self.cases.as_ref().is_some_and(|cases| cases.is_unreachable(location));
            if self.relevant[location] && (is_excluded || self.facts.at(location).is_none()) {
                self.relevant[location] = false;
                if self.forest.is_header(location) || Some(location) == self.target {
                    unreachable.push(location);
                }
            }
        }
        unreachable
    }

    fn is_cut(&self, location: Loc) -> bool {
        location == self.procedure.entry
            || self.relevant[location]
                && (Some(location) == self.target || self.forest.is_header(location) || self.more[location])
    }

    fn point(&self, location: Loc, vocabulary: &Vocabulary, terms: &mut Terms) -> Point {
        let program = self.program;
        let live: Vec<VarId> = program.vars.ids().filter(|var| self.live[location].contains(*var)).collect();
        let known = self.facts.at(location).map_or_else(State::new, |state| state.restricted_to(&live));
        let facts = stated_of(&known, program, &live, vocabulary, terms);
        let cases = self.cases.as_ref().map_or_else(Vec::new, |cases| cases.at(location, &live));
        let cases: Vec<TermId> =
            cases.iter().map(|case| stated_case(case, program, vocabulary, terms)).collect();
        let cases = if cases.is_empty() { Terms::TRUE } else { terms.or(cases) };
        let facts = terms.and([facts, cases]);
        // A product matters where all its factors do: later values are polynomials in these.
        let is_live = |var: &VarId| live.binary_search(var).is_ok();
        let products = vocabulary.products().filter(|(_, factors)| factors.iter().all(is_live));
        let products: Vec<SymbolId> = products.map(|(symbol, _)| symbol).collect();
        let is_sum_live =
            |sum: &Sum| is_live(&sum.array) && !matches!(sum.bound, Bound::Variable(var) if !is_live(&var));
        let sums = vocabulary.sums().filter(|(_, sum)| is_sum_live(sum));
        let sums: Vec<SymbolId> = sums.map(|(symbol, _)| symbol).collect();
        let codes = vocabulary.codes().filter(|(_, var, _)| is_live(var));
        let codes: Vec<SymbolId> = codes.map(|(symbol, ..)| symbol).collect();
        let mut live: Vec<SymbolId> = live.into_iter().filter_map(|var| vocabulary.symbol(var)).collect();
        live.extend(products);
        live.extend(sums);
        live.extend(codes);
        live.sort_unstable();
        Point { location, known, facts, cases, live, outgoing: Vec::new(), body: None }
    }
}

/// What holds in one case.
fn stated_case(case: &Case, program: &Program, vocabulary: &Vocabulary, terms: &mut Terms) -> TermId {
    let mut parts = vec![stated(&case.state, program, vocabulary, terms)];
    for symbol in case.not_zero.iter().filter_map(|var| vocabulary.symbol(*var)) {
        let value = terms.of_symbol(symbol);
        parts.push(not_zero(terms, value));
    }
    terms.and(parts)
}

impl Graph {
    /// The graph of a procedure. Calls that it makes should be inlined; others are arbitrary effects.
    pub fn of(
        program: &Program,
        proc: ProcId,
        forest: &LoopForest,
        target: Target,
        terms: &mut Terms,
        budget: &mut Budget,
    ) -> Result<Self, Stop> {
        Self::in_form(program, proc, forest, target, Form::PLAIN, terms, budget)
    }

    /// The same with more points, or in another logic.
    pub fn in_form(
        program: &Program,
        proc: ProcId,
        forest: &LoopForest,
        target: Target,
        form: Form,
        terms: &mut Terms,
        budget: &mut Budget,
    ) -> Result<Self, Stop> {
        let procedure = &program.procs[proc];
        let vocabulary = Vocabulary::in_logic(form.logic, program, &[proc], terms);
        let facts = analyze(program, procedure, budget)?;
        let cases = Cases::of(program, procedure, budget)?;
        let read = target.read(program, procedure, &vocabulary);
        let target = target.location(procedure);
        let relevant = reaching(procedure, target);
        // Variables that are only read where no execution arrives count: facts about them are why none does.
        let live =
            live_variables(program, procedure, forest, &relevant, target.map(|target| (target, &*read)));
        let more = IndexVec::filled(false, procedure.locations.len());
        let mut known = Known { program, procedure, forest, facts, cases, target, relevant, live, more };
        let unreachable = known.leave_out_unreachable();
        known.cut(form.cuts);
        let mut cuts = IndexVec::filled(false, procedure.locations.len());
        let mut number: IndexVec<Loc, Option<PointId>> = IndexVec::filled(None, procedure.locations.len());
        let mut points = IndexVec::new();
        for &location in forest.order() {
            if known.is_cut(location) {
                cuts[location] = true;
                number[location] = Some(points.push(known.point(location, &vocabulary, terms)));
            }
        }
        let target = target.and_then(|target| number[target]);
        let mut graph = Self {
            points,
            arcs: IndexVec::new(),
            target,
            unreachable,
            procedure: proc,
            vocabulary,
            cells: Cells::default(),
            elements: Elements::default(),
        };
        graph.find_loops(forest, &number);
        let pieces = Pieces::new(program, procedure, forest, &cuts, &known.relevant);
        graph.add_arcs(&pieces, &number, terms, budget)?;
        Ok(graph)
    }

    fn add_arcs(
        &mut self,
        pieces: &Pieces<'_>,
        number: &IndexVec<Loc, Option<PointId>>,
        terms: &mut Terms,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        for source in self.points.ids() {
            budget.tick()?;
            let Point { location, known, .. } = self.points[source].clone();
            for piece in pieces.from(location, &known, terms, &mut self.vocabulary) {
                let target = number[piece.target].expect("G1: a piece should end at a point");
                let live = &self.points[target].live;
                let mut formula =
                    piece.transition.restricted_to(|symbol| live.binary_search(&symbol).is_ok());
                formula.guard = self.without_dead_sums(source, terms, formula.guard);
                let arc = self.arcs.push(Arc {
                    source,
                    target,
                    formula,
                    skolems: piece.skolems,
                    focus: Vec::new(),
                });
                self.points[source].outgoing.push(arc);
            }
        }
        Ok(())
    }

    /// What a guard says of other symbols than sums and codes that do not matter at its source: nothing is known of these.
    fn without_dead_sums(&self, source: PointId, terms: &mut Terms, guard: TermId) -> TermId {
        let live = &self.points[source].live;
        let is_dead = |symbol: SymbolId| live.binary_search(&symbol).is_err();
        let sums = self.vocabulary.sums().map(|(symbol, _)| symbol);
        let codes = self.vocabulary.codes().map(|(symbol, ..)| symbol);
        let dead = sums.chain(codes).filter(|symbol| is_dead(*symbol));
        let mut dead: Vec<SymbolId> = dead.collect();
        dead.sort_unstable();
        if dead.is_empty() {
            return guard;
        }
        let mut conjuncts = terms.conjuncts(guard);
        conjuncts.retain(|conjunct| !terms.mentions(*conjunct, &dead));
        terms.and(conjuncts)
    }

    fn find_loops(&mut self, forest: &LoopForest, number: &IndexVec<Loc, Option<PointId>>) {
        for (id, cycle) in forest.loops().iter_enumerated() {
            let Some(head) = number[cycle.header] else { continue };
            let inside = forest.body(id).iter().filter_map(|location| number[*location]);
            let last = inside.max().unwrap_or(head);
            self.points[head].body = Some(head.0..last.0 + 1);
        }
    }

    /// The conditions that edges test.
    pub fn conditions(&self, terms: &Terms) -> Conditions {
        let roots: Vec<TermId> = self.arcs.iter().map(|arc| arc.formula.guard).collect();
        let mut conditions = Conditions::default();
        let found = terms.reachable_unless(&roots, |term| self.vocabulary.is_fact(term));
        for term in found.into_iter().filter(|term| is_condition(terms, *term)) {
            let symbols = terms.symbols_of(term);
            conditions.by_first.entry(symbols.first().copied()).or_default().push((term, symbols));
        }
        conditions
    }

    /// Conditions over the live variables of a point that any edge tests: candidates for facts that loops preserve.
    pub fn hints(&self, terms: &Terms, point: PointId) -> Vec<TermId> {
        self.conditions(terms).over(&self.points[point].live)
    }

    /// Whether a point lies in the loop of a head (the head included).
    pub fn in_loop(&self, head: PointId, point: PointId) -> bool {
        self.points[head].body.as_ref().is_some_and(|body| body.contains(&point.0))
    }
}

/// Conditions, found by their symbols.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// By the least symbol, those that have symbols with the ascending list of these.
    by_first: BTreeMap<Option<SymbolId>, Vec<(TermId, Vec<SymbolId>)>>,
}

impl Conditions {
    /// Those that mention no other symbols than these, which ascend; subterms come first.
    pub fn over(&self, symbols: &[SymbolId]) -> Vec<TermId> {
        let first = symbols.iter().map(|symbol| Some(*symbol)).chain([None]);
        let candidates = first.filter_map(|first| self.by_first.get(&first)).flatten();
        let is_over = |own: &[SymbolId]| own.iter().all(|symbol| symbols.binary_search(symbol).is_ok());
        let mut found: Vec<TermId> =
            candidates.filter(|(_, own)| is_over(own)).map(|(term, _)| *term).collect();
        found.sort_unstable();
        found
    }
}

/// Whether a term compares values.
fn is_condition(terms: &Terms, term: TermId) -> bool {
    match terms.node(term) {
        Node::Le(_) | Node::Zero(_) | Node::Divides(..) => true,
        Node::Same(left, _) => matches!(terms.sort(*left), Sort::BitVec(_)),
        Node::Bv(op, _) => matches!(
            op,
            BvOp::Ult
                | BvOp::Ule
                | BvOp::Slt
                | BvOp::Sle
                | BvOp::Float(_, FloatOp::Eq | FloatOp::Lt | FloatOp::Le)
        ),
        _ => false,
    }
}
