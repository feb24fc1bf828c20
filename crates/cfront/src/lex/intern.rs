//! Interned identifiers.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use base::newtype_index;

newtype_index!(
    /// An identifier of an [`Interner`]: equal texts have equal names.
    Name,
    "n"
);

/// The texts of all identifiers seen so far.
///
/// Names of two translation units can be compared only if one interner served both.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    texts: Vec<Arc<str>>,
    names: FxHashMap<Arc<str>, Name>,
}

impl Interner {
    /// An interner without names.
    pub fn new() -> Self {
        Self::default()
    }
    /// The name of a text; equal texts get equal names.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return *name;
        }
        let name =
            Name(u32::try_from(self.texts.len()).expect("there should be fewer than 2^32 identifiers"));
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.names.insert(text, name);
        name
    }
    /// The name of a text that has been interned before.
    pub fn get(&self, text: &str) -> Option<Name> {
        self.names.get(text).copied()
    }
    /// The text of a name of this interner.
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }
    /// The text of a name of this interner, shared.
    pub fn shared_text(&self, name: Name) -> Arc<str> {
        self.texts[name.0 as usize].clone()
    }
    /// Number of names.
    pub fn len(&self) -> usize {
        self.texts.len()
    }
    /// Whether no name has been interned.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
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
        assert_eq!(interner.text(second), "y");
        assert_eq!(interner.get("z"), None);
    }
}
