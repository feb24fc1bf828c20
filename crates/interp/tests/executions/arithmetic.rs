//! Every operator on every kind of type, against Rust's own arithmetic.

use base::Budget;
use cfa::{
    BinaryOp, CheckKind, DataModel, Expr, ExprId, FloatKind, Program, SignedOverflow, Ty, UnaryOp, VarId,
};
use interp::{
    Code, CompileOptions, Config, EvalError, Inputs, Machine, Outcome, Silent, Step, UndefinedKind, Value,
    eval,
};
use proptest::prelude::*;

use super::builder::{Builder, I32, outcome};

/// `z = x op y`, or another expression of `x` and `y`, run many times.
struct Operation {
    program: Program,
    code: Code,
    vars: [VarId; 3],
    value: ExprId,
}

impl Operation {
    fn new(
        overflow: SignedOverflow,
        types: [Ty; 2],
        make: impl FnOnce(&mut Builder, ExprId, ExprId) -> ExprId,
    ) -> Self {
        let mut b = Builder::with_overflow(DataModel::Lp64, overflow);
        let (x, y) = (b.local("x", types[0]), b.local("y", types[1]));
        let (left, right) = (b.get(x), b.get(y));
        let value = make(&mut b, left, right);
        let ty = b.program.exprs.ty(value);
        let z = b.local("z", ty);
        b.assign(z, value);
        b.finish();
        let code = Code::new(&b.program, CompileOptions::default());
        Self { program: b.program, code, vars: [x, y, z], value }
    }
    fn machine(&self) -> Machine<'_> {
        Machine::new(&self.program, &self.code, Config::default())
    }
    /// The result for two operands, by compiled code; the evaluator must agree.
    fn apply(&self, machine: &mut Machine<'_>, x: Value, y: Value) -> Result<Value, UndefinedKind> {
        let entry = self.program.entry;
        machine.start_at(entry, self.program.procs[entry].entry);
        machine.set(self.vars[0], x);
        machine.set(self.vars[1], y);
        let step =
            machine.step(&mut Inputs::default(), &mut Silent, &mut std::io::sink(), &mut Budget::unlimited());
        let result = match step {
            Step::Ended(Outcome::Returned) => {
                Ok(machine.view().scalar(self.vars[2]).expect("z should have a value"))
            }
            Step::Ended(Outcome::Undefined { kind, .. }) => Err(kind),
            other => panic!("{other:?}"),
        };
        let evaluated = eval(&self.program, self.value, &|var| Some(if var == self.vars[0] { x } else { y }));
        let evaluated = evaluated.map_err(|error| match error {
            EvalError::Undefined { kind, .. } => kind,
            other => panic!("{other}"),
        });
        assert_eq!(result, evaluated, "{x} {y}");
        result
    }
    fn check(&self, machine: &mut Machine<'_>, x: Value, y: Value, expected: Result<i128, UndefinedKind>) {
        let got = self.apply(machine, x, y);
        assert_eq!(got.map(Value::as_int), expected, "{x} {y}");
    }
}

const ARITHMETIC: [BinaryOp; 10] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::Shr,
];
const COMPARISONS: [BinaryOp; 4] = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le];

fn compare<T: PartialOrd + Copy>(op: BinaryOp, x: T, y: T) -> i128 {
    i128::from(match op {
        BinaryOp::Eq => x == y,
        BinaryOp::Ne => x != y,
        BinaryOp::Lt => x < y,
        _ => x <= y,
    })
}

/// 8-bit arithmetic written with 32-bit arithmetic.
fn eight_bits(
    op: BinaryOp,
    signed: bool,
    overflow: SignedOverflow,
    x: i32,
    y: i32,
) -> Result<i128, UndefinedKind> {
    let wrap = |value: i32| if signed { i128::from(value as i8) } else { i128::from(value as u8) };
    if op.is_comparison() {
        return Ok(compare(op, x, y));
    }
    let exact = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div | BinaryOp::Rem if y == 0 => return Err(UndefinedKind::DivisionByZero),
        // A quotient never wraps around.
        BinaryOp::Div | BinaryOp::Rem if signed && (x, y) == (-128, -1) => {
            return Err(match overflow {
                SignedOverflow::Wrap => UndefinedKind::DivisionByZero,
                SignedOverflow::Undefined | SignedOverflow::Error => UndefinedKind::SignedOverflow,
            });
        }
        BinaryOp::Div => x / y,
        BinaryOp::Rem => x % y,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl | BinaryOp::Shr if !(0..8).contains(&y) => return Err(UndefinedKind::ShiftAmount),
        BinaryOp::Shl => return Ok(wrap(x << y)),
        _ => return Ok(wrap(x >> y)),
    };
    if signed && i8::try_from(exact).is_err() && overflow != SignedOverflow::Wrap {
        return Err(UndefinedKind::SignedOverflow);
    }
    Ok(wrap(exact))
}

