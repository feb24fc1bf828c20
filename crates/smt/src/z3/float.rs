//! Operations on encodings of floating-point numbers as Z3's.
//!
//! # Invariants
//! * I1: an encoding becomes a number where an operation needs it and is an encoding again afterwards, so all of Z3's constants are bit-vectors.
//! * I2: a result that is not a number has one encoding; Z3 leaves it open.

use term::{FloatFormat, FloatOp};
use z3::ast::{Ast, BV, Bool, Float, RoundingMode};
use z3::{Context, Sort};

use super::translate::Translated;

/// An operation on encodings of a format, or on integers that become numbers of that format.
pub(super) fn operation(format: FloatFormat, op: FloatOp, operands: &[&BV]) -> Translated {
    let nearest = RoundingMode::round_nearest_ties_to_even();
    let number = |index: usize| decoded(operands[index], format);
    let result = match op {
        FloatOp::Add => number(0).add_with_rounding_mode(number(1), &nearest),
        FloatOp::Sub => number(0).sub_with_rounding_mode(number(1), &nearest),
        FloatOp::Mul => number(0).mul_with_rounding_mode(number(1), &nearest),
        FloatOp::Div => number(0).div_with_rounding_mode(number(1), &nearest),
        FloatOp::Eq => return Translated::Bool(number(0).eq_fpa(number(1))),
        FloatOp::Lt => return Translated::Bool(number(0).lt(number(1))),
        FloatOp::Le => return Translated::Bool(number(0).le(number(1))),
        FloatOp::FromSigned => of_integer(operands[0], format, &nearest, Signedness::Signed),
        FloatOp::FromUnsigned => of_integer(operands[0], format, &nearest, Signedness::Unsigned),
        FloatOp::FromOther => {
            let other = match format {
                FloatFormat::Single => FloatFormat::Double,
                FloatFormat::Double => FloatFormat::Single,
            };
            decoded(operands[0], other).to_fp_with_rounding_mode(&nearest, &sort(format))
        }
        FloatOp::ToSigned(width) => {
            let truncate = RoundingMode::round_towards_zero();
            return Translated::BitVec(number(0).to_sbv_with_rounding_mode(&truncate, width));
        }
        FloatOp::ToUnsigned(width) => {
            let truncate = RoundingMode::round_towards_zero();
            return Translated::BitVec(number(0).to_ubv_with_rounding_mode(&truncate, width));
        }
    };
    Translated::BitVec(encoded(&result, format))
}

#[derive(Clone, Copy)]
enum Signedness {
    Signed,
    Unsigned,
}

fn sort(format: FloatFormat) -> Sort {
    match format {
        FloatFormat::Single => Sort::float32(),
        FloatFormat::Double => Sort::double(),
    }
}

fn encoded(number: &Float, format: FloatFormat) -> BV {
    let nan = BV::from_u64(format.default_nan(), format.width());
    let is_nan: Bool = number.is_nan();
    is_nan.ite(&nan, &number.to_ieee_bv())
}

#[expect(unsafe_code, reason = "the safe interface lacks this function")]
fn decoded(encoding: &BV, format: FloatFormat) -> Float {
    let (context, sort) = (Context::thread_local(), sort(format));
    // The context, the encoding and the sort are alive, and the context is that of this thread, as for all terms here.
    unsafe {
        let number =
            z3_sys::Z3_mk_fpa_to_fp_bv(context.get_z3_context(), encoding.get_z3_ast(), sort.get_z3_sort());
        Float::wrap(&context, number.expect("an encoding of the format's width should be a number"))
    }
}

#[expect(unsafe_code, reason = "the safe interface lacks these functions")]
fn of_integer(integer: &BV, format: FloatFormat, mode: &RoundingMode, signedness: Signedness) -> Float {
    let (context, sort) = (Context::thread_local(), sort(format));
    let make = match signedness {
        Signedness::Signed => z3_sys::Z3_mk_fpa_to_fp_signed,
        Signedness::Unsigned => z3_sys::Z3_mk_fpa_to_fp_unsigned,
    };
    // As above.
    unsafe {
        let number =
            make(context.get_z3_context(), mode.get_z3_ast(), integer.get_z3_ast(), sort.get_z3_sort());
        Float::wrap(&context, number.expect("an integer should be rounded to a number"))
    }
}
