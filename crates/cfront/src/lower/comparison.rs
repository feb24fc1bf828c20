//! Comparisons of the C library, and comparison functions that it calls: what C leaves open about them.
//!
//! * Only the sign of `strcmp` and the like is defined; a compiler that knows both texts may compute another value than the library does.
//! * Of `signbit` only that it is not zero.
//! * C does not specify how often, and in which order, a sort calls its comparison function.

use base::Region;
use cfa::{BinaryOp, Expr, ExprId, Freedom, Op, Origin, Place, ProcId, Program, Source, Ty};
use rustc_hash::FxHashSet;

use crate::hir::{self, ExprKind, FunctionId, PlaceKind, StmtKind};
use crate::library;
use crate::lower::build;
use crate::lower::call::{Argument, Returned, Sink, Site};
use crate::lower::elements::Comparison;
use crate::lower::function::Body;

impl Body<'_, '_> {
    /// Remembers the comparison function of a sort: nobody says how often and in which order it is called.
    pub(super) fn note_comparison(&mut self, function: FunctionId, args: &[Argument], site: &Site) {
        let name = library::plain_name(&self.ctx.hir.functions[function].name);
        let (compare, keys) = match name {
            "qsort" | "qsort_r" => (3, 0),
            "bsearch" => (4, 1),
            _ => return,
        };
        let value = |position: usize| match args.get(position) {
            Some(Argument::Scalar(value)) => Some(*value),
            _ => None,
        };
        let exprs = &self.ctx.program.exprs;
        let proc = value(compare).and_then(|value| match *exprs.get(value) {
            Expr::Function { proc } => Some(proc),
            _ => None,
        });
        let size = value(compare - 1).and_then(|size| build::constant(exprs, size));
        let region = site.origin.region;
        if keys == 0 {
            self.ctx.comparisons.push((proc, region));
        }
        self.ctx.compared.push((Comparison { proc, size, keys }, region));
    }

    /// Whether the program may look at more of a value than its sign: it does anything else than to test it, or to compare it with 0.
    pub(super) fn shows_magnitude(&self, expr: hir::ExprId, sink: Sink<'_>) -> bool {
        match sink {
            Sink::Drop => false,
            Sink::Value => !self.ctx.tested.contains(&expr),
            Sink::Into(_) => true,
        }
    }

    /// Whether a call of a model compares two constant texts, which a compiler may do itself.
    pub(super) fn compares_literals(&self, function: FunctionId, args: &[hir::ExprId]) -> bool {
        const COMPARISONS: [&str; 7] =
            ["strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp", "bcmp", "strcoll"];
        let name = library::plain_name(&self.ctx.hir.functions[function].name);
        self.ctx.resolved[function] != function
            && COMPARISONS.contains(&name)
            && args.len() >= 2
            && args[..2].iter().all(|arg| self.is_constant_text(*arg))
    }

    /// Whether a pointer may lead to a literal, or to a part of a constant.
    fn is_constant_text(&self, pointer: hir::ExprId) -> bool {
        let hir = self.ctx.hir;
        let (mut pending, mut seen) = (vec![pointer], FxHashSet::default());
        while let Some(expr) = pending.pop() {
            if !seen.insert(expr) {
                continue;
            }
            let mut place = match hir.exprs[expr].kind {
                ExprKind::Decay(place) | ExprKind::AddressOf(place) | ExprKind::Load(place) => place,
                ExprKind::Convert(inner) | ExprKind::Comma(_, inner) => {
                    pending.push(inner);
                    continue;
                }
                ExprKind::PointerOffset { pointer, .. } => {
                    pending.push(pointer);
                    continue;
                }
                ExprKind::Conditional { then, otherwise, .. } => {
                    pending.extend([then, otherwise]);
                    continue;
                }
                ExprKind::ConditionalValue { condition, otherwise, .. } => {
                    pending.extend([condition, otherwise]);
                    continue;
                }
                _ => continue,
            };
            loop {
                match hir.places[place].kind {
                    PlaceKind::Field { base, .. } | PlaceKind::Index { base, .. } => place = base,
                    PlaceKind::String(_) | PlaceKind::CompoundLiteral { .. } => return true,
                    PlaceKind::Variable(variable) if hir.variables[variable].is_const => return true,
                    PlaceKind::Deref(pointer) => {
                        pending.push(pointer);
                        break;
                    }
                    PlaceKind::Variable(_) | PlaceKind::Value(_) => break,
                }
            }
        }
        false
    }

    /// Only the sign of a comparison of texts is defined: a compiler may compute another value than the library does.
    pub(super) fn sign_only(&mut self, function: FunctionId, returned: Returned, site: &Site) -> Returned {
        let Returned::Scalar(value) = returned else { return returned };
        let name = library::plain_name(&self.ctx.hir.functions[function].name);
        let (chosen, ty) = (self.undecided(name, value, site.origin), self.exprs().ty(value));
        let zero = build::zero(self.exprs(), ty);
        let mut cond = self.exprs().bool(false);
        for (op, is_swapped) in [(BinaryOp::Lt, false), (BinaryOp::Eq, false), (BinaryOp::Lt, true)] {
            let compare = |exprs: &mut cfa::Exprs, value| {
                let (left, right) = if is_swapped { (zero, value) } else { (value, zero) };
                build::compare(exprs, op, left, right)
            };
            let (mine, theirs) = (compare(self.exprs(), chosen), compare(self.exprs(), value));
            let both = build::and(self.exprs(), mine, theirs);
            cond = build::or(self.exprs(), cond, both);
        }
        self.graph.emit(Op::Assume { cond }, site.origin);
        Returned::Scalar(chosen)
    }

