//! Edits of a C text that keep its lines, so that messages about the result still name the right ones.
//!
//! # Invariants
//! * I1: no edit adds or removes a line break.
//! * I2: edits of one range nest in those of a range around it, whatever the order in which they are made.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::syntax::Range;

/// Edits that are yet to be made.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    edits: Vec<Edit>,
}

#[derive(Clone, Debug)]
struct Edit {
    at: u32,
    /// How many bytes go.
    removed: u32,
    order: Order,
    text: String,
}

/// What comes first at one place: ends of inner ranges, ends of outer ones, starts of outer ones, starts of inner ones; among equal
/// ranges the wrapping made first is the inner one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    End(Reverse<u32>, usize),
    Before(Reverse<usize>),
    Start(Reverse<u32>, Reverse<usize>),
    Replace,
}

/// The text after all edits.
#[derive(Clone, Debug)]
pub struct Woven {
    /// The new text.
    pub text: Arc<[u8]>,
    /// Start in the new text and in the old one, and length, of every stretch that was kept.
    kept: Vec<(u32, u32, u32)>,
}

impl Woven {
    /// The place in the old text of a place in the new one; nothing for what was added.
    pub fn original(&self, offset: u32) -> Option<u32> {
        let stretch = self.kept.partition_point(|(new, ..)| *new <= offset);
        let (new, old, length) = self.kept[stretch.checked_sub(1)?];
        (offset - new < length).then_some(old + (offset - new))
    }
}

impl Edits {
    /// No edits.
    pub fn new() -> Self {
        Self::default()
    }
    /// Puts text around a range.
    pub fn wrap(&mut self, range: Range, before: impl Into<String>, after: impl Into<String>) {
        let count = self.edits.len();
        let start = Order::Start(Reverse(range.hi), Reverse(count));
        self.edits.push(Edit { at: range.lo, removed: 0, order: start, text: one_line(before.into()) });
        let order = if range.hi > range.lo {
            Order::End(Reverse(range.lo), count)
        } else {
            Order::Start(Reverse(range.hi), Reverse(count))
        };
        self.edits.push(Edit { at: range.hi, removed: 0, order, text: one_line(after.into()) });
    }
    /// Puts text before a statement, outside of everything that is put around parts of it.
    pub fn before(&mut self, at: u32, text: impl Into<String>) {
        let order = Order::Before(Reverse(self.edits.len()));
        self.edits.push(Edit { at, removed: 0, order, text: one_line(text.into()) });
    }
    /// Puts text in the place of a range; line breaks in it are kept.
    pub fn replace(&mut self, source: &[u8], range: Range, text: impl Into<String>) {
        let old = source.get(range.lo as usize..range.hi as usize).unwrap_or_default();
        let breaks: String = old.iter().filter(|byte| **byte == b'\n').map(|_| '\n').collect();
        let text = one_line(text.into()) + &breaks;
        self.edits.push(Edit { at: range.lo, removed: range.hi - range.lo, order: Order::Replace, text });
    }
    /// Makes the edits.
    pub fn apply(mut self, source: &[u8]) -> Woven {
        self.edits.sort_by_key(|edit| (edit.at, edit.order));
        let mut text = Vec::with_capacity(source.len() + 256);
        let mut kept = Vec::new();
        let mut done = 0_usize;
        for edit in &self.edits {
            let at = (edit.at as usize).clamp(done, source.len());
            if at > done {
                kept.push((text.len() as u32, done as u32, (at - done) as u32));
                text.extend_from_slice(&source[done..at]);
            }
            text.extend_from_slice(edit.text.as_bytes());
            done = (at + edit.removed as usize).min(source.len());
        }
        kept.push((text.len() as u32, done as u32, (source.len() - done) as u32));
        text.extend_from_slice(&source[done..]);
        Woven { text: text.into(), kept }
    }
}

/// I1.
fn one_line(text: String) -> String {
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(lo: u32, hi: u32) -> Range {
        Range { lo, hi }
    }

    #[test]
    fn ranges_nest() {
        let source = b"f(g(x));";
        let mut edits = Edits::new();
        edits.wrap(range(2, 6), "<", ">");
        edits.wrap(range(0, 7), "[", "]");
        edits.wrap(range(4, 5), "{", "}");
        edits.before(0, "B ");
        let woven = edits.apply(source);
        assert_eq!(std::str::from_utf8(&woven.text), Ok("B [f(<g({x})>)];"));
        let at = woven.text.iter().position(|byte| *byte == b'g').unwrap();
        assert_eq!(woven.original(at as u32), Some(2));
        assert_eq!(woven.original(0), None);
    }

    #[test]
    fn equal_ranges_nest_in_the_order_of_wrapping() {
        let mut edits = Edits::new();
        edits.wrap(range(0, 1), "(", ")");
        edits.wrap(range(0, 1), "[", "]");
        edits.wrap(range(1, 1), "<", ">");
        assert_eq!(&*edits.apply(b"x;").text, b"[(x)]<>;");
    }

    #[test]
    fn lines_stay() {
        let source = b"a(\n1);\nb;";
        let mut edits = Edits::new();
        edits.replace(source, range(0, 5), "z\nz");
        assert_eq!(&*edits.apply(source).text, b"z z\n;\nb;");
    }
}
