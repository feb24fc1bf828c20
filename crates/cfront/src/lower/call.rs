//! Calls of functions that have a procedure, and what all calls share: arguments and results.

use base::Span;
use cfa::{ApproximationKind, ExprId, HaltReason, Op, Origin, Place, ProcId, Role, Source, Ty};

use crate::check::is_builtin;
use crate::hir::{self, Callee, ExprKind, FunctionId};
use crate::lower::Lowered;
use crate::lower::facts::Reads;
use crate::lower::function::{Body, Passing, Signature};
use crate::lower::indirect::Through;
use crate::lower::place::Target;
use crate::lower::record::RecordValue;
use crate::lower::storage::unsupported;
use crate::types::{RecordId, TypeId};

/// The value of an argument.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// A scalar.
    Scalar(ExprId),
    /// A record.
    Record(RecordId, RecordValue),
}

/// What becomes of the result of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sink<'t> {
    /// It is not needed.
    Drop,
    /// It is the value of an expression.
    Value,
    /// It is written to a place that was protected against the call.
    Into(&'t Target),
}

/// The result of a call, unless it went to its sink already.
#[derive(Clone, Debug)]
pub(super) enum Returned {
    /// None, or in its place.
    Nothing,
    /// A scalar.
    Scalar(ExprId),
    /// A record.
    Record(RecordValue),
}

/// Where and what a call is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// The call expression.
    pub span: Span,
    /// The type of its value.
    pub ty: TypeId,
    /// The origin of its edge.
    pub origin: Origin,
}

impl Body<'_, '_> {
    /// A call whose scalar value is needed.
    pub(super) fn call_value(&mut self, expr: hir::ExprId) -> Lowered<ExprId> {
        match self.call(expr, Sink::Value)? {
            Returned::Scalar(value) => Ok(value),
            Returned::Nothing | Returned::Record(_) => {
                let ty = self.scalar_ty(expr);
                let var = self.temporary(ty);
                let at = self.origin.region;
                self.emit(Op::Havoc { place: Place::Var(var), source: Source::Uninitialised, at });
                Ok(self.read_var(var))
            }
        }
    }
    /// A call whose value is dropped.
    pub(super) fn call_effect(&mut self, expr: hir::ExprId) -> Lowered<()> {
        self.call(expr, Sink::Drop).map(drop)
    }
    /// A call whose scalar value is written to a protected place.
    pub(super) fn call_into(&mut self, target: &Target, expr: hir::ExprId) -> Lowered<()> {
        if let Returned::Scalar(value) = self.call(expr, Sink::Into(target))? {
            self.write(target, value);
        }
        Ok(())
    }
    /// A call whose value is a record.
    pub(super) fn call_record(&mut self, expr: hir::ExprId) -> Lowered<RecordValue> {
        match self.call(expr, Sink::Value)? {
            Returned::Record(value) => Ok(value),
            Returned::Nothing | Returned::Scalar(_) => {
                let ty = self.ctx.hir.exprs[expr].ty;
                let record =
                    self.ctx.hir.types.record(ty).expect("H3: a record should stand where one is needed");
                Ok(self.arbitrary_record(record, &Source::Uninitialised))
            }
        }
    }
    /// A record of arbitrary values.
    pub(super) fn arbitrary_record(&mut self, record: RecordId, source: &Source) -> RecordValue {
        let at = self.origin.region;
        if let Some(leaves) = self.ctx.moved_leaves(record) {
            let mut values = Vec::new();
            for leaf in leaves.iter() {
                let var = self.temporary(leaf.ty);
                self.emit(Op::Havoc { place: Place::Var(var), source: source.clone(), at });
                values.push(self.read_var(var));
            }
            RecordValue::Leaves(values)
        } else {
            let size = self.ctx.hir.types.records[record].size;
            let address = self.temporary_object(size, 16);
            if let cfa::Expr::Address { var } = *self.exprs().get(address) {
                self.emit(Op::Init { var, contents: cfa::InitKind::Uninitialised });
            }
            RecordValue::Memory(address)
        }
    }

