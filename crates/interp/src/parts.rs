//! Parts of pointers in memory: copying, cutting and joining them.
//!
//! What a program sees of a part of a pointer depends on where objects lie ([`super::guard`]). Such bytes may be copied, and when all bytes of a
//! pointer are together again in their order, they are that pointer. Everything else that reads them is unsupported.
//!
//! # Invariants
//! * P1: a word is as large as a pointer and starts at a multiple of its size in the object. A byte of memory depends on addresses only if it
//!   is noted as a part, or if it is in a word without noted bytes whose value is an address (a whole pointer).
//! * P2: the bytes of a word are not all noted as the parts of one pointer in their order: then the notes are dropped.
//! * P3: a pointer that is not stored as a word is noted byte by byte.
//!
//! Numbers may look like addresses. So whole pointers are looked for only where the compiler found that pointers may be stored
//! ([`Stored`]), and by accesses as large as a pointer that are not to one word.
//!
//! # Cost
//! Accesses of words, and of less where no pointer is stored, pay nothing.

use super::bytes::Part;
use super::memory::Memory;
use super::outcome::Fault;
use cfa::ty::DataModel;

/// Bytes that are copied at once.
const CHUNK: usize = 1 << 16;

/// What memory may contain, as far as the compiler knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    Numbers,
    Pointers,
}