#[test]
fn all_8_bit_operations() {
    for (signed, overflow) in
        [(false, SignedOverflow::Undefined), (true, SignedOverflow::Undefined), (true, SignedOverflow::Wrap)]
    {
        let ty = Ty::Int { width: 8, signed };
        let range = if signed { -128..=127 } else { 0..=255 };
        for op in ARITHMETIC.into_iter().chain(COMPARISONS) {
            let operation = Operation::new(overflow, [ty, ty], |b, x, y| b.binary(op, x, y));
            let mut machine = operation.machine();
            for x in range.clone() {
                for y in range.clone() {
                    let (left, right) = (Value::int(ty, i128::from(x)), Value::int(ty, i128::from(y)));
                    operation.check(&mut machine, left, right, eight_bits(op, signed, overflow, x, y));
                }
            }
        }
    }
}

/// The operations of one Rust type, checked and wrapping.
macro_rules! native {
    ($name:ident, $int:ty, $wide:ident) => {
        fn $name(
            op: BinaryOp,
            overflow: SignedOverflow,
            x: $int,
            y: $int,
        ) -> Result<i128, UndefinedKind> {
            let wraps = overflow == SignedOverflow::Wrap || <$int>::MIN == 0;
            let pick = |checked: Option<$int>, wrapping: $int| match checked {
                Some(value) => Ok(value as i128),
                None if wraps => Ok(wrapping as i128),
                None => Err(UndefinedKind::SignedOverflow),
            };
            let amount = u32::try_from(y).ok().filter(|amount| *amount < <$int>::BITS);
            match op {
                BinaryOp::Add => pick(x.checked_add(y), x.wrapping_add(y)),
                BinaryOp::Sub => pick(x.checked_sub(y), x.wrapping_sub(y)),
                BinaryOp::Mul => pick(x.checked_mul(y), x.wrapping_mul(y)),
                BinaryOp::Div | BinaryOp::Rem if y == 0 => Err(UndefinedKind::DivisionByZero),
                // A quotient never wraps around.
                BinaryOp::Div | BinaryOp::Rem => match (x.checked_div(y), x.checked_rem(y)) {
                    (Some(quotient), _) if op == BinaryOp::Div => Ok(quotient as i128),
                    (_, Some(remainder)) => Ok(remainder as i128),
                    _ if wraps => Err(UndefinedKind::DivisionByZero),
                    _ => Err(UndefinedKind::SignedOverflow),
                },
                BinaryOp::And => Ok((x & y) as i128),
                BinaryOp::Or => Ok((x | y) as i128),
                BinaryOp::Xor => Ok((x ^ y) as i128),
                BinaryOp::Shl => amount.map(|amount| (x << amount) as i128).ok_or(UndefinedKind::ShiftAmount),
                BinaryOp::Shr => amount.map(|amount| (x >> amount) as i128).ok_or(UndefinedKind::ShiftAmount),
                _ => Ok(compare(op, x, y)),
            }
        }
        #[test]
        fn $wide() {
            let ty = Ty::Int { width: <$int>::BITS as u8, signed: <$int>::MIN != 0 };
            let special = [0, 1, 2, 3, 7, 31, <$int>::MAX, <$int>::MIN, <$int>::MAX / 2, (0 as $int).wrapping_sub(1)];
            let near = prop_oneof![
                (0..special.len(), -2_i8..=2)
                    .prop_map(move |(index, delta)| special[index].wrapping_add(delta as $int)),
                any::<$int>(),
                any::<u8>().prop_map(|amount| <$int>::from_le_bytes([amount % 64; size_of::<$int>()]) % 130),
            ];
            for overflow in [SignedOverflow::Undefined, SignedOverflow::Wrap] {
                for op in ARITHMETIC.into_iter().chain(COMPARISONS) {
                    let operation = Operation::new(overflow, [ty, ty], |b, x, y| b.binary(op, x, y));
                    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
                    proptest!(config, |(x in near.clone(), y in near.clone())| {
                        let mut machine = operation.machine();
                        let (left, right) = (Value::int(ty, x as i128), Value::int(ty, y as i128));
                        let got = operation.apply(&mut machine, left, right);
                        prop_assert_eq!(got.map(Value::as_int), $name(op, overflow, x, y));
                    });
                }
            }
        }
    };
}

