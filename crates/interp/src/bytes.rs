//! The bytes of one memory object, with what is known about them beyond their values.
//!
//! # Invariants
//! * B1: an object of at most [`DENSE_LIMIT`] bytes keeps them in one piece; a larger one in pages that are made when
//!   first written, so that a huge object of which little is used costs little.
//! * B2: `extra` is absent exactly if the object is in one piece, every byte is initialised, and neither pointer provenance
//!   nor parts of pointers are kept for it: then reading and writing need not look further.
//! * B3: a byte that is initialised in part (a bit-field was written) counts as uninitialised in the bitmap; `partial`
//!   has the bits that are.
//! * B4: `parts` has bytes that are initialised; what they mean is in [`super::parts`].

use std::collections::BTreeMap;

use super::bitmap::Bitmap;
use cfa::op::InitKind;

/// Largest object that is kept in one piece.
pub(crate) const DENSE_LIMIT: u64 = 16 << 20;
/// Bytes of a page of larger ones.
pub(crate) const PAGE: usize = 1 << 16;

#[derive(Clone, Debug)]
struct Page {
    data: Box<[u8]>,
    initialised: Option<Bitmap>,
}

#[derive(Clone, Debug)]
struct Pages {
    pages: Vec<Option<Box<Page>>>,
    /// What a page that was not made yet contains.
    contents: InitKind,
}

#[derive(Clone, Debug, Default)]
struct Extra {
    initialised: Option<Bitmap>,
    pages: Option<Pages>,
    /// Offset of a stored pointer to the object that it points to.
    pointers: BTreeMap<u32, u32>,
    /// Offset of a byte to the bits of it that are initialised (B3).
    partial: BTreeMap<u32, u8>,
    /// Offset of a byte to the byte of a pointer that it is (B4).
    parts: BTreeMap<u32, Part>,
}

/// A byte of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The pointer, as a register holds it.
    pub(crate) pointer: u64,
    /// Which byte of it.
    pub(crate) number: u8,
}

/// The contents of an object. Ranges are within it: the caller checks bounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes {
    data: Box<[u8]>,
    extra: Option<Box<Extra>>,
}

/// A copy of a stretch of an object.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    data: Vec<u8>,
    /// Which bytes are initialised; empty if all are.
    initialised: Vec<bool>,
    partial: Vec<(u32, u8)>,
}

