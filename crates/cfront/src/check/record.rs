//! Structs and unions, also the same ones in several translation units.

use std::sync::Arc;

use base::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Checked;
use super::context::{Checker, error, unsupported};
use super::scope::{Tag, Typed};
use super::specifiers::TagUse;
use crate::ast::{self, MemberDeclaration, RecordKind, TypeSpecifier};
use crate::lex::Name;
use crate::types::{ArrayLength, MemberSpec, Record, RecordId, RecordSpec, Type, TypeId};

/// How many members a record may have.
const MAX_MEMBERS: usize = 1 << 20;

/// Records of file scope in earlier units. A record that a later unit defines in the same way is the same record, so
/// that objects of it can be shared (C11 6.2.7).
#[derive(Debug, Default)]
pub(super) struct Shared {
    tagged: FxHashMap<Name, RecordId>,
    /// By what is cheap to compare: size and number of members.
    untagged: FxHashMap<(u64, usize), Vec<RecordId>>,
    /// Those of the unit at work.
    new_tagged: Vec<(Name, RecordId)>,
    new_untagged: Vec<RecordId>,
    /// Records that the unit at work has defined.
    defined_here: FxHashSet<RecordId>,
    keys: FxHashMap<RecordId, (u64, usize)>,
}

impl Shared {
    pub(super) fn next_unit(&mut self) {
        self.defined_here.clear();
        for (name, record) in self.new_tagged.drain(..) {
            self.tagged.entry(name).or_insert(record);
        }
        for record in self.new_untagged.drain(..) {
            if let Some(key) = self.keys.get(&record) {
                self.untagged.entry(*key).or_default().push(record);
            }
        }
    }
}