native!(int16, i16, operations_on_i16);
native!(uint16, u16, operations_on_u16);
native!(int32, i32, operations_on_i32);
native!(uint32, u32, operations_on_u32);
native!(int64, i64, operations_on_i64);
native!(uint64, u64, operations_on_u64);
native!(int128, i128, operations_on_i128);
native!(uint128, u128, operations_on_u128);

#[test]
fn all_operations_of_few_bits_at_every_width() {
    // Small operands at every width: the exact result fits 128 bits and is reduced by hand.
    let operands = [-3_i128, -2, -1, 0, 1, 2, 3, 5];
    for width in 1..=128_u8 {
        for signed in [false, true] {
            let ty = Ty::Int { width, signed };
            for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Xor] {
                let operation = Operation::new(SignedOverflow::Wrap, [ty, ty], |b, x, y| b.binary(op, x, y));
                let mut machine = operation.machine();
                for (x, y) in operands.iter().flat_map(|x| operands.iter().map(move |y| (*x, *y))) {
                    let (left, right) = (Value::int(ty, x), Value::int(ty, y));
                    let exact = match op {
                        BinaryOp::Add => x + y,
                        BinaryOp::Sub => x - y,
                        BinaryOp::Mul => x * y,
                        _ => x ^ y,
                    };
                    operation.check(&mut machine, left, right, Ok(Value::int(ty, exact).as_int()));
                }
            }
        }
    }
}

#[test]
fn overflow_is_found_at_every_signed_width() {
    for width in 2..=128_u8 {
        let ty = Ty::signed(width);
        let (low, high) = ty.range().unwrap();
        let run = |op, x, y| {
            let operation = Operation::new(SignedOverflow::Undefined, [ty, ty], |b, x, y| b.binary(op, x, y));
            let mut machine = operation.machine();
            operation.apply(&mut machine, Value::int(ty, x), Value::int(ty, y)).map(Value::as_int)
        };
        assert_eq!(run(BinaryOp::Add, high, 1), Err(UndefinedKind::SignedOverflow), "{ty}");
        assert_eq!(run(BinaryOp::Add, high, 0), Ok(high), "{ty}");
        assert_eq!(run(BinaryOp::Sub, low, 1), Err(UndefinedKind::SignedOverflow), "{ty}");
        assert_eq!(run(BinaryOp::Mul, low, -1), Err(UndefinedKind::SignedOverflow), "{ty}");
        assert_eq!(
            run(BinaryOp::Mul, high, high),
            if width == 2 { Ok(1) } else { Err(UndefinedKind::SignedOverflow) }
        );
        assert_eq!(run(BinaryOp::Div, low, -1), Err(UndefinedKind::SignedOverflow), "{ty}");
        assert_eq!(run(BinaryOp::Rem, low, -1), Err(UndefinedKind::SignedOverflow), "{ty}");
        assert_eq!(run(BinaryOp::Div, low, 1), Ok(low), "{ty}");
    }
}

#[test]
fn negation_and_complement() {
    for width in [1, 8, 13, 32, 64, 65, 128] {
        for signed in [false, true] {
            let ty = Ty::Int { width, signed };
            for x in [0, 1, 2, -1, i128::MIN, i128::MAX] {
                let value = Value::int(ty, x);
                let zero = Value::int(ty, 0);
                let not =
                    Operation::new(SignedOverflow::Undefined, [ty, ty], |b, x, _| b.unary(UnaryOp::Not, x));
                not.check(&mut not.machine(), value, zero, Ok(Value::int(ty, !value.as_int()).as_int()));
                let neg =
                    Operation::new(SignedOverflow::Undefined, [ty, ty], |b, x, _| b.unary(UnaryOp::Neg, x));
                let least = ty.range().map(|range| range.0);
                let expected = if signed && Some(value.as_int()) == least {
                    Err(UndefinedKind::SignedOverflow)
                } else {
                    Ok(Value::int(ty, value.as_int().wrapping_neg()).as_int())
                };
                neg.check(&mut neg.machine(), value, zero, expected);
            }
        }
    }
}

#[test]
fn the_policy_error_makes_overflow_a_violation() {
    let mut b = Builder::with_overflow(DataModel::Ilp32, SignedOverflow::Error);
    let x = b.local("x", I32);
    let (max, one) = (b.int(I32, i128::from(i32::MAX)), b.int(I32, 1));
    b.assign(x, max);
    let value = b.get(x);
    let sum = b.add(value, one);
    b.assign(x, sum);
    b.finish();
    assert!(matches!(outcome(&b.program), Outcome::Error { kind: CheckKind::SignedOverflow, .. }));
}

