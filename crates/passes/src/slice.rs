//! Slicing: what does not influence whether the error is reached is removed.
//!
//! # Paper
//! Weiser, Program Slicing, TSE 10(4), 1984, for the idea; control dependence after Ferrante, Ottenstein and
//! Warren, The Program Dependence Graph and Its Use in Optimization, TOPLAS 9(3), 1987. Data dependence is
//! insensitive to flow: a variable or a region of memory is relevant everywhere or nowhere.
//!
//! # Rule
//! First everything is pruned that cannot reach a violation ([`super::prune`](fn@super::prune)). Then
//! relevant are
//! * edges that may themselves be a violation, among them calls of procedures that may fail;
//! * assumptions that may end an execution: those of a location whose leaving edges do not cover all cases;
//! * branches on which something relevant, or the error location itself, is control dependent;
//! * operations that write a variable or a region of memory that something relevant reads; calls of
//!   procedures that contain something relevant.
//!
//! Other operations are dropped. A branch that is not relevant is replaced by one edge to where its ways meet
//! again: nothing between is relevant, or the branch would be.
//!
//! # Meaning
//! The new program has *more* executions: a loop that is removed may never have ended (one whose only other
//! way out is a violation is not removed, see [`super::control_dependence`]), an operation that is removed may have been
//! undefined or have blocked. So a proof of safety holds for the old program. A counterexample may not: it is
//! replayed. For programs whose removed parts always end and are defined the error is reachable in both or in
//! neither.

use base::IndexVec;
use rustc_hash::FxHashSet;

use super::back::{BackTranslation, EdgeOrigin, ProcOrigin};
use super::build::{self, NewEdge, replace_procedures};
use super::control_dependence::ControlDependence;
use super::lifetimes::read_vars;
use super::prune::prune;
use super::relevance::Relevance;
use cfa::op::{Op, Place};
use cfa::pointsto::{PointsTo, Punning, RegionId};
use cfa::{BinaryOp, EdgeId, Expr, ExprId, Exprs, Loc, Origin, ProcId, Procedure, Program, UnaryOp, VarId};

/// Removes what does not influence the error.
pub fn slice(program: &Program) -> (Program, BackTranslation) {
    let (pruned, first) = prune(program);
    let mut slicer = Slicer::new(&pruned);
    slicer.solve();
    let (new, second) = replace_procedures(&pruned, |proc| slicer.rebuild(proc));
    (new, first.then(&second))
}

/// Something whose relevance has consequences.
#[derive(Clone, Copy)]
enum Fact {
    Var(VarId),
    Region(RegionId),
    Op(ProcId, EdgeId, u32),
    /// A location whose leaving edges are all relevant, with their assumptions.
    Branch(ProcId, Loc),
    /// A location that control must reach: what it is control dependent on is relevant.
    Point(ProcId, Loc),
    /// A procedure that contains something relevant: its calls are.
    Proc(ProcId),
}

struct Slicer<'a> {
    program: &'a Program,
    relevance: Relevance,
    points_to: PointsTo,
    control: IndexVec<ProcId, ControlDependence>,
    pending: Vec<Fact>,
    vars: IndexVec<VarId, bool>,
    regions: IndexVec<RegionId, bool>,
    procs: IndexVec<ProcId, bool>,
    branches: IndexVec<ProcId, IndexVec<Loc, bool>>,
    points: IndexVec<ProcId, IndexVec<Loc, bool>>,
    ops: IndexVec<ProcId, IndexVec<EdgeId, Vec<bool>>>,
    /// Operations that write a variable, or a region, or call a procedure.
    var_writers: IndexVec<VarId, Vec<(ProcId, EdgeId, u32)>>,
    region_writers: IndexVec<RegionId, Vec<(ProcId, EdgeId, u32)>>,
    callers: IndexVec<ProcId, Vec<(ProcId, EdgeId, u32)>>,
    /// Results of callees that land in a variable, or in a region.
    var_results: IndexVec<VarId, Vec<VarId>>,
    region_results: IndexVec<RegionId, Vec<VarId>>,
}

