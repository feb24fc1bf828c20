//! The objects of an execution: where they are in memory, and what they are in the new program.

use std::collections::BTreeMap;

use cfa::op::{Op, Place};
use cfa::pointsto::AllocationSite;
use cfa::{DataModel, Program, Ty, VarId};
use interp::{Machine, Value, View};
use passes::{LeafMeaning, LeafValue, Maker, Meanings, PointerMeaning};

/// Elements of one array that are looked at.
const MAX_ELEMENTS: i64 = 4096;

/// The distance from which on the interpreter does not tell pointers apart.
const FAR: u64 = 1 << 30;

/// One object of an execution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    /// Number of the object in pointers of the new program.
    pub(super) object: u32,
    /// Which one of many.
    pub(super) number: i128,
    pub(super) base: u64,
    pub(super) size: u64,
}

/// All objects so far.
pub(super) struct World<'a> {
    pub(super) given: &'a Program,
    pub(super) meanings: &'a Meanings,
    makers: BTreeMap<Maker, usize>,
    instances: Vec<Instance>,
}

/// A pointer as the numbers that the new program has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) object: u32,
    pub(super) instance: i128,
    pub(super) offset: i128,
}

impl<'a> World<'a> {
    pub(super) fn new(given: &'a Program, meanings: &'a Meanings, view: &View<'_>) -> Self {
        let makers =
            meanings.objects.iter().enumerate().map(|(index, object)| (object.maker, index)).collect();
        let mut world = Self { given, meanings, makers, instances: Vec::new() };
        for object in &meanings.objects {
            let (base, size) = match object.maker {
                Maker::Var(var) if given.vars[var].owner.is_none() => {
                    (view.address(var), size_of_var(given, var))
                }
                Maker::Proc(proc) => {
                    let function = given
                        .exprs
                        .iter()
                        .find(|(_, expr)| matches!(expr, cfa::Expr::Function { proc: own } if *own == proc));
                    (function.and_then(|(id, _)| view.value(id).ok()), 1)
                }
                Maker::Var(_) | Maker::Site(_) => continue,
            };
            if let Some(base) = base {
                let base = base.bits as u64;
                world.instances.push(Instance { object: object.number, number: 0, base, size });
            }
        }
        world
    }

    /// Notes an object that an operation of the given program has made.
    pub(super) fn made(
        &mut self,
        site: AllocationSite,
        op: &Op,
        (before, after): (&View<'_>, &View<'_>),
        new: &Machine<'_>,
    ) -> Option<Instance> {
        let (maker, base, size) = match op {
            Op::Begin { var } => (Maker::Var(*var), after.address(*var), size_of_var(self.given, *var)),
            Op::Malloc { place, size, .. } | Op::Realloc { place, size, .. } => {
                let size = before.value(*size).map_or(0, |size| size.bits as u64);
                (Maker::Site(site), place_value(before, after, place), size)
            }
            _ => return None,
        };
        let object = &self.meanings.objects[*self.makers.get(&maker)?];
        let next = object.next.and_then(|next| new.view().scalar(next));
        let instance = Instance {
            object: object.number,
            number: next.map_or(0, Value::as_int),
            base: base?.bits as u64,
            size,
        };
        self.instances.push(instance);
        Some(instance)
    }

    /// The objects whose parts are followed.
    pub(super) fn instances(&self) -> &[Instance] {
        &self.instances
    }
    /// The object with a number that was made last.
    pub(super) fn last(&self, object: u32) -> Option<&Instance> {
        self.instances.iter().rev().find(|instance| instance.object == object)
    }
    pub(super) fn leaves(&self, object: u32) -> impl Iterator<Item = &'a LeafMeaning> + use<'a> {
        self.meanings.leaves.iter().filter(move |leaf| leaf.object == object)
    }
    pub(super) fn is_many(&self, object: u32) -> bool {
        self.meanings.objects.iter().any(|known| known.number == object && known.is_many)
    }

    /// The object that an address belongs to.
    pub(super) fn find(&self, address: u64) -> Option<&Instance> {
        let belongs = |instance: &&Instance| {
            let distance = address.wrapping_sub(instance.base) as i64;
            match self.given.data_model {
                DataModel::Lp64 => distance.abs() < 1 << 31,
                DataModel::Ilp32 => (0..=instance.size as i64).contains(&distance),
            }
        };
        self.instances.iter().rev().find(belongs)
    }

    /// Whether an address belongs to an object that exists once at a time, and not to the present one.
    pub(super) fn is_outdated(&self, address: u64) -> bool {
        self.find(address).is_some_and(|found| {
            !self.is_many(found.object) && self.last(found.object).is_some_and(|last| last.base != found.base)
        })
    }

