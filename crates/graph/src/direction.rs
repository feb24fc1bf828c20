//! The direction of an approximation, as a type.
//!
//! An over-approximation contains every behaviour and perhaps more; an under-approximation contains only behaviours, perhaps not all. The
//! first can show that something is impossible, the second that something is possible. The types below keep the two apart: the only way to the
//! value is a method that is named for the conclusion that it supports.
//!
//! # Invariants
//! * O1: what is wrapped in [`Over`] includes every behaviour of what it approximates; what is wrapped in [`Under`] includes nothing else. Who
//!   calls `by_construction` or `map` is responsible; no other function makes such a value.
//!
//! ```
//! use graph::direction::Over;
//! let values = Over::by_construction(0..10);
//! assert!(!values.pruning().contains(&12)); // so 12 is impossible
//! ```
//!
//! An over-approximation is no witness:
//!
//! ```compile_fail
//! use graph::direction::Over;
//! let values = Over::by_construction(0..10);
//! assert!(values.witnessing().contains(&3));
//! ```
//!
//! and an under-approximation excludes nothing:
//!
//! ```compile_fail
//! use graph::direction::Under;
//! let values = Under::by_construction(0..10);
//! assert!(!values.pruning().contains(&12));
//! ```

/// An over-approximation: what it excludes is impossible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Over<T>(T);

/// An under-approximation: what it includes is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Under<T>(T);

impl<T> Over<T> {
    /// A value that was computed by rules that only ever add behaviours (O1).
    pub fn by_construction(value: T) -> Self {
        Self(value)
    }

    /// The value, to show that something is impossible. Using it to choose what to try first is fine, too: that claims nothing.
    pub fn pruning(&self) -> &T {
        &self.0
    }

    /// Applies a monotone construction: more behaviours in give at least as many out.
    pub fn map<U>(self, monotone: impl FnOnce(T) -> U) -> Over<U> {
        Over(monotone(self.0))
    }

    /// The same approximation without its own copy.
    pub fn as_ref(&self) -> Over<&T> {
        Over(&self.0)
    }
}

impl<T> Under<T> {
    /// A value that was computed by rules that only ever drop behaviours (O1).
    pub fn by_construction(value: T) -> Self {
        Self(value)
    }

    /// The value, to show that something is possible.
    pub fn witnessing(&self) -> &T {
        &self.0
    }

    /// Applies a monotone construction: fewer behaviours in give at most as many out.
    pub fn map<U>(self, monotone: impl FnOnce(T) -> U) -> Under<U> {
        Under(monotone(self.0))
    }

    /// The same approximation without its own copy.
    pub fn as_ref(&self) -> Under<&T> {
        Under(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_monotone_construction_keeps_the_direction() {
        let over = Over::by_construction(vec![1, 2, 3]);
        let doubled = over.as_ref().map(|values| values.iter().map(|value| 2 * value).collect::<Vec<i32>>());
        assert_eq!(doubled.pruning(), &[2, 4, 6]);
        let under = Under::by_construction(vec![1, 2, 3]);
        assert_eq!(under.as_ref().map(Vec::len).witnessing(), &3);
    }
}
