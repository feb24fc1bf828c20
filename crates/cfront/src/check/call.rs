//! Calls (C11 6.5.2.2).

use base::{Diagnostic, Span};

use super::Checked;
use super::context::{Checker, error, unsupported};
use super::conversion::{Operand, Purpose};
use crate::ast::{self, Ident};
use crate::hir::{Builtin, Callee, ExprId, ExprKind, FunctionId};
use crate::types::{FunctionType, Type, TypeId};

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        callee: ast::ExprId,
        arguments: &[ast::ExprId],
        close: Span,
        span: Span,
    ) -> Checked<ExprId> {
        let unit = self.unit;
        let plain = unit.without_parentheses(callee);
        let operand = match unit.exprs[plain].kind {
            ast::ExprKind::Ident(name) if self.scopes.lookup(name).is_none() => {
                let text = self.text(name);
                if let Some(result) = self.builtin_call(text, arguments, span)? {
                    return Ok(result);
                }
                match self.library_builtin(text, unit.exprs[plain].span) {
                    Some(function) => Operand::Function(function, unit.exprs[plain].span),
                    None if text.starts_with("__builtin_") => {
                        return unsupported(format!("the builtin function `{text}`"), unit.exprs[plain].span);
                    }
                    None => self.implicit_function(Ident { name, span: unit.exprs[plain].span }),
                }
            }
            _ => self.operand(callee)?,
        };
        self.call_operand(operand, arguments, close, span)
    }
    fn call_operand(
        &mut self,
        operand: Operand,
        arguments: &[ast::ExprId],
        close: Span,
        span: Span,
    ) -> Checked<ExprId> {
        let (callee, ty, declared) = match operand {
            Operand::Function(function, _) => self.direct(function),
            Operand::Place(_) | Operand::Value(_) => {
                let pointer = self.value(operand)?;
                let ty = self.ty(pointer);
                match (&self.program.exprs[pointer].kind, self.types().pointee(ty)) {
                    (ExprKind::FunctionAddress(function), Some(to))
                        if self.program.functions[*function].ty == to =>
                    {
                        self.direct(*function)
                    }
                    (_, Some(to)) if self.types().function(to).is_some() => {
                        (Callee::Indirect(pointer), to, None)
                    }
                    _ => {
                        let message =
                            format!("a value of type {} is called: it is not a function", self.show(ty));
                        return error(message, span);
                    }
                }
            }
        };
        let Type::Function(function) = self.types().get(ty).clone() else {
            return error("the called object is not a function", span);
        };
        if let Callee::Direct(id) = callee
            && &*self.program.functions[id].name == "alloca"
            && self.program.functions[id].external
            && arguments.len() == 1
        {
            return self.alloca(arguments, span);
        }
        if !self.types().is_void(function.result) && !self.types().is_complete(function.result) {
            let message =
                format!("the called function returns the incomplete type {}", self.show(function.result));
            return error(message, span);
        }
        if let (Callee::Direct(id), false) = (callee, function.prototype) {
            return self.unprototyped_call(id, function.result, arguments, close, span);
        }
        let args = self.arguments(&function, arguments, declared, close, span)?;
        if let Callee::Direct(id) = callee
            && self.implicit.contains(&id)
        {
            return Ok(self.late_call(id, function.result, args, close, span));
        }
        Ok(self.raw(ExprKind::Call { callee, args, close }, function.result, span))
    }
    fn direct(&self, function: FunctionId) -> (Callee, TypeId, Option<Span>) {
        let definition = &self.program.functions[function];
        (Callee::Direct(function), definition.ty, Some(definition.declared))
    }
    fn arguments(
        &mut self,
        function: &FunctionType,
        arguments: &[ast::ExprId],
        declared: Option<Span>,
        close: Span,
        span: Span,
    ) -> Checked<Vec<ExprId>> {
        let expected = function.params.len();
        let given = arguments.len();
        if function.prototype && (given < expected || (given > expected && !function.variadic)) {
            let (amount, place) = match arguments.get(expected) {
                Some(extra) => ("many", self.unit.exprs[*extra].span),
                None => ("few", close),
            };
            let least = if function.variadic { "at least " } else { "" };
            let message = format!("too {amount} arguments: {least}{expected} expected, {given} given");
            let place = if place.lo == place.hi { span } else { place };
            let diagnostic = Diagnostic::error(message, place);
            return Err(Box::new(match declared {
                Some(declared) => diagnostic.with_secondary(declared, "the function is declared here"),
                None => diagnostic,
            }));
        }
        let mut values = Vec::with_capacity(given);
        for (index, argument) in arguments.iter().enumerate() {
            let value = self.rvalue(*argument)?;
            values.push(match function.params.get(index) {
                Some(param) if function.prototype => {
                    self.assign(value, *param, Purpose::Argument(index + 1, declared))?
                }
                _ => self.variable_argument(value)?,
            });
        }
        Ok(values)
    }
    /// An argument that no parameter is declared for.
    pub(super) fn variable_argument(&mut self, value: ExprId) -> Checked<ExprId> {
        if self.types().is_void(self.ty(value)) {
            return error("the value of a `void` expression is used", self.span(value));
        }
        Ok(self.promote_argument(value))
    }
    pub(super) fn alloca(&mut self, arguments: &[ast::ExprId], span: Span) -> Checked<ExprId> {
        let Some(size) = arguments.first() else {
            return error("`alloca` needs a size", span);
        };
        let size = self.rvalue(*size)?;
        let size = self.assign(size, self.basic.size, Purpose::Argument(1, None))?;
        let kind = ExprKind::Builtin { builtin: Builtin::Alloca, args: vec![size] };
        Ok(self.raw(kind, self.basic.void_pointer, span))
    }
}