impl<'a> Slicer<'a> {
    fn new(program: &'a Program) -> Self {
        let relevance = Relevance::new(program);
        let points_to = PointsTo::new(program, Punning::Any);
        let count = program.procs.len();
        let per_location = |procedure: &Procedure| IndexVec::filled(false, procedure.locations.len());
        let control = program.procs.iter_enumerated().map(|(proc, procedure)| {
            let fails = |edge: EdgeId| relevance.edge_fails(&procedure.edges()[edge]);
            ControlDependence::new(procedure, relevance.exit_matters[proc].then_some(procedure.exit), fails)
        });
        let mut slicer = Self {
            program,
            control: control.collect(),
            pending: Vec::new(),
            vars: IndexVec::filled(false, program.vars.len()),
            regions: IndexVec::filled(false, points_to.regions().len()),
            procs: IndexVec::filled(false, count),
            branches: program.procs.iter().map(per_location).collect(),
            points: program.procs.iter().map(per_location).collect(),
            ops: program
                .procs
                .iter()
                .map(|procedure| procedure.edges().iter().map(|edge| vec![false; edge.ops.len()]).collect())
                .collect(),
            var_writers: IndexVec::filled(Vec::new(), program.vars.len()),
            region_writers: IndexVec::filled(Vec::new(), points_to.regions().len()),
            callers: IndexVec::filled(Vec::new(), count),
            var_results: IndexVec::filled(Vec::new(), program.vars.len()),
            region_results: IndexVec::filled(Vec::new(), points_to.regions().len()),
            relevance,
            points_to,
        };
        slicer.index();
        slicer
    }

    /// Fills the tables of writers and finds where relevance starts.
    fn index(&mut self) {
        let program = self.program;
        for (proc, procedure) in program.procs.iter_enumerated() {
            for (edge, content) in procedure.edges().iter_enumerated() {
                for (position, op) in content.ops.iter().enumerate() {
                    let site = (proc, edge, position as u32);
                    for var in op.vars() {
                        self.var_writers[var].push(site);
                    }
                    for region in self.written_regions(op) {
                        self.region_writers[region].push(site);
                    }
                    self.index_call(site, op);
                    let halts = matches!(op, Op::Halt { .. });
                    if halts || self.relevance.op_fails(op) {
                        self.pending.push(Fact::Op(proc, edge, position as u32));
                    }
                }
            }
            for location in procedure.locations.ids() {
                if !covers_all(&program.exprs, procedure, location) {
                    self.pending.push(Fact::Branch(proc, location));
                }
            }
            if let Some(error) = procedure.error {
                self.pending.push(Fact::Point(proc, error));
            }
        }
    }

    fn index_call(&mut self, site: (ProcId, EdgeId, u32), op: &Op) {
        let Op::Call { results, .. } = op else { return };
        for target in op.call_targets() {
            self.callers[*target].push(site);
            for (result, place) in self.program.procs[*target].results.iter().zip(results) {
                match place {
                    Some(Place::Var(var) | Place::Elem { array: var, .. }) => {
                        self.var_results[*var].push(*result);
                    }
                    Some(Place::Mem { addr, .. } | Place::Bits { addr, .. }) => {
                        if let Some(region) = self.points_to.region(*addr) {
                            self.region_results[region].push(*result);
                        }
                    }
                    None => {}
                }
            }
        }
    }

    /// The memory that an operation changes.
    fn written_regions(&self, op: &Op) -> Vec<RegionId> {
        let mut regions: Vec<RegionId> = op
            .places()
            .filter_map(|place| match place {
                Place::Mem { addr, .. } | Place::Bits { addr, .. } => self.points_to.region(*addr),
                Place::Var(_) | Place::Elem { .. } => None,
            })
            .collect();
        let address = match op {
            Op::Free { addr } | Op::Release { addr } => Some(*addr),
            Op::Copy { to, .. } | Op::Fill { to, .. } | Op::Forget { to, .. } | Op::Write { to, .. } => {
                Some(*to)
            }
            Op::Realloc { old, .. } => Some(*old),
            _ => None,
        };
        regions.extend(address.and_then(|address| self.points_to.region(address)));
        if let Op::Init { var, .. } | Op::Begin { var } | Op::End { var } = op {
            regions.extend(self.points_to.region_of_var(*var));
        }
        regions
    }

