//! Lists of variable arguments that are passed to other functions.
//!
//! A list is a pointer here, and a callee gets a copy. In C its value is indeterminate after the callee has taken an argument from it
//! (C11 7.16): whether the caller goes on after the last argument that was taken differs between processors.

use cfa::ApproximationKind;

use crate::hir::{self, ExprKind, FunctionId, PlaceId, PlaceKind, VariableId};
use crate::lower::call::Site;
use crate::lower::function::Body;
use crate::lower::{Lowered, build};
use crate::types::Type;

impl Body<'_, '_> {
    /// After a call: lists that a library function was given lead nowhere. If a function of the program got one and the caller uses it
    /// again, both verdicts are capped.
    pub(super) fn pass_lists(
        &mut self,
        callee: Option<FunctionId>,
        args: &[hir::ExprId],
        site: &Site,
    ) -> Lowered<()> {
        let hir = self.ctx.hir;
        for arg in args {
            let ExprKind::Load(place) = hir.exprs[*arg].kind else { continue };
            if *hir.types.get(hir.places[place].ty) != Type::VaList {
                continue;
            }
            let variable = self.variable_of(place);
            let is_ours = variable
                .and_then(|variable| hir.variables[variable].function)
                .is_some_and(|function| hir.functions[function].name.starts_with("__wayproof_"));
            if is_ours {
                continue;
            }
            let callee = callee.map(|callee| &hir.functions[self.ctx.resolved[callee]]);
            let is_library =
                callee.is_some_and(|callee| callee.body.is_none() || callee.name.starts_with("__wayproof_"));
            if is_library {
                let place = self.place(place)?;
                let target = self.target(&place)?;
                let null = build::address(self.exprs(), 0);
                self.write(&target, null);
            } else if variable.is_none_or(|variable| self.uses_of_list(variable) > 1) {
                let what = "a list of variable arguments may be used again after it was passed to a function";
                self.ctx.approximate(ApproximationKind::Under, what, site.origin.region);
                self.ctx.approximate(ApproximationKind::Over, what, site.origin.region);
            }
        }
        Ok(())
    }

    fn variable_of(&self, place: PlaceId) -> Option<VariableId> {
        match self.ctx.hir.places[place].kind {
            PlaceKind::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// How often a program takes an argument from a list or passes it on.
    fn uses_of_list(&self, list: VariableId) -> usize {
        let is_use = |expr: &&hir::Expr| match expr.kind {
            ExprKind::Load(place) | ExprKind::VaArg(place) => self.variable_of(place) == Some(list),
            _ => false,
        };
        self.ctx.hir.exprs.iter().filter(is_use).count()
    }
}
