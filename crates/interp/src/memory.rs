//! Memory: objects, the pointers to them, and their lifetimes.
//!
//! # Pointers in registers
//! LP64: the high half of the address names the object, the low half is the offset, so a pointer carries its provenance wherever
//! it goes. ILP32: the low half is the address that the program sees, the high half names the object; memory keeps
//! it beside stored pointers, and a pointer made from an integer belongs to the live object at that address.
//!
//! # Invariants
//! * M1: object 0 is none; the procedures follow, then the objects of global variables in order.
//! * M2: a dead object has no bytes, so every access to it takes the path that finds out why it fails.
//! * M3: the index of a dead object is used again only after [`QUARANTINE`] further deaths.
//! * M4: `used` is the memory that objects and arrays take, and never above `limit` after a successful operation.
//! * M5: in LP64 a pointer that is 1 GiB or more away from an object smaller than that stands for itself and all that are farther away on that
//!   side. Accesses through all of them fail. What depends on how far they are is unsupported: comparing them, except with null,
//!   and moving them back. Pointers to larger objects are exact, and unsupported where they cannot be.

mod ask;
mod input;

use std::collections::{BTreeMap, VecDeque};

use super::address::AddressSpace;
use super::bytes::{Bytes, DENSE_LIMIT, PAGE};
use super::outcome::{Fault, Resource, UndefinedKind};
use cfa::expr::{Access, AddressTest};
use cfa::op::InitKind;
use cfa::ty::{DataModel, FloatKind, Ty};
use input::Input;
pub(crate) use input::Owner;

/// Deaths before the index of an object is used again.
const QUARANTINE: usize = 1 << 20;
/// High half of the address of object 0 in LP64: numbers that programs compute rarely look like addresses of objects.
const TAG: u32 = 0x5555;
/// What the table entry of an object is counted as.
const OVERHEAD: u64 = 64;
/// Accesses below this address are put down to a null pointer.
const NULL_ZONE: u64 = 4096;

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    None,
    Procedure,
    Global,
    Local,
    Heap,
    Stack,
    /// What a pointer from outside leads to.
    Outside,
}

#[derive(Clone, Debug)]
struct Object {
    bytes: Bytes,
    size: u32,
    /// Address of the first byte in ILP32, 0 in LP64.
    base: u32,
    /// Number of the procedure or variable that it is.
    origin: u32,
    /// Its part of the memory that is used.
    taken: u64,
    /// Guaranteed alignment of the first byte.
    align: u32,
    kind: ObjectKind,
    live: bool,
    read_only: bool,
    /// Whether bytes without value are inputs.
    input: Input,
}

/// Up to this distance offsets are exact (M5).
const NEAR: i64 = 1 << 30;

fn is_distant(offset: i64) -> bool {
    !(-NEAR..NEAR).contains(&offset)
}

/// Whether a number may be a pointer that is not near: its offset has different bits at the top.
#[inline]
pub(crate) fn may_be_far(pointer: u64) -> bool {
    (pointer ^ pointer >> 1) >> 30 & 1 == 1
}

/// The object that a pointer was made for, and where in it the pointer points to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) index: u32,
    pub(crate) offset: u32,
    pub(crate) align: u64,
    pub(crate) is_live: bool,
    pub(crate) is_read_only: bool,
    size: u32,
    kind: ObjectKind,
}

impl Found {
    /// Bytes from there to the end.
    pub(crate) fn rest(&self) -> usize {
        self.size.saturating_sub(self.offset) as usize
    }
    /// Whether the pointer points to the object or to its end.
    pub(crate) fn is_inside(&self) -> bool {
        self.offset <= self.size
    }
    /// Whether it points to the end, where another object may start. What `malloc(0)` returns is an address of its own.
    pub(crate) fn is_past_end(&self) -> bool {
        self.offset == self.size && (self.size > 0 || self.kind != ObjectKind::Heap)
    }
}

/// How a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextEnd {
    /// With a zero byte.
    Zero,
    /// At a byte that has no value.
    Vague,
}

/// Bytes that hold the value of a type; the rest of its size is padding.
pub(crate) fn value_bytes(ty: Ty, model: DataModel) -> usize {
    match ty {
        Ty::Float(FloatKind::Extended) => 10,
        Ty::Int { .. } | Ty::Float(_) | Ty::Ptr => ty.size(model) as usize,
    }
}

/// What is asked of a new object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewObject {
    pub(crate) kind: ObjectKind,
    pub(crate) size: u64,
    pub(crate) align: u64,
    pub(crate) read_only: bool,
    pub(crate) contents: InitKind,
    pub(crate) origin: u32,
}

