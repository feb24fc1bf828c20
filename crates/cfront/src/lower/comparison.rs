//! Comparisons of the C library, and comparison functions that it calls: what C leaves open about them.
//!
//! * Only the sign of `strcmp` and the like is defined; a compiler that knows both texts may compute another value than the library does.
//! * Nobody says how often, and in which order, a sort calls its comparison function.

use base::Region;
use cfa::{BinaryOp, Expr, Freedom, Op, Place, ProcId, Program, Source};
use rustc_hash::FxHashSet;

use crate::hir::{self, ExprKind, FunctionId};
use crate::library;
use crate::lower::build;
use crate::lower::call::{Argument, Returned, Sink, Site};
use crate::lower::function::Body;

impl Body<'_, '_> {
    /// Remembers the comparison function of a sort: nobody says how often and in which order it is called.
    pub(super) fn note_comparison(&mut self, function: FunctionId, args: &[Argument], site: &Site) {
        let name = library::plain_name(&self.ctx.hir.functions[function].name);
        if !matches!(name, "qsort" | "qsort_r") {
            return;
        }
        let compare = match args.get(3) {
            Some(Argument::Scalar(value)) => match *self.ctx.program.exprs.get(*value) {
                Expr::Function { proc } => Some(proc),
                _ => None,
            },
            _ => None,
        };
        self.ctx.comparisons.push((compare, site.origin.region));
    }

    /// Whether the program may look at more of a call's value than its sign: it is stored, computed with, or compared with something else than 0.
    pub(super) fn shows_magnitude(&self, call: hir::ExprId, sink: Sink<'_>) -> bool {
        matches!(sink, Sink::Into(_)) || self.ctx.magnitudes.contains(&call)
    }

    /// Whether a call of a model compares two literals, which a compiler may do itself.
    pub(super) fn compares_literals(&self, function: FunctionId, args: &[Argument]) -> bool {
        const COMPARISONS: [&str; 7] =
            ["strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp", "bcmp", "strcoll"];
        let is_literal = |arg: &Argument| match arg {
            Argument::Scalar(value) => match *self.ctx.program.exprs.get(*value) {
                Expr::Address { var } => self.ctx.strings.values().any(|known| *known == var),
                _ => false,
            },
            Argument::Record(..) => false,
        };
        let name = library::plain_name(&self.ctx.hir.functions[function].name);
        self.ctx.resolved[function] != function
            && COMPARISONS.contains(&name)
            && args.len() >= 2
            && args[..2].iter().all(is_literal)
    }

    /// Only the sign of a comparison of texts is defined: a compiler may compute another value than the library does.
    pub(super) fn sign_only(&mut self, function: FunctionId, returned: Returned, site: &Site) -> Returned {
        let Returned::Scalar(value) = returned else { return returned };
        let ty = self.exprs().ty(value);
        let var = self.temporary(ty);
        let name = library::plain_name(&self.ctx.hir.functions[function].name);
        let source = Source::Library { function: name.into(), freedom: Freedom::Determined };
        self.graph.emit(Op::Havoc { place: Place::Var(var), source, at: site.origin.region }, site.origin);
        let (chosen, zero) = (self.read_var(var), build::zero(self.exprs(), ty));
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
                    | Op::End { .. } => true,
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

/// The calls whose value is computed with, or compared with something else than 0.
pub(super) fn magnitudes(program: &hir::Program) -> FxHashSet<hir::ExprId> {
    let without_casts = |mut expr: hir::ExprId| {
        while let ExprKind::Convert(inner) = program.exprs[expr].kind {
            expr = inner;
        }
        expr
    };
    let mut found = FxHashSet::default();
    for (_, expr) in program.exprs.iter_enumerated() {
        let operands = match expr.kind {
            ExprKind::Compare { left, right, .. } | ExprKind::Arithmetic { left, right, .. } => [left, right],
            _ => continue,
        };
        let [left, right] = operands.map(without_casts);
        let is_zero = |expr: hir::ExprId| matches!(program.exprs[expr].kind, ExprKind::Int(0));
        if matches!(expr.kind, ExprKind::Compare { .. }) && (is_zero(left) || is_zero(right)) {
            continue;
        }
        let is_call = |expr: &hir::ExprId| matches!(program.exprs[*expr].kind, ExprKind::Call { .. });
        found.extend([left, right].into_iter().filter(is_call));
    }
    found
}