    /// The numbers of the pointer with an address, as variables for a pointer may hold them.
    pub(super) fn numbers(&self, pointer: &PointerMeaning, address: u64) -> Numbers {
        match self.find(address) {
            _ if address == 0 => Numbers { object: Meanings::NONE, instance: 0, offset: 0 },
            Some(found) if pointer.objects.contains(&found.object) => Numbers {
                object: found.object,
                instance: found.number,
                offset: i128::from(address.wrapping_sub(found.base) as i64),
            },
            _ if pointer.is_foreign => {
                Numbers { object: Meanings::FOREIGN, instance: i128::from(address), offset: 0 }
            }
            _ => Numbers { object: Meanings::NONE, instance: 0, offset: i128::from(address) },
        }
    }
    /// The address that numbers mean.
    pub(super) fn address(&self, numbers: Numbers) -> Option<u64> {
        let mask = u64::MAX >> (64 - self.given.data_model.pointer_width());
        let base = match numbers.object {
            Meanings::NONE => 0,
            Meanings::GARBAGE | Meanings::FOREIGN => numbers.instance as u64,
            object => {
                let is_meant = |instance: &&Instance| {
                    instance.object == object
                        && (instance.number == numbers.instance || !self.is_many(object))
                };
                self.instances.iter().rev().find(is_meant)?.base
            }
        };
        Some(base.wrapping_add(numbers.offset as u64) & mask)
    }

    /// Whether two addresses are far away from the object of a pointer, on the same side.
    pub(super) fn are_far(&self, numbers: Numbers, addresses: [u64; 2]) -> bool {
        let Some(base) = self.address(Numbers { offset: 0, ..numbers }) else { return false };
        let [one, other] = addresses.map(|address| address.wrapping_sub(base) as i64);
        let is_far = |distance: i64| distance.unsigned_abs() >= FAR;
        self.given.data_model == DataModel::Lp64
            && is_far(one)
            && is_far(other)
            && one.signum() == other.signum()
    }
}

fn size_of_var(program: &Program, var: VarId) -> u64 {
    match program.vars[var].storage {
        cfa::Storage::Object { size, .. } => size,
        _ => 0,
    }
}

/// How many elements of a leaf an object has; one if it is no array.
pub(super) fn element_count(leaf: &LeafMeaning, instance: &Instance) -> i64 {
    let room = (instance.size.min(1 << 40)) as i64 * 8 - leaf.first_bit - leaf.width;
    match leaf.element {
        _ if room < 0 => 0,
        None => 1,
        Some(element) => {
            (room / (element * 8) + 1).min(leaf.length.unwrap_or(MAX_ELEMENTS)).min(MAX_ELEMENTS)
        }
    }
}

/// The bits of a leaf, and which of them have a value.
pub(super) fn leaf_bits(view: &View<'_>, leaf: &LeafMeaning, base: u64, element: i64) -> (u128, u128) {
    let first = leaf.first_bit + element * leaf.element.unwrap_or(0) * 8;
    bits_at(view, base, first, leaf.width)
}

/// Bits behind an address, and which of them have a value.
pub(super) fn bits_at(view: &View<'_>, base: u64, first: i64, width: i64) -> (u128, u128) {
    let (mut bits, mut known) = (0_u128, 0_u128);
    for number in 0..width {
        let at = first + number;
        let address = Value { ty: Ty::Ptr, bits: u128::from(base.wrapping_add((at / 8) as u64)) };
        let (byte, mask) = view.byte_at(address).unwrap_or((0, 0));
        let shift = (at % 8) as u32;
        bits |= u128::from(byte >> shift & mask >> shift & 1) << number;
        known |= u128::from(mask >> shift & 1) << number;
    }
    (bits, known)
}

/// What a place holds after an operation that was evaluated before.
pub(super) fn place_value(before: &View<'_>, after: &View<'_>, place: &Place) -> Option<Value> {
    match *place {
        Place::Var(var) => after.scalar(var),
        Place::Elem { array, index } => after.elem(array, before.value(index).ok()?.as_int()),
        Place::Mem { addr, ty } => {
            let address = before.value(addr).ok()?.bits as u64;
            let width = ty.width(after.program().data_model);
            let (bits, _) = bits_at(after, address, 0, i64::from(width));
            Some(Value { ty, bits })
        }
        Place::Bits { addr, bit, ty } => {
            let address = before.value(addr).ok()?.bits as u64;
            let width = ty.width(after.program().data_model);
            let (bits, _) = bits_at(after, address, i64::from(bit), i64::from(width));
            Some(Value { ty, bits })
        }
    }
}

/// The bits of a leaf as a value of its variable.
pub(super) fn leaf_value(ty: Ty, bits: u128, model: DataModel) -> Value {
    let mask = u128::MAX >> (128 - u32::from(ty.width(model)));
    Value { ty, bits: bits & mask }
}

/// The variables of a pointer with the values that they should have.
pub(super) fn parts(
    pointer: &PointerMeaning,
    numbers: Numbers,
) -> impl Iterator<Item = (VarId, Value)> + use<> {
    let offset = (numbers.offset - i128::from(pointer.residue)) / i128::from(pointer.modulus.max(1));
    let (object, word) = (Ty::unsigned(32), Ty::signed(100));
    let parts = [
        (pointer.object, Value::int(object, i128::from(numbers.object))),
        (pointer.instance, Value::int(word, numbers.instance)),
        (pointer.offset, Value::int(word, offset)),
    ];
    parts.into_iter().filter_map(|(var, value)| Some((var?, value)))
}

/// All variables of a leaf.
pub(super) fn vars(leaf: &LeafMeaning) -> Vec<VarId> {
    match &leaf.value {
        LeafValue::Value(var, _) => vec![*var],
        LeafValue::Pointer(pointer) => {
            [pointer.object, pointer.instance, pointer.offset].into_iter().flatten().collect()
        }
    }
}
