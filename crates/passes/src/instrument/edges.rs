//! The edges that a check adds, and the parts into which it cuts old ones.

use base::Region;

use cfa::{
    CheckKind, CheckSite, Edge, EdgeId, ExprId, HaltReason, Loc, LocationInfo, LocationRole, Op, Origin,
    ProcId, Role,
};

use super::super::back::{ContextId, EdgeOrigin, OpOrigin, Step, StepPart};
use super::super::build::Builder;
use super::checks::{CheckId, Wanted};
use super::ends::Heap;
use super::walk::Found;
use super::{Frame, Instrument};

/// An old edge, and the part of its new version that is being built.
pub(super) struct Piece<'a> {
    pub(super) proc: ProcId,
    pub(super) edge: EdgeId,
    pub(super) old: &'a Edge,
    /// Where the part starts.
    pub(super) source: Loc,
    /// Where the interpreter says that things go wrong.
    pub(super) region: Region,
    /// The operation before the part, if the edge was cut there.
    pub(super) from: Option<u32>,
    /// Whether all operations so far, and the next one, are tests.
    pub(super) is_tested: bool,
    pub(super) ops: Vec<Op>,
    /// The old positions of the operations.
    pub(super) positions: Vec<u32>,
}

impl<'a> Piece<'a> {
    pub(super) fn new(proc: ProcId, edge: EdgeId, old: &'a Edge, source: Loc, region: Region) -> Self {
        Self {
            proc,
            edge,
            old,
            source,
            region,
            from: None,
            is_tested: true,
            ops: Vec::new(),
            positions: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, op: Op, position: usize) {
        self.ops.push(op);
        self.positions.push(position as u32);
    }

    /// The origin of operations that stand for those of the old edge at the given positions.
    pub(super) fn origin(&self, positions: &[u32], until: Option<u32>) -> EdgeOrigin {
        let (proc, edge, context, from) = (self.proc, self.edge, ContextId::ROOT, self.from);
        EdgeOrigin {
            steps: vec![Step { proc, edge, context, from, until, part: StepPart::Taken }],
            ops: positions.iter().map(|op| Some(OpOrigin::new(0, *op))).collect(),
        }
    }

    fn own_origin(&self) -> Origin {
        let role = if self.from.is_none() { self.old.origin.role } else { Role::Implicit };
        Origin { role, ..self.old.origin }
    }

    /// Ends the part before an operation, and starts the next one.
    pub(super) fn cut(&mut self, builder: &mut Builder, position: usize) {
        let middle = self.fresh(builder);
        let from = self.origin(&self.positions, Some(position as u32));
        builder.edge(self.source, middle, std::mem::take(&mut self.ops), self.own_origin(), from);
        self.from = self.positions.last().copied().or(self.from);
        self.positions.clear();
        self.source = middle;
    }

    /// One operation or another, whichever test holds; the next part starts after it.
    pub(super) fn choose(&mut self, builder: &mut Builder, position: usize, ways: [Vec<Op>; 2]) {
        if !self.ops.is_empty() {
            self.cut(builder, position);
        }
        let middle = self.fresh(builder);
        for ops in ways {
            let until = (position + 1 < self.old.ops.len()).then_some(position as u32 + 1);
            let from = self.origin(&vec![position as u32; ops.len()], until);
            builder.edge(self.source, middle, ops, self.own_origin(), from);
        }
        self.from = Some(position as u32);
        self.source = middle;
    }

    /// Whether something is lost is chosen before it is asked for, if it is rounded up.
    pub(super) fn guess(&mut self, builder: &mut Builder, frame: &Frame<'_>, position: usize) {
        if let Some(guess) = frame.heap.and_then(Heap::guess) {
            self.push(guess, position);
            self.cut(builder, position);
        }
    }

    fn fresh(&self, builder: &mut Builder) -> Loc {
        let info = LocationInfo { region: self.old.origin.region, role: LocationRole::Plain };
        builder.location(info, None)
    }
}

/// What an edge to the error, or to the end of the execution, stands for.
struct Target {
    wanted: Wanted,
    checks: Vec<CheckId>,
}

impl Instrument<'_> {
    /// The edges for something that an operation may run into.
    pub(super) fn fail(&mut self, builder: &mut Builder, piece: &Piece<'_>, position: usize, found: &Found) {
        let site = CheckSite { proc: piece.proc, edge: piece.edge, op: position as u32, expr: found.expr };
        self.checked.insert((piece.region, found.expr));
        let kinds = found.fault.kinds();
        let mut asked = Vec::new();
        for kind in self.asked(kinds) {
            let check = self.register(kind, site, piece.region);
            asked.push((kind, check, self.wanted(check)));
        }
        let all = |wanted: Wanted| asked.iter().all(|(.., other)| *other == wanted);
        if asked.len() == kinds.iter().count() && all(Wanted::Error) {
            let cond = found.fault.any(&mut self.new.exprs);
            let checks = asked.iter().map(|(_, check, _)| *check).collect();
            self.leave(builder, piece, position, found, cond, Target { wanted: Wanted::Error, checks });
            return;
        }
        for (kind, check, wanted) in asked {
            if wanted != Wanted::Omitted {
                let cond = found.fault.case(&mut self.new.exprs, kind);
                self.leave(builder, piece, position, found, cond, Target { wanted, checks: vec![check] });
            }
        }
    }

