//! What verdicts rest on beyond the program itself, found when all procedures are known.

use cfa::ApproximationKind;
use rustc_hash::FxHashSet;

use crate::check;
use crate::hir::{Callee, ExprKind, FunctionId, VariableId};
use crate::library;
use crate::lower::{Context, arbitrary, beyond, comparison, elements, order, replaced};

impl Context<'_> {
    /// Adds all of it to the approximations of the program. The result are pointers that lead to too few elements at the start.
    pub(super) fn record_assumptions(&mut self) -> Vec<String> {
        self.approximations.extend(arbitrary::accesses(&self.program));
        self.record_replaced_library();
        self.record_orders_of_evaluation();
        self.record_inline_definitions();
        self.record_promises();
        self.record_accesses_by_other_types();
        self.record_implicit_declarations();
        self.record_sorts_with_effects();
        self.record_unspecified_pairs();
        self.record_constants();
        self.record_volatile_variables();
        let accesses = beyond::accesses(&self.program, &self.start_objects, &self.indices);
        let (short, approximations): (Vec<_>, Vec<_>) = accesses.into_iter().unzip();
        self.approximations.extend(approximations);
        short.into_iter().flatten().collect()
    }

    /// A function of the C library may call a definition of the program.
    fn record_replaced_library(&mut self) {
        let Some((definition, user)) = replaced::replaced(self) else { return };
        let (definition, user) = (&self.hir.functions[definition], &self.hir.functions[user].name);
        let user = library::plain_name(user);
        let what = format!(
            "`{}` is defined by the program, and `{}` of the C library may call it",
            definition.name,
            user.strip_prefix(library::MODEL_PREFIX).unwrap_or(user)
        );
        let region = self.region(definition.declared);
        self.approximate(ApproximationKind::Under, what.clone(), region);
        self.approximate(ApproximationKind::Over, what, region);
    }

    fn record_orders_of_evaluation(&mut self) {
        for span in order::conflicts(self) {
            let what = "C does not specify the order of evaluation, on which the result depends; only the order from left to right is considered";
            let region = self.region(span);
            self.approximate(ApproximationKind::Under, what, region);
        }
    }

    /// Inline definitions need not be what is called.
    fn record_inline_definitions(&mut self) {
        let hir = self.hir;
        let used: Vec<FunctionId> = self.usage.functions.iter().copied().collect();
        for function in used {
            let declared = &hir.functions[function];
            if hir.ambiguous_definitions.contains(&function) {
                let what = format!(
                    "`{}` has an inline definition and another one, and C does not specify which of them is called",
                    declared.name
                );
                let region = self.region(declared.declared);
                self.approximate(ApproximationKind::Under, what.clone(), region);
                self.approximate(ApproximationKind::Over, what, region);
            }
            if hir.repeated_definitions.contains(&function) {
                let what = format!(
                    "the definitions of `{}` in several files have the same words and are taken to mean the same",
                    declared.name
                );
                let region = self.region(declared.declared);
                self.approximate(ApproximationKind::Assumption, what, region);
            }
            let is_inline = hir.inline_definitions.contains(&function);
            if is_inline && library::is_known(&declared.name) && !self.is_of_the_system(declared.declared) {
                let what = format!(
                    "the compiler may call `{}` of the C library instead of its inline definition",
                    declared.name
                );
                let region = self.region(declared.declared);
                self.approximate(ApproximationKind::Under, what.clone(), region);
                self.approximate(ApproximationKind::Over, what, region);
            }
        }
    }

    /// What a function says to the optimiser is not checked.
    fn record_promises(&mut self) {
        let hir = self.hir;
        for (function, promises) in &hir.promises {
            let declared = &hir.functions[*function];
            if declared.body.is_none()
                || !self.usage.functions.contains(function)
                || self.is_of_the_system(declared.declared)
            {
                continue;
            }
            let region = self.region(declared.declared);
            for promise in promises {
                let what = format!("what {promise} of `{}` says is true", declared.name);
                self.approximate(ApproximationKind::Assumption, what, region);
            }
        }
    }

    /// Which types an object may be accessed by, and where objects lie, is not checked.
    fn record_accesses_by_other_types(&mut self) {
        if let Some(span) = self.conversions.aliases {
            let region = self.region(span);
            let what = "memory may be accessed by pointers to other types, at any address (`-fno-strict-aliasing`, x86)";
            self.approximate(ApproximationKind::Assumption, what, region);
        }
    }

    /// Functions that are called without a declaration, as gcc accepts it in C89 and, with a warning, in later standards.
    fn record_implicit_declarations(&mut self) {
        let hir = self.hir;
        let called: FxHashSet<FunctionId> = self
            .usage
            .exprs
            .iter()
            .filter_map(|expr| match hir.exprs[*expr].kind {
                ExprKind::Call { callee: Callee::Direct(function), .. } => Some(function),
                _ => None,
            })
            .collect();
        for (id, function) in hir.functions.iter_enumerated() {
            let Some(span) = function.implicit.filter(|_| called.contains(&id)) else { continue };
            let is_prototyped = hir.types.function(function.ty).is_some_and(|ty| ty.prototype);
            let assumed = if function.body.is_some() {
                "its definition"
            } else if check::is_builtin(&function.name) {
                "its declaration in the C library"
            } else if is_prototyped {
                "its later declaration"
            } else {
                "a function that returns `int`"
            };
            let what = format!("`{}` is called without a declaration: {assumed} is assumed", function.name);
            let region = self.region(span);
            self.approximate(ApproximationKind::Assumption, what, region);
        }
    }

    /// A read of a `volatile` object is that of any other: that nobody else changes it is assumed.
    fn record_volatile_variables(&mut self) {
        let hir = self.hir;
        let is_volatile =
            |id: &VariableId| hir.variables[*id].is_volatile && self.usage.variables[*id].referenced;
        let found: Vec<VariableId> = hir.statics.iter().copied().filter(is_volatile).collect();
        for variable in found {
            let declared = &hir.variables[variable];
            let what = format!("nobody but the program changes the volatile variable `{}`", declared.name);
            let region = self.region(declared.declared);
            self.approximate(ApproximationKind::Assumption, what, region);
        }
    }

    fn record_sorts_with_effects(&mut self) {
        for region in comparison::sorts_with_effects(&self.program, &self.comparisons) {
            let what = "the comparison function of a sort has side effects, and C does not specify its calls";
            self.approximate(ApproximationKind::Under, what, region);
            self.approximate(ApproximationKind::Over, what, region);
        }
    }

    /// Which pairs are compared matters if the comparison leaves the elements.
    fn record_unspecified_pairs(&mut self) {
        if !self.options.checks.contains(cfa::CheckKind::OutOfBounds) {
            return;
        }
        for (comparison, region) in self.compared.clone() {
            if elements::reads_beyond(&self.program, comparison) {
                let what = "the comparison function of a sort or search may read beyond an element, and C does not specify which elements are compared";
                self.approximate(ApproximationKind::Under, what, region);
            }
        }
    }
}