impl Checker<'_> {
    pub(super) fn record_specifier(&mut self, id: ast::RecordId, tag_use: TagUse) -> Checked<TypeId> {
        let unit = self.unit;
        let specifier = &unit.records[id];
        let tag_use = if specifier.members.is_some() { TagUse::Declare } else { tag_use };
        let record = self.find_record(specifier, tag_use)?;
        let Some(members) = &specifier.members else {
            return Ok(self.program.types.intern(Type::Record(record)));
        };
        let at = specifier.tag.map_or(specifier.keyword, |tag| tag.span);
        if !self.shared.defined_here.insert(record) {
            let name = self.types().records[record].name.clone();
            let diagnostic = Diagnostic::error(format!("redefinition of `{name}`"), at);
            let earlier = specifier.tag.and_then(|tag| self.scopes.lookup_tag(tag.name)).map(|tag| tag.span);
            return Err(Box::new(match earlier {
                Some(span) if span != at => diagnostic.with_secondary(span, "first declared here"),
                _ => diagnostic,
            }));
        }
        let effects = self.effects(&[&specifier.attributes], &[])?;
        let spec = RecordSpec {
            is_union: specifier.kind == RecordKind::Union,
            packed: effects.packed,
            align: effects.align,
            max_member_align: effects.max_member_align,
            members: self.members(members, specifier.kind)?,
        };
        let record = self.complete(record, &spec, specifier, at)?;
        if effects.transparent_union {
            self.transparent_unions.insert(record);
        }
        Ok(self.program.types.intern(Type::Record(record)))
    }
    /// The record that a specifier means.
    fn find_record(&mut self, specifier: &ast::RecordSpecifier, tag_use: TagUse) -> Checked<RecordId> {
        let is_union = specifier.kind == RecordKind::Union;
        let Some(tag) = specifier.tag else {
            let name = self.unnamed(specifier.keyword);
            return Ok(self.new_record(name, specifier.kind));
        };
        if let Some(binding) = self.scopes.lookup_tag(tag.name)
            && (tag_use != TagUse::Declare || binding.depth == self.scopes.depth())
        {
            return match binding.tag {
                Tag::Record(record) if self.types().records[record].is_union == is_union => Ok(record),
                Tag::Record(_) | Tag::Enum(_) => Err(Box::new(self.wrong_tag(tag, binding.span))),
            };
        }
        let is_file_scope = self.scopes.depth() == 0;
        let earlier = self.shared.tagged.get(&tag.name).copied();
        let record = match earlier {
            Some(record) if is_file_scope && self.types().records[record].is_union == is_union => record,
            _ => {
                let name = self.text(tag.name).into();
                let record = self.new_record(name, specifier.kind);
                if is_file_scope {
                    self.shared.new_tagged.push((tag.name, record));
                }
                record
            }
        };
        self.scopes.bind_tag(tag.name, Tag::Record(record), tag.span);
        Ok(record)
    }
    fn new_record(&mut self, name: Arc<str>, kind: RecordKind) -> RecordId {
        self.program.types.records.push(Record {
            name,
            alias: None,
            is_union: kind == RecordKind::Union,
            complete: false,
            fields: Vec::new(),
            size: 0,
            align: 1,
        })
    }
    /// What stands for the tag of a type without one.
    pub(super) fn unnamed(&self, at: Span) -> Arc<str> {
        let region = self.sources.region(at);
        format!("(unnamed at {})", self.sources.describe(region)).into()
    }
    /// Lays a record out. The result is another record if an earlier unit has defined the same one.
    fn complete(
        &mut self,
        record: RecordId,
        spec: &RecordSpec,
        specifier: &ast::RecordSpecifier,
        at: Span,
    ) -> Checked<RecordId> {
        let too_large =
            |checker: &Self| error(format!("`{}` is too large", checker.types().records[record].name), at);
        if self.types().records[record].complete {
            let name = self.types().records[record].name.clone();
            let copy = self.new_record(name.clone(), specifier.kind);
            if self.program.types.complete_record(copy, spec).is_err() {
                return too_large(self);
            }
            if self.types().records[copy] != self.types().records[record] {
                let what = match specifier.kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                };
                return unsupported(format!("`{what} {name}` is defined differently in two files"), at);
            }
            return Ok(record);
        }
        if self.program.types.complete_record(record, spec).is_err() {
            return too_large(self);
        }
        if specifier.tag.is_none() {
            return Ok(self.share_untagged(record));
        }
        Ok(record)
    }
    fn share_untagged(&mut self, record: RecordId) -> RecordId {
        let definition = &self.types().records[record];
        let key = (definition.size, definition.fields.len());
        let is_same = |other: &Record| {
            other.fields == definition.fields
                && (other.align, other.is_union) == (definition.align, definition.is_union)
        };
        let earlier = self.shared.untagged.get(&key).into_iter().flatten().copied();
        let found = earlier
            .filter(|other| !self.shared.defined_here.contains(other))
            .find(|other| is_same(&self.types().records[*other]));
        if let Some(other) = found {
            self.shared.defined_here.insert(other);
            return other;
        }
        self.shared.keys.insert(record, key);
        self.shared.new_untagged.push(record);
        record
    }

    // -------------------------------------------------------------------------------------------------
    // Members

    fn members(&mut self, declarations: &[MemberDeclaration], kind: RecordKind) -> Checked<Vec<MemberSpec>> {
        let unit = self.unit;
        let mut members: Vec<MemberSpec> = Vec::new();
        let mut names: FxHashMap<Name, Span> = FxHashMap::default();
        let mut flexible: Option<Span> = None;
        for declaration in declarations {
            let (specifiers_id, declarators) = match declaration {
                MemberDeclaration::StaticAssert(assertion) => {
                    self.file_declaration(*assertion)?;
                    continue;
                }
                MemberDeclaration::Members { specifiers, declarators, .. } => (*specifiers, declarators),
            };
            let specifiers = &unit.specifiers[specifiers_id];
            let base = self.specifiers(specifiers_id, TagUse::Mention)?;
            if declarators.is_empty() {
                if let Some(member) = self.anonymous_member(specifiers, base)? {
                    members.push(member);
                }
                continue;
            }
            for declarator in declarators {
                if let Some(span) = flexible {
                    return error("a flexible array member is not the last member", span);
                }
                let member = self.member_spec(specifiers, base, declarator)?;
                let ident = unit.declarators[declarator.declarator].ident;
                if let Some(ident) = ident
                    && let Some(earlier) = names.insert(ident.name, ident.span)
                {
                    let message = format!("duplicate member `{}`", self.text(ident.name));
                    let diagnostic = Diagnostic::error(message, ident.span);
                    return Err(Box::new(diagnostic.with_secondary(earlier, "first declared here")));
                }
                if let Some((_, ArrayLength::Unknown)) = self.types().array(member.ty) {
                    flexible = (kind == RecordKind::Struct).then_some(declarator.span);
                }
                members.push(member);
            }
            if members.len() > MAX_MEMBERS {
                return error("too many members", specifiers.span);
            }
        }
        Ok(members)
    }
    /// An anonymous struct or union; other declarations without declarators declare no member.
    fn anonymous_member(&mut self, specifiers: &ast::Specifiers, base: Typed) -> Checked<Option<MemberSpec>> {
        let TypeSpecifier::Record(record) = specifiers.kind else { return Ok(None) };
        let record = &self.unit.records[record];
        if record.tag.is_some() || record.members.is_none() {
            return Ok(None);
        }
        let effects = self.effects(&[&specifiers.attributes], &specifiers.alignas)?;
        Ok(Some(MemberSpec {
            name: "".into(),
            ty: base.ty,
            type_align: base.align,
            align: effects.align,
            width: None,
            packed: effects.packed,
        }))
    }
    fn member_spec(
        &mut self,
        specifiers: &ast::Specifiers,
        base: Typed,
        member: &ast::MemberDeclarator,
    ) -> Checked<MemberSpec> {
        let declarator = &self.unit.declarators[member.declarator];
        let typed = self.declarator_type(base, member.declarator)?;
        let effects = self.effects(&[&specifiers.attributes, &declarator.attributes], &specifiers.alignas)?;
        let ty = self.with_mode(typed.ty, &effects)?;
        let at = declarator.ident.map_or(member.span, |ident| ident.span);
        if self.types().is_variably_modified(ty) {
            return unsupported("a member of variable length", at);
        }
        let width = if let Some(width) = member.width {
            Some(self.bit_field(ty, width, declarator.ident, at)?)
        } else {
            self.check_member_type(ty, at)?;
            None
        };
        Ok(MemberSpec {
            name: declarator.ident.map_or_else(|| "".into(), |ident| self.text(ident.name).into()),
            ty,
            type_align: typed.align,
            align: effects.align,
            width,
            packed: effects.packed,
        })
    }
    fn check_member_type(&self, ty: TypeId, at: Span) -> Checked<()> {
        let is_flexible = matches!(self.types().array(ty), Some((_, ArrayLength::Unknown)));
        if self.types().function(ty).is_some() {
            return error("a member cannot be a function", at);
        }
        if !is_flexible && !self.types().is_complete(ty) {
            return error(format!("a member has the incomplete type {}", self.show(ty)), at);
        }
        Ok(())
    }
    fn bit_field(
        &mut self,
        ty: TypeId,
        width: ast::ExprId,
        ident: Option<ast::Ident>,
        at: Span,
    ) -> Checked<u8> {
        let Some(kind) = self.types().int_kind(ty) else {
            return error(
                format!("a bit-field has the type {}, which is not an integer type", self.show(ty)),
                at,
            );
        };
        let expr = self.rvalue(width)?;
        let width = self.require_int(expr, "the width of a bit-field")?;
        let limit = kind.width(self.types().model);
        match u8::try_from(width) {
            Ok(0) if ident.is_some() => error("a bit-field with a name has width zero", self.span(expr)),
            Ok(width) if width <= limit => Ok(width),
            _ => error(format!("the width {width} does not fit the type {}", self.show(ty)), self.span(expr)),
        }
    }
}