impl Memory {
    /// The words that a range has bytes of.
    fn words(&self, at: u32, length: u64) -> impl DoubleEndedIterator<Item = u32> + use<> {
        let size = u64::from(self.word);
        let (first, end) = (u64::from(at) / size, (u64::from(at) + length).div_ceil(size));
        let end = end.min((u64::from(u32::MAX) + 1) / size);
        (first..end).map(move |word| (word * size) as u32)
    }
    /// Whether a number is an address.
    fn is_address(&self, number: u64) -> bool {
        self.found_number(number).is_some()
    }
    /// The pointer that a word is, as a register holds it (P1).
    fn whole(&self, index: u32, start: u32) -> Option<u64> {
        let (bytes, size) = self.contents(index)?;
        if u64::from(start) + u64::from(self.word) > u64::from(size) {
            return None;
        }
        let number = bytes.number(start, usize::from(self.word))?;
        let provenance = bytes.pointer_at(start);
        let is_pointer = provenance.is_some() || self.is_address(number);
        if !is_pointer || bytes.parts_in(start, usize::from(self.word)).next().is_some() {
            return None;
        }
        Some(u64::from(provenance.unwrap_or(0)) << 32 | number)
    }
    /// The bytes of a word that is a whole pointer, by their offsets.
    fn split(&self, index: u32, start: u32) -> impl Iterator<Item = (u32, Part)> + use<> {
        let pointer = self.whole(index, start);
        let bytes = pointer.map_or(0..0, |_| 0..self.word);
        bytes.map(move |number| {
            (start + u32::from(number), Part { pointer: pointer.unwrap_or_default(), number })
        })
    }
    /// The pointer that the noted bytes from an offset on are together.
    fn joined(&self, index: u32, start: u32) -> Option<u64> {
        let (bytes, _) = self.contents(index)?;
        let mut parts = bytes.parts_in(start, usize::from(self.word));
        let pointer = parts.next().filter(|(at, part)| *at == start && part.number == 0)?.1.pointer;
        let mut count = 1;
        for (at, part) in parts {
            if at != start + count || part != (Part { pointer, number: count as u8 }) {
                return None;
            }
            count += 1;
        }
        (count == u32::from(self.word)).then_some(pointer)
    }
    /// The pointer of ILP32 whose bytes were joined at an offset, if it is known which object it points to.
    pub(super) fn assembled(&self, index: u32, start: u32) -> Option<u64> {
        self.joined(index, start).filter(|pointer| pointer >> 32 != 0)
    }
    /// Whether a range has bytes of pointers.
    pub(crate) fn has_parts(&self, pointer: u64, length: u64) -> bool {
        let (index, at) = self.locate(pointer);
        let Some((bytes, _)) = self.contents(index) else { return false };
        bytes.parts_in(at, length as usize).next().is_some()
            || self.words(at, length).any(|start| self.whole(index, start).is_some())
    }
    /// Whether the bits of a range depend on addresses; not if it may not be accessed, which is found out by the access.
    pub(super) fn changes_part(&self, pointer: u64, length: u64) -> bool {
        self.has_parts(pointer, length) && self.check(pointer, length).is_ok()
    }
    /// Whether a number that is read from a range depends on addresses without being one.
    pub(super) fn reads_part(&self, pointer: u64, length: u64) -> bool {
        if !self.changes_part(pointer, length) {
            return false;
        }
        // What is left is an address as a number of 64 bits in ILP32.
        let (index, at) = self.locate(pointer);
        let mut bytes = [0; 8];
        self.word != 4
            || length != 8
            || at % 4 != 0
            || self.whole(index, at).is_none()
            || self.has_parts(pointer.wrapping_add(4), 4)
            || !matches!(self.read(pointer, &mut bytes), Ok(None))
            || bytes[4..] != [0; 4]
    }
    /// An error if bytes that are read are parts of pointers, unless they are one pointer and are read as a word.
    pub(crate) fn check_parts(&self, pointer: u64, length: usize, wanted: Wanted) -> Result<(), Fault> {
        let (index, at) = self.locate(pointer);
        let size = usize::from(self.word);
        let Some((bytes, _)) = self.contents(index) else { return Ok(()) };
        let is_across = length >= size && !(at as usize).is_multiple_of(size);
        let has_parts = bytes.parts_in(at, length).next().is_some()
            || is_across && self.has_parts(pointer, length as u64);
        if !has_parts || wanted == Wanted::Word && self.joined(index, at).is_some() {
            return Ok(());
        }
        Err(Fault::Unsupported("reading a part of a pointer".to_owned()))
    }
    /// Before a range is overwritten: what is left of pointers that it has only some bytes of is noted.
    pub(crate) fn cut(&mut self, pointer: u64, length: u64) {
        let (index, at) = self.locate(pointer);
        let Some((_, size)) = self.contents(index) else { return };
        let end = (u64::from(at) + length).min(u64::from(size));
        if u64::from(at) < end {
            self.cut_range(index, at, end);
        }
    }
    fn cut_range(&mut self, index: u32, at: u32, end: u64) {
        for start in self.ends(at, end - u64::from(at)).into_iter().flatten() {
            for (byte, part) in self.split(index, start) {
                if byte < at || u64::from(byte) >= end {
                    self.bytes_mut(index).note_part(byte, part);
                }
            }
        }
    }
    /// The words that a range has only some bytes of.
    fn ends(&self, at: u32, length: u64) -> [Option<u32>; 2] {
        let size = u64::from(self.word);
        let end = u64::from(at) + length;
        let is_partial = |start: &u32| u64::from(*start) < u64::from(at) || u64::from(*start) + size > end;
        let mut words = self.words(at, length);
        let first = words.next().filter(is_partial);
        [first, words.next_back().filter(is_partial)]
    }
    /// Writes what is as large as a pointer, or larger, and does not start with a word (P3).
    pub(super) fn write_across(&mut self, index: u32, at: u32, bytes: &[u8]) -> Result<(), Fault> {
        self.cut_range(index, at, u64::from(at) + bytes.len() as u64);
        let made = self.bytes_mut(index).write(at, bytes);
        // No larger type has pointers in it.
        if bytes.len() <= 8 {
            for (number, word) in bytes.chunks_exact(usize::from(self.word)).enumerate() {
                let mut value = [0; 8];
                value[..word.len()].copy_from_slice(word);
                let pointer = u64::from_le_bytes(value);
                if self.is_address(pointer) {
                    self.note_across(index, at + number as u32 * u32::from(self.word), pointer);
                }
            }
        }
        self.grow(index, made)
    }
    /// Notes the bytes of a pointer that was just written, unless it is a word.
    pub(super) fn note_across(&mut self, index: u32, at: u32, pointer: u64) {
        if at.is_multiple_of(u32::from(self.word)) {
            return;
        }
        for number in 0..self.word {
            self.bytes_mut(index).note_part(at + u32::from(number), Part { pointer, number });
        }
    }
    /// The parts of pointers in a range, relative to its start, if it is copied to an offset: noted ones, and the bytes of
    /// whole pointers that are not copied as words.
    fn parts_for(
        &self,
        (index, start): (u32, u32),
        length: u64,
        to: u32,
        stored: Stored,
    ) -> Vec<(u32, Part)> {
        let Some((bytes, _)) = self.contents(index) else { return Vec::new() };
        let mut parts: Vec<(u32, Part)> = bytes.parts_in(start, length as usize).collect();
        let end = u64::from(start) + length;
        let size = u32::from(self.word);
        let words: Vec<u32> = match stored {
            Stored::Numbers => Vec::new(),
            Stored::Pointers if start % size == to % size => {
                self.ends(start, length).into_iter().flatten().collect()
            }
            Stored::Pointers => self.words(start, length).collect(),
        };
        for word in words {
            let inside = |(at, _): &(u32, Part)| *at >= start && u64::from(*at) < end;
            parts.extend(self.split(index, word).filter(inside));
        }
        parts.iter().map(|(at, part)| (at - start, *part)).collect()
    }
    /// Drops the notes of words that are whole again (P2).
    fn join(&mut self, index: u32, at: u32, parts: &[(u32, Part)]) {
        let mut words: Vec<u32> =
            parts.iter().map(|(offset, _)| at + offset - (at + offset) % u32::from(self.word)).collect();
        words.dedup();
        for start in words {
            let Some(pointer) = self.joined(index, start) else { continue };
            let size = usize::from(self.word);
            let model = self.model();
            let bytes = self.bytes_mut(index);
            bytes.forget_parts(start, size);
            if model == DataModel::Ilp32 && pointer >> 32 != 0 {
                bytes.note_pointer(start, (pointer >> 32) as u32);
            }
        }
    }
    /// Copies bytes with all that is known about them.
    pub(crate) fn copy(&mut self, to: u64, from: u64, length: u64, stored: Stored) -> Result<(), Fault> {
        if length == 0 {
            return Ok(());
        }
        let (source, start) = self.check(from, length)?;
        let (target, end) = self.check_writable(to, length)?;
        let parts = self.parts_for((source, start), length, end, stored);
        if stored == Stored::Pointers {
            self.cut(to, length);
        }
        let length = length as usize;
        let pointers = self.contents(source).map(|(bytes, _)| bytes.pointers_in(start, length));
        let chunks = length.div_ceil(CHUNK);
        // As memmove: towards higher addresses if the target lies below the source.
        let backwards = source == target && end > start;
        for step in 0..chunks {
            let chunk = if backwards { chunks - 1 - step } else { step };
            let at = chunk * CHUNK;
            let count = CHUNK.min(length - at);
            let piece = self.bytes_mut(source).piece(start + at as u32, count);
            let made = self.bytes_mut(target).paste(end + at as u32, &piece);
            self.grow(target, made)?;
        }
        for (at, object) in pointers.unwrap_or_default() {
            self.bytes_mut(target).note_pointer(end + at, object);
        }
        for (at, part) in &parts {
            self.bytes_mut(target).note_part(end + at, *part);
        }
        self.join(target, end, &parts);
        self.share_inputs(to, from);
        Ok(())
    }
}