    fn solve(&mut self) {
        while let Some(fact) = self.pending.pop() {
            match fact {
                Fact::Var(var) => {
                    if !std::mem::replace(&mut self.vars[var], true) {
                        let results = std::mem::take(&mut self.var_results[var]);
                        self.pending.extend(results.into_iter().map(Fact::Var));
                        let writers = std::mem::take(&mut self.var_writers[var]);
                        self.pending
                            .extend(writers.into_iter().map(|(proc, edge, op)| Fact::Op(proc, edge, op)));
                    }
                }
                Fact::Region(region) => {
                    if !std::mem::replace(&mut self.regions[region], true) {
                        let results = std::mem::take(&mut self.region_results[region]);
                        self.pending.extend(results.into_iter().map(Fact::Var));
                        let writers = std::mem::take(&mut self.region_writers[region]);
                        self.pending
                            .extend(writers.into_iter().map(|(proc, edge, op)| Fact::Op(proc, edge, op)));
                    }
                }
                Fact::Proc(proc) => {
                    if !std::mem::replace(&mut self.procs[proc], true) {
                        let callers = std::mem::take(&mut self.callers[proc]);
                        self.pending
                            .extend(callers.into_iter().map(|(proc, edge, op)| Fact::Op(proc, edge, op)));
                    }
                }
                Fact::Op(proc, edge, position) => self.op(proc, edge, position),
                Fact::Branch(proc, location) => self.branch(proc, location),
                Fact::Point(proc, location) => {
                    if !std::mem::replace(&mut self.points[proc][location], true) {
                        self.pending.push(Fact::Proc(proc));
                        let deciding = self.control[proc].deciding(location);
                        self.pending.extend(deciding.iter().map(|branch| Fact::Branch(proc, *branch)));
                    }
                }
            }
        }
    }

    /// An operation is relevant: so is what it reads, and that control gets to it.
    fn op(&mut self, proc: ProcId, edge: EdgeId, position: u32) {
        if std::mem::replace(&mut self.ops[proc][edge][position as usize], true) {
            return;
        }
        let procedure = &self.program.procs[proc];
        let content = &procedure.edges()[edge];
        self.read(&content.ops[position as usize]);
        self.pending.push(Fact::Point(proc, content.source));
        if procedure.outgoing(content.source).len() > 1 {
            self.pending.push(Fact::Branch(proc, content.source));
        }
    }

    /// Everything that an operation reads is relevant.
    fn read(&mut self, op: &Op) {
        for root in op.exprs() {
            let pending = &mut self.pending;
            read_vars(self.program, root, |var| pending.push(Fact::Var(var)));
            self.read_memory(root);
        }
        self.pending.extend(op.copied_array().map(Fact::Var));
        let mut addresses: Vec<ExprId> = Vec::new();
        match op {
            Op::Copy { from, .. } => addresses.push(*from),
            Op::Realloc { old, .. } => addresses.push(*old),
            Op::Output { args, .. } => addresses.extend(args),
            _ => {}
        }
        let regions = addresses.into_iter().filter_map(|address| self.points_to.region(address));
        self.pending.extend(regions.map(Fact::Region));
        // The other elements, and the other bits, are those that were there before.
        for place in op.places() {
            match place {
                Place::Elem { array, .. } => self.pending.push(Fact::Var(*array)),
                Place::Mem { addr, .. } | Place::Bits { addr, .. } => {
                    self.pending.extend(self.points_to.region(*addr).map(Fact::Region));
                }
                Place::Var(_) => {}
            }
        }
    }

    fn read_memory(&mut self, root: ExprId) {
        let mut stack = vec![root];
        let mut seen = FxHashSet::default();
        while let Some(id) = stack.pop() {
            let expr = self.program.exprs.get(id);
            match expr {
                Expr::Load { addr, .. } | Expr::LoadBits { addr, .. } => {
                    self.pending.extend(self.points_to.region(*addr).map(Fact::Region));
                }
                // Whether an object lives is a part of its region.
                Expr::Accessible { addr, .. }
                | Expr::Freeable { addr }
                | Expr::Test { addr, .. }
                | Expr::Initialised { addr, .. } => {
                    self.pending.extend(self.points_to.region(*addr).map(Fact::Region));
                }
                // An object has an address only while it lives.
                Expr::Address { var } => self.pending.push(Fact::Var(*var)),
                _ => {}
            }
            if expr.operands().next().is_some() && seen.insert(id) {
                stack.extend(expr.operands());
            }
        }
    }

    /// A branch is relevant: so are all its conditions, and that control gets to it.
    fn branch(&mut self, proc: ProcId, location: Loc) {
        if std::mem::replace(&mut self.branches[proc][location], true) {
            return;
        }
        self.pending.push(Fact::Point(proc, location));
        let procedure = &self.program.procs[proc];
        for edge in procedure.outgoing(location) {
            for (position, op) in procedure.edges()[*edge].ops.iter().enumerate() {
                if matches!(op, Op::Assume { .. }) {
                    self.pending.push(Fact::Op(proc, *edge, position as u32));
                }
            }
        }
    }

