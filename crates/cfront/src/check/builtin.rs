//! Builtin functions of gcc that are no library functions.

use base::Span;
use cfa::FloatKind;

use super::Checked;
use super::context::{Checker, error};
use super::conversion::{Operand, Purpose};
use super::float;
use crate::ast;
use crate::hir::{ArithmeticOp, Builtin, CompareOp, CompilersChoice, ExprId, ExprKind, VariableId};
use crate::types::{IntKind, Type, TypeId};

impl Checker<'_> {
    /// A call of a builtin; `None` if the name is none (or that of a library function).
    pub(super) fn builtin_call(
        &mut self,
        text: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Checked<Option<ExprId>> {
        if let Some(result) = self.atomic_builtin(text, arguments, span)? {
            return Ok(Some(result));
        }
        let Some(name) = text.strip_prefix("__builtin_") else { return Ok(None) };
        if let Some(result) = self.control_builtin(name, arguments, span)? {
            return Ok(Some(result));
        }
        if let Some(result) = self.integer_builtin(name, arguments, span)? {
            return Ok(Some(result));
        }
        self.float_builtin(name, arguments, span)
    }

    /// Builtins about control flow, memory and the compiler itself.
    fn control_builtin(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Checked<Option<ExprId>> {
        Ok(Some(match name {
            "unreachable" => self.plain_builtin(Builtin::Unreachable, self.basic.void, span),
            "trap" => self.plain_builtin(Builtin::Trap, self.basic.void, span),
            "alloca" | "alloca_with_align" => self.alloca(arguments, span)?,
            "va_start" | "va_end" | "va_copy" => self.va_builtin(name, arguments, span)?,
            "expect" | "expect_with_probability" => {
                let [value, expected, ..] = arguments else { return few(name, span) };
                let value = self.rvalue(*value)?;
                let value = self.assign(value, self.basic.long, Purpose::Argument(1, None))?;
                let expected = self.rvalue(*expected)?;
                self.after_effects(expected, value, span)
            }
            "constant_p" => {
                let [value] = arguments else { return few(name, span) };
                self.constant_p(*value, span)?
            }
            "object_size" | "dynamic_object_size" => {
                let [object, kind] = arguments else { return few(name, span) };
                self.object_size(*object, *kind, span)?
            }
            "assume_aligned" => {
                let [pointer, ..] = arguments else { return few(name, span) };
                let pointer = self.rvalue(*pointer)?;
                self.assign(pointer, self.basic.void_pointer, Purpose::Argument(1, None))?
            }
            "prefetch" => {
                let [pointer, ..] = arguments else { return few(name, span) };
                let pointer = self.rvalue(*pointer)?;
                self.raw(ExprKind::Convert(pointer), self.basic.void, span)
            }
            _ => return Ok(None),
        }))
    }
    /// Whether a compiler knows the value: it does of a literal, and without optimisation of nothing else.
    fn constant_p(&mut self, value: ast::ExprId, span: Span) -> Checked<ExprId> {
        let operand = self.operand(value)?;
        if let Operand::Place(place) = operand
            && matches!(self.program.places[place].kind, crate::hir::PlaceKind::String(_))
        {
            return Ok(self.constant(1, self.basic.int, span));
        }
        let value = self.value(operand)?;
        let is_constant = matches!(self.program.exprs[value].kind, ExprKind::Int(_) | ExprKind::Float(_));
        let answer = self.constant(i128::from(is_constant), self.basic.int, span);
        if is_constant || !self.unit.is_optimised {
            return Ok(answer);
        }
        let builtin = Builtin::CompilersChoice(CompilersChoice::ConstantP);
        Ok(self.raw(ExprKind::Builtin { builtin, args: vec![answer] }, self.basic.int, span))
    }
    /// The size of an array that is named is known to every compiler; of everything else it depends on the optimisation.
    fn object_size(&mut self, object: ast::ExprId, kind: ast::ExprId, span: Span) -> Checked<ExprId> {
        let kind = self.rvalue(kind)?;
        let kind = self.require_int(kind, "the kind of object size")?;
        let operand = self.operand(object)?;
        if let Operand::Place(place) = operand {
            let named = &self.program.places[place];
            let is_named = matches!(named.kind, crate::hir::PlaceKind::Variable(_));
            let ty = named.ty;
            if let (true, Type::Array { .. }, Some(size)) =
                (is_named, self.types().get(ty), self.types().size_of(ty))
            {
                return Ok(self.constant(i128::from(size), self.basic.size, span));
            }
        }
        self.value(operand)?;
        // Not known: all ones for the maximum, zero for the minimum.
        let largest = u64::MAX >> (64 - u32::from(self.types().model.pointer_width()));
        let answer = if kind & 2 == 0 { i128::from(largest) } else { 0 };
        let answer = self.constant(answer, self.basic.size, span);
        let builtin = Builtin::CompilersChoice(CompilersChoice::ObjectSize);
        Ok(self.raw(ExprKind::Builtin { builtin, args: vec![answer] }, self.basic.size, span))
    }
    fn plain_builtin(&mut self, builtin: Builtin, ty: TypeId, span: Span) -> ExprId {
        self.raw(ExprKind::Builtin { builtin, args: Vec::new() }, ty, span)
    }
    /// A value after another that matters only for what it does.
    fn after_effects(&mut self, first: ExprId, value: ExprId, span: Span) -> ExprId {
        if self.int_constant(first).is_some() {
            return value;
        }
        let ty = self.ty(value);
        self.raw(ExprKind::Comma(first, value), ty, span)
    }
    fn va_builtin(&mut self, name: &str, arguments: &[ast::ExprId], span: Span) -> Checked<ExprId> {
        let (builtin, lists) = match (name, arguments) {
            ("va_start", [list, last]) => {
                self.operand(*last)?;
                if !self.is_in_variadic_function() {
                    return error("`va_start` is used in a function without variable arguments", span);
                }
                (Builtin::VaStart, vec![*list])
            }
            ("va_end", [list]) => (Builtin::VaEnd, vec![*list]),
            ("va_copy", [to, from]) => (Builtin::VaCopy, vec![*to, *from]),
            _ => return few(name, span),
        };
        let mut args = Vec::new();
        for list in lists {
            let operand = self.operand(list)?;
            let place = self.va_list_place(operand)?;
            args.push(self.address_of_place(place, span)?);
        }
        Ok(self.raw(ExprKind::Builtin { builtin, args }, self.basic.void, span))
    }

    /// Builtins on integers.
    fn integer_builtin(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Checked<Option<ExprId>> {
        if let Some(operation) = overflow_operation(name) {
            return self.overflow_builtin(operation, name, arguments, span).map(Some);
        }
        let (builtin, kind, result) = match name {
            "bswap16" => (Builtin::ByteSwap, IntKind::UnsignedShort, None),
            "bswap32" => (Builtin::ByteSwap, IntKind::UnsignedInt, None),
            "bswap64" => (Builtin::ByteSwap, self.unsigned_64(), None),
            "bswap128" => (Builtin::ByteSwap, IntKind::UnsignedInt128, None),
            _ => {
                let (base, kind) = match name {
                    name if name.ends_with("ll") => (&name[..name.len() - 2], IntKind::UnsignedLongLong),
                    name if name.ends_with('l') => (&name[..name.len() - 1], IntKind::UnsignedLong),
                    name => (name, IntKind::UnsignedInt),
                };
                let builtin = match base {
                    "clz" => Builtin::CountLeadingZeros,
                    "ctz" => Builtin::CountTrailingZeros,
                    "popcount" => Builtin::PopCount,
                    "parity" => Builtin::Parity,
                    "ffs" => Builtin::FindFirstSet,
                    _ => return Ok(None),
                };
                let kind = if builtin == Builtin::FindFirstSet { kind.to_signed() } else { kind };
                (builtin, kind, Some(self.basic.int))
            }
        };
        let [value] = arguments else { return few(name, span) };
        let value = self.rvalue(*value)?;
        let ty = self.int_type(kind);
        let value = self.assign(value, ty, Purpose::Argument(1, None))?;
        let kind = ExprKind::Builtin { builtin, args: vec![value] };
        Ok(Some(self.raw(kind, result.unwrap_or(ty), span)))
    }
    fn unsigned_64(&self) -> IntKind {
        match self.types().model {
            cfa::DataModel::Ilp32 => IntKind::UnsignedLongLong,
            cfa::DataModel::Lp64 => IntKind::UnsignedLong,
        }
    }
    fn overflow_builtin(
        &mut self,
        (op, operand_kind): (ArithmeticOp, Option<IntKind>),
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Checked<ExprId> {
        let [left, right, result] = arguments else { return few(name, span) };
        let mut args = Vec::new();
        for argument in [left, right] {
            let value = self.rvalue(*argument)?;
            args.push(match operand_kind {
                Some(kind) => {
                    let ty = self.int_type(kind);
                    self.assign(value, ty, Purpose::Argument(1, None))?
                }
                None if self.types().is_integer(self.ty(value)) => value,
                None => return error("an operand of an overflow check is not an integer", self.span(value)),
            });
        }
        let result = self.rvalue(*result)?;
        let to = self.types().pointee(self.ty(result));
        if !to.is_some_and(|to| self.types().is_integer(to)) {
            return error(
                "the result of an overflow check is not a pointer to an integer",
                self.span(result),
            );
        }
        args.push(result);
        Ok(self.raw(ExprKind::Builtin { builtin: Builtin::Overflow(op), args }, self.basic.bool, span))
    }

    /// Builtins on floating-point numbers.
    fn float_builtin(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Checked<Option<ExprId>> {
        if let Some(result) = self.float_comparison(name, arguments, span)? {
            return Ok(Some(result));
        }
        Ok(Some(match name {
            "isnormal" => self.is_normal(arguments, span)?,
            "fpclassify" => self.float_class(arguments, span)?,
            "inf" | "huge_val" => {
                self.float_constant(float::infinity(FloatKind::Double), FloatKind::Double, span)
            }
            "inff" | "huge_valf" => {
                self.float_constant(float::infinity(FloatKind::Single), FloatKind::Single, span)
            }
            "infl" | "huge_vall" => {
                self.float_constant(float::infinity(FloatKind::Extended), FloatKind::Extended, span)
            }
            "nan" | "nanf" | "nanl" => {
                let kind = suffix_kind(name, "nan");
                self.float_constant(float::nan(kind), kind, span)
            }
            "isnan" | "isnanf" | "isnanl" => self.float_test(Builtin::IsNan, name, arguments, span)?,
            "isinf_sign" => self.float_test(Builtin::IsInf, name, arguments, span)?,
            // Without the sign: 1 for both infinities.
            "isinf" | "isinff" | "isinfl" => {
                let sign = self.float_test(Builtin::IsInf, name, arguments, span)?;
                let is_finite = self.fold(ExprKind::LogicalNot(sign), self.basic.int, span);
                self.fold(ExprKind::LogicalNot(is_finite), self.basic.int, span)
            }
            "isfinite" | "finite" | "finitef" | "finitel" => {
                self.float_test(Builtin::IsFinite, name, arguments, span)?
            }
            "signbit" | "signbitf" | "signbitl" => {
                self.float_test(Builtin::SignBit, name, arguments, span)?
            }
            "fabs" | "fabsf" | "fabsl" => {
                let [value] = arguments else { return few(name, span) };
                let value = self.rvalue(*value)?;
                let ty = self.program.types.intern(Type::Float(suffix_kind(name, "fabs")));
                let value = self.assign(value, ty, Purpose::Argument(1, None))?;
                self.raw(ExprKind::Builtin { builtin: Builtin::FloatAbs, args: vec![value] }, ty, span)
            }
            "copysign" | "copysignf" | "copysignl" => {
                let [left, right] = arguments else { return few(name, span) };
                let ty = self.program.types.intern(Type::Float(suffix_kind(name, "copysign")));
                let mut args = Vec::new();
                for argument in [left, right] {
                    let value = self.rvalue(*argument)?;
                    args.push(self.assign(value, ty, Purpose::Argument(1, None))?);
                }
                self.raw(ExprKind::Builtin { builtin: Builtin::CopySign, args }, ty, span)
            }
            _ => return Ok(None),
        }))
    }
    /// Comparisons that raise no exception for a NaN.
    fn float_comparison(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Checked<Option<ExprId>> {
        let compare = match name {
            "isgreater" => Some(CompareOp::Greater),
            "isgreaterequal" => Some(CompareOp::GreaterEqual),
            "isless" => Some(CompareOp::Less),
            "islessequal" => Some(CompareOp::LessEqual),
            _ => None,
        };
        if let Some(op) = compare {
            let (left, right) = self.two_floats(name, arguments, span)?;
            return Ok(Some(self.raw(ExprKind::Compare { op, left, right }, self.basic.int, span)));
        }
        Ok(Some(match name {
            "isunordered" => {
                let (left, right) = self.two_floats(name, arguments, span)?;
                let left = self.classify(Builtin::IsNan, left, span);
                let right = self.classify(Builtin::IsNan, right, span);
                // Both operands are evaluated.
                let kind = ExprKind::Arithmetic { op: ArithmeticOp::Or, left, right };
                self.raw(kind, self.basic.int, span)
            }
            "islessgreater" => {
                let (left, right) = self.two_floats(name, arguments, span)?;
                let (left, declare_left) = self.hidden_variable("%left", left);
                let (right, declare_right) = self.hidden_variable("%right", right);
                let mut either = Vec::new();
                for op in [CompareOp::Less, CompareOp::Greater] {
                    let left = self.load_variable(left, span);
                    let right = self.load_variable(right, span);
                    either.push(self.raw(ExprKind::Compare { op, left, right }, self.basic.int, span));
                }
                let result = self.raw(ExprKind::LogicalOr(either[0], either[1]), self.basic.int, span);
                self.after(vec![declare_left, declare_right], result)
            }
            _ => return Ok(None),
        }))
    }
    /// A floating-point argument in its own format.
    fn float_argument(&mut self, argument: ast::ExprId) -> Checked<ExprId> {
        let value = self.rvalue(argument)?;
        if self.types().float_kind(self.ty(value)).is_some() {
            return Ok(value);
        }
        self.assign(value, self.basic.double, Purpose::Argument(1, None))
    }
    fn two_floats(&mut self, name: &str, arguments: &[ast::ExprId], span: Span) -> Checked<(ExprId, ExprId)> {
        let [left, right] = arguments else { return few(name, span) };
        let left = self.float_argument(*left)?;
        let right = self.float_argument(*right)?;
        let ty = self.common_type(left, right);
        Ok((self.convert(left, ty), self.convert(right, ty)))
    }
    fn classify(&mut self, builtin: Builtin, value: ExprId, span: Span) -> ExprId {
        self.raw(ExprKind::Builtin { builtin, args: vec![value] }, self.basic.int, span)
    }
    fn float_test(
        &mut self,
        builtin: Builtin,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Checked<ExprId> {
        let [value] = arguments else { return few(name, span) };
        let value = self.float_argument(*value)?;
        Ok(self.classify(builtin, value, span))
    }
    /// Finite and at least as large as the smallest normal number.
    fn is_normal(&mut self, arguments: &[ast::ExprId], span: Span) -> Checked<ExprId> {
        let [value] = arguments else { return few("isnormal", span) };
        let value = self.float_argument(*value)?;
        let (variable, declare) = self.hidden_variable("%number", value);
        let is_large = self.is_not_small(variable, span);
        let number = self.load_variable(variable, span);
        let is_finite = self.classify(Builtin::IsFinite, number, span);
        let both = self.raw(ExprKind::LogicalAnd(is_finite, is_large), self.basic.int, span);
        Ok(self.after(vec![declare], both))
    }
    /// Whether a variable's magnitude is that of a normal number, or infinite.
    fn is_not_small(&mut self, variable: VariableId, span: Span) -> ExprId {
        let number = self.load_variable(variable, span);
        let ty = self.ty(number);
        let kind = self.types().float_kind(ty).unwrap_or(FloatKind::Double);
        let magnitude =
            self.raw(ExprKind::Builtin { builtin: Builtin::FloatAbs, args: vec![number] }, ty, span);
        let smallest = self.float_constant(float::smallest_normal(kind), kind, span);
        let compare = ExprKind::Compare { op: CompareOp::GreaterEqual, left: magnitude, right: smallest };
        self.raw(compare, self.basic.int, span)
    }
    /// `__builtin_fpclassify(nan, infinite, normal, subnormal, zero, x)`
    fn float_class(&mut self, arguments: &[ast::ExprId], span: Span) -> Checked<ExprId> {
        let [nan, infinite, normal, subnormal, zero, value] = arguments else {
            return few("fpclassify", span);
        };
        let mut answers = Vec::new();
        for answer in [nan, infinite, normal, subnormal, zero] {
            let answer = self.rvalue(*answer)?;
            answers.push(self.assign(answer, self.basic.int, Purpose::Argument(1, None))?);
        }
        let value = self.float_argument(*value)?;
        let (variable, declare) = self.hidden_variable("%number", value);
        let number = self.load_variable(variable, span);
        let is_nan = self.classify(Builtin::IsNan, number, span);
        let number = self.load_variable(variable, span);
        let is_infinite = self.classify(Builtin::IsInf, number, span);
        let is_normal = self.is_not_small(variable, span);
        let number = self.load_variable(variable, span);
        let mut result = answers[4];
        for (condition, answer) in
            [(number, answers[3]), (is_normal, answers[2]), (is_infinite, answers[1]), (is_nan, answers[0])]
        {
            let kind = ExprKind::Conditional { condition, then: answer, otherwise: result, question: span };
            result = self.raw(kind, self.basic.int, span);
        }
        Ok(self.after(vec![declare], result))
    }
}

fn few<T>(name: &str, span: Span) -> Checked<T> {
    error(format!("wrong number of arguments of `__builtin_{name}`"), span)
}

/// The operation and operand type of `add_overflow`, `saddl_overflow` and so on; no type for the generic ones.
fn overflow_operation(name: &str) -> Option<(ArithmeticOp, Option<IntKind>)> {
    let name = name.strip_suffix("_overflow")?;
    let operation = |name: &str| {
        Some(match name {
            "add" => ArithmeticOp::Add,
            "sub" => ArithmeticOp::Subtract,
            "mul" => ArithmeticOp::Multiply,
            _ => return None,
        })
    };
    if let Some(op) = operation(name) {
        return Some((op, None));
    }
    let is_signed = match name.as_bytes().first()? {
        b's' => true,
        b'u' => false,
        _ => return None,
    };
    let rest = &name[1..];
    let op = operation(rest.get(..3)?)?;
    let kind = match rest.get(3..)? {
        "" => IntKind::Int,
        "l" => IntKind::Long,
        "ll" => IntKind::LongLong,
        _ => return None,
    };
    Some((op, Some(if is_signed { kind } else { kind.to_unsigned() })))
}

/// The format that the last letter of a name says.
fn suffix_kind(name: &str, base: &str) -> FloatKind {
    match name.strip_prefix(base) {
        Some("f") => FloatKind::Single,
        Some("l") => FloatKind::Extended,
        _ => FloatKind::Double,
    }
}
