//! What may be asked about addresses and objects: why an access fails, what may be accessed or freed, what has values, and what is alive.

use super::{
    Access, AddressTest, Fault, Memory, NULL_ZONE, Object, ObjectKind, Resource, TextEnd, Ty, UndefinedKind,
    Validity, value_bytes,
};

impl Memory {
    /// Why an access to an address of no object fails.
    pub(super) fn no_object(&self, pointer: u64) -> UndefinedKind {
        if self.address(pointer) < NULL_ZONE {
            UndefinedKind::NullDereference
        } else {
            UndefinedKind::WildPointer
        }
    }
    /// Whether something holds of an address.
    pub(crate) fn test(&self, test: AddressTest, pointer: u64) -> bool {
        let (index, _) = self.locate_outside(pointer);
        let object = self.objects.get(index as usize).filter(|object| object.kind != ObjectKind::None);
        match (test, object) {
            (AddressTest::Null, None) => self.no_object(pointer) == UndefinedKind::NullDereference,
            (AddressTest::Wild, None) => self.no_object(pointer) == UndefinedKind::WildPointer,
            (AddressTest::Wild, Some(object)) => object.kind == ObjectKind::Procedure,
            (AddressTest::Dead, Some(object)) => !object.live && object.kind != ObjectKind::Procedure,
            (AddressTest::Freed, _) => self.is_freed(pointer),
            (AddressTest::Text, _) => self.text(pointer) == Some(TextEnd::Zero),
            (AddressTest::VagueText, _) => self.text(pointer) == Some(TextEnd::Vague),
            (AddressTest::BadBool, _) => {
                self.byte(pointer).is_ok_and(|(byte, known)| known == 0xff && byte > 1)
            }
            (AddressTest::Null, Some(_)) | (AddressTest::Dead, None) => false,
        }
    }
    pub(super) fn is_freed(&self, pointer: u64) -> bool {
        let (index, offset) = self.locate(pointer);
        let is_freed = |object: &Object| object.kind == ObjectKind::Heap && !object.live;
        offset == 0 && self.objects.get(index as usize).is_some_and(is_freed)
    }
    /// How the text ends that starts at an address; nothing if it ends with its object, or there is none.
    pub(super) fn text(&self, pointer: u64) -> Option<TextEnd> {
        let (index, offset) = self.check(pointer, 0).ok()?;
        let object = &self.objects[index as usize];
        let ends = (offset..object.size).map(|at| match object.bytes.known_bits(at) {
            0xff => (object.bytes.raw(at) == 0).then_some(TextEnd::Zero),
            _ if object.kind == ObjectKind::Outside => Some(TextEnd::Zero),
            _ => Some(TextEnd::Vague),
        });
        ends.flatten().next()
    }
    /// Whether all bits of a value in memory are initialised; also where it cannot be read.
    pub(crate) fn is_initialised(&self, pointer: u64, bit: Option<u8>, ty: Ty) -> bool {
        let bits = match bit {
            Some(bit) => u32::from(bit)..u32::from(bit) + u32::from(ty.width(self.model)),
            None => 0..value_bytes(ty, self.model) as u32 * 8,
        };
        let needed = match bit {
            Some(_) => u64::from(bits.end.div_ceil(8)),
            None => ty.size(self.model),
        };
        let Ok((index, offset)) = self.check(pointer, needed) else { return true };
        // What is outside has values, which are chosen when they are read.
        if self.objects[index as usize].kind == ObjectKind::Outside {
            return true;
        }
        let bytes = &self.objects[index as usize].bytes;
        (0..bits.end.div_ceil(8)).all(|byte| {
            let low = bits.start.saturating_sub(byte * 8).min(8);
            let high = (bits.end - byte * 8).min(8);
            let wanted = (0xff_u32 << low) & (0xff >> (8 - high));
            u32::from(bytes.known_bits(offset + byte)) & wanted == wanted
        })
    }
    /// The live objects of the heap, by number and size.
    pub(crate) fn heap(&self) -> impl Iterator<Item = (u32, u32)> {
        let objects = self.objects.iter().enumerate();
        let heap = objects.filter(|(_, object)| object.live && object.kind == ObjectKind::Heap);
        heap.map(|(index, object)| (index as u32, object.size))
    }
    /// The live objects that are not on the heap, by number.
    pub(crate) fn elsewhere(&self) -> impl Iterator<Item = u32> {
        let holds = |kind| !matches!(kind, ObjectKind::Heap | ObjectKind::Procedure | ObjectKind::None);
        let objects = self.objects.iter().enumerate();
        objects.filter(move |(_, object)| object.live && holds(object.kind)).map(|(index, _)| index as u32)
    }
    /// How many objects there are, dead ones included.
    pub(crate) fn object_count(&self) -> usize {
        self.objects.len()
    }
    /// Size of an object, and the number of the allocation that made it.
    pub(crate) fn allocation(&self, index: u32) -> (u32, u32) {
        let object = &self.objects[index as usize];
        (object.size, object.origin)
    }
    /// Whether heap objects are live.
    pub(crate) fn has_heap(&self) -> bool {
        self.heap_count > 0
    }
    /// The number of the live object that a pointer in a register was made for, whatever it points to in it.
    pub(crate) fn object_of(&self, pointer: u64) -> Option<u32> {
        let (index, _) = self.locate_outside(pointer);
        self.objects.get(index as usize).filter(|object| object.live).map(|_| index)
    }
    /// The live objects that pointers in an object lead to, wherever their bytes stand.
    pub(crate) fn pointed_to_by(&self, index: u32) -> Vec<u32> {
        let object = &self.objects[index as usize];
        let width = u32::from(self.model.pointer_width() / 8);
        let noted = object.bytes.pointers_in(0, object.size as usize).into_iter().map(|(_, to)| to);
        let word = |at: u32| {
            (0..width).rev().fold(0_u64, |word, byte| word << 8 | u64::from(object.bytes.raw(at + byte)))
        };
        let starts = 0..(object.size + 1).saturating_sub(width);
        let words = starts.filter_map(|at| self.object_of(self.pointer_to(word(at))));
        words.chain(noted).filter(|to| self.objects.get(*to as usize).is_some_and(|to| to.live)).collect()
    }
    /// Why an access fails.
    #[cold]
    pub(super) fn diagnose(&self, pointer: u64, length: u64) -> Fault {
        let address = self.address(pointer);
        let (index, offset) = self.locate_outside(pointer);
        let Some(object) = self.objects.get(index as usize).filter(|object| object.kind != ObjectKind::None)
        else {
            return Fault::undefined(self.no_object(pointer), format!("address {address:#x}"));
        };
        if object.kind == ObjectKind::Procedure {
            return Fault::undefined(UndefinedKind::WildPointer, "the address is that of a procedure");
        }
        let what = match object.kind {
            ObjectKind::Heap => "a heap object",
            ObjectKind::Stack => "a stack allocation",
            ObjectKind::Outside => "an object from outside",
            ObjectKind::Local => "a local variable",
            ObjectKind::Global | ObjectKind::None | ObjectKind::Procedure => "a global variable",
        };
        let size = object.size;
        if self.is_large_enough(pointer) {
            return Fault::Resource(Resource::ObjectSize);
        }
        if object.live {
            let detail = format!("{length} bytes at offset {offset} of {what} of {size} bytes");
            Fault::undefined(UndefinedKind::OutOfBounds, detail)
        } else {
            Fault::undefined(UndefinedKind::Dangling, format!("{what} of {size} bytes no longer exists"))
        }
    }
    /// Checks that a pointer may be freed.
    pub(crate) fn check_free(&self, pointer: u64) -> Result<(), Fault> {
        if self.is_start_of(pointer, ObjectKind::Heap) || self.is_start_of(pointer, ObjectKind::Outside) {
            return Ok(());
        }
        let kind = if self.is_freed(pointer) { UndefinedKind::DoubleFree } else { UndefinedKind::BadFree };
        Err(Fault::undefined(kind, format!("address {:#x}", self.address(pointer))))
    }
    /// Whether so many bytes may be read, or written; always for none.
    pub(crate) fn is_accessible(&self, pointer: u64, length: u64, access: Access) -> bool {
        let is_legal = match access {
            Access::Read => self.check(pointer, length),
            Access::Write => self.check_writable(pointer, length),
        };
        let is_legal = is_legal.is_ok() || self.is_large_enough(pointer);
        length == 0 || is_legal && !self.is_doubtful(pointer)
    }
    /// Whether a pointer leads to an object from outside, or behind it: such an object is assumed to be as large as needed.
    fn is_large_enough(&self, pointer: u64) -> bool {
        let (index, offset) = self.locate_outside(pointer);
        let object = self.objects.get(index as usize);
        object.is_some_and(|object| object.live && object.kind == ObjectKind::Outside) && offset >= 0
    }
    /// Whether a pointer leads to an object only because nothing says that it does not.
    pub(super) fn is_doubtful(&self, pointer: u64) -> bool {
        let (index, _) = self.locate(pointer);
        self.is_outside(pointer)
            && self
                .outside
                .iter()
                .any(|((validity, _), own)| *own == index && *validity == Validity::Doubtful)
    }
    /// Whether two pointers were made from one object.
    pub(crate) fn is_same_object(&self, one: u64, other: u64) -> bool {
        let ((one, _), (other, _)) = (self.locate_outside(one), self.locate_outside(other));
        let holds = |object: &Object| !matches!(object.kind, ObjectKind::None | ObjectKind::Procedure);
        one == other && self.objects.get(one as usize).is_some_and(holds)
    }
    /// Whether a pointer is null or the start of a live heap object.
    pub(crate) fn is_freeable(&self, pointer: u64) -> bool {
        self.address(pointer) == 0 || self.check_free(pointer).is_ok() && !self.is_doubtful(pointer)
    }
}