/// What bytes are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A pointer, or a number as large as one.
    Word,
    /// Something else.
    Part,
}

#[cfg(test)]
mod tests {
    use super::super::memory::{NewObject, ObjectKind};
    use super::*;
    use cfa::op::InitKind;

    const SIZE: u64 = 32;

    /// Memory with three objects after some others, and pointers to the three.
    fn world(model: DataModel, others: u32) -> (Memory, [u64; 3]) {
        let mut memory = Memory::new(model, 1 << 30);
        let mut create = |size: u64| {
            let (kind, contents) = (ObjectKind::Heap, InitKind::Zero);
            let new = NewObject { kind, size, align: 16, read_only: false, contents, origin: 0 };
            memory.create(new).expect("there should be room")
        };
        for _ in 0..others {
            create(5000);
        }
        let objects = [create(SIZE), create(SIZE), create(SIZE)];
        (memory, objects)
    }

    /// One random step; what it reads, if that is supported: a number, or an object and an offset.
    fn step(memory: &mut Memory, objects: [u64; 3], random: u64) -> Option<(u64, u32)> {
        let field = |shift: u32, limit: u64| (random >> shift) % limit;
        let word = u64::from(memory.word);
        let length = [1, 2, 4, 3, word, 8, 11, 1][field(8, 8) as usize];
        let place =
            |shift: u32, length: u64| objects[field(shift, 2) as usize] + field(shift + 4, SIZE - length + 1);
        let (at, from) = (place(16, length), place(32, length));
        match field(0, 8) {
            0 | 1 => {
                // Often as a word.
                let mask = if field(4, 2) == 0 { !(word - 1) } else { !0 };
                let (at, pointer) = (place(16, word) & mask, objects[2] + field(48, SIZE));
                memory.write(at, &pointer.to_le_bytes()[..word as usize]).expect("it should be written");
                if memory.model() == DataModel::Ilp32 {
                    memory.note(at, pointer);
                }
            }
            2..=4 => memory.copy(at, from, length, Stored::Pointers).expect("it should be copied"),
            5 => {
                // Bytes that no address here has.
                memory.cut(at, length);
                memory.fill(at, length, 0xc0 | field(48, 32) as u8).expect("it should be filled");
            }
            6 if length <= 8 && length != word && !memory.reads_part(at, length) => {
                memory.check_parts(at, length as usize, Wanted::Part).ok()?;
                let mut bytes = [0; 8];
                memory.read(at, &mut bytes[..length as usize]).expect("it should be read");
                let number = u64::from_le_bytes(bytes);
                // A number of 64 bits may be an address of ILP32.
                let is_address = length > word && memory.is_address(number);
                return Some(if is_address { (u64::MAX, 0) } else { (number, 0) });
            }
            7 => {
                let at = place(16, word);
                memory.check_parts(at, word as usize, Wanted::Word).ok()?;
                let mut bytes = [0; 8];
                memory.read(at, &mut bytes[..word as usize]).expect("it should be read");
                let number = u64::from_le_bytes(bytes);
                let pointer = if word == 4 { memory.restore(at, number as u32) } else { number };
                let offset = |found: super::super::memory::Found| (u64::MAX, found.offset);
                return Some(memory.found(pointer).map_or((number, 0), offset));
            }
            _ => {}
        }
        None
    }

    #[test]
    fn what_is_supported_is_the_same_wherever_objects_lie() {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let mut read = 0;
            for seed in 0..2000_u64 {
                let (mut one, here) = world(model, 1);
                let (mut other, there) = world(model, 300);
                let mut random = seed * 2 + 1;
                for _ in 0..60 {
                    random = (random ^ random >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    random ^= random >> 32;
                    let seen = step(&mut one, here, random);
                    assert_eq!(seen, step(&mut other, there, random), "seed {seed}");
                    read += usize::from(seen.is_some());
                }
            }
            assert!(read > 5000, "{read}");
        }
    }
}