    /// The relevant part of a procedure, from its entry on.
    fn rebuild(&self, proc: ProcId) -> (Procedure, ProcOrigin) {
        let procedure = &self.program.procs[proc];
        let mut keep = IndexVec::filled(false, procedure.locations.len());
        let mut edges = Vec::new();
        let mut pending = vec![procedure.entry];
        keep[procedure.entry] = true;
        while let Some(location) = pending.pop() {
            let leaving = procedure.outgoing(location);
            let before = edges.len();
            match (self.control[proc].meeting(location), leaving) {
                (Some(target), [first, _, ..]) if !self.branches[proc][location] => edges.push(NewEdge {
                    edge: *first,
                    target,
                    ops: Vec::new(),
                    from: EdgeOrigin::default(),
                    origin: Some(Origin::IMPLICIT),
                }),
                _ => edges.extend(leaving.iter().map(|edge| {
                    let relevant = &self.ops[proc][*edge];
                    NewEdge::mapped(self.program, proc, *edge, |position, op| {
                        relevant[position].then(|| self.trimmed(op))
                    })
                })),
            }
            for edge in &edges[before..] {
                if !std::mem::replace(&mut keep[edge.target], true) {
                    pending.push(edge.target);
                }
            }
        }
        edges.sort_by_key(|edge| edge.edge);
        build::procedure(self.program, proc, |location| keep[location], edges)
    }

    /// A relevant operation without the results that nobody needs.
    fn trimmed(&self, op: &Op) -> Op {
        let needed = |place: &Place| match place {
            Place::Var(var) | Place::Elem { array: var, .. } => self.vars[*var],
            Place::Mem { addr, .. } | Place::Bits { addr, .. } => {
                self.points_to.region(*addr).is_none_or(|region| self.regions[region])
            }
        };
        let mut op = op.clone();
        match &mut op {
            Op::Call { results, .. } => results.iter_mut().for_each(|place| *place = place.filter(needed)),
            Op::Output { result, .. } => *result = result.filter(needed),
            _ => {}
        }
        op
    }
}

/// Whether some edge can always be taken from a location: no assumption, or two opposite ones.
fn covers_all(exprs: &Exprs, procedure: &Procedure, location: Loc) -> bool {
    let assumption = |op: &Op| match op {
        Op::Assume { cond } => Some(*cond),
        _ => None,
    };
    let conditions: Vec<Vec<ExprId>> = procedure
        .outgoing(location)
        .iter()
        .map(|edge| procedure.edges()[*edge].ops.iter().filter_map(assumption).collect())
        .collect();
    if conditions.iter().all(Vec::is_empty) {
        return true;
    }
    match conditions.as_slice() {
        [left, right] => match (left.as_slice(), right.as_slice()) {
            ([left], [right]) => {
                let leading =
                    |edge: &EdgeId| matches!(procedure.edges()[*edge].ops.first(), Some(Op::Assume { .. }));
                procedure.outgoing(location).iter().all(leading) && are_opposite(exprs, *left, *right)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether exactly one of two conditions always holds, by their form.
fn are_opposite(exprs: &Exprs, left: ExprId, right: ExprId) -> bool {
    let negation = |cond: ExprId, other: ExprId| matches!(*exprs.get(cond), Expr::Unary { op: UnaryOp::Not, arg } if arg == other);
    if negation(left, right) || negation(right, left) {
        return true;
    }
    match (*exprs.get(left), *exprs.get(right)) {
        (Expr::Binary { op: left_op, lhs: a, rhs: b }, Expr::Binary { op: right_op, lhs: c, rhs: d }) => {
            // A comparison with NaN is false both ways.
            let ordered = !exprs.ty(a).is_float();
            match (left_op, right_op) {
                (BinaryOp::Eq, BinaryOp::Ne) | (BinaryOp::Ne, BinaryOp::Eq) => (a, b) == (c, d),
                (BinaryOp::Lt, BinaryOp::Le) | (BinaryOp::Le, BinaryOp::Lt) => ordered && (a, b) == (d, c),
                _ => false,
            }
        }
        _ => false,
    }
}
