//! What the variables of the new program stand for: for tests that follow an execution in both programs.

use std::collections::{BTreeMap, BTreeSet};

use cfa::pointsto::AllocationSite;
use cfa::{ExprId, ProcId, Ty, VarId};

use super::ObjectId;
use super::object::{Kind, Objects};
use super::slots::{Pair, Slot, Slots};

/// What makes an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Maker {
    /// It is a variable.
    Var(VarId),
    /// An allocation.
    Site(AllocationSite),
    /// It is a procedure.
    Proc(ProcId),
}

/// An object, or many that the same text makes.
#[derive(Clone, Copy, Debug)]
pub struct ObjectMeaning {
    /// Its number in pointers.
    pub number: u32,
    /// What makes it.
    pub maker: Maker,
    /// Whether a number tells one of many.
    pub is_many: bool,
    /// Holds the number of the next one of many.
    pub next: Option<VarId>,
    /// Holds the number of the present one of many that are one variable.
    pub current: Option<VarId>,
    /// Holds the number of its address.
    pub base: Option<VarId>,
}

/// A pointer as variables.
#[derive(Clone, Debug)]
pub struct PointerMeaning {
    /// Holds the number of the object.
    pub object: Option<VarId>,
    /// Holds which one of many.
    pub instance: Option<VarId>,
    /// Holds the offset without the residue, in multiples of the modulus.
    pub offset: Option<VarId>,
    /// See there.
    pub modulus: i64,
    /// See there.
    pub residue: i64,
    /// The number of the object if it is always the same.
    pub only: Option<u32>,
    /// The objects that it may point to.
    pub objects: BTreeSet<u32>,
    /// Whether it may point to memory that is not followed.
    pub is_foreign: bool,
}

/// What a part of an object became.
#[derive(Clone, Debug)]
pub enum LeafValue {
    /// One variable.
    Value(VarId, Ty),
    /// Those of a pointer.
    Pointer(PointerMeaning),
}

/// A part of an object.
#[derive(Clone, Debug)]
pub struct LeafMeaning {
    /// Number of the object.
    pub object: u32,
    /// First bit in the object, or in the first element.
    pub first_bit: i64,
    /// Number of bits.
    pub width: i64,
    /// Bytes of an element, if the variables are arrays for that reason.
    pub element: Option<i64>,
    /// Number of elements, if that is fixed.
    pub length: Option<i64>,
    /// The variables.
    pub value: LeafValue,
}

/// What an arbitrary value stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// The value of an expression of the old program, or a part of what decides it.
    Expr(ExprId),
    /// Some bits behind an address.
    Bits {
        /// A pointer of the old program.
        address: ExprId,
        /// First bit.
        bit: i64,
        /// Number of bits.
        width: i64,
    },
    /// Whether a pointer of the old program is that of a procedure.
    Callee {
        /// The pointer.
        pointer: ExprId,
        /// The procedure.
        proc: ProcId,
    },
    /// What the operation computes.
    Result,
}

/// What the variables of the new program stand for.
#[derive(Clone, Debug, Default)]
pub struct Meanings {
    /// All objects.
    pub objects: Vec<ObjectMeaning>,
    /// All parts of objects that are followed.
    pub leaves: Vec<LeafMeaning>,
    /// The pointers among the old variables.
    pub pointers: BTreeMap<VarId, PointerMeaning>,
    /// Arbitrary values.
    pub rounded: BTreeMap<VarId, Stands>,
}

impl Meanings {
    /// The number of no object: null, or a number.
    pub const NONE: u32 = super::NONE.0;
    /// The number of what pointers lead to that were never written.
    pub const GARBAGE: u32 = super::GARBAGE.0;
    /// The number of memory that is not followed.
    pub const FOREIGN: u32 = super::FOREIGN.0;

    pub(super) fn new(
        objects: &Objects<'_>,
        slots: &Slots,
        pointers: impl Iterator<Item = VarId>,
        rounded: BTreeMap<VarId, Stands>,
    ) -> Self {
        let mut meanings = Self { rounded, ..Self::default() };
        for object in objects.ids() {
            meanings.add_object(objects, slots, object);
        }
        for var in pointers {
            meanings.pointers.extend(slots.pointer(var).map(|pair| (var, pointer(pair))));
        }
        meanings
    }

    fn add_object(&mut self, objects: &Objects<'_>, slots: &Slots, object: ObjectId) {
        let known = objects.get(object);
        self.objects.push(ObjectMeaning {
            number: object.0,
            maker: match known.kind {
                Kind::Var(var) => Maker::Var(var),
                Kind::Site(site) => Maker::Site(site),
                Kind::Proc(proc) => Maker::Proc(proc),
            },
            is_many: objects.is_many(object),
            next: slots.next(object),
            current: slots.current(object),
            base: slots.base(object),
        });
        for (number, leaf) in slots.leaves(object) {
            let segment = &slots.segments[&object][number];
            self.leaves.push(LeafMeaning {
                object: object.0,
                first_bit: segment.start * 8 + segment.leaves[leaf].at,
                width: segment.leaves[leaf].width,
                element: segment.element,
                length: segment.length(leaf),
                value: match slots.leaf(object, number, leaf) {
                    Slot::Value(var, ty) => LeafValue::Value(*var, *ty),
                    Slot::Pointer(pair) => LeafValue::Pointer(pointer(pair)),
                },
            });
        }
    }
}

fn pointer(pair: &Pair) -> PointerMeaning {
    PointerMeaning {
        object: pair.object,
        instance: pair.instance,
        offset: pair.offset,
        modulus: pair.modulus,
        residue: pair.residue,
        only: pair.pointee.only().map(|only| only.0),
        objects: pair.pointee.objects.keys().map(|object| object.0).collect(),
        is_foreign: pair.pointee.others.foreign,
    }
}
