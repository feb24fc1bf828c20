//! Signed overflow as an error location: the property no-overflow becomes a reachability property.
//!
//! # Method
//! Before each operation whose evaluation may overflow a signed type, there is an edge to the error location under
//! the exact condition of the overflow. The interpreter decides what an overflow is; the conditions say the same
//! with expressions that never overflow themselves: in a wider type where there is one, else by comparisons of the
//! operands. An operand that is evaluated only under a condition (a branch of [`Expr::Ite`]) is guarded by it.
//! In the result signed overflow is undefined, so what follows an operation takes for granted that it did not overflow.
//!
//! # Invariants
//! * N1: on the same choices the given program violates a property (its own error locations count) if and only if
//!   the new one reaches an error location. What is undefined in the given program before it overflows is undefined
//!   in the new one before it gets to the error. Beyond [`MAX_VISITS`] the new program may reach the error where the given
//!   one does not: no proof is lost, and counterexamples are replayed.
//! * N2: the edges to the error stand right before the edge of their operation: edges that leave a location are
//!   tried in order.
//! * N3: an operation that cannot overflow, whatever the values of variables, gets no edge.

use base::IndexVec;
use rustc_hash::FxHashSet;

use cfa::{
    BinaryOp, Callee, Edge, EdgeId, Expr, ExprId, Exprs, Loc, LocationInfo, LocationRole, Op, Origin, Place,
    ProcId, Procedure, Program, Role, SignedOverflow, Ty, Var, VarId,
};

use super::back::{
    BackTranslation, ContextId, Contexts, EdgeOrigin, OpOrigin, ProcOrigin, Step, StepPart, VarOrigin,
    identity_vars,
};
use super::build::Builder;
use super::overflow::Overflow;
use super::totality::Totality;

/// Visits of expressions for one operation. Shared operands of nested conditions may be evaluated under
/// exponentially many conditions; beyond this the operation counts as one that may overflow in every state.
const MAX_VISITS: usize = 10_000;

/// Makes signed overflow an error location. A program in which it is none already is left as it is.
pub fn instrument(program: &Program) -> (Program, BackTranslation) {
    if program.signed_overflow != SignedOverflow::Error {
        return (program.clone(), BackTranslation::identity(program));
    }
    let mut new = program.clone();
    new.signed_overflow = SignedOverflow::Undefined;
    let mut pass = Instrument {
        old: program,
        totality: Totality::new(program),
        new,
        vars: identity_vars(program),
        emitted: FxHashSet::default(),
    };
    let mut origins = IndexVec::new();
    for proc in program.procs.ids() {
        let (procedure, origin) = pass.procedure(proc);
        pass.new.procs[proc] = procedure;
        origins.push(origin);
    }
    (pass.new, BackTranslation::new(origins, pass.vars, Contexts::default()))
}

struct Instrument<'p> {
    old: &'p Program,
    totality: Totality,
    new: Program,
    vars: IndexVec<VarId, Option<VarOrigin>>,
    /// The edges to the error so far, by where they start and what they test.
    emitted: FxHashSet<(Loc, Vec<Op>)>,
}

/// An old edge, and the part of its new version that is being built.
struct Piece<'a> {
    proc: ProcId,
    edge: EdgeId,
    old: &'a Edge,
    /// Where the part starts.
    source: Loc,
    /// The operation before the part, if the edge was cut there.
    from: Option<u32>,
    ops: Vec<Op>,
    /// The old positions of the operations.
    positions: Vec<u32>,
}

impl Piece<'_> {
    fn push(&mut self, op: Op, position: usize) {
        self.ops.push(op);
        self.positions.push(position as u32);
    }
    /// The origin of operations that stand for those of the old edge at the given positions.
    fn origin(&self, positions: &[u32], until: Option<u32>) -> EdgeOrigin {
        let (proc, edge, context, from) = (self.proc, self.edge, ContextId::ROOT, self.from);
        EdgeOrigin {
            steps: vec![Step { proc, edge, context, from, until, part: StepPart::Taken }],
            ops: positions.iter().map(|op| Some(OpOrigin::new(0, *op))).collect(),
        }
    }
    /// Ends the part before an operation, and starts the next one.
    fn cut(&mut self, builder: &mut Builder, position: usize) {
        let info = LocationInfo { region: self.old.origin.region, role: LocationRole::Plain };
        let middle = builder.location(info, None);
        let from = self.origin(&self.positions, Some(position as u32));
        let role = if self.from.is_none() { self.old.origin.role } else { Role::Implicit };
        let origin = Origin { role, ..self.old.origin };
        builder.edge(self.source, middle, std::mem::take(&mut self.ops), origin, from);
        self.from = self.positions.last().copied();
        self.positions.clear();
        self.source = middle;
    }
}