/// All objects.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    model: DataModel,
    tag: u32,
    /// Bytes of a pointer.
    pub(super) word: u8,
    objects: Vec<Object>,
    dead: VecDeque<u32>,
    space: AddressSpace,
    used: u64,
    limit: u64,
    /// Number of live heap objects.
    heap_count: u64,
    /// The objects behind pointers from outside, by the number that was chosen.
    outside: BTreeMap<(Validity, u64), u32>,
}

/// Whether a pointer from outside may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Validity {
    /// It is assumed to lead to an object.
    Assumed,
    /// It may be anything: an access through it is an error where such errors are looked for.
    Doubtful,
}

/// Whether an access that is as large as a pointer does not start with a word: [`super::parts`] has those.
#[inline]
fn splits_words(word: u8, at: usize, size: u8) -> bool {
    size >= word && at & usize::from(word - 1) != 0
}

impl Memory {
    pub(crate) fn new(model: DataModel, limit: u64) -> Self {
        let none = Object {
            bytes: Bytes::default(),
            size: 0,
            base: 0,
            origin: 0,
            taken: 0,
            align: 1,
            kind: ObjectKind::None,
            live: false,
            read_only: false,
            input: Input::No,
        };
        let tag = match model {
            DataModel::Lp64 => TAG,
            DataModel::Ilp32 => 0,
        };
        let space = AddressSpace::new();
        Self {
            model,
            tag,
            word: model.pointer_width() / 8,
            objects: vec![none],
            dead: VecDeque::new(),
            space,
            used: 0,
            limit,
            heap_count: 0,
            outside: BTreeMap::new(),
        }
    }
    /// Takes memory that is not an object's.
    pub(crate) fn charge(&mut self, amount: u64) -> Result<(), Fault> {
        self.used += amount;
        if self.used > self.limit { Err(Fault::Resource(Resource::Memory)) } else { Ok(()) }
    }
    /// The memory that there is in all.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }
    /// Gives back what [`Memory::charge`] took.
    pub(crate) fn refund(&mut self, amount: u64) {
        self.used -= amount;
    }
    /// An object has grown.
    pub(super) fn grow(&mut self, index: u32, made: u64) -> Result<(), Fault> {
        self.objects[index as usize].taken += made;
        self.charge(made)
    }
    /// The bytes of a live object, and how many there are.
    pub(super) fn contents(&self, index: u32) -> Option<(&Bytes, u32)> {
        let object = self.objects.get(index as usize)?;
        (object.live && object.kind != ObjectKind::Procedure).then_some((&object.bytes, object.size))
    }
    /// The bytes of an object, for writing.
    pub(super) fn bytes_mut(&mut self, index: u32) -> &mut Bytes {
        &mut self.objects[index as usize].bytes
    }
    fn pointer(&self, index: u32, offset: u32) -> u64 {
        let base = self.objects[index as usize].base;
        u64::from(index + self.tag) << 32 | u64::from(base.wrapping_add(offset))
    }
    /// Makes an object and returns the pointer to its start.
    pub(crate) fn create(&mut self, new: NewObject) -> Result<u64, Fault> {
        let size = u32::try_from(new.size).map_err(|_| Fault::Resource(Resource::ObjectSize))?;
        let taken = Bytes::footprint(size, new.contents);
        let index = match self.dead.front() {
            Some(index) if self.dead.len() > QUARANTINE => *index,
            Some(_) | None => {
                self.charge(OVERHEAD)?;
                self.objects.len() as u32
            }
        };
        self.charge(taken)?;
        let base = match self.model {
            DataModel::Lp64 => 0,
            DataModel::Ilp32 => {
                self.space.place(index, size, new.align).ok_or(Fault::Resource(Resource::Memory))?
            }
        };
        let bytes = match new.kind {
            ObjectKind::Procedure => Bytes::default(),
            _ => Bytes::new(size, new.contents),
        };
        let object = Object {
            bytes,
            size,
            base,
            origin: new.origin,
            taken,
            // Where functions start is up to the compiler.
            align: if new.kind == ObjectKind::Procedure { 1 } else { new.align as u32 },
            kind: new.kind,
            live: true,
            read_only: new.read_only,
            input: Input::of(new.contents),
        };
        if index as usize == self.objects.len() {
            self.objects.push(object);
        } else {
            self.dead.pop_front();
            self.objects[index as usize] = object;
        }
        self.heap_count += u64::from(new.kind == ObjectKind::Heap);
        Ok(self.pointer(index, 0))
    }
    /// Ends the lifetime of the object that a pointer points to, if it is live.
    pub(crate) fn kill(&mut self, pointer: u64) {
        let (index, _) = self.locate(pointer);
        let Some(object) = self.objects.get_mut(index as usize).filter(|object| object.live) else { return };
        self.used -= object.taken;
        object.taken = 0;
        object.bytes = Bytes::default();
        object.live = false;
        self.heap_count -= u64::from(object.kind == ObjectKind::Heap);
        if self.model == DataModel::Ilp32 {
            self.space.release(object.base);
        }
        self.dead.push_back(index);
    }
    /// Index of the object, and offset in it.
    #[inline]
    pub(super) fn locate(&self, pointer: u64) -> (u32, u32) {
        let index = ((pointer >> 32) as u32).wrapping_sub(self.tag);
        let base = self.objects.get(index as usize).map_or(0, |object| object.base);
        (index, (pointer as u32).wrapping_sub(base))
    }
    /// Whether the pointer is the start of a live object of that kind.
    pub(crate) fn is_start_of(&self, pointer: u64, kind: ObjectKind) -> bool {
        let (index, offset) = self.locate(pointer);
        self.objects.get(index as usize).is_some_and(|object| object.live && object.kind == kind)
            && offset == 0
    }
    /// The procedure that a pointer points to.
    pub(crate) fn procedure(&self, pointer: u64) -> Option<u32> {
        let (index, _) = self.locate(pointer);
        self.is_start_of(pointer, ObjectKind::Procedure).then(|| self.objects[index as usize].origin)
    }
    /// The address that a program sees, without provenance.
    pub(crate) fn address(&self, pointer: u64) -> u64 {
        match self.model {
            DataModel::Lp64 => pointer,
            DataModel::Ilp32 => u64::from(pointer as u32),
        }
    }
    /// The pointer that an address becomes.
    pub(crate) fn pointer_to(&self, address: u64) -> u64 {
        match self.model {
            DataModel::Lp64 => address,
            DataModel::Ilp32 => {
                let index = self.space.find(address as u32).unwrap_or(0);
                u64::from(index) << 32 | u64::from(address as u32)
            }
        }
    }
    /// The variable or procedure behind a pointer, and the offset in it.
    pub(crate) fn origin(&self, pointer: u64) -> Option<(ObjectKind, u32, u32)> {
        let (index, offset) = self.locate(pointer);
        let object = self.objects.get(index as usize)?;
        (object.kind != ObjectKind::None).then_some((object.kind, object.origin, offset))
    }
    pub(crate) fn model(&self) -> DataModel {
        self.model
    }
    /// The object that a pointer was made for, dead or live.
    pub(crate) fn found(&self, pointer: u64) -> Option<Found> {
        let (index, offset) = self.locate(pointer);
        let object = self.objects.get(index as usize).filter(|object| object.kind != ObjectKind::None)?;
        let (align, is_live) = (u64::from(object.align), object.live);
        let (size, kind, is_read_only) = (object.size, object.kind, object.read_only);
        Some(Found { index, offset, align, is_live, is_read_only, size, kind })
    }
    /// The object that a number is an address of. A number of ILP32 does not say which dead object it was made for.
    pub(crate) fn found_number(&self, number: u64) -> Option<Found> {
        match self.model {
            DataModel::Lp64 => self.found(number),
            DataModel::Ilp32 => {
                let address = u32::try_from(number).ok()?;
                match self.space.find(address) {
                    Some(_) => self.found(self.pointer_to(number)),
                    None if self.space.was_used(address) => Some(Found {
                        // Like no other object: there are fewer than that.
                        index: u32::MAX - address,
                        offset: 0,
                        align: 1,
                        is_live: false,
                        is_read_only: false,
                        size: 0,
                        kind: ObjectKind::None,
                    }),
                    None => None,
                }
            }
        }
    }
    /// Reads 1, 2, 4 or 8 bytes of a plain object, little-endian.
    #[inline]
    pub(crate) fn load_plain(&self, pointer: u64, size: u8) -> Option<u64> {
        let index = ((pointer >> 32) as u32).wrapping_sub(self.tag);
        let object = self.objects.get(index as usize)?;
        let at = (pointer as u32).wrapping_sub(object.base) as usize;
        if splits_words(self.word, at, size) {
            return None;
        }
        let bytes = object.bytes.plain(at, usize::from(size))?;
        Some(match *bytes {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            _ => u64::from_le_bytes(bytes.try_into().ok()?),
        })
    }
    /// Writes 1, 2, 4 or 8 bytes of a plain object; whether that was possible.
    #[inline]
    pub(crate) fn store_plain(&mut self, pointer: u64, size: u8, value: u64) -> bool {
        let index = ((pointer >> 32) as u32).wrapping_sub(self.tag);
        let Some(object) = self.objects.get_mut(index as usize).filter(|object| !object.read_only) else {
            return false;
        };
        let at = (pointer as u32).wrapping_sub(object.base) as usize;
        if splits_words(self.word, at, size) {
            return false;
        }
        let Some(bytes) = object.bytes.plain_mut(at, usize::from(size)) else { return false };
        match bytes {
            [a] => *a = value as u8,
            [a, b] => [*a, *b] = (value as u16).to_le_bytes(),
            [a, b, c, d] => [*a, *b, *c, *d] = (value as u32).to_le_bytes(),
            _ => bytes.copy_from_slice(&value.to_le_bytes()),
        }
        true
    }
    /// The object and offset of an access of `length` bytes, which must lie in it.
    pub(crate) fn check(&self, pointer: u64, length: u64) -> Result<(u32, u32), Fault> {
        let (index, offset) = self.locate(pointer);
        match self.objects.get(index as usize) {
            Some(object)
                if object.live
                    && object.kind != ObjectKind::Procedure
                    && u64::from(offset).saturating_add(length) <= u64::from(object.size) =>
            {
                Ok((index, offset))
            }
            Some(_) | None => Err(self.diagnose(pointer, length)),
        }
    }
    pub(super) fn check_writable(&self, pointer: u64, length: u64) -> Result<(u32, u32), Fault> {
        let (index, offset) = self.check(pointer, length)?;
        if self.objects[index as usize].read_only {
            return Err(Fault::undefined(
                UndefinedKind::ReadOnly,
                format!("{length} bytes at {:#x}", self.address(pointer)),
            ));
        }
        Ok((index, offset))
    }
    /// The object that an address belongs to, and the offset in it, if it may lie outside.
    fn locate_outside(&self, pointer: u64) -> (u32, i64) {
        let (index, offset) = self.locate(pointer);
        let offset = i64::from(offset);
        // Just below an object in LP64 its number is one less.
        if offset >= 1 << 31 && self.objects.get(index as usize).is_none_or(|object| object.size < 1 << 31) {
            let own = if self.model == DataModel::Lp64 { index.wrapping_add(1) } else { index };
            return (own, offset - (1 << 32));
        }
        (index, offset)
    }
    /// A pointer of LP64 plus an offset. It stays one to its object (M5).
    #[cold]
    pub(crate) fn add(&self, pointer: u64, amount: u64) -> Result<u64, Fault> {
        let (index, offset) = self.locate_outside(pointer);
        let Some(object) = self.objects.get(index as usize).filter(|object| object.kind != ObjectKind::None)
        else {
            return Ok(pointer.wrapping_add(amount));
        };
        let (amount, size) = (amount as i64, i64::from(object.size));
        let target = offset.saturating_add(amount);
        let is_told = match size {
            0..NEAR if is_distant(offset) => is_distant(target) && amount.abs_diff(0) < 1 << 32,
            0..NEAR => true,
            NEAR..0x8000_0000 => i32::try_from(target).is_ok(),
            _ => u32::try_from(target).is_ok(),
        };
        if !is_told {
            return Err(Fault::Unsupported("moving a pointer that is far away from its object".to_owned()));
        }
        let kept = if size < NEAR { target.clamp(i32::MIN.into(), i32::MAX.into()) } else { target };
        Ok(self.pointer(index, 0).wrapping_add(kept as u64))
    }
    /// Whether a pointer of LP64 is so far away from its object that it may stand for others (M5).
    pub(crate) fn is_far(&self, pointer: u64) -> bool {
        if self.model != DataModel::Lp64 || !may_be_far(pointer) {
            return false;
        }
        let (index, offset) = self.locate_outside(pointer);
        let object = self.objects.get(index as usize).filter(|object| object.kind != ObjectKind::None);
        object.is_some_and(|object| i64::from(object.size) < NEAR) && is_distant(offset)
    }
    /// Reads bytes; the offset in `out` of the first uninitialised one is returned, if there is one.
    pub(crate) fn read(&self, pointer: u64, out: &mut [u8]) -> Result<Option<usize>, Fault> {
        let (index, offset) = self.check(pointer, out.len() as u64)?;
        let missing = self.objects[index as usize].bytes.read(offset, out);
        Ok(missing.map(|missing| (missing - offset) as usize))
    }
    /// Writes bytes to memory that may be written.
    pub(crate) fn write(&mut self, pointer: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.check_writable(pointer, bytes.len() as u64)?;
        self.write_anyway(pointer, bytes)
    }
    /// Writes bytes, to read-only memory too.
    pub(crate) fn write_anyway(&mut self, pointer: u64, bytes: &[u8]) -> Result<(), Fault> {
        let (index, offset) = self.check(pointer, bytes.len() as u64)?;
        if offset % u32::from(self.word) != 0 && bytes.len() >= usize::from(self.word) {
            return self.write_across(index, offset, bytes);
        }
        let made = self.objects[index as usize].bytes.write(offset, bytes);
        self.grow(index, made)
    }
    /// Makes bytes uninitialised.
    pub(crate) fn forget(&mut self, pointer: u64, length: u64) -> Result<(), Fault> {
        let (index, offset) = self.check_writable(pointer, length)?;
        let made = self.objects[index as usize].bytes.forget(offset, length as usize);
        self.grow(index, made)
    }
    /// Makes bytes uninitialised as far as their object goes and may be written; how many is returned.
    pub(crate) fn forget_within(&mut self, pointer: u64, length: u64) -> Result<u64, Fault> {
        let (index, offset) = self.locate(pointer);
        let Some(object) = self.objects.get(index as usize) else { return Ok(0) };
        let is_writable = object.live && object.kind != ObjectKind::Procedure && !object.read_only;
        let length = length.min(u64::from(object.size.saturating_sub(offset)));
        if is_writable && length > 0 {
            self.forget(pointer, length)?;
            return Ok(length);
        }
        Ok(0)
    }
    /// Sets bytes to one value.
    pub(crate) fn fill(&mut self, pointer: u64, length: u64, byte: u8) -> Result<(), Fault> {
        if length == 0 {
            return Ok(());
        }
        let (index, offset) = self.check_writable(pointer, length)?;
        if length > DENSE_LIMIT {
            // Charged before: one call may make many pages.
            let pages = length.div_ceil(PAGE as u64) * PAGE as u64;
            if self.used + pages > self.limit {
                return Err(Fault::Resource(Resource::Memory));
            }
        }
        let made = self.objects[index as usize].bytes.fill(offset, length as usize, byte);
        self.grow(index, made)
    }
    /// Gives an object new contents throughout, read-only ones too.
    pub(crate) fn renew(&mut self, pointer: u64, contents: InitKind) -> Result<(), Fault> {
        let (index, _) = self.check(pointer, 0)?;
        let object = &mut self.objects[index as usize];
        let taken = Bytes::footprint(object.size, contents);
        object.bytes = Bytes::new(object.size, contents);
        object.input = Input::of(contents);
        self.used -= object.taken;
        object.taken = taken;
        self.charge(taken)
    }
    /// The pointer of ILP32 whose address was read at `from`.
    pub(crate) fn restore(&self, from: u64, address: u32) -> u64 {
        let (index, offset) = self.locate(from);
        match self.objects.get(index as usize).and_then(|object| object.bytes.pointer_at(offset)) {
            Some(object) => u64::from(object) << 32 | u64::from(address),
            None => self.assembled(index, offset).unwrap_or_else(|| self.pointer_to(u64::from(address))),
        }
    }
    /// Notes the provenance of the pointer that was just written at `to`.
    pub(crate) fn note(&mut self, to: u64, pointer: u64) {
        let (index, offset) = self.locate(to);
        let object = (pointer >> 32) as u32;
        if object != 0 {
            self.objects[index as usize].bytes.note_pointer(offset, object);
            self.note_across(index, offset, pointer);
        }
    }
    /// A byte and which of its bits are initialised.
    pub(crate) fn byte(&self, pointer: u64) -> Result<(u8, u8), Fault> {
        let (index, offset) = self.check(pointer, 1)?;
        let bytes = &self.objects[index as usize].bytes;
        Ok((bytes.raw(offset), bytes.known_bits(offset)))
    }
    /// Writes some bits of a byte.
    pub(crate) fn write_bits(&mut self, pointer: u64, mask: u8, bits: u8) -> Result<(), Fault> {
        let (index, offset) = self.check_writable(pointer, 1)?;
        let made = self.objects[index as usize].bytes.write_bits(offset, mask, bits);
        self.grow(index, made)
    }
    /// Completes a byte whose value was chosen; read-only memory too.
    pub(crate) fn settle_byte(&mut self, pointer: u64, byte: u8) -> Result<(), Fault> {
        let (value, known) = self.byte(pointer)?;
        self.write_anyway(pointer, &[(value & known) | (byte & !known)])
    }
    /// Size of the live object that a pointer points to.
    pub(crate) fn size_of(&self, pointer: u64) -> u64 {
        let (index, _) = self.locate(pointer);
        self.objects.get(index as usize).map_or(0, |object| u64::from(object.size))
    }
}
