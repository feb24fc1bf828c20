//! The current object within the braces of an initialiser.
//!
//! # Invariants
//! * N1: the path of a cursor is the way from the initialised variable to the innermost entered aggregate; there is one frame per aggregate, and
//!   the first is the one that has the braces.
//! * N2: an item that a later one replaces as a whole is dropped (it may be larger than what replaces it).

use base::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::hir::{InitItem, Initializer, Projection, StorageDuration};
use crate::types::TypeId;

/// What has been collected for one variable.
pub(super) struct Items {
    pub(super) duration: StorageDuration,
    pub(super) list: Vec<InitItem>,
    /// Items that were replaced.
    pub(super) dead: FxHashSet<usize>,
}

/// An aggregate that is being filled.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) ty: TypeId,
    /// The part that comes next.
    pub(super) next: u64,
    /// How many parts there are.
    pub(super) count: u64,
    pub(super) is_union: bool,
}

impl Frame {
    pub(super) fn advance(&mut self) {
        self.next = if self.is_union { self.count } else { self.next + 1 };
    }
    pub(super) fn is_full(self) -> bool {
        self.next >= self.count
    }
}

/// The current object within the braces of an aggregate (N1).
pub(super) struct Cursor {
    pub(super) frames: Vec<Frame>,
    pub(super) path: Vec<Projection>,
    /// Length of the path to the aggregate that has the braces.
    pub(super) base: usize,
    /// If the aggregate is a union: the first item of this list that may still count.
    pub(super) start: usize,
    /// The union and member that were claimed last.
    pub(super) last_union: Option<(Vec<Projection>, Projection)>,
    /// Largest number of parts that the outermost aggregate needs.
    pub(super) used: u64,
    /// Items by the part of the outermost aggregate that they belong to; kept only if there are designators.
    pub(super) written: Option<FxHashMap<Projection, Vec<usize>>>,
}

impl Items {
    /// The initialiser, without what was replaced.
    pub(super) fn finish(self, span: Span) -> Initializer {
        let Items { list, dead, .. } = self;
        let is_alive = |(index, item): (usize, InitItem)| (!dead.contains(&index)).then_some(item);
        let items =
            if dead.is_empty() { list } else { list.into_iter().enumerate().filter_map(is_alive).collect() };
        Initializer { zero_rest: true, items, span }
    }
}

impl Cursor {
    /// Moves to a part that can be filled; false if there is none left.
    pub(super) fn find_room(&mut self) -> bool {
        while self.frames.len() > 1 && self.frames.last().is_some_and(|frame| frame.is_full()) {
            self.frames.pop();
            self.path.pop();
        }
        self.frames.last().is_some_and(|frame| !frame.is_full())
    }
    pub(super) fn advance(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.advance();
        }
        if let Some(frame) = self.frames.first() {
            self.used = self.used.max(frame.next);
        }
    }
    pub(super) fn set_next(&mut self, next: u64) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next = next;
        }
    }
    /// Drops items that what is about to be written at the path replaces (N2).
    pub(super) fn replace(&mut self, items: &mut Items) {
        self.last_union = None;
        let Some(list) = self.written.as_mut().and_then(|written| written.get_mut(&self.path[self.base]))
        else {
            return;
        };
        let path = &self.path;
        list.retain(|index| {
            let is_replaced = items.list[*index].path.starts_with(path);
            if is_replaced {
                items.dead.insert(*index);
            }
            !is_replaced
        });
    }
    /// If the innermost aggregate is a union, drops what was written to other members than the next one (N2).
    pub(super) fn claim(&mut self, items: &mut Items) {
        let (Some(frame), Some(written)) = (self.frames.last(), &mut self.written) else { return };
        if !frame.is_union {
            return;
        }
        let member = Projection::Field(frame.next as u32);
        let claim = (self.path.clone(), member);
        if self.last_union.as_ref() == Some(&claim) {
            return;
        }
        let depth = self.path.len();
        let path = &self.path;
        let mut is_kept = |index: usize| {
            let other = &items.list[index].path;
            let is_kept = !other.starts_with(path) || other.get(depth) == Some(&member);
            if !is_kept {
                items.dead.insert(index);
            }
            is_kept
        };
        if let Some(step) = self.path.get(self.base) {
            if let Some(list) = written.get_mut(step) {
                list.retain(|index| is_kept(*index));
            }
        } else {
            let kept = (self.start..items.list.len()).find(|index| is_kept(*index));
            self.start = kept.unwrap_or(items.list.len());
        }
        self.last_union = Some(claim);
    }
    /// Remembers what was written since `start`.
    pub(super) fn note(&mut self, start: usize, items: &Items) {
        let Some(written) = &mut self.written else { return };
        for (offset, item) in items.list[start..].iter().enumerate() {
            if let Some(step) = item.path.get(self.base) {
                written.entry(*step).or_default().push(start + offset);
            }
        }
    }
}