    fn leave(
        &mut self,
        builder: &mut Builder,
        piece: &Piece<'_>,
        position: usize,
        found: &Found,
        cond: ExprId,
        target: Target,
    ) {
        let mut ops = piece.ops.clone();
        ops.extend(found.before.iter().map(|cond| Op::Assume { cond: *cond }));
        ops.push(Op::Assume { cond });
        self.leave_by(builder, piece, position, ops, target);
    }

    /// An edge from the start of a part to the error, or to the end of the execution.
    fn leave_by(
        &mut self,
        builder: &mut Builder,
        piece: &Piece<'_>,
        position: usize,
        mut ops: Vec<Op>,
        target: Target,
    ) {
        if target.wanted == Wanted::Assumed {
            ops.push(Op::Halt { reason: HaltReason::Abort });
        }
        if !self.emitted.insert((piece.source, ops.clone())) {
            return;
        }
        let mut positions = piece.positions.clone();
        positions.resize(ops.len(), position as u32);
        let from = piece.origin(&positions, Some(position as u32));
        let origin = Origin { role: Role::Implicit, region: piece.region };
        let end = match target.wanted {
            Wanted::Error => builder.error_location(piece.region),
            Wanted::Assumed | Wanted::Omitted => builder.procedure.exit,
        };
        let edge = builder.edge(piece.source, end, ops, origin, from);
        if target.wanted == Wanted::Error {
            self.checks.add_edge(piece.proc, edge, target.checks);
        }
    }

    /// An operation that may run into one of several things in every state.
    pub(super) fn fail_anyhow(
        &mut self,
        builder: &mut Builder,
        piece: &Piece<'_>,
        position: usize,
        found: &[Found],
    ) {
        let mut checks = Vec::new();
        for one in found {
            let site = CheckSite { proc: piece.proc, edge: piece.edge, op: position as u32, expr: one.expr };
            self.checked.insert((piece.region, one.expr));
            for kind in self.asked(one.fault.kinds()) {
                checks.push(self.register(kind, site, piece.region));
            }
        }
        checks.retain(|check| self.wanted(*check) == Wanted::Error);
        if !checks.is_empty() {
            let target = Target { wanted: Wanted::Error, checks };
            self.leave_by(builder, piece, position, piece.ops.clone(), target);
        }
    }

