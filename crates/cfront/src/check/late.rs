//! Calls of functions whose parameters are not known yet: `f()` declarations, K&R definitions, undeclared functions, and library
//! functions whose type is assumed until they are declared.
//!
//! Arguments, and the results of undeclared functions, are wrapped in conversions that convert nothing at first. When all
//! units have been read, the conversions are turned into those that the definition asks for.

use base::{Diagnostic, Span};

use super::Checked;
use super::context::Checker;
use crate::ast;
use crate::hir::{Callee, ExprId, ExprKind, FunctionId};
use crate::types::TypeId;

/// A call to be settled at the end.
#[derive(Clone, Debug)]
pub(super) struct LateCall {
    function: FunctionId,
    call: ExprId,
    /// The conversion of the result, if the function was undeclared; otherwise the call itself.
    result: ExprId,
    /// The conversions of the arguments.
    args: Vec<ExprId>,
    is_dropped: bool,
}

impl Checker<'_> {
    pub(super) fn unprototyped_call(
        &mut self,
        function: FunctionId,
        result: TypeId,
        arguments: &[ast::ExprId],
        close: Span,
        span: Span,
    ) -> Checked<ExprId> {
        let mut args = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.rvalue(*argument)?;
            args.push(self.variable_argument(value)?);
        }
        Ok(self.late_call(function, result, args, close, span))
    }
    /// A call that the definition or a later declaration of the function may change.
    pub(super) fn late_call(
        &mut self,
        function: FunctionId,
        result: TypeId,
        args: Vec<ExprId>,
        close: Span,
        span: Span,
    ) -> ExprId {
        let mut wrapped = Vec::with_capacity(args.len());
        for value in args {
            let (ty, span) = (self.ty(value), self.span(value));
            let is_scalar = self.types().is_scalar(ty);
            wrapped.push(if is_scalar { self.raw(ExprKind::Convert(value), ty, span) } else { value });
        }
        let kind = ExprKind::Call { callee: Callee::Direct(function), args: wrapped.clone(), close };
        let call = self.raw(kind, result, span);
        let outcome = if self.implicit.contains(&function) {
            self.raw(ExprKind::Convert(call), result, span)
        } else {
            call
        };
        self.late_calls.push(LateCall { function, call, result: outcome, args: wrapped, is_dropped: false });
        outcome
    }
    /// Notes that the value of an expression is not used.
    pub(super) fn drop_late_call(&mut self, expr: ExprId) {
        if let Ok(index) = self.late_calls.binary_search_by_key(&expr, |late| late.result) {
            self.late_calls[index].is_dropped = true;
        }
    }
    /// Converts arguments and results as the definitions ask for.
    pub(super) fn settle_late_calls(&mut self) -> Checked<()> {
        for late in std::mem::take(&mut self.late_calls) {
            self.settle_result(&late)?;
            self.settle_arguments(&late)?;
        }
        Ok(())
    }
    fn settle_result(&mut self, late: &LateCall) -> Checked<()> {
        if late.call == late.result {
            return Ok(());
        }
        let Some(function) = self.types().function(self.program.functions[late.function].ty) else {
            return Ok(());
        };
        let result = function.result;
        let assumed = self.ty(late.result);
        if result == assumed {
            return Ok(());
        }
        let is_convertible = self.types().is_void(assumed) || self.is_convertible(result, assumed);
        if !is_convertible && !late.is_dropped {
            let definition = &self.program.functions[late.function];
            let message = format!(
                "`{}` is used as a function that returns {}, but it returns {}",
                definition.name,
                self.show(assumed),
                self.show(result)
            );
            let diagnostic = Diagnostic::error(message, self.span(late.call))
                .with_secondary(definition.declared, "declared here, after its use");
            return Err(Box::new(diagnostic));
        }
        self.program.exprs[late.call].ty = result;
        if !is_convertible {
            self.program.exprs[late.result].ty = self.basic.void;
        }
        Ok(())
    }
    /// Whether a scalar can be passed for another.
    fn is_convertible(&self, from: TypeId, to: TypeId) -> bool {
        let types = self.types();
        let is_pointer = |ty| types.pointee(ty).is_some();
        let is_float = |ty| types.float_kind(ty).is_some();
        types.is_scalar(from)
            && types.is_scalar(to)
            && !(is_pointer(from) && is_float(to))
            && !(is_float(from) && is_pointer(to))
    }
    fn settle_arguments(&mut self, late: &LateCall) -> Checked<()> {
        let definition = &self.program.functions[late.function];
        let params: Vec<TypeId> = match &definition.body {
            Some(body) => body.params.iter().map(|param| self.program.variables[*param].ty).collect(),
            None => match self.types().function(definition.ty) {
                Some(function) if function.prototype => function.params.clone(),
                _ => return Ok(()),
            },
        };
        let is_variadic = self.types().function(definition.ty).is_some_and(|ty| ty.variadic);
        let passes = |(arg, param): (&ExprId, &TypeId)| self.types().may_pass(self.ty(*arg), *param);
        if is_variadic || params.len() != late.args.len() || !late.args.iter().zip(&params).all(passes) {
            self.program.misfits.insert(late.call);
        }
        for (arg, param) in late.args.iter().zip(params) {
            let ty = self.ty(*arg);
            if ty == param {
                continue;
            }
            if !self.is_convertible(ty, param) {
                let definition = &self.program.functions[late.function];
                let message = format!(
                    "an argument of `{}` has type {}, but its definition takes {}",
                    definition.name,
                    self.show(ty),
                    self.show(param)
                );
                let diagnostic = Diagnostic::error(message, self.span(*arg))
                    .with_secondary(definition.declared, "the function is defined here");
                return Err(Box::new(diagnostic));
            }
            self.program.exprs[*arg].ty = param;
        }
        Ok(())
    }
}
