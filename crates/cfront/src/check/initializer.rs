//! Initialisers, flattened (C11 6.7.9): designators, brace elision, strings, and the size of open arrays.
//!
//! Within the braces of an aggregate the *current object* moves through it: [`Cursor`] holds the aggregates that have been entered
//! without braces of their own. Types may nest arbitrarily deep, so entering them is a push, not a call.

use base::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Checked;
use super::context::{Checker, error, unsupported};
use super::conversion::Purpose;
use super::cursor::{Cursor, Frame, Items};
use super::literal::string_bytes;
use crate::ast::{self, Designator, InitializerItem, InitializerKind};
use crate::hir::{
    ExprId, ExprKind, InitItem, InitValue, Initializer, PlaceKind, Projection, StorageDuration,
};
use crate::types::{ArrayLength, IntKind, Type, TypeId};

/// How many parts an initialiser may write.
const MAX_ITEMS: usize = 1 << 24;

/// `[first ... last]` at a frame.
struct Range {
    frame: usize,
    first: u64,
    last: u64,
}

impl Checker<'_> {
    /// The initialiser of a variable, and the variable's type, with its length if that was open.
    pub(super) fn initializer(
        &mut self,
        id: ast::InitializerId,
        ty: TypeId,
        duration: StorageDuration,
    ) -> Checked<(Initializer, TypeId)> {
        let unit = self.unit;
        let ast::Initializer { kind, span } = &unit.initializers[id];
        if self.types().function(ty).is_some() || self.types().is_void(ty) {
            return error(format!("a value of type {} cannot be initialised", self.show(ty)), *span);
        }
        match kind {
            InitializerKind::Expr(expr) => self.single_initializer(*expr, ty, duration, *span),
            InitializerKind::List(list) => {
                let mut items = Items { duration, list: Vec::new(), dead: FxHashSet::default() };
                let used = self.fill(ty, list, Vec::new(), &mut items, *span)?;
                let ty = self.completed(ty, used, *span)?;
                Ok((items.finish(*span), ty))
            }
        }
    }
    /// An array type with its length, if that was open.
    fn completed(&mut self, ty: TypeId, used: u64, span: Span) -> Checked<TypeId> {
        match self.types().array(ty) {
            Some((elem, ArrayLength::Unknown)) => self.array_type(elem, used, span),
            _ => Ok(ty),
        }
    }
    fn single_initializer(
        &mut self,
        expr: ast::ExprId,
        ty: TypeId,
        duration: StorageDuration,
        span: Span,
    ) -> Checked<(Initializer, TypeId)> {
        let item = |value| InitItem { path: Vec::new(), value };
        if self.types().array(ty).is_some() {
            if let Some((bytes, length)) = self.string_value(expr, ty) {
                let ty = self.completed(ty, length, span)?;
                let items = vec![item(InitValue::Bytes(bytes.into()))];
                return Ok((Initializer { zero_rest: true, items, span }, ty));
            }
            // GNU C: an array may be initialised by a compound literal.
            if let Some(inner) = self.literal_of_type(expr, ty)? {
                return self.initializer(inner, ty, duration);
            }
            return error("an array needs a list in braces or a string literal as initialiser", span);
        }
        if duration == StorageDuration::Static
            && self.types().record(ty).is_some()
            && let Some(inner) = self.literal_of_type(expr, ty)?
        {
            return self.initializer(inner, ty, duration);
        }
        let value = self.rvalue(expr)?;
        let mut value = self.assign(value, ty, Purpose::Initialize)?;
        let is_static = duration == StorageDuration::Static;
        if is_static {
            value = self.static_value(value)?;
        }
        let items = vec![item(InitValue::Expr(value))];
        Ok((Initializer { zero_rest: is_static, items, span }, ty))
    }
    /// The braces of a compound literal of a type.
    fn literal_of_type(&mut self, expr: ast::ExprId, ty: TypeId) -> Checked<Option<ast::InitializerId>> {
        let unit = self.unit;
        let plain = unit.without_parentheses(expr);
        let ast::ExprKind::CompoundLiteral { type_name, initializer } = unit.exprs[plain].kind else {
            return Ok(None);
        };
        let literal = self.type_name(type_name)?.ty;
        Ok(self.types().compatible(literal, ty).then_some(initializer))
    }
    /// The bytes of a string literal for an array of characters, cut to its size, and how many characters they are with the
    /// terminating zero.
    fn string_value(&self, expr: ast::ExprId, ty: TypeId) -> Option<(Vec<u8>, u64)> {
        let unit = self.unit;
        let ast::ExprKind::String(literal) = unit.exprs[unit.without_parentheses(expr)].kind else {
            return None;
        };
        let literal = &unit.strings[literal];
        let (elem, length) = self.types().array(ty)?;
        let kind = self.types().int_kind(elem)?;
        let is_narrow = matches!(kind, IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar);
        let size = match literal.encoding {
            ast::Encoding::Plain | ast::Encoding::Utf8 => 1,
            ast::Encoding::Char16 => 2,
            ast::Encoding::Char32 | ast::Encoding::Wide => 4,
        };
        let is_fitting = match size {
            1 => is_narrow,
            size => !is_narrow && self.types().size_of(elem) == Some(size as u64),
        };
        if !is_fitting {
            return None;
        }
        let mut bytes = string_bytes(literal);
        if let ArrayLength::Fixed(length) = length {
            bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX).saturating_mul(size));
        }
        Some((bytes, literal.units.len() as u64 + 1))
    }

    // -------------------------------------------------------------------------------------------------
    // Lists

    /// Fills what `path` leads to from a list in braces; returns how many elements an open array needs.
    fn fill(
        &mut self,
        ty: TypeId,
        list: &[InitializerItem],
        path: Vec<Projection>,
        items: &mut Items,
        span: Span,
    ) -> Checked<u64> {
        let unit = self.unit;
        if self.frame(ty).is_none() {
            return self.fill_scalar(ty, list, path, items).map(|()| 0);
        }
        if let [InitializerItem { designators, value }, ..] = list
            && designators.is_empty()
            && let InitializerKind::Expr(expr) = unit.initializers[*value].kind
            && let Some((bytes, length)) = self.string_value(expr, ty)
        {
            items.list.push(InitItem { path, value: InitValue::Bytes(bytes.into()) });
            return Ok(length);
        }
        let Some(frame) = self.frame(ty) else { return Ok(0) };
        let has_designators = list.iter().any(|item| !item.designators.is_empty());
        let mut cursor = Cursor {
            frames: vec![frame],
            base: path.len(),
            path,
            start: items.list.len(),
            last_union: None,
            used: 0,
            written: has_designators.then(FxHashMap::default),
        };
        if self.is_open_member(ty, &cursor) && !list.is_empty() {
            return unsupported("the initialisation of a flexible array member", span);
        }
        for item in list {
            self.fill_item(item, &mut cursor, items)?;
            if items.list.len() > MAX_ITEMS {
                return error("the initialiser is too large", span);
            }
        }
        Ok(cursor.used)
    }
    /// Whether a type is a flexible array member: open, but not the variable itself.
    fn is_open_member(&self, ty: TypeId, cursor: &Cursor) -> bool {
        matches!(self.types().array(ty), Some((_, ArrayLength::Unknown))) && !cursor.path.is_empty()
    }
    /// A scalar in braces; gcc ignores what is too much.
    fn fill_scalar(
        &mut self,
        ty: TypeId,
        list: &[InitializerItem],
        path: Vec<Projection>,
        items: &mut Items,
    ) -> Checked<()> {
        let unit = self.unit;
        let Some(item) = list.first() else { return Ok(()) };
        let ast::Initializer { kind, span } = &unit.initializers[item.value];
        if !item.designators.is_empty() {
            return error("a designator in the initialiser of a scalar", *span);
        }
        match kind {
            InitializerKind::Expr(expr) => {
                let value = self.rvalue(*expr)?;
                self.write(value, ty, path, items)
            }
            InitializerKind::List(inner) => self.fill_scalar(ty, inner, path, items),
        }
    }
    /// The frame of an aggregate; `None` for other types.
    fn frame(&self, ty: TypeId) -> Option<Frame> {
        let (count, is_union) = match self.types().get(ty) {
            Type::Array { length: ArrayLength::Fixed(length), .. } => (*length, false),
            Type::Array { .. } => (u64::MAX, false),
            Type::Record(record) => {
                let record = &self.types().records[*record];
                (record.fields.len() as u64, record.is_union)
            }
            _ => return None,
        };
        Some(Frame { ty, next: 0, count, is_union })
    }
    /// The part that comes next in a frame: how to get there, and its type.
    fn part(&self, frame: Frame) -> (Projection, TypeId) {
        match self.types().get(frame.ty) {
            Type::Array { elem, .. } => (Projection::Index(frame.next), *elem),
            Type::Record(record) => {
                let field = &self.types().records[*record].fields[frame.next as usize];
                (Projection::Field(frame.next as u32), field.ty)
            }
            _ => (Projection::Index(0), frame.ty),
        }
    }
    fn fill_item(&mut self, item: &InitializerItem, cursor: &mut Cursor, items: &mut Items) -> Checked<()> {
        let unit = self.unit;
        let ast::Initializer { kind, span } = &unit.initializers[item.value];
        let ranges = if item.designators.is_empty() {
            if !cursor.find_room() {
                return Ok(());
            }
            Vec::new()
        } else {
            self.designate(&item.designators, cursor, items, *span)?
        };
        let start = items.list.len();
        match kind {
            InitializerKind::List(inner) => self.fill_braced(inner, cursor, items, *span)?,
            InitializerKind::Expr(expr) => self.fill_expr(*expr, cursor, items, *span)?,
        }
        for range in ranges.iter().rev() {
            self.repeat(range, start, cursor, items, *span)?;
        }
        cursor.note(start, items);
        Ok(())
    }
    /// A list in braces for the next part.
    fn fill_braced(
        &mut self,
        list: &[InitializerItem],
        cursor: &mut Cursor,
        items: &mut Items,
        span: Span,
    ) -> Checked<()> {
        let Some(frame) = cursor.frames.last().copied() else { return Ok(()) };
        let (step, part) = self.part(frame);
        cursor.claim(items);
        cursor.path.push(step);
        cursor.replace(items);
        self.fill(part, list, cursor.path.clone(), items, span)?;
        cursor.path.pop();
        cursor.advance();
        Ok(())
    }
    /// An expression for the next part, or for the first part of it that it fits.
    fn fill_expr(
        &mut self,
        expr: ast::ExprId,
        cursor: &mut Cursor,
        items: &mut Items,
        span: Span,
    ) -> Checked<()> {
        let mut value: Option<ExprId> = None;
        loop {
            let Some(frame) = cursor.frames.last().copied() else { return Ok(()) };
            let (step, part) = self.part(frame);
            cursor.claim(items);
            if let Some((bytes, _)) = self.string_value(expr, part) {
                cursor.path.push(step);
                self.check_closed(part, cursor, span)?;
                cursor.replace(items);
                let (path, value) = (cursor.path.clone(), InitValue::Bytes(bytes.into()));
                items.list.push(InitItem { path, value });
                cursor.path.pop();
                cursor.advance();
                return Ok(());
            }
            let inner = self.frame(part);
            if value.is_none() && self.types().record(part).is_some() {
                if items.duration == StorageDuration::Static
                    && let Some(literal) = self.literal_of_type(expr, part)?
                    && let InitializerKind::List(list) = &self.unit.initializers[literal].kind
                {
                    return self.fill_braced(list, cursor, items, span);
                }
                value = Some(self.rvalue(expr)?);
            }
            let is_whole = match value {
                Some(value) => inner.is_none() || self.ty(value) == part,
                None => inner.is_none(),
            };
            cursor.path.push(step);
            let Some(inner) = inner.filter(|_| !is_whole) else {
                let value = match value {
                    Some(value) => value,
                    None => self.rvalue(expr)?,
                };
                if self.frame(part).is_some() {
                    cursor.replace(items);
                }
                self.write(value, part, cursor.path.clone(), items)?;
                cursor.path.pop();
                cursor.advance();
                return Ok(());
            };
            self.check_closed(part, cursor, span)?;
            cursor.advance();
            cursor.frames.push(inner);
            if !cursor.find_room() {
                return Ok(());
            }
        }
    }
    /// Refuses a part that is a flexible array member.
    fn check_closed(&self, part: TypeId, cursor: &Cursor, span: Span) -> Checked<()> {
        if self.is_open_member(part, cursor) {
            return unsupported("the initialisation of a flexible array member", span);
        }
        Ok(())
    }
    /// Writes a value to a part of a type.
    fn write(&mut self, value: ExprId, ty: TypeId, path: Vec<Projection>, items: &mut Items) -> Checked<()> {
        let mut value = self.assign(value, ty, Purpose::Initialize)?;
        if items.duration == StorageDuration::Static {
            value = self.static_value(value)?;
        }
        items.list.push(InitItem { path, value: InitValue::Expr(value) });
        Ok(())
    }

    // -------------------------------------------------------------------------------------------------
    // Designators

    /// Moves the cursor to what designators say.
    fn designate(
        &mut self,
        designators: &[Designator],
        cursor: &mut Cursor,
        items: &mut Items,
        span: Span,
    ) -> Checked<Vec<Range>> {
        cursor.frames.truncate(1);
        cursor.path.truncate(cursor.base);
        let mut ranges = Vec::new();
        for (number, designator) in designators.iter().enumerate() {
            if number > 0 {
                self.enter(cursor, span)?;
            }
            match designator {
                Designator::Member(ident) => {
                    let ty = cursor.frames.last().map_or(self.basic.int, |frame| frame.ty);
                    let Some(record) = self.types().record(ty) else {
                        let message = format!(
                            "a member is designated in {}, which is not a struct or union",
                            self.show(ty)
                        );
                        return error(message, ident.span);
                    };
                    let way = self.member_path(record, *ident, ty)?;
                    for (depth, field) in way.into_iter().enumerate() {
                        if depth > 0 {
                            self.enter(cursor, span)?;
                        }
                        cursor.set_next(u64::from(field));
                        cursor.claim(items);
                    }
                }
                Designator::Index(index) => {
                    let index = self.designated_index(*index, cursor)?;
                    cursor.set_next(index);
                }
                Designator::Range(first, last) => {
                    let first_span = self.unit.exprs[*first].span;
                    let first = self.designated_index(*first, cursor)?;
                    let last = self.designated_index(*last, cursor)?;
                    if last < first {
                        return error("the range of a designator is empty", first_span);
                    }
                    cursor.set_next(first);
                    ranges.push(Range { frame: cursor.frames.len() - 1, first, last });
                }
            }
        }
        Ok(ranges)
    }
    fn enter(&mut self, cursor: &mut Cursor, span: Span) -> Checked<()> {
        let Some(frame) = cursor.frames.last().copied() else { return Ok(()) };
        let (step, part) = self.part(frame);
        let Some(inner) = self.frame(part) else {
            let message = format!("a part of {} is designated, which has none", self.show(part));
            return error(message, span);
        };
        cursor.path.push(step);
        if self.is_open_member(part, cursor) {
            return unsupported("the initialisation of a flexible array member", span);
        }
        cursor.advance();
        cursor.frames.push(inner);
        Ok(())
    }
    fn designated_index(&mut self, index: ast::ExprId, cursor: &Cursor) -> Checked<u64> {
        let span = self.unit.exprs[index].span;
        let Some(frame) = cursor.frames.last().copied() else { return Ok(0) };
        if self.types().array(frame.ty).is_none() {
            return error(
                format!("an index is designated in {}, which is not an array", self.show(frame.ty)),
                span,
            );
        }
        let index = self.rvalue(index)?;
        let index = self.require_int(index, "the index of a designator")?;
        match u64::try_from(index) {
            Ok(index) if index < frame.count => Ok(index),
            _ => error(format!("the index {index} is outside of the array"), span),
        }
    }
    /// Repeats the items since `start` for the rest of a range.
    fn repeat(
        &mut self,
        range: &Range,
        start: usize,
        cursor: &mut Cursor,
        items: &mut Items,
        span: Span,
    ) -> Checked<()> {
        if let Some(frame) = cursor.frames.get_mut(range.frame) {
            frame.next = range.last + 1;
        }
        // What follows without designator continues in the last element of the range.
        if let Some(step) = cursor.path.get_mut(cursor.base + range.frame) {
            *step = Projection::Index(range.last);
        }
        if range.frame == 0 {
            cursor.used = cursor.used.max(range.last + 1);
        }
        let end = items.list.len();
        let copies = range.last - range.first;
        if copies.saturating_mul((end - start) as u64) > MAX_ITEMS as u64 {
            return error("the initialiser is too large", span);
        }
        let mut again: Vec<InitValue> = Vec::with_capacity(end - start);
        for item in &mut items.list[start..end] {
            let (once, later) = if copies > 0 {
                self.evaluated_once(&item.value)
            } else {
                (item.value.clone(), item.value.clone())
            };
            item.value = once;
            again.push(later);
        }
        let depth = cursor.base + range.frame;
        for index in range.first + 1..=range.last {
            for original in start..end {
                let mut copy = items.list[original].clone();
                copy.path[depth] = Projection::Index(index);
                copy.value = again[original - start].clone();
                items.list.push(copy);
            }
        }
        Ok(())
    }
    /// The value of the first element of a range, and that of the others: a value that is not constant is kept in a hidden variable.
    fn evaluated_once(&mut self, value: &InitValue) -> (InitValue, InitValue) {
        let InitValue::Expr(expr) = *value else { return (value.clone(), value.clone()) };
        if self.static_culprit(expr).is_none() {
            return (value.clone(), value.clone());
        }
        let (ty, span) = (self.ty(expr), self.span(expr));
        let hidden = self.variable("%range", ty, StorageDuration::Automatic, span);
        let place = self.place(PlaceKind::Variable(hidden), ty, span);
        let once = self.raw(ExprKind::Assign { place, value: expr }, ty, span);
        let later = self.load_variable(hidden, span);
        (InitValue::Expr(once), InitValue::Expr(later))
    }
}
