//! Interned identifiers.
//!
//! # Invariants
//! * I1: the first names of an interner are the spellings of the keywords, in the order of `token::KEYWORDS`: the
//!   lexer tells keywords by their number.
//! * I2: `slots` is a hash table with linear probing, at most half full; its size is a power of two.

use base::newtype_index;

use super::token::{KEYWORDS, TokenKind};

newtype_index!(
    /// An identifier of an [`Interner`]: equal texts have equal names.
    Name,
    "n"
);

/// The texts of all identifiers seen so far.
///
/// Names of two translation units can be compared only if one interner served both.
#[derive(Clone, Debug)]
pub struct Interner {
    /// All texts, one after the other.
    texts: String,
    /// End of each name's text in `texts`; it starts where the one before ends.
    ends: Vec<u32>,
    /// Hash and name + 1 of an entry; 0 if free.
    slots: Vec<(u32, u32)>,
}

impl Interner {
    /// An interner that knows the keywords only.
    pub fn new() -> Self {
        let mut interner = Self { texts: String::new(), ends: Vec::new(), slots: vec![(0, 0); 1024] };
        for (text, _) in KEYWORDS {
            interner.intern(text);
        }
        interner
    }
    /// The name of a text; equal texts get equal names.
    pub fn intern(&mut self, text: &str) -> Name {
        let hash = hash_of(text.as_bytes());
        match self.find(text.as_bytes(), hash) {
            Ok(name) => name,
            Err(slot) => self.insert(text, hash, slot),
        }
    }
    /// As [`Interner::intern`] for the bytes of an identifier without letters beyond ASCII.
    #[inline]
    pub(crate) fn intern_ascii(&mut self, text: &[u8]) -> Name {
        let hash = hash_of(text);
        match self.find(text, hash) {
            Ok(name) => name,
            Err(slot) => {
                let text: String = text.iter().map(|byte| char::from(*byte)).collect();
                self.insert(&text, hash, slot)
            }
        }
    }
    /// The name of a text that has been interned before.
    pub fn get(&self, text: &str) -> Option<Name> {
        self.find(text.as_bytes(), hash_of(text.as_bytes())).ok()
    }
    /// The text of a name of this interner.
    pub fn text(&self, name: Name) -> &str {
        let index = name.0 as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start as usize..self.ends[index] as usize]
    }
    /// Number of names, with the keywords.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// Always false: the keywords are there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
    /// The kind of token that a name makes (I1).
    #[inline]
    pub(crate) fn kind(name: Name) -> TokenKind {
        KEYWORDS.get(name.0 as usize).map_or(TokenKind::Ident, |(_, kind)| *kind)
    }

    /// The name of the text, or the free slot where it belongs.
    #[inline]
    fn find(&self, text: &[u8], hash: u32) -> Result<Name, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (known_hash, entry) = self.slots[slot];
            if entry == 0 {
                return Err(slot);
            }
            let name = Name(entry - 1);
            if known_hash == hash && self.text(name).as_bytes() == text {
                return Ok(name);
            }
            slot = (slot + 1) & mask;
        }
    }
    fn insert(&mut self, text: &str, hash: u32, slot: usize) -> Name {
        let name = Name(u32::try_from(self.ends.len()).expect("there should be fewer than 2^32 identifiers"));
        self.texts.push_str(text);
        self.ends.push(u32::try_from(self.texts.len()).expect("identifiers should take less than 4 GiB"));
        self.slots[slot] = (hash, name.0 + 1);
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        name
    }
    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![(0, 0); mask + 1];
        for (hash, entry) in self.slots.iter().filter(|(_, entry)| *entry != 0) {
            let mut slot = *hash as usize & mask;
            while slots[slot].1 != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = (*hash, *entry);
        }
        self.slots = slots;
    }
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

/// A multiplicative hash over groups of eight bytes; good bits end up low.
#[inline]
fn hash_of(text: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = text.len() as u64;
    let mut groups = text.chunks_exact(8);
    for group in &mut groups {
        let group = group.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        hash = (hash.rotate_left(5) ^ group).wrapping_mul(FACTOR);
    }
    let rest = groups.remainder().iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    hash = (hash.rotate_left(5) ^ rest).wrapping_mul(FACTOR);
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_names() {
        let mut interner = Interner::new();
        let first = interner.intern("x");
        let second = interner.intern("y");
        assert_ne!(first, second);
        assert_eq!(interner.intern("x"), first);
        assert_eq!(interner.intern_ascii(b"x"), first);
        assert_eq!(interner.text(second), "y");
        assert_eq!(interner.get("z"), None);
    }

    #[test]
    fn names_survive_growth() {
        let mut interner = Interner::new();
        let names: Vec<Name> = (0..5000).map(|n| interner.intern(&format!("name{n}"))).collect();
        for (n, name) in names.iter().enumerate() {
            assert_eq!(interner.text(*name), format!("name{n}"));
            assert_eq!(interner.get(&format!("name{n}")), Some(*name));
        }
    }

    #[test]
    fn keywords_come_first() {
        let interner = Interner::new();
        assert_eq!(interner.get("__volatile__").map(Interner::kind), Some(TokenKind::Volatile));
        assert_eq!(Interner::kind(Name(interner.len() as u32)), TokenKind::Ident);
    }
}
