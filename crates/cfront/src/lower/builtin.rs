//! Builtins that are no functions, as exact expressions.

use cfa::{
    AllocKind, ApproximationKind, BinaryOp, Expr, ExprId, FloatKind, HaltReason, InitKind, Op, Origin, Place,
    Ty, UnaryOp,
};

use crate::hir::{self, ArithmeticOp, Builtin, CompilersChoice};
use crate::lower::call::Sink;
use crate::lower::function::Body;
use crate::lower::place::Target;
use crate::lower::storage::unsupported;
use crate::lower::{Lowered, build};
use crate::types::Type;

impl Body<'_, '_> {
    /// What compilers differ in: another one may take another path, so neither verdict holds for all of them.
    fn note_choice(&mut self, choice: CompilersChoice) {
        let name = match choice {
            CompilersChoice::ObjectSize => "__builtin_object_size",
            CompilersChoice::ConstantP => "__builtin_constant_p",
        };
        let what = format!("the value of `{name}` depends on how the compiler optimises");
        let region = self.origin.region;
        for kind in [ApproximationKind::Over, ApproximationKind::Under] {
            self.ctx.approximate(kind, what.clone(), region);
        }
    }
    /// A builtin; `None` if it has no value.
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        args: &[hir::ExprId],
        expr: hir::ExprId,
    ) -> Lowered<Option<ExprId>> {
        let hir = self.ctx.hir;
        match builtin {
            Builtin::Unreachable => {
                self.graph.emit_last(Op::Halt { reason: HaltReason::Misuse }, self.origin);
                return Ok(None);
            }
            Builtin::Trap => {
                self.graph.emit_last(Op::Halt { reason: HaltReason::Abort }, self.origin);
                return Ok(None);
            }
            Builtin::VaStart | Builtin::VaEnd | Builtin::VaCopy => {
                return self.list_builtin(builtin, args).map(|()| None);
            }
            Builtin::Overflow(op) => return self.overflow(op, args, expr).map(Some),
            Builtin::CopySign => return self.copy_sign(args).map(Some),
            Builtin::CompilersChoice(choice) => self.note_choice(choice),
            _ => {}
        }
        let Some(arg) = args.first() else {
            return unsupported("builtin without arguments", hir.exprs[expr].span);
        };
        let value = self.value(*arg)?;
        let result = match builtin {
            Builtin::Alloca => {
                let var = self.temporary(Ty::Ptr);
                let word = self.word();
                let size = build::cast(self.exprs(), word, value);
                let (kind, contents) = (AllocKind::Stack, InitKind::Uninitialised);
                self.emit(Op::Malloc { place: Place::Var(var), size, kind, contents });
                self.read_var(var)
            }
            Builtin::CountLeadingZeros
            | Builtin::CountTrailingZeros
            | Builtin::PopCount
            | Builtin::Parity
            | Builtin::FindFirstSet => self.count_bits(builtin, value),
            Builtin::ByteSwap => self.byte_swap(value),
            Builtin::IsNan => {
                let truth = self.exprs().binary(BinaryOp::Ne, value, value);
                build::cast(self.exprs(), Ty::signed(32), truth)
            }
            Builtin::IsInf | Builtin::IsFinite => self.infinity_test(builtin, value),
            Builtin::SignBit => self.sign_bit(value, expr),
            Builtin::FloatAbs => self.float_abs(value),
            Builtin::CompilersChoice(_) => value,
            _ => return unsupported("this builtin", hir.exprs[expr].span),
        };
        Ok(Some(result))
    }

    fn sign_bit(&mut self, value: ExprId, expr: hir::ExprId) -> ExprId {
        let int = Ty::signed(32);
        let sign = self.sign_byte(value);
        let seven = self.exprs().int(int, 7);
        let bit = self.exprs().binary(BinaryOp::Shr, sign, seven);
        let bit = build::cast(self.exprs(), int, bit);
        if self.shows_magnitude(expr, Sink::Value) { self.truth_only("signbit", bit) } else { bit }
    }

    /// Builtins that count the bits of an integer.
    fn count_bits(&mut self, builtin: Builtin, value: ExprId) -> ExprId {
        let int = Ty::signed(32);
        match builtin {
            Builtin::CountLeadingZeros => {
                let value = self.not_zero(value);
                let width = self.exprs().ty(value).width(self.ctx.program.data_model);
                let filled = self.fill_down(value);
                let ones = self.ones(filled);
                let count = build::cast(self.exprs(), int, ones);
                let width = self.exprs().int(int, i128::from(width));
                self.exprs().binary(BinaryOp::Sub, width, count)
            }
            Builtin::CountTrailingZeros => {
                let value = self.not_zero(value);
                let count = self.trailing_zeros(value);
                build::cast(self.exprs(), int, count)
            }
            Builtin::Parity => {
                let value = self.unsigned(value);
                let count = self.ones(value);
                let ty = self.exprs().ty(count);
                let one = self.exprs().int(ty, 1);
                let parity = self.exprs().binary(BinaryOp::And, count, one);
                build::cast(self.exprs(), int, parity)
            }
            Builtin::FindFirstSet => {
                let value = self.unsigned(value);
                let is_zero = {
                    let truth = build::truth(self.exprs(), value);
                    build::not(self.exprs(), truth)
                };
                let count = self.trailing_zeros(value);
                let count = build::cast(self.exprs(), int, count);
                let one = self.exprs().int(int, 1);
                let next = self.exprs().binary(BinaryOp::Add, count, one);
                let zero = self.exprs().int(int, 0);
                build::ite(self.exprs(), is_zero, zero, next)
            }
            // The number of ones.
            _ => {
                let value = self.unsigned(value);
                let count = self.ones(value);
                build::cast(self.exprs(), int, count)
            }
        }
    }

    fn list_builtin(&mut self, builtin: Builtin, args: &[hir::ExprId]) -> Lowered<()> {
        let hir = self.ctx.hir;
        let pointee = |arg: hir::ExprId| match hir.types.get(hir.exprs[arg].ty) {
            Type::Pointer(to) => *to,
            _ => hir.exprs[arg].ty,
        };
        match (builtin, args) {
            (Builtin::VaStart, [list, ..]) => {
                let place = self.pointed(*list, pointee(*list))?;
                let target = self.target(&place)?;
                let Some(further) = self.further else {
                    return unsupported("`va_start` in a function without `...`", hir.exprs[*list].span);
                };
                let value = self.read_var(further);
                self.write(&target, value);
                Ok(())
            }
            (Builtin::VaCopy, [to, from]) => {
                let place = self.pointed(*to, pointee(*to))?;
                let source = self.pointed(*from, pointee(*from))?;
                let target = self.target(&place)?;
                let value = self.read(&source)?;
                self.write(&target, value);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The builtin is undefined for 0.
    fn not_zero(&mut self, value: ExprId) -> ExprId {
        let value = self.unsigned(value);
        let value = self.stable(value);
        let truth = build::truth(self.exprs(), value);
        let is_zero = build::not(self.exprs(), truth);
        self.forbid(is_zero, self.origin);
        value
    }

    /// Where a condition holds, a promise to the compiler is broken.
    pub(super) fn forbid(&mut self, cond: ExprId, origin: Origin) {
        let (misuse, otherwise) = self.fork(cond, origin, origin);
        self.graph.set(misuse);
        self.graph.emit_last(Op::Halt { reason: HaltReason::Misuse }, origin);
        self.graph.set(otherwise);
    }

    fn unsigned(&mut self, value: ExprId) -> ExprId {
        let width = self.exprs().ty(value).width(self.ctx.program.data_model);
        build::cast(self.exprs(), Ty::unsigned(width), value)
    }

    fn shifted(&mut self, op: BinaryOp, value: ExprId, amount: u32) -> ExprId {
        let amount = self.exprs().int(Ty::signed(32), i128::from(amount));
        self.exprs().binary(op, value, amount)
    }

    /// All bits below the highest one are set.
    fn fill_down(&mut self, value: ExprId) -> ExprId {
        let width = u32::from(self.exprs().ty(value).width(self.ctx.program.data_model));
        let mut filled = value;
        let mut amount = 1;
        while amount < width {
            let lower = self.shifted(BinaryOp::Shr, filled, amount);
            filled = self.exprs().binary(BinaryOp::Or, filled, lower);
            amount *= 2;
        }
        filled
    }

    /// The number of ones in `(x & -x) - 1`.
    fn trailing_zeros(&mut self, value: ExprId) -> ExprId {
        let ty = self.exprs().ty(value);
        let negated = self.exprs().unary(UnaryOp::Neg, value);
        let lowest = self.exprs().binary(BinaryOp::And, value, negated);
        let one = self.exprs().int(ty, 1);
        let below = self.exprs().binary(BinaryOp::Sub, lowest, one);
        self.ones(below)
    }

    /// Number of ones of an unsigned value: sums of neighbouring fields of 2, 4, 8, ... bits.
    fn ones(&mut self, value: ExprId) -> ExprId {
        let ty = self.exprs().ty(value);
        let width = u32::from(ty.width(self.ctx.program.data_model));
        let mut sum = value;
        let mut field = 1;
        while field < width {
            let mut pattern = 0_u128;
            let mut bit = 0;
            while bit < width {
                pattern |= ((1_u128 << field) - 1) << bit;
                bit += 2 * field;
            }
            let mask = self.exprs().int(ty, pattern as i128);
            let low = self.exprs().binary(BinaryOp::And, sum, mask);
            let high = self.shifted(BinaryOp::Shr, sum, field);
            let high = self.exprs().binary(BinaryOp::And, high, mask);
            sum = self.exprs().binary(BinaryOp::Add, low, high);
            field *= 2;
        }
        sum
    }

    fn byte_swap(&mut self, value: ExprId) -> ExprId {
        let ty = self.exprs().ty(value);
        let width = u32::from(ty.width(self.ctx.program.data_model));
        let byte = self.exprs().int(ty, 0xff);
        let mut result = self.exprs().int(ty, 0);
        for position in (0..width).step_by(8) {
            let part = self.shifted(BinaryOp::Shr, value, position);
            let part = self.exprs().binary(BinaryOp::And, part, byte);
            let part = self.shifted(BinaryOp::Shl, part, width - 8 - position);
            result = self.exprs().binary(BinaryOp::Or, result, part);
        }
        result
    }

    fn infinity(&mut self, ty: Ty) -> ExprId {
        let bits = match ty {
            Ty::Float(FloatKind::Single) => 0x7f80_0000,
            Ty::Float(FloatKind::Extended) => 0x7fff_8000_0000_0000_0000,
            Ty::Float(FloatKind::Quad) => 0x7fff << 112,
            _ => 0x7ff0_0000_0000_0000,
        };
        self.exprs().add(Expr::Const { ty, bits })
    }

    fn infinity_test(&mut self, builtin: Builtin, value: ExprId) -> ExprId {
        let int = Ty::signed(32);
        let ty = self.exprs().ty(value);
        let top = self.infinity(ty);
        let bottom = self.exprs().unary(UnaryOp::Neg, top);
        if builtin == Builtin::IsFinite {
            let above = self.exprs().binary(BinaryOp::Lt, bottom, value);
            let below = self.exprs().binary(BinaryOp::Lt, value, top);
            let truth = build::and(self.exprs(), above, below);
            return build::cast(self.exprs(), int, truth);
        }
        let [zero, one, minus_one] = [0, 1, -1].map(|number| self.exprs().int(int, number));
        let is_bottom = self.exprs().binary(BinaryOp::Eq, value, bottom);
        let rest = build::ite(self.exprs(), is_bottom, minus_one, zero);
        let is_top = self.exprs().binary(BinaryOp::Eq, value, top);
        build::ite(self.exprs(), is_top, one, rest)
    }

    /// The magnitude; of a NaN the NaN itself.
    pub(super) fn float_abs(&mut self, value: ExprId) -> ExprId {
        let ty = self.exprs().ty(value);
        let zero = build::zero(self.exprs(), ty);
        let negated = self.exprs().unary(UnaryOp::Neg, value);
        let is_zero = self.exprs().binary(BinaryOp::Eq, value, zero);
        let is_negative = self.exprs().binary(BinaryOp::Lt, value, zero);
        let rest = build::ite(self.exprs(), is_zero, zero, value);
        build::ite(self.exprs(), is_negative, negated, rest)
    }

    /// The byte that holds the sign, read through memory.
    fn sign_byte(&mut self, value: ExprId) -> ExprId {
        let ty = self.exprs().ty(value);
        let object = self.temporary_object(16, 16);
        self.emit(Op::Assign { place: Place::Mem { addr: object, ty }, value });
        let addr = self.sign_address(object, ty);
        self.exprs().add(Expr::Load { addr, ty: Ty::unsigned(8) })
    }

    fn sign_address(&mut self, object: ExprId, ty: Ty) -> ExprId {
        let last = u64::from(ty.width(self.ctx.program.data_model)) / 8 - 1;
        let last = self.size(last);
        build::offset(self.exprs(), object, last)
    }

    fn copy_sign(&mut self, args: &[hir::ExprId]) -> Lowered<ExprId> {
        let magnitude = self.value(args[0])?;
        let magnitude = self.protect(magnitude, args[1]);
        let sign = self.value(args[1])?;
        let ty = self.exprs().ty(magnitude);
        let sign = self.sign_byte(sign);
        let object = self.temporary_object(16, 16);
        self.emit(Op::Assign { place: Place::Mem { addr: object, ty }, value: magnitude });
        let addr = self.sign_address(object, ty);
        let byte = Ty::unsigned(8);
        let old = self.exprs().add(Expr::Load { addr, ty: byte });
        let (low, high) = (self.exprs().int(byte, 0x7f), self.exprs().int(byte, 0x80));
        let old = self.exprs().binary(BinaryOp::And, old, low);
        let sign = self.exprs().binary(BinaryOp::And, sign, high);
        let value = self.exprs().binary(BinaryOp::Or, old, sign);
        self.emit(Op::Assign { place: Place::Mem { addr, ty: byte }, value });
        Ok(self.exprs().add(Expr::Load { addr: object, ty }))
    }

    /// `__builtin_*_overflow`: computed in 128 bits, where nothing overflows.
    fn overflow(&mut self, op: ArithmeticOp, args: &[hir::ExprId], expr: hir::ExprId) -> Lowered<ExprId> {
        let hir = self.ctx.hir;
        let [left, right, pointer] = args else {
            return unsupported("builtin with this number of arguments", hir.exprs[expr].span);
        };
        let result_ty = match hir.types.get(hir.exprs[*pointer].ty) {
            Type::Pointer(to) => *to,
            _ => hir.exprs[*pointer].ty,
        };
        let mut first = self.value(*left)?;
        first = self.protect(first, *right);
        first = self.protect(first, *pointer);
        let second = self.value(*right)?;
        let second = self.protect(second, *pointer);
        let place = self.pointed(*pointer, result_ty)?;
        let target: Target = self.target(&place)?;
        let (a, b) = (self.exprs().ty(first), self.exprs().ty(second));
        if [a, b, target.declared].iter().any(|ty| ty.width(self.ctx.program.data_model) > 64) {
            return unsupported("overflow builtin on 128 bits", hir.exprs[expr].span);
        }
        let both_unsigned = !a.is_signed() && !b.is_signed();
        let exact = match op {
            ArithmeticOp::Multiply if both_unsigned => Ty::unsigned(128),
            _ => Ty::signed(128),
        };
        let (first, second) =
            (build::cast(self.exprs(), exact, first), build::cast(self.exprs(), exact, second));
        let wide = self.arithmetic(op, first, second);
        let wide = self.copy(wide);
        let narrow = build::cast(self.exprs(), target.declared, wide);
        self.write(&target, narrow);
        let back = self.exprs().add(Expr::Cast { ty: exact, arg: narrow });
        Ok(self.exprs().binary(BinaryOp::Ne, back, wide))
    }
}
