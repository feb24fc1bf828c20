//! The words for sorts and for operations on bit-vectors in the text form of annotations.

use std::fmt;

use term::{BvOp, FloatFormat, FloatOp, Sort};

/// Bit-vectors of proofs have at most so many bits. Programs have 128, and the check of facts about them a few more.
pub(crate) const MOST_BITS: u32 = 1024;

const SORTS: [(Sort, &str); 3] = [(Sort::Bool, "bool"), (Sort::Int, "int"), (Sort::Array, "array")];
const PLAIN: [(BvOp, &str); 22] = [
    (BvOp::Add, "add"),
    (BvOp::Sub, "sub"),
    (BvOp::Mul, "mul"),
    (BvOp::Udiv, "udiv"),
    (BvOp::Urem, "urem"),
    (BvOp::Sdiv, "sdiv"),
    (BvOp::Srem, "srem"),
    (BvOp::And, "and"),
    (BvOp::Or, "or"),
    (BvOp::Xor, "xor"),
    (BvOp::Not, "not"),
    (BvOp::Neg, "neg"),
    (BvOp::Shl, "shl"),
    (BvOp::Lshr, "lshr"),
    (BvOp::Ashr, "ashr"),
    (BvOp::Concat, "concat"),
    (BvOp::Ult, "ult"),
    (BvOp::Ule, "ule"),
    (BvOp::Slt, "slt"),
    (BvOp::Sle, "sle"),
    (BvOp::SmulFits, "smulfits"),
    (BvOp::ToInt, "int"),
];
const FORMATS: [(FloatFormat, &str); 2] = [(FloatFormat::Single, "single"), (FloatFormat::Double, "double")];
const FLOATS: [(FloatOp, &str); 10] = [
    (FloatOp::Add, "add"),
    (FloatOp::Sub, "sub"),
    (FloatOp::Mul, "mul"),
    (FloatOp::Div, "div"),
    (FloatOp::Eq, "eq"),
    (FloatOp::Lt, "lt"),
    (FloatOp::Le, "le"),
    (FloatOp::FromSigned, "signed"),
    (FloatOp::FromUnsigned, "unsigned"),
    (FloatOp::FromOther, "other"),
];

/// A sort, as one word.
pub(crate) struct SortWord(pub(crate) Sort);

impl fmt::Display for SortWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Sort::BitVec(width) => write!(f, "bits:{width}"),
            Sort::BitArray(width) => write!(f, "bitarray:{width}"),
            plain => f.write_str(word(&SORTS, plain)),
        }
    }
}

/// The sort of a word.
pub(crate) fn read_sort(word: &str) -> Option<Sort> {
    if let Some(width) = word.strip_prefix("bits:") {
        return Some(Sort::BitVec(read_width(width)?));
    }
    if let Some(width) = word.strip_prefix("bitarray:") {
        return Some(Sort::BitArray(read_width(width)?));
    }
    meaning(&SORTS, word)
}

/// A width that proofs may have.
pub(crate) fn read_width(word: &str) -> Option<u32> {
    word.parse().ok().filter(|width| (1..=MOST_BITS).contains(width))
}

/// An operation, as one word.
pub(crate) struct OpWord(pub(crate) BvOp);

impl fmt::Display for OpWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            BvOp::Extract { high, low } => write!(f, "extract:{high}:{low}"),
            BvOp::ZeroExtend(by) => write!(f, "zext:{by}"),
            BvOp::SignExtend(by) => write!(f, "sext:{by}"),
            BvOp::FromInt(width) => write!(f, "fromint:{width}"),
            BvOp::Float(format, FloatOp::ToSigned(width)) => {
                write!(f, "float:{}:tosigned:{width}", word(&FORMATS, format))
            }
            BvOp::Float(format, FloatOp::ToUnsigned(width)) => {
                write!(f, "float:{}:tounsigned:{width}", word(&FORMATS, format))
            }
            BvOp::Float(format, op) => write!(f, "float:{}:{}", word(&FORMATS, format), word(&FLOATS, op)),
            plain => f.write_str(word(&PLAIN, plain)),
        }
    }
}

/// The operation of a word.
pub(crate) fn read_op(word: &str) -> Option<BvOp> {
    let parts: Vec<&str> = word.split(':').collect();
    Some(match parts.as_slice() {
        ["extract", high, low] => BvOp::Extract { high: high.parse().ok()?, low: low.parse().ok()? },
        ["zext", by] => BvOp::ZeroExtend(by.parse().ok()?),
        ["sext", by] => BvOp::SignExtend(by.parse().ok()?),
        ["fromint", width] => BvOp::FromInt(read_width(width)?),
        ["float", format, "tosigned", width] => {
            BvOp::Float(meaning(&FORMATS, format)?, FloatOp::ToSigned(read_width(width)?))
        }
        ["float", format, "tounsigned", width] => {
            BvOp::Float(meaning(&FORMATS, format)?, FloatOp::ToUnsigned(read_width(width)?))
        }
        ["float", format, op] => BvOp::Float(meaning(&FORMATS, format)?, meaning(&FLOATS, op)?),
        [plain] => meaning(&PLAIN, plain)?,
        _ => return None,
    })
}

/// Whether a sort has no more bits than proofs may have.
pub(crate) fn is_small(sort: Sort) -> bool {
    match sort {
        Sort::BitVec(width) | Sort::BitArray(width) => (1..=MOST_BITS).contains(&width),
        Sort::Bool | Sort::Int | Sort::Array => true,
    }
}

fn word<T: Copy + PartialEq>(words: &[(T, &'static str)], wanted: T) -> &'static str {
    words.iter().find(|(item, _)| *item == wanted).map_or("unknown", |(_, word)| word)
}

fn meaning<T: Copy>(words: &[(T, &str)], wanted: &str) -> Option<T> {
    words.iter().find(|(_, word)| *word == wanted).map(|(item, _)| *item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let floats = FLOATS.map(|(op, _)| op).into_iter();
        let floats = floats.chain([FloatOp::ToSigned(32), FloatOp::ToUnsigned(64)]);
        let floats = floats.map(|op| BvOp::Float(FloatFormat::Double, op));
        let others =
            [BvOp::Extract { high: 7, low: 3 }, BvOp::ZeroExtend(8), BvOp::SignExtend(0), BvOp::FromInt(16)];
        for op in PLAIN.map(|(op, _)| op).into_iter().chain(floats).chain(others) {
            assert_eq!(read_op(&OpWord(op).to_string()), Some(op));
        }
        for sort in [Sort::Bool, Sort::Int, Sort::Array, Sort::BitVec(1), Sort::BitArray(64)] {
            assert_eq!(read_sort(&SortWord(sort).to_string()), Some(sort));
        }
        assert_eq!(read_sort("bits:0"), None);
        assert_eq!(read_sort("bits:4294967295"), None);
    }
}