#[test]
fn shift_amounts_of_any_type() {
    for (width, amounts) in [(32_u8, [-1_i128, 31, 32]), (64, [-1, 63, 64]), (128, [-1, 127, 128])] {
        for amount_ty in [Ty::signed(8), Ty::unsigned(64), Ty::signed(128), Ty::unsigned(128), Ty::signed(16)]
        {
            let ty = Ty::unsigned(width);
            let shift = Operation::new(SignedOverflow::Undefined, [ty, amount_ty], |b, x, y| {
                b.binary(BinaryOp::Shl, x, y)
            });
            for amount in amounts {
                let right = Value::int(amount_ty, amount);
                let fits = (0..i128::from(width)).contains(&right.as_int());
                let got = shift.apply(&mut shift.machine(), Value::int(ty, 1), right);
                let expected = if fits {
                    Ok(Value::int(ty, 1 << right.as_int()))
                } else {
                    Err(UndefinedKind::ShiftAmount)
                };
                assert_eq!(got, expected, "{ty} << {amount} ({amount_ty})");
            }
        }
    }
}

#[test]
fn casts_between_integers_of_all_widths() {
    let widths = [1_u8, 7, 8, 16, 31, 32, 33, 63, 64, 65, 127, 128];
    for from in widths.iter().flat_map(|width| [Ty::signed(*width), Ty::unsigned(*width)]) {
        for to in widths.iter().flat_map(|width| [Ty::signed(*width), Ty::unsigned(*width)]) {
            let cast = Operation::new(SignedOverflow::Undefined, [from, from], |b, x, _| b.cast(to, x));
            let mut machine = cast.machine();
            for x in [0, 1, -1, 0x7f, 0x80, 1 << 31, 1 << 63, i128::MIN, i128::MAX, 0x1234_5678_9abc_def0] {
                let value = Value::int(from, x);
                let expected = Value::int(to, value.as_int());
                assert_eq!(cast.apply(&mut machine, value, value), Ok(expected), "{from} {x} as {to}");
            }
        }
    }
}

fn double(value: f64) -> Value {
    Value::double(value)
}

#[test]
fn doubles_and_floats_as_the_host_computes_them() {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        1e300,
        1e-300,
        5e-324,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        0.1,
        3.0,
    ];
    let (f64_ty, f32_ty) = (Ty::Float(FloatKind::Double), Ty::Float(FloatKind::Single));
    for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div].into_iter().chain(COMPARISONS) {
        let wide = Operation::new(SignedOverflow::Undefined, [f64_ty, f64_ty], |b, x, y| b.binary(op, x, y));
        let narrow =
            Operation::new(SignedOverflow::Undefined, [f32_ty, f32_ty], |b, x, y| b.binary(op, x, y));
        let (mut wide_machine, mut narrow_machine) = (wide.machine(), narrow.machine());
        for (x, y) in values.iter().flat_map(|x| values.iter().map(move |y| (*x, *y))) {
            let got = wide.apply(&mut wide_machine, double(x), double(y)).unwrap();
            let (sx, sy) = (x as f32, y as f32);
            let single = narrow.apply(&mut narrow_machine, Value::single(sx), Value::single(sy)).unwrap();
            if op.is_comparison() {
                assert_eq!(got.as_int(), compare(op, x, y), "{x} {op:?} {y}");
                assert_eq!(single.as_int(), compare(op, sx, sy), "{sx} {op:?} {sy}");
                continue;
            }
            let (result, single_result) = match op {
                BinaryOp::Add => (x + y, sx + sy),
                BinaryOp::Sub => (x - y, sx - sy),
                BinaryOp::Mul => (x * y, sx * sy),
                _ => (x / y, sx / sy),
            };
            assert!(got == double(result) || f64::from_bits(got.bits as u64).is_nan() && result.is_nan());
            let number = f32::from_bits(single.bits as u32);
            assert!(single == Value::single(single_result) || number.is_nan() && single_result.is_nan());
        }
    }
}

