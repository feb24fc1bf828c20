//! Where arbitrary values come from: a list, a seed, a closure, or zero throughout.

use std::collections::VecDeque;
use std::sync::Arc;

use base::Region;

use super::code::CallSite;
use super::float;
use super::machine::Frame;
use super::value::Value;
use cfa::op::Source;
use cfa::program::{EdgeId, ProcId, VarId};
use cfa::ty::{FloatKind, Ty};

/// Where an operation stands in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The procedure.
    pub proc: ProcId,
    /// The edge.
    pub edge: EdgeId,
    /// Its number among the operations of the edge.
    pub op: u32,
}

/// The active calls. They are looked up only when somebody wants to know them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Calls<'a> {
    pub(crate) frames: &'a [Frame],
    pub(crate) sites: &'a [CallSite],
}

impl<'a> Calls<'a> {
    /// The operations that call, outermost first.
    pub fn positions(self) -> impl Iterator<Item = Position> + use<'a> {
        let sites = self.frames.iter().filter_map(|frame| frame.site);
        sites.filter_map(move |site| self.sites.get(site as usize)?.at)
    }
    /// How many activations there are, that of the procedure where execution starts included.
    pub fn depth(self) -> usize {
        self.frames.len()
    }
    /// An activation, the outermost being the first: its number, which no other activation of the run has, and the operation that called.
    pub fn activation(self, index: usize) -> Option<(u64, Option<Position>)> {
        let frame = self.frames.get(index)?;
        let at = frame.site.and_then(|site| self.sites.get(site as usize)?.at);
        Some((frame.number, at))
    }
}

/// A question for an arbitrary value.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Why the value is arbitrary.
    pub source: &'a Source,
    /// The type that it must have.
    pub ty: Ty,
    /// The source text that asks.
    pub region: Region,
    /// The operation that asks; `None` for a result that a procedure returns without having given it a value.
    pub at: Option<Position>,
    /// The calls that are active there.
    pub calls: Calls<'a>,
    /// The memory whose contents are asked for, if objects are tracked ([`super::Tracking`]).
    pub memory: Option<MemoryPlace<'a>>,
    /// The element of an array variable that has no value yet and is asked for.
    pub element: Option<(VarId, u64)>,
}

/// A place in an object that was made while the program runs.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPlace<'a> {
    /// The operation that made the object.
    pub creator: &'a Creator,
    /// Bytes from its start.
    pub offset: u32,
}

/// The execution of an operation that made an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Creator {
    /// The operations that call, outermost first.
    pub calls: Vec<Position>,
    /// The operation.
    pub at: Position,
    /// How often it was executed before under the same calls.
    pub occurrence: u32,
}

/// An answer to a [`Request`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// A whole number: taken modulo 2^width for integers, converted for floats, an address for pointers.
    Int(i128),
    /// A number with fraction: converted to the requested format; its whole part for integers.
    Float(f64),
    /// The representation itself, of which the low bits are used.
    Bits(u128),
}

impl Choice {
    /// The value of the requested type.
    pub fn value(self, ty: Ty) -> Value {
        let bits = match (self, ty) {
            (Self::Int(value), Ty::Int { .. } | Ty::Ptr) => ty.bits_of(value),
            (Self::Int(value), Ty::Float(kind)) => float::from_signed(kind, value),
            (Self::Float(value), Ty::Float(kind)) => {
                float::convert(FloatKind::Double, kind, u128::from(value.to_bits()))
            }
            (Self::Float(value), Ty::Int { .. } | Ty::Ptr) => ty.bits_of(value as i128),
            (Self::Bits(bits), Ty::Int { .. } | Ty::Ptr) => ty.bits_of(bits as i128),
            (Self::Bits(bits), Ty::Float(kind)) => bits & (u128::MAX >> (127 - float::sign_bit(kind))),
        };
        Value { ty, bits }
    }
}

/// A value that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The value.
    pub value: Value,
    /// Why it was arbitrary.
    pub source: Source,
    /// The source text that asked.
    pub region: Region,
    /// The same for people: if a model of a library function asked, the call of that function in the user's text.
    pub place: Region,
    /// The operation that asked, as in [`Request::at`].
    pub at: Option<Position>,
    /// Where it is, if it is a part of an object that is an input.
    pub held: Option<Held>,
}

/// A place in an object whose contents are inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The object.
    pub object: HeldObject,
    /// Bytes from its start.
    pub offset: u32,
}

/// An object whose contents are inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldObject {
    /// What the pointer from outside with a number leads to.
    Outside(u64),
    /// A variable, or what a variable is the address of, by its name.
    Variable(Arc<str>),
}