    /// An edge of the given program to its error location.
    pub(super) fn assertion(
        &mut self,
        builder: &mut Builder,
        mut piece: Piece<'_>,
        error: Loc,
        origin: Origin,
    ) {
        let site = CheckSite { proc: piece.proc, edge: piece.edge, op: 0, expr: None };
        let check = self.register(CheckKind::Assertion, site, piece.region);
        if self.wanted(check) == Wanted::Error {
            let from = piece.origin(&piece.positions, None);
            let edge = builder.edge(piece.source, error, piece.ops, origin, from);
            self.checks.add_edge(piece.proc, edge, vec![check]);
            return;
        }
        let last = piece.old.ops.len().saturating_sub(1);
        piece.push(Op::Halt { reason: HaltReason::Abort }, last);
        let from = if piece.old.ops.is_empty() {
            EdgeOrigin { ops: vec![None], ..piece.origin(&[], None) }
        } else {
            piece.origin(&piece.positions, None)
        };
        builder.edge(piece.source, builder.procedure.exit, piece.ops, origin, from);
    }

    /// The last edge of the program, before which memory has to be freed.
    pub(super) fn end(
        &mut self,
        builder: &mut Builder,
        frame: &Frame<'_>,
        mut piece: Piece<'_>,
        exit: Loc,
        origin: Origin,
    ) {
        let count = piece.old.ops.len();
        piece.cut(builder, count);
        piece.region = cfa::watch::end_of(self.old);
        piece.guess(builder, frame, count);
        self.leaks(builder, frame, &piece, count, None);
        let from = piece.origin(&[], None);
        builder.edge(piece.source, exit, Vec::new(), Origin { role: Role::Implicit, ..origin }, from);
    }

    /// What must hold of memory before an execution ends; at an operation, or where the program returns.
    pub(super) fn leaks(
        &mut self,
        builder: &mut Builder,
        frame: &Frame<'_>,
        piece: &Piece<'_>,
        position: usize,
        op: Option<u32>,
    ) {
        let Some(heap) = frame.heap else { return };
        for kind in [CheckKind::LostMemory, CheckKind::Leak] {
            if !self.is_asked(kind) {
                continue;
            }
            let site = op.map(|op| CheckSite { proc: piece.proc, edge: piece.edge, op, expr: None });
            let check = self.register_end(kind, site, piece.region);
            let wanted = self.wanted(check);
            if wanted == Wanted::Error {
                let conditions = heap.conditions(&mut self.new.exprs, kind, frame.proc);
                let mut ops = piece.ops.clone();
                ops.extend(conditions.into_iter().map(|cond| Op::Assume { cond }));
                let target = Target { wanted, checks: vec![check] };
                self.leave_by(builder, piece, position, ops, target);
            }
        }
    }

    /// That memory is lost at a location; where its edges start from now on.
    pub(super) fn lost(
        &mut self,
        builder: &mut Builder,
        frame: &Frame<'_>,
        mut source: Loc,
        region: Region,
    ) -> Loc {
        let Some(heap) = frame.heap else { return source };
        let check = self.register_end(CheckKind::LostMemory, None, region);
        if self.wanted(check) != Wanted::Error {
            return source;
        }
        if let Some(guess) = heap.guess() {
            let info = LocationInfo { region, role: LocationRole::Plain };
            let after = builder.location(info, None);
            let from = EdgeOrigin { steps: Vec::new(), ops: vec![None] };
            builder.edge(source, after, vec![guess], Origin::IMPLICIT, from);
            source = after;
        }
        let conditions = heap.conditions(&mut self.new.exprs, CheckKind::LostMemory, frame.proc);
        let ops: Vec<Op> = conditions.into_iter().map(|cond| Op::Assume { cond }).collect();
        let from = EdgeOrigin { steps: Vec::new(), ops: vec![None; ops.len()] };
        let error = builder.error_location(region);
        let origin = Origin { role: Role::Implicit, region };
        let edge = builder.edge(source, error, ops, origin, from);
        self.checks.add_edge(frame.proc, edge, vec![check]);
        source
    }
}