    fn call(&mut self, expr: hir::ExprId, sink: Sink<'_>) -> Lowered<Returned> {
        let hir = self.ctx.hir;
        let ExprKind::Call { callee, args, .. } = &hir.exprs[expr].kind else {
            unreachable!("only calls should be lowered as such")
        };
        let span = hir.exprs[expr].span;
        let origin = Origin { region: self.ctx.region(span), role: Role::Call };
        let site = Site { span, ty: hir.exprs[expr].ty, origin };
        match *callee {
            Callee::Direct(function) => {
                let (exprs, args) = (args, self.arguments(args)?);
                if hir.misfits.contains(&expr) {
                    let name = &hir.functions[function].name;
                    let what = format!("`{name}` is called with arguments that its definition does not take");
                    self.ctx.approximate(ApproximationKind::Under, what, site.origin.region);
                }
                if self.shows_magnitude(expr, sink) && self.compares_literals(function, exprs) {
                    let returned = self.call_function(function, args, &site, Sink::Value)?;
                    return Ok(self.sign_only(function, returned, &site));
                }
                let returned = self.call_function(function, args, &site, sink)?;
                self.pass_lists(Some(function), exprs, &site)?;
                Ok(returned)
            }
            Callee::Indirect(pointer) => {
                let pointer_ty = hir.exprs[pointer].ty;
                let mut value = self.value(pointer)?;
                for arg in args {
                    value = self.protect(value, *arg);
                }
                let given = args.iter().map(|arg| hir.exprs[*arg].ty).collect();
                let through = Through { ty: pointer_ty, given };
                let (exprs, args) = (args, self.arguments(args)?);
                let returned = self.call_pointer(value, &through, args, &site, sink)?;
                self.pass_lists(None, exprs, &site)?;
                Ok(returned)
            }
        }
    }