#[test]
fn conversions_with_floats() {
    let f64_ty = Ty::Float(FloatKind::Double);
    let to = |ty: Ty, x: f64| {
        let cast = Operation::new(SignedOverflow::Undefined, [f64_ty, f64_ty], |b, x, _| b.cast(ty, x));
        cast.apply(&mut cast.machine(), double(x), double(x)).map(Value::as_int)
    };
    assert_eq!(to(Ty::signed(32), -2.9), Ok(-2));
    assert_eq!(to(Ty::signed(32), 2_147_483_648.0), Err(UndefinedKind::FloatToInt));
    assert_eq!(to(Ty::signed(32), f64::NAN), Err(UndefinedKind::FloatToInt));
    assert_eq!(to(Ty::unsigned(8), -0.5), Ok(0));
    assert_eq!(to(Ty::unsigned(8), -1.0), Err(UndefinedKind::FloatToInt));
    assert_eq!(to(Ty::signed(128), 1e30), Ok(1e30 as i128));
    let from = |ty: Ty, value: i128| {
        let cast = Operation::new(SignedOverflow::Undefined, [ty, ty], |b, x, _| b.cast(f64_ty, x));
        let value = Value::int(ty, value);
        cast.apply(&mut cast.machine(), value, value).unwrap()
    };
    assert_eq!(from(Ty::signed(64), -1), double(-1.0));
    assert_eq!(from(Ty::unsigned(64), -1), double(u64::MAX as f64));
    assert_eq!(from(Ty::unsigned(128), -1), double(u128::MAX as f64));
    // Through the 80-bit format every 64-bit integer survives.
    let extended = Ty::Float(FloatKind::Extended);
    for x in [u64::MAX, 1 << 63, (1 << 63) + 1] {
        let ty = Ty::unsigned(64);
        let cast = Operation::new(SignedOverflow::Undefined, [ty, ty], |b, x, _| {
            let wide = b.cast(extended, x);
            b.cast(Ty::unsigned(64), wide)
        });
        let value = Value::int(ty, i128::from(x));
        assert_eq!(cast.apply(&mut cast.machine(), value, value), Ok(value));
    }
    // 0.1L + 0.2L is not 0.3L, and differs from the double sum.
    let sum = Operation::new(SignedOverflow::Undefined, [f64_ty, f64_ty], |b, x, y| {
        let (x, y) = (b.cast(extended, x), b.cast(extended, y));
        let sum = b.add(x, y);
        b.cast(Ty::Float(FloatKind::Double), sum)
    });
    assert_eq!(sum.apply(&mut sum.machine(), double(0.1), double(0.2)), Ok(double(0.300_000_000_000_000_04)));
}

#[test]
fn the_evaluator_agrees_and_knows_its_limits() {
    let mut b = Builder::new(DataModel::Lp64);
    let x = b.local("x", I32);
    let (value, three) = (b.get(x), b.int(I32, 3));
    let quotient = b.binary(BinaryOp::Div, three, value);
    let cond = b.binary(BinaryOp::Eq, value, three);
    let chosen = b.ite(cond, value, quotient);
    let at = |number: Option<i128>| {
        eval(&b.program, chosen, &|var| {
            assert_eq!(var, x);
            number.map(|number| Value::int(I32, number))
        })
    };
    assert_eq!(at(Some(3)).unwrap().as_int(), 3);
    assert_eq!(at(Some(-2)).unwrap().as_int(), -1);
    assert!(at(Some(0)).unwrap_err().to_string().contains("division by zero"));
    assert!(at(None).is_err());
    let object = b.object("o", 4);
    let address = b.address(object);
    assert!(eval(&b.program, address, &|_| None).is_err());
}

#[test]
fn shared_choices_do_not_explode() {
    // Each level uses the one below in both branches: the tree has 2^60 leaves.
    let mut b = Builder::new(DataModel::Lp64);
    let x = b.local("x", Ty::unsigned(64));
    let (value, one, two) = (b.get(x), b.int(Ty::unsigned(64), 1), b.int(Ty::unsigned(64), 2));
    let mut level = value;
    for _ in 0..60 {
        let bit = b.binary(BinaryOp::And, level, one);
        let odd = b.binary(BinaryOp::Eq, bit, one);
        let (then, other) = (b.add(level, one), b.add(level, two));
        level = b.program.exprs.add(Expr::Ite { cond: odd, then, other });
    }
    let zero = b.int(Ty::unsigned(64), 1);
    b.assign(x, zero);
    b.exit_with(level);
    let expected = (0..60).fold(1_i128, |x, _| if x % 2 == 1 { x + 1 } else { x + 2 });
    assert_eq!(outcome(&b.program), Outcome::Exit { status: expected });
}

#[test]
fn deep_expressions_need_no_stack() {
    let mut b = Builder::new(DataModel::Lp64);
    let x = b.local("x", Ty::unsigned(64));
    let (zero, one) = (b.int(Ty::unsigned(64), 0), b.int(Ty::unsigned(64), 1));
    b.assign(x, zero);
    let mut sum = b.get(x);
    for _ in 0..200_000 {
        sum = b.add(sum, one);
    }
    b.exit_with(sum);
    assert_eq!(outcome(&b.program), Outcome::Exit { status: 200_000 });
}