    /// Only whether a value is zero is defined.
    pub(super) fn truth_only(&mut self, name: &str, value: ExprId) -> ExprId {
        let value = self.stable(value);
        let chosen = self.undecided(name, value, self.origin);
        let (mine, theirs) = (build::truth(self.exprs(), chosen), build::truth(self.exprs(), value));
        let cond = self.exprs().binary(BinaryOp::Eq, mine, theirs);
        self.emit(Op::Assume { cond });
        chosen
    }

    /// A value of the same type that the library computes in some way.
    fn undecided(&mut self, name: &str, value: ExprId, origin: Origin) -> ExprId {
        let ty = self.exprs().ty(value);
        let var = self.temporary(ty);
        let source = Source::Library { function: name.into(), freedom: Freedom::Determined };
        self.graph.emit(Op::Havoc { place: Place::Var(var), source, at: origin.region }, origin);
        self.read_var(var)
    }
}

/// The sorts whose comparison may do more than return a value.
pub(super) fn sorts_with_effects(program: &Program, comparisons: &[(Option<ProcId>, Region)]) -> Vec<Region> {
    let is_pure = |start: ProcId| {
        let (mut pending, mut seen) = (vec![start], FxHashSet::default());
        while let Some(proc) = pending.pop() {
            if !seen.insert(proc) {
                continue;
            }
            for op in program.procs[proc].edges().iter().flat_map(|edge| &edge.ops) {
                let is_local =
                    |place: &Place| place.var().is_some_and(|var| program.vars[var].owner.is_some());
                let is_harmless = match op {
                    Op::Assign { .. } | Op::Call { .. } | Op::Havoc { source: Source::Uninitialised, .. } => {
                        op.places().all(is_local)
                    }
                    Op::Assume { .. }
                    | Op::Init { .. }
                    | Op::Allocate { .. }
                    | Op::Begin { .. }
                    | Op::End { .. }
                    | Op::Release { .. } => true,
                    _ => false,
                };
                if !is_harmless {
                    return false;
                }
                pending.extend(op.call_targets());
            }
        }
        true
    };
    comparisons.iter().filter(|(proc, _)| !proc.is_some_and(is_pure)).map(|(_, region)| *region).collect()
}

/// The expressions of which nothing but the sign matters: they are dropped, tested, or compared with 0.
pub(super) fn tested(program: &hir::Program) -> FxHashSet<hir::ExprId> {
    let is_zero = |mut expr: hir::ExprId| {
        while let ExprKind::Convert(inner) = program.exprs[expr].kind {
            expr = inner;
        }
        matches!(program.exprs[expr].kind, ExprKind::Int(0))
    };
    let mut pending = Vec::new();
    for expr in &program.exprs {
        match expr.kind {
            ExprKind::Compare { left, right, .. } if is_zero(right) => pending.push(left),
            ExprKind::Compare { left, right, .. } if is_zero(left) => pending.push(right),
            ExprKind::LogicalNot(operand) => pending.push(operand),
            ExprKind::LogicalAnd(left, right) | ExprKind::LogicalOr(left, right) => {
                pending.extend([left, right]);
            }
            ExprKind::Conditional { condition, .. } => pending.push(condition),
            ExprKind::Comma(first, _) => pending.push(first),
            ExprKind::Convert(inner)
                if program.types.is_void(expr.ty) || program.types.scalar(expr.ty) == Some(Ty::BOOL) =>
            {
                pending.push(inner);
            }
            _ => {}
        }
    }
    for statement in &program.stmts {
        match statement.kind {
            StmtKind::Expr(expr)
            | StmtKind::If { condition: expr, .. }
            | StmtKind::While { condition: expr, .. }
            | StmtKind::DoWhile { condition: expr, .. } => pending.push(expr),
            StmtKind::For { condition, step, .. } => pending.extend([condition, step].into_iter().flatten()),
            _ => {}
        }
    }
    let mut found = FxHashSet::default();
    while let Some(expr) = pending.pop() {
        if !found.insert(expr) {
            continue;
        }
        match program.exprs[expr].kind {
            ExprKind::Convert(inner) if keeps_sign(program, inner, expr) => pending.push(inner),
            ExprKind::Comma(_, second) => pending.push(second),
            ExprKind::Conditional { then, otherwise, .. } => pending.extend([then, otherwise]),
            ExprKind::StatementExpr { value, .. } => pending.extend(value),
            _ => {}
        }
    }
    found
}

/// Whether the sign of a converted value depends on nothing but that of the value.
fn keeps_sign(program: &hir::Program, from: hir::ExprId, to: hir::ExprId) -> bool {
    let (from, to) =
        (program.types.scalar(program.exprs[from].ty), program.types.scalar(program.exprs[to].ty));
    let model = program.types.model;
    match (from, to) {
        (Some(from), Some(to)) if from.is_int() && to.is_int() => {
            let is_wide = to.width(model) >= from.width(model);
            is_wide
                && (from.is_signed() == to.is_signed()
                    || to.width(model) > from.width(model) && to.is_signed())
        }
        (Some(from), Some(to)) => from.is_int() && to.is_float(),
        _ => true,
    }
}