impl Instrument<'_> {
    fn procedure(&mut self, proc: ProcId) -> (Procedure, ProcOrigin) {
        let old = &self.old.procs[proc];
        let (mut builder, locations) = Builder::with_locations(self.old, proc, |_| true);
        self.emitted.clear();
        for (id, edge) in old.edges().iter_enumerated() {
            if let (Some(source), Some(target)) = (locations[edge.source], locations[edge.target]) {
                self.edge(&mut builder, (proc, id), edge, (source, target));
            }
        }
        builder.finish()
    }

    fn edge(
        &mut self,
        builder: &mut Builder,
        (proc, id): (ProcId, EdgeId),
        edge: &Edge,
        (source, target): (Loc, Loc),
    ) {
        let (ops, positions) = (Vec::new(), Vec::new());
        let mut piece = Piece { proc, edge: id, old: edge, source, from: None, ops, positions };
        let mut is_tested = true;
        for (position, op) in edge.ops.iter().enumerate() {
            let checks = self.checks(&evaluated(op));
            // The tests that an edge starts with are evaluated together, and the next edge is tried if one fails.
            is_tested &= matches!(op, Op::Assume { .. });
            if !checks.is_empty() && !is_tested && !piece.ops.is_empty() {
                piece.cut(builder, position);
            }
            for check in checks {
                self.fail(builder, &piece, position, check);
            }
            match op {
                Op::Call { callee, args, results } => {
                    self.call(builder, &mut piece, position, (callee, args, results));
                }
                _ => piece.push(op.clone(), position),
            }
        }
        let role = if piece.from.is_none() { edge.origin.role } else { Role::Implicit };
        let from = piece.origin(&piece.positions, None);
        builder.edge(piece.source, target, piece.ops, Origin { role, ..edge.origin }, from);
    }

    /// An edge from the start of a part to the error: what the part tests, then the check.
    fn fail(&mut self, builder: &mut Builder, piece: &Piece<'_>, position: usize, check: Vec<ExprId>) {
        let mut ops = piece.ops.clone();
        ops.extend(check.into_iter().map(|cond| Op::Assume { cond }));
        if !self.emitted.insert((piece.source, ops.clone())) {
            return;
        }
        let mut positions = piece.positions.clone();
        positions.resize(ops.len(), position as u32);
        let from = piece.origin(&positions, Some(position as u32));
        let origin = Origin { role: Role::Implicit, ..piece.old.origin };
        let error = builder.error_location(piece.old.origin.region);
        builder.edge(piece.source, error, ops, origin, from);
    }

    /// A call. The places of its results are evaluated when it has returned: if that may overflow, the results go to
    /// temporaries first.
    fn call(
        &mut self,
        builder: &mut Builder,
        piece: &mut Piece<'_>,
        position: usize,
        (callee, args, results): (&Callee, &[ExprId], &[Option<Place>]),
    ) {
        let may_overflow = |pass: &mut Self, place: &Option<Place>| {
            place.as_ref().and_then(Place::expr).is_some_and(|expr| !pass.checks(&[expr]).is_empty())
        };
        let direct = results.iter().take_while(|place| !may_overflow(self, place)).count();
        let mut places = results[..direct].to_vec();
        let mut stores = Vec::new();
        for place in &results[direct..] {
            places.push(place.map(|place| {
                let temporary = self.temporary(piece, &place);
                stores.push((place, temporary));
                Place::Var(temporary)
            }));
        }
        piece.push(Op::Call { callee: callee.clone(), args: args.to_vec(), results: places }, position);
        for (place, temporary) in stores {
            let checks = self.checks(place.expr().as_slice());
            if !checks.is_empty() {
                piece.cut(builder, position);
            }
            for check in checks {
                self.fail(builder, piece, position, check);
            }
            let ty = self.new.vars[temporary].scalar().unwrap_or(Ty::BOOL);
            let value = self.new.exprs.var(temporary, ty);
            piece.push(Op::Assign { place, value }, position);
        }
    }

    fn temporary(&mut self, piece: &Piece<'_>, place: &Place) -> VarId {
        let ty = match *place {
            Place::Var(var) => self.old.vars[var].scalar(),
            Place::Elem { array, .. } => match self.old.vars[array].storage {
                cfa::Storage::Array { elem, .. } => Some(elem),
                cfa::Storage::Scalar(_) | cfa::Storage::Object { .. } => None,
            },
            Place::Mem { ty, .. } | Place::Bits { ty, .. } => Some(ty),
        };
        self.vars.push(None);
        self.new.vars.push(Var {
            name: "%result".into(),
            storage: cfa::Storage::Scalar(ty.unwrap_or(Ty::BOOL)),
            owner: Some(piece.proc),
            c_type: "".into(),
            declared: base::Region::NOWHERE,
            scope: base::Region::NOWHERE,
        })
    }

    /// The overflows that evaluating expressions one after the other may run into, in the order of evaluation: for
    /// each the conditions that hold together if and only if it happens.
    fn checks(&mut self, roots: &[ExprId]) -> Vec<Vec<ExprId>> {
        if roots.iter().all(|root| self.totality.is_total(*root)) {
            return Vec::new();
        }
        let mut walk = Walk {
            old: self.old,
            totality: &self.totality,
            exprs: &mut self.new.exprs,
            guards: Vec::new(),
            visited: FxHashSet::default(),
            log: Vec::new(),
            partial: Vec::new(),
            checks: Vec::new(),
        };
        match walk.evaluate(roots) {
            Ok(()) => walk.checks,
            Err(TooLarge) => vec![Vec::new()],
        }
    }
}