    /// Calls a function by name.
    pub(super) fn call_function(
        &mut self,
        function: FunctionId,
        args: Vec<Argument>,
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Returned> {
        let resolved = self.ctx.resolved[function];
        if self.ctx.opaque.contains(&resolved) {
            self.graph.fail(site.origin);
            return Ok(Returned::Nothing);
        }
        if self.ctx.hir.functions[resolved].body.is_none() {
            return self.call_extern(resolved, &args, site, sink);
        }
        let declared = &self.ctx.hir.functions[resolved];
        if declared.external && is_builtin(&declared.name) {
            let what = format!(
                "`{}` is defined by the program: it is not the function of the C library",
                declared.name
            );
            let region = self.ctx.region(declared.declared);
            self.ctx.approximate(ApproximationKind::Assumption, what, region);
        }
        if resolved != function {
            self.note_model(&self.ctx.hir.functions[function].name.clone());
            self.note_comparison(function, &args, site);
        }
        let proc = self.ctx.procs[&resolved];
        let signature = self.ctx.signature(resolved);
        let returned = self.call_procedure(proc, &signature, args, site, sink)?;
        if self.ctx.hir.functions[function].noreturn {
            self.graph.emit_last(Op::Halt { reason: HaltReason::Misuse }, site.origin);
        }
        Ok(returned)
    }

    /// Evaluates arguments from left to right.
    fn arguments(&mut self, args: &[hir::ExprId]) -> Lowered<Vec<Argument>> {
        let mut values = Vec::new();
        for (position, arg) in args.iter().enumerate() {
            let later = &args[position + 1..];
            let ty = self.ctx.hir.exprs[*arg].ty;
            values.push(if let Some(record) = self.ctx.hir.types.record(ty) {
                let mut value = self.record(*arg)?;
                for later in later {
                    value = self.protect_record(record, value, *later);
                }
                Argument::Record(record, value)
            } else {
                let mut value = self.value(*arg)?;
                for later in later {
                    value = self.protect(value, *later);
                }
                Argument::Scalar(value)
            });
        }
        Ok(values)
    }

    /// Enters a procedure.
    pub(super) fn call_procedure(
        &mut self,
        proc: ProcId,
        signature: &Signature,
        args: Vec<Argument>,
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Returned> {
        let (results, returned, hidden) = self.results(signature.result, site, sink)?;
        let mut values: Vec<ExprId> = hidden.into_iter().collect();
        values.extend(self.pass(signature, args, site)?);
        let op = Op::Call { callee: cfa::Callee::Direct(proc), args: values, results };
        self.graph.emit(op, site.origin);
        self.adapt_returned(returned, site)
    }

    /// Places for the results of a call, what the call then returns, and the hidden first argument.
    #[allow(clippy::type_complexity)]
    pub(super) fn results(
        &mut self,
        result: Option<Passing>,
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<(Vec<Option<Place>>, Returned, Option<ExprId>)> {
        Ok(match result {
            None => (Vec::new(), Returned::Nothing, None),
            Some(Passing::Scalar(ty)) => match sink {
                Sink::Drop => (vec![None], Returned::Nothing, None),
                Sink::Into(target) if self.may_receive(target, ty, site) => {
                    (vec![Some(target.place)], Returned::Nothing, None)
                }
                Sink::Value | Sink::Into(_) => {
                    let var = self.temporary(ty);
                    (vec![Some(Place::Var(var))], Returned::Scalar(self.read_var(var)), None)
                }
            },
            Some(Passing::Leaves(record)) => {
                let leaves = self.ctx.leaves(record);
                let types: Vec<Ty> =
                    leaves.iter().flat_map(|leaves| leaves.iter().map(|leaf| leaf.ty)).collect();
                if matches!(sink, Sink::Drop) {
                    return Ok((vec![None; types.len()], Returned::Nothing, None));
                }
                let vars: Vec<_> = types.into_iter().map(|ty| self.temporary(ty)).collect();
                let places = vars.iter().map(|var| Some(Place::Var(*var))).collect();
                let values = vars.into_iter().map(|var| self.read_var(var)).collect();
                (places, Returned::Record(RecordValue::Leaves(values)), None)
            }
            Some(Passing::Address(record)) => {
                let size = self.ctx.hir.types.records[record].size;
                let address = self.temporary_object(size, 16);
                (Vec::new(), Returned::Record(RecordValue::Memory(address)), Some(address))
            }
        })
    }

    /// Whether a call may write its result of type `ty` straight to a place.
    fn may_receive(&mut self, target: &Target, ty: Ty, site: &Site) -> bool {
        let same = target.ty == ty && target.declared == ty && self.ctx.hir.types.scalar(site.ty) == Some(ty);
        same && match target.place.expr() {
            None => true,
            Some(expr) => self.ctx.fact(expr).reads == Reads::NOTHING,
        }
    }

    /// The result as a value of the type of the call, which differs from the function's only by a wrong declaration.
    fn adapt_returned(&mut self, returned: Returned, site: &Site) -> Lowered<Returned> {
        match (returned, self.ctx.hir.types.scalar(site.ty)) {
            (Returned::Scalar(value), Some(ty)) => match self.adapt(value, ty) {
                Some(value) => Ok(Returned::Scalar(value)),
                None => {
                    unsupported("call of a function whose declaration contradicts its definition", site.span)
                }
            },
            (returned, _) => Ok(returned),
        }
    }

    /// A scalar where the callee expects another type: what the x86 calling conventions make of it, if anything.
    pub(super) fn adapt(&mut self, value: ExprId, ty: Ty) -> Option<ExprId> {
        let from = self.exprs().ty(value);
        (from.is_float() == ty.is_float()).then(|| self.convert_scalar(ty, value))
    }

    /// The arguments of a procedure, without the hidden first one.
    pub(super) fn pass(
        &mut self,
        signature: &Signature,
        args: Vec<Argument>,
        site: &Site,
    ) -> Lowered<Vec<ExprId>> {
        let mut values = Vec::new();
        let mut args = args.into_iter();
        for passing in &signature.params {
            match (args.next(), *passing) {
                (Some(Argument::Scalar(value)), Passing::Scalar(ty)) => match self.adapt(value, ty) {
                    Some(value) => values.push(value),
                    None => {
                        return unsupported("argument that contradicts the function's definition", site.span);
                    }
                },
                (Some(Argument::Record(record, value)), Passing::Leaves(expected)) => {
                    let leaves = self.leaf_values(record, &value);
                    let expected = self.ctx.leaves(expected).expect("L2: leaves should exist");
                    let agree = leaves.len() == expected.len()
                        && leaves
                            .iter()
                            .zip(expected.iter())
                            .all(|(value, leaf)| self.exprs().ty(*value) == leaf.ty);
                    if !agree {
                        return unsupported("argument that contradicts the function's definition", site.span);
                    }
                    values.extend(leaves);
                }
                (Some(Argument::Record(record, value)), Passing::Address(_)) => {
                    let address = self.record_address(record, &value);
                    values.push(address);
                }
                (None, passing) => self.pass_nothing(passing, &mut values),
                (Some(_), _) => {
                    return unsupported("argument that contradicts the function's definition", site.span);
                }
            }
        }
        if signature.variadic {
            let further = self.pass_further(args.collect());
            values.push(further);
        }
        Ok(values)
    }

    /// An argument that the call does not give is arbitrary.
    fn pass_nothing(&mut self, passing: Passing, values: &mut Vec<ExprId>) {
        match passing {
            Passing::Scalar(ty) => {
                let var = self.temporary(ty);
                let at = self.origin.region;
                self.emit(Op::Havoc { place: Place::Var(var), source: Source::Uninitialised, at });
                values.push(self.read_var(var));
            }
            Passing::Leaves(record) | Passing::Address(record) => {
                match self.arbitrary_record(record, &Source::Uninitialised) {
                    RecordValue::Leaves(leaves) => values.extend(leaves),
                    RecordValue::Memory(address) => values.push(address),
                }
            }
        }
    }
}
