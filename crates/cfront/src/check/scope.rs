//! Scopes and name spaces: ordinary identifiers and tags.
//!
//! # Invariants
//! * S1: `ordinary[name]` and `tags[name]` point at the innermost visible binding, each binding at the one that it hides.
//! * S2: depth 0 is file scope; leaving a scope restores what it hid.

use base::Span;

use crate::hir::{FunctionId, VariableId};
use crate::lex::Name;
use crate::types::{EnumId, RecordId, TypeId};

/// A type as a declaration gives it: with what [`crate::types`] does not keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Typed {
    pub(super) ty: TypeId,
    /// Alignment that an attribute of a typedef gave to the type, in bytes.
    pub(super) align: Option<u64>,
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
    /// The length of the array that a parameter is declared as, if it is constant.
    pub(super) extent: Option<u64>,
}

impl Typed {
    pub(super) fn plain(ty: TypeId) -> Self {
        Self { ty, align: None, is_const: false, is_volatile: false, extent: None }
    }
}

/// What an ordinary identifier stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    Variable(VariableId),
    Function(FunctionId),
    Enumerator { value: i128, ty: TypeId },
    Typedef(Typed),
}

/// Whether an identifier means the same thing in other scopes and units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Linkage {
    None,
    Internal,
    External,
}

/// A visible identifier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub(super) entity: Entity,
    pub(super) linkage: Linkage,
    pub(super) span: Span,
    pub(super) depth: u32,
    name: Name,
    hidden: u32,
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// A visible tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct TagBinding {
    pub(super) tag: Tag,
    pub(super) span: Span,
    pub(super) depth: u32,
    name: Name,
    hidden: u32,
}

/// All visible names.
#[derive(Debug)]
pub(super) struct Scopes {
    ordinary: Vec<u32>,
    tags: Vec<u32>,
    bindings: Vec<Binding>,
    tag_bindings: Vec<TagBinding>,
    /// Lengths of the two lists where each scope above file scope starts.
    marks: Vec<(u32, u32)>,
}

/// A scope that was left, with what it declares.
#[derive(Debug)]
pub(super) struct Suspended {
    bindings: Vec<Binding>,
    tags: Vec<TagBinding>,
}

impl Scopes {
    pub(super) fn new(names: usize) -> Self {
        Self {
            ordinary: vec![0; names],
            tags: vec![0; names],
            bindings: Vec::new(),
            tag_bindings: Vec::new(),
            marks: Vec::new(),
        }
    }
    /// Makes room for more names.
    pub(super) fn grow(&mut self, names: usize) {
        self.ordinary.resize(names, 0);
        self.tags.resize(names, 0);
    }
    pub(super) fn depth(&self) -> u32 {
        self.marks.len() as u32
    }
    pub(super) fn enter(&mut self) {
        self.marks.push((self.bindings.len() as u32, self.tag_bindings.len() as u32));
    }
    /// Leaves the innermost scope; `each` sees what it declared.
    pub(super) fn leave(&mut self, mut each: impl FnMut(&Binding)) {
        let (bindings, tags) = self.marks.pop().unwrap_or((0, 0));
        while self.bindings.len() > bindings as usize {
            if let Some(binding) = self.bindings.pop() {
                each(&binding);
                self.ordinary[binding.name.0 as usize] = binding.hidden;
            }
        }
        while self.tag_bindings.len() > tags as usize {
            if let Some(binding) = self.tag_bindings.pop() {
                self.tags[binding.name.0 as usize] = binding.hidden;
            }
        }
    }
    /// Leaves the innermost scope to enter it again later.
    pub(super) fn suspend(&mut self) -> Suspended {
        let (bindings, tags) = self.marks.pop().unwrap_or((0, 0));
        let suspended = Suspended {
            bindings: self.bindings.split_off(bindings as usize),
            tags: self.tag_bindings.split_off(tags as usize),
        };
        for binding in suspended.bindings.iter().rev() {
            self.ordinary[binding.name.0 as usize] = binding.hidden;
        }
        for binding in suspended.tags.iter().rev() {
            self.tags[binding.name.0 as usize] = binding.hidden;
        }
        suspended
    }
    /// Enters a scope again.
    pub(super) fn resume(&mut self, suspended: Suspended) {
        self.enter();
        for binding in suspended.bindings {
            self.bind(binding.name, binding.entity, binding.linkage, binding.span);
        }
        for binding in suspended.tags {
            self.bind_tag(binding.name, binding.tag, binding.span);
        }
    }
    pub(super) fn lookup(&self, name: Name) -> Option<&Binding> {
        let index = self.ordinary[name.0 as usize].checked_sub(1)?;
        Some(&self.bindings[index as usize])
    }
    /// The binding of a name in the innermost scope itself.
    pub(super) fn lookup_here(&self, name: Name) -> Option<&Binding> {
        self.lookup(name).filter(|binding| binding.depth == self.depth())
    }
    pub(super) fn bind(&mut self, name: Name, entity: Entity, linkage: Linkage, span: Span) {
        let slot = &mut self.ordinary[name.0 as usize];
        let hidden = *slot;
        let depth = self.marks.len() as u32;
        self.bindings.push(Binding { entity, linkage, span, depth, name, hidden });
        *slot = self.bindings.len() as u32;
    }
    /// Changes what the innermost binding of a name stands for.
    pub(super) fn rebind(&mut self, name: Name, entity: Entity, span: Span) {
        if let Some(index) = self.ordinary[name.0 as usize].checked_sub(1) {
            let binding = &mut self.bindings[index as usize];
            binding.entity = entity;
            binding.span = span;
        }
    }
    pub(super) fn lookup_tag(&self, name: Name) -> Option<&TagBinding> {
        let index = self.tags[name.0 as usize].checked_sub(1)?;
        Some(&self.tag_bindings[index as usize])
    }
    pub(super) fn bind_tag(&mut self, name: Name, tag: Tag, span: Span) {
        let slot = &mut self.tags[name.0 as usize];
        let hidden = *slot;
        let depth = self.marks.len() as u32;
        self.tag_bindings.push(TagBinding { tag, span, depth, name, hidden });
        *slot = self.tag_bindings.len() as u32;
    }
    /// All visible ordinary names, innermost first.
    pub(super) fn visible(&self) -> impl Iterator<Item = Name> + '_ {
        let is_visible = |(index, binding): (usize, &Binding)| {
            (self.ordinary[binding.name.0 as usize] as usize == index + 1).then_some(binding.name)
        };
        self.bindings.iter().enumerate().rev().filter_map(is_visible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    #[test]
    fn leaving_restores_what_was_hidden() {
        let span = Span { file: FileId(0), lo: 0, hi: 0 };
        let name = Name(3);
        let mut scopes = Scopes::new(5);
        let entity = |number| Entity::Variable(VariableId(number));
        let number = |scopes: &Scopes| match scopes.lookup(name).map(|binding| binding.entity) {
            Some(Entity::Variable(variable)) => Some(variable.0),
            _ => None,
        };
        scopes.bind(name, entity(1), Linkage::External, span);
        scopes.enter();
        assert!(scopes.lookup_here(name).is_none());
        scopes.bind(name, entity(2), Linkage::None, span);
        assert_eq!(number(&scopes), Some(2));
        let mut left = 0;
        scopes.leave(|_| left += 1);
        assert_eq!((left, number(&scopes)), (1, Some(1)));
        scopes.leave(|_| {});
        assert_eq!(number(&scopes), None);
    }
}