impl Bytes {
    /// Contents of `size` bytes.
    pub(crate) fn new(size: u32, contents: InitKind) -> Self {
        if size == 0 {
            return Self::default();
        }
        let uninitialised = contents != InitKind::Zero;
        if u64::from(size) <= DENSE_LIMIT {
            let initialised = uninitialised.then(|| Bitmap::empty(size as usize));
            let extra = initialised.map(|map| Box::new(Extra { initialised: Some(map), ..Extra::default() }));
            return Self { data: vec![0; size as usize].into_boxed_slice(), extra };
        }
        let pages = Pages { pages: vec![None; (size as usize).div_ceil(PAGE)], contents };
        Self { data: Box::default(), extra: Some(Box::new(Extra { pages: Some(pages), ..Extra::default() })) }
    }
    /// Memory that [`Bytes::new`] takes for them.
    pub(crate) fn footprint(size: u32, contents: InitKind) -> u64 {
        if u64::from(size) > DENSE_LIMIT {
            return (size as usize).div_ceil(PAGE) as u64 * 8;
        }
        match contents {
            InitKind::Uninitialised | InitKind::Arbitrary => {
                u64::from(size) + Bitmap::footprint(size as usize)
            }
            InitKind::Zero => u64::from(size),
        }
    }
    /// The bytes of a range, if B2 makes looking further unnecessary.
    #[inline]
    pub(crate) fn plain(&self, at: usize, length: usize) -> Option<&[u8]> {
        if self.extra.is_some() { None } else { self.data.get(at..at + length) }
    }
    /// As [`Bytes::plain`], for writing.
    #[inline]
    pub(crate) fn plain_mut(&mut self, at: usize, length: usize) -> Option<&mut [u8]> {
        if self.extra.is_some() { None } else { self.data.get_mut(at..at + length) }
    }
    /// Copies a range to `out`; uninitialised bytes are 0 there. The offset of the first of those is returned.
    pub(crate) fn read(&self, at: u32, out: &mut [u8]) -> Option<u32> {
        let mut first = None;
        self.for_chunks(at, out.len(), |done, offset, data, initialised, fresh| {
            let part = &mut out[done..done + data.map_or(fresh, |(_, length)| length)];
            if let Some((data, length)) = data {
                part.copy_from_slice(&data[offset..offset + length]);
                let missing = initialised.and_then(|map| map.first_missing(offset, offset + length));
                first = first.or(missing.map(|missing| at + (done + missing - offset) as u32));
            } else {
                part.fill(0);
                if initialised.is_none() && self.fresh_is_uninitialised() {
                    first = first.or(Some(at + done as u32));
                }
            }
        });
        first
    }
    /// The number that at most 8 bytes are, if all have values.
    pub(crate) fn number(&self, at: u32, length: usize) -> Option<u64> {
        let mut buffer = [0; 8];
        match self.plain(at as usize, length) {
            Some(plain) => buffer[..length].copy_from_slice(plain),
            None => {
                if self.read(at, &mut buffer[..length]).is_some() {
                    return None;
                }
            }
        }
        Some(u64::from_le_bytes(buffer))
    }
    fn fresh_is_uninitialised(&self) -> bool {
        let pages = self.extra.as_ref().and_then(|extra| extra.pages.as_ref());
        pages.is_some_and(|pages| pages.contents != InitKind::Zero)
    }
    /// Calls `visit(done, offset, Some((data, length)) or None, bitmap, length)` for each stretch within one page.
    fn for_chunks<'a>(
        &'a self,
        at: u32,
        length: usize,
        mut visit: impl FnMut(usize, usize, Option<(&'a [u8], usize)>, Option<&'a Bitmap>, usize),
    ) {
        let Some(pages) = self.extra.as_ref().and_then(|extra| extra.pages.as_ref()) else {
            let initialised = self.extra.as_ref().and_then(|extra| extra.initialised.as_ref());
            return visit(0, at as usize, Some((&self.data, length)), initialised, length);
        };
        let mut done = 0;
        while done < length {
            let position = at as usize + done;
            let offset = position % PAGE;
            let count = (PAGE - offset).min(length - done);
            match &pages.pages[position / PAGE] {
                Some(page) => {
                    visit(done, offset, Some((&page.data, count)), page.initialised.as_ref(), count);
                }
                None => visit(done, offset, None, None, count),
            }
            done += count;
        }
    }
    /// Changes a range page by page; `change(done, data, bitmap, start..end)`. Returns the bytes of pages made.
    fn change(
        &mut self,
        at: u32,
        length: usize,
        mut change: impl FnMut(usize, &mut [u8], Option<&mut Bitmap>, (usize, usize)),
    ) -> u64 {
        let Some(extra) = &mut self.extra else {
            change(0, &mut self.data, None, (at as usize, at as usize + length));
            return 0;
        };
        let Some(pages) = &mut extra.pages else {
            change(0, &mut self.data, extra.initialised.as_mut(), (at as usize, at as usize + length));
            return 0;
        };
        let (mut done, mut made) = (0, 0);
        while done < length {
            let position = at as usize + done;
            let offset = position % PAGE;
            let count = (PAGE - offset).min(length - done);
            let contents = pages.contents;
            let page = pages.pages[position / PAGE].get_or_insert_with(|| {
                made += page_footprint(contents);
                let initialised = (contents != InitKind::Zero).then(|| Bitmap::empty(PAGE));
                Box::new(Page { data: vec![0; PAGE].into_boxed_slice(), initialised })
            });
            change(done, &mut page.data, page.initialised.as_mut(), (offset, offset + count));
            done += count;
        }
        made
    }
    /// Forgets provenance and partial initialisation of a range.
    fn forget_notes(&mut self, at: u32, length: usize) {
        let Some(extra) = &mut self.extra else { return };
        let end = u64::from(at) + length as u64;
        remove_range(&mut extra.pointers, at.saturating_sub(3), end);
        remove_range(&mut extra.partial, at, end);
        remove_range(&mut extra.parts, at, end);
    }
    /// Restores B2 after a change.
    fn settle(&mut self) {
        let Some(extra) = &mut self.extra else { return };
        if extra.initialised.as_ref().is_some_and(Bitmap::is_full) {
            extra.initialised = None;
        }
        if extra.initialised.is_none()
            && extra.pages.is_none()
            && extra.pointers.is_empty()
            && extra.partial.is_empty()
            && extra.parts.is_empty()
        {
            self.extra = None;
        }
    }
    /// Writes bytes, which become initialised. Returns the memory that this took.
    pub(crate) fn write(&mut self, at: u32, bytes: &[u8]) -> u64 {
        self.forget_notes(at, bytes.len());
        let made = self.change(at, bytes.len(), |done, data, map, (start, end)| {
            data[start..end].copy_from_slice(&bytes[done..done + end - start]);
            if let Some(map) = map {
                map.insert_range(start, end);
            }
        });
        self.settle();
        made
    }
    /// Sets a range to one value. Returns the memory that this took.
    pub(crate) fn fill(&mut self, at: u32, length: usize, byte: u8) -> u64 {
        self.forget_notes(at, length);
        let made = self.change(at, length, |_, data, map, (start, end)| {
            data[start..end].fill(byte);
            if let Some(map) = map {
                map.insert_range(start, end);
            }
        });
        self.settle();
        made
    }
    /// Makes a range uninitialised. Returns the memory that this took.
    pub(crate) fn forget(&mut self, at: u32, length: usize) -> u64 {
        self.forget_notes(at, length);
        let mut made = 0;
        let size = self.data.len();
        let extra = self.extra.get_or_insert_default();
        if extra.pages.is_none() && extra.initialised.is_none() {
            let mut map = Bitmap::empty(size);
            map.insert_range(0, size);
            extra.initialised = Some(map);
            made += Bitmap::footprint(size);
        }
        made += self.change_bitmaps(at, length);
        self.settle();
        made
    }
    fn change_bitmaps(&mut self, at: u32, length: usize) -> u64 {
        // Pages of zero contents have no bitmap: they get one here.
        let mut made = 0;
        if let Some(pages) = self.extra.as_mut().and_then(|extra| extra.pages.as_mut()) {
            for page in &mut pages.pages[at as usize / PAGE..(at as usize + length).div_ceil(PAGE)] {
                let made_page = page.get_or_insert_with(|| {
                    made += page_footprint(InitKind::Uninitialised);
                    Box::new(Page { data: vec![0; PAGE].into_boxed_slice(), initialised: None })
                });
                if made_page.initialised.is_none() {
                    let mut map = Bitmap::empty(PAGE);
                    if pages.contents == InitKind::Zero {
                        map.insert_range(0, PAGE);
                    }
                    made_page.initialised = Some(map);
                }
            }
        }
        made + self.change(at, length, |_, _, map, (start, end)| {
            if let Some(map) = map {
                map.remove_range(start, end);
            }
        })
    }
    /// Copies a stretch with what is known about its bytes, provenance apart.
    pub(crate) fn piece(&self, at: u32, length: usize) -> Piece {
        let mut piece = Piece { data: vec![0; length], ..Piece::default() };
        let Some(extra) = &self.extra else {
            piece.data.copy_from_slice(&self.data[at as usize..at as usize + length]);
            return piece;
        };
        if self.read(at, &mut piece.data).is_some() {
            piece.initialised = vec![true; length];
            let fresh = !self.fresh_is_uninitialised();
            let flags = &mut piece.initialised;
            self.for_chunks(at, length, |done, offset, data, map, count| match (data, map) {
                (None, _) => flags[done..done + count].fill(fresh),
                (Some(_), None) => {}
                (Some(_), Some(map)) => {
                    for (index, flag) in flags[done..done + count].iter_mut().enumerate() {
                        *flag = map.contains(offset + index);
                    }
                }
            });
        }
        let end = u64::from(at) + length as u64;
        let inside = extra.partial.range(at..).take_while(|(key, _)| u64::from(**key) < end);
        piece.partial = inside.map(|(key, bits)| (*key - at, *bits)).collect();
        piece
    }
    /// Writes a stretch that [`Bytes::piece`] copied. Returns the memory that this took.
    pub(crate) fn paste(&mut self, at: u32, piece: &Piece) -> u64 {
        if piece.initialised.is_empty() {
            return self.write(at, &piece.data);
        }
        let mut made = self.forget(at, piece.data.len());
        made += self.change(at, piece.data.len(), |done, data, map, (start, end)| {
            data[start..end].copy_from_slice(&piece.data[done..done + end - start]);
            let Some(map) = map else { return };
            for index in start..end {
                if piece.initialised[done + index - start] {
                    map.insert(index);
                }
            }
        });
        if !piece.partial.is_empty() {
            let extra = self.extra.get_or_insert_default();
            extra.partial.extend(piece.partial.iter().map(|(key, bits)| (key + at, *bits)));
        }
        self.settle();
        made
    }
    /// The bits of a byte that are initialised.
    pub(crate) fn known_bits(&self, at: u32) -> u8 {
        let mut byte = [0];
        match self.read(at, &mut byte) {
            None => 0xff,
            Some(_) => {
                self.extra.as_ref().and_then(|extra| extra.partial.get(&at)).copied().unwrap_or_default()
            }
        }
    }
    /// The value of a byte, whatever is known about it.
    pub(crate) fn raw(&self, at: u32) -> u8 {
        let mut byte = [0];
        self.read(at, &mut byte);
        byte[0]
    }
    /// Writes the bits of `mask` of a byte and keeps the others as they are. Returns the memory that this took.
    pub(crate) fn write_bits(&mut self, at: u32, mask: u8, bits: u8) -> u64 {
        let known = self.known_bits(at);
        let byte = (self.raw(at) & !mask) | (bits & mask);
        if known | mask == 0xff {
            return self.write(at, &[byte]);
        }
        self.forget_notes(at, 1);
        let made = self.change(at, 1, |_, data, _, (start, _)| data[start] = byte);
        self.extra.get_or_insert_default().partial.insert(at, known | mask);
        made
    }
    /// The object that the pointer stored at an offset points to, if it is known.
    pub(crate) fn pointer_at(&self, at: u32) -> Option<u32> {
        self.extra.as_ref()?.pointers.get(&at).copied()
    }
    /// Notes which object the pointer just stored at an offset points to.
    pub(crate) fn note_pointer(&mut self, at: u32, object: u32) {
        self.extra.get_or_insert_default().pointers.insert(at, object);
    }
    /// Notes that the byte just written at an offset is a part of a pointer.
    pub(crate) fn note_part(&mut self, at: u32, part: Part) {
        self.extra.get_or_insert_default().parts.insert(at, part);
    }
    /// The bytes of a range that are noted as parts of pointers, by their offsets.
    pub(crate) fn parts_in(&self, at: u32, length: usize) -> impl Iterator<Item = (u32, Part)> + '_ {
        let end = u64::from(at) + length as u64;
        let noted = self.extra.as_ref().filter(|extra| !extra.parts.is_empty());
        let inside = noted.into_iter().flat_map(move |extra| extra.parts.range(at..));
        inside.map(|(key, part)| (*key, *part)).take_while(move |(key, _)| u64::from(*key) < end)
    }
    /// Forgets that bytes of a range are parts of pointers.
    pub(crate) fn forget_parts(&mut self, at: u32, length: usize) {
        if let Some(extra) = &mut self.extra {
            remove_range(&mut extra.parts, at, u64::from(at) + length as u64);
        }
        self.settle();
    }
    /// The noted pointers that lie within a range, relative to its start.
    pub(crate) fn pointers_in(&self, at: u32, length: usize) -> Vec<(u32, u32)> {
        let Some(extra) = &self.extra else { return Vec::new() };
        let end = u64::from(at) + length as u64;
        let inside = extra.pointers.range(at..).take_while(|(key, _)| u64::from(**key) + 4 <= end);
        inside.map(|(key, object)| (key - at, *object)).collect()
    }
}