/// The expressions that an operation evaluates before it does anything, in the interpreter's order.
fn evaluated(op: &Op) -> Vec<ExprId> {
    match op {
        Op::Call { callee, args, .. } => {
            let pointer = match callee {
                Callee::Indirect { pointer, .. } => Some(*pointer),
                Callee::Direct(_) => None,
            };
            args.iter().copied().chain(pointer).collect()
        }
        // What may be among the bytes is not evaluated.
        Op::Forget { to, length, .. } => vec![*to, *length],
        _ => op.exprs().collect(),
    }
}

/// The evaluation of an operation's expressions takes more visits than [`MAX_VISITS`].
struct TooLarge;

/// What is to be done next.
enum Work {
    Visit(ExprId),
    /// The operands are evaluated; the position is that in [`Walk::partial`] before them.
    Leave(ExprId, usize),
    /// What follows is evaluated only if the condition holds.
    Under(ExprId),
    /// The end of that.
    After,
}

/// A walk through expressions in the order of evaluation.
struct Walk<'a> {
    old: &'a Program,
    totality: &'a Totality,
    exprs: &'a mut Exprs,
    /// The conditions under which the present expression is evaluated, and the length of the log before each.
    guards: Vec<(ExprId, usize)>,
    /// What is evaluated already whenever the present expression is.
    visited: FxHashSet<ExprId>,
    /// The same in order.
    log: Vec<ExprId>,
    /// What may be undefined and is evaluated before, with its conditions.
    partial: Vec<(Vec<ExprId>, ExprId)>,
    checks: Vec<Vec<ExprId>>,
}

impl Walk<'_> {
    fn evaluate(&mut self, roots: &[ExprId]) -> Result<(), TooLarge> {
        let mut work: Vec<Work> = roots.iter().rev().map(|root| Work::Visit(*root)).collect();
        let mut visits = 0;
        while let Some(next) = work.pop() {
            visits += 1;
            if visits > MAX_VISITS {
                return Err(TooLarge);
            }
            match next {
                Work::Visit(id) => self.visit(id, &mut work),
                Work::Leave(id, before) => self.leave(id, before),
                Work::Under(cond) => self.guards.push((cond, self.log.len())),
                Work::After => {
                    let (_, length) = self.guards.pop().unwrap_or((ExprId(0), self.log.len()));
                    for id in self.log.drain(length..) {
                        self.visited.remove(&id);
                    }
                }
            }
        }
        Ok(())
    }

    fn visit(&mut self, id: ExprId, work: &mut Vec<Work>) {
        if self.totality.is_total(id) || self.visited.contains(&id) {
            return;
        }
        work.push(Work::Leave(id, self.partial.len()));
        match *self.old.exprs.get(id) {
            Expr::Ite { cond, then, other } => {
                let refuted = self.exprs.not(cond);
                work.extend([Work::After, Work::Visit(other), Work::Under(refuted)]);
                work.extend([Work::After, Work::Visit(then), Work::Under(cond)]);
                work.push(Work::Visit(cond));
            }
            ref expr => {
                let operands: Vec<ExprId> = expr.operands().collect();
                work.extend(operands.into_iter().rev().map(Work::Visit));
            }
        }
    }

    fn leave(&mut self, id: ExprId, before: usize) {
        self.visited.insert(id);
        self.log.push(id);
        let expr = *self.old.exprs.get(id);
        let guards: Vec<ExprId> = self.guards.iter().map(|(cond, _)| *cond).collect();
        if let Some(overflow) = Overflow::of(self.old, self.totality, id) {
            // The operands are evaluated by the condition itself.
            let earlier: Vec<_> = self.partial[..before].to_vec();
            let mut check: Vec<ExprId> =
                earlier.iter().map(|(guards, id)| is_evaluated(self.exprs, guards, *id)).collect();
            check.extend(&guards);
            check.push(overflow.condition(self.exprs));
            self.checks.push(check);
        }
        let may_fail = match expr {
            Expr::Elem { .. } | Expr::Load { .. } | Expr::LoadBits { .. } => true,
            Expr::Binary { op, .. } => {
                matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr)
            }
            Expr::Cast { ty, arg } => ty.is_int() && self.old.exprs.ty(arg).is_float(),
            _ => false,
        };
        if may_fail {
            // It contains what was found in its operands.
            self.partial.truncate(before);
            self.partial.push((guards, id));
        }
    }
}

/// A condition that always holds, and evaluates an expression if the guards hold.
fn is_evaluated(exprs: &mut Exprs, guards: &[ExprId], id: ExprId) -> ExprId {
    let holds = exprs.bool(true);
    let same = exprs.binary(BinaryOp::Eq, id, id);
    let mut result = exprs.add(Expr::Ite { cond: same, then: holds, other: holds });
    for guard in guards.iter().rev() {
        result = exprs.add(Expr::Ite { cond: *guard, then: result, other: holds });
    }
    result
}