/// Chooses arbitrary values. `None` pauses the run with [`super::Outcome::OutOfInputs`].
pub trait Oracle {
    /// Answers one question.
    fn choose(&mut self, request: &Request<'_>) -> Option<Choice>;
}

impl<F: FnMut(&Request<'_>) -> Option<Choice>> Oracle for F {
    fn choose(&mut self, request: &Request<'_>) -> Option<Choice> {
        self(request)
    }
}

/// Answers from a list, in order.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    values: VecDeque<Choice>,
}

impl Inputs {
    /// The given answers.
    pub fn new(values: impl IntoIterator<Item = Choice>) -> Self {
        Self { values: values.into_iter().collect() }
    }
    /// Whole numbers.
    pub fn ints(values: impl IntoIterator<Item = i128>) -> Self {
        Self::new(values.into_iter().map(Choice::Int))
    }
    /// What a run has chosen.
    pub fn replay<'a>(choices: impl IntoIterator<Item = &'a Chosen>) -> Self {
        Self::new(choices.into_iter().map(|chosen| Choice::Bits(chosen.value.bits)))
    }
    /// Number of answers left.
    pub fn remaining(&self) -> usize {
        self.values.len()
    }
}

impl Oracle for Inputs {
    fn choose(&mut self, _: &Request<'_>) -> Option<Choice> {
        self.values.pop_front()
    }
}

/// Answers zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zero;

impl Oracle for Zero {
    fn choose(&mut self, _: &Request<'_>) -> Option<Choice> {
        Some(Choice::Bits(0))
    }
}

/// Answers at random, small values and the ends of ranges more often than others. One seed, one sequence.
#[derive(Clone, Debug)]
pub struct Seed {
    state: u64,
}

impl Seed {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }
    /// The generator splitmix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    /// A number below a bound; 0 if there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % (bound.max(1) as u64)) as usize
    }
    fn int(&mut self, ty: Ty, width: u8) -> i128 {
        let (low, high) = ty.range().unwrap_or((0, -1));
        let small = |random: u64| i128::from(random % 24) - 8;
        match self.next() % 8 {
            0..=3 => match small(self.next()) {
                value if ty.is_signed() => value,
                value => value.abs(),
            },
            4 => {
                let near = i128::from(self.next() % 3);
                if self.next().is_multiple_of(2) { low.wrapping_add(near) } else { high.wrapping_sub(near) }
            }
            5 => (1_i128 << (self.next() % u64::from(width))).wrapping_sub(i128::from(self.next() % 3) - 1),
            6 => i128::from(self.next() % 1024),
            _ => ((u128::from(self.next()) << 64) | u128::from(self.next())) as i128,
        }
    }
}

impl Oracle for Seed {
    fn choose(&mut self, request: &Request<'_>) -> Option<Choice> {
        Some(match request.ty {
            Ty::Int { width, .. } => Choice::Int(self.int(request.ty, width)),
            Ty::Float(_) => match self.next() % 4 {
                0 => Choice::Int(i128::from(self.next() % 24) - 8),
                1 => Choice::Float((self.next() % 2001) as f64 / 16.0 - 62.5),
                2 => {
                    let special = [0.0, -0.0, 1e300, -1e300, 1e-300, f64::MAX, f64::MIN_POSITIVE, 0.1];
                    Choice::Float(special[(self.next() % 8) as usize])
                }
                _ => Choice::Float(f64::from_bits(self.next() & !(1 << 62))),
            },
            // A random address is of no use to anybody.
            Ty::Ptr => Choice::Int(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_covers_boundaries() {
        let (source, ty, region) = (&Source::Uninitialised, Ty::signed(32), Region::NOWHERE);
        let request =
            Request { source, ty, region, at: None, calls: Calls::default(), memory: None, element: None };
        let draw = |seed| {
            let mut oracle = Seed::new(seed);
            (0..2000)
                .filter_map(|_| oracle.choose(&request))
                .map(|c| c.value(request.ty).as_int())
                .collect::<Vec<_>>()
        };
        let values = draw(7);
        assert_eq!(values, draw(7));
        assert_ne!(values, draw(8));
        for wanted in [0, 1, -1, i128::from(i32::MIN), i128::from(i32::MAX)] {
            assert!(values.contains(&wanted), "{wanted}");
        }
        assert!(values.iter().all(|value| i32::try_from(*value).is_ok()));
    }

    #[test]
    fn choices_are_converted_to_the_requested_type() {
        assert_eq!(Choice::Int(300).value(Ty::unsigned(8)).as_int(), 44);
        assert_eq!(Choice::Int(5).value(Ty::Float(FloatKind::Double)), Value::double(5.0));
        assert_eq!(Choice::Float(2.5).value(Ty::Float(FloatKind::Single)), Value::single(2.5));
        assert_eq!(Choice::Float(2.5).value(Ty::signed(32)).as_int(), 2);
        assert_eq!(Choice::Bits(0x1_ffff_ffff).value(Ty::Float(FloatKind::Single)).bits, 0xffff_ffff);
    }
}