/// Removes the notes of a range.
fn remove_range<T>(notes: &mut BTreeMap<u32, T>, at: u32, end: u64) {
    if notes.is_empty() {
        return;
    }
    let stale: Vec<u32> =
        notes.range(at..).map(|(key, _)| *key).take_while(|key| u64::from(*key) < end).collect();
    for key in stale {
        notes.remove(&key);
    }
}

fn page_footprint(contents: InitKind) -> u64 {
    match contents {
        InitKind::Uninitialised | InitKind::Arbitrary => PAGE as u64 + Bitmap::footprint(PAGE),
        InitKind::Zero => PAGE as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_initialisation_makes_access_plain() {
        let mut bytes = Bytes::new(4, InitKind::Uninitialised);
        assert!(bytes.plain(0, 1).is_none());
        bytes.write(0, &[1, 2]);
        assert_eq!(bytes.read(0, &mut [0; 4]), Some(2));
        bytes.write(2, &[3, 4]);
        assert_eq!(bytes.plain(0, 4), Some(&[1, 2, 3, 4][..]));
        bytes.forget(1, 1);
        assert_eq!(bytes.read(0, &mut [0; 4]), Some(1));
    }

    #[test]
    fn huge_objects_take_pages_only_where_written() {
        for contents in [InitKind::Zero, InitKind::Uninitialised] {
            let mut bytes = Bytes::new(u32::MAX, contents);
            assert!(Bytes::footprint(u32::MAX, contents) < 1 << 20);
            let across = 3 * PAGE as u32 - 2;
            assert!(bytes.write(across, &[1, 2, 3, 4]) > 0);
            let mut out = [9; 6];
            let missing = bytes.read(across - 1, &mut out);
            assert_eq!(out, [0, 1, 2, 3, 4, 0]);
            assert_eq!(missing, (contents == InitKind::Uninitialised).then_some(across - 1));
            assert_eq!(bytes.read(across, &mut out[..4]), None);
            bytes.forget(across + 1, 1);
            assert_eq!(bytes.read(across, &mut out[..4]), Some(across + 1));
            bytes.forget(10, 1);
            assert_eq!(bytes.read(11, &mut out[..2]), (contents == InitKind::Uninitialised).then_some(11));
        }
    }

    #[test]
    fn overwriting_any_byte_forgets_a_pointer() {
        let mut bytes = Bytes::new(16, InitKind::Zero);
        for clobbered in [3_u32, 4, 7, 8] {
            bytes.write(4, &[1, 2, 3, 4]);
            bytes.note_pointer(4, 42);
            assert_eq!(bytes.pointers_in(0, 16), [(4, 42)]);
            assert_eq!(bytes.pointers_in(4, 3), []);
            bytes.write(clobbered, &[0]);
            let kept = !(4..8).contains(&clobbered);
            assert_eq!(bytes.pointer_at(4), kept.then_some(42), "{clobbered}");
        }
    }

    #[test]
    fn parts_of_pointers_are_noted_until_they_are_overwritten() {
        let mut bytes = Bytes::new(8, InitKind::Zero);
        let part = |number| Part { pointer: 0x1234, number };
        bytes.write(2, &[0x34, 0x12]);
        bytes.note_part(2, part(0));
        bytes.note_part(3, part(1));
        assert!(bytes.plain(0, 8).is_none());
        assert_eq!(bytes.parts_in(0, 3).collect::<Vec<_>>(), [(2, part(0))]);
        assert_eq!(bytes.number(2, 2), Some(0x1234));
        let copy = bytes.clone();
        bytes.write(1, &[0, 0]);
        assert_eq!(bytes.parts_in(0, 8).collect::<Vec<_>>(), [(3, part(1))]);
        bytes.fill(3, 1, 0);
        assert!(bytes.plain(0, 8).is_some());
        assert_eq!(copy.parts_in(0, 8).count(), 2);
        let mut copy = copy;
        copy.forget_parts(0, 8);
        assert_eq!(copy.plain(2, 2), Some(&[0x34, 0x12][..]));
        copy.note_part(5, part(0));
        copy.forget(5, 1);
        assert_eq!((copy.parts_in(0, 8).count(), copy.number(4, 4)), (0, None));
    }

    #[test]
    fn bit_fields_initialise_bits() {
        let mut bytes = Bytes::new(2, InitKind::Uninitialised);
        bytes.write_bits(0, 0b0000_0111, 0b101);
        assert_eq!(bytes.known_bits(0), 0b111);
        assert_eq!(bytes.read(0, &mut [0]), Some(0));
        let piece = bytes.piece(0, 2);
        let mut other = Bytes::new(2, InitKind::Zero);
        other.paste(0, &piece);
        assert_eq!((other.known_bits(0), other.raw(0), other.known_bits(1)), (0b111, 0b101, 0));
        bytes.write_bits(0, 0b1111_1000, 0);
        assert_eq!(bytes.known_bits(0), 0xff);
        assert_eq!(bytes.read(0, &mut [0]), None);
    }
}
