//! Types and values of literals (C11 6.4.4, 6.4.5).

use std::sync::Arc;

use base::Span;
use cfa::FloatKind;

use super::Checked;
use super::context::{Checker, error, unsupported};
use super::conversion::Operand;
use super::float;
use crate::ast::{self, CharLiteral, Encoding, FloatSuffix, IntegerLiteral, Notation};
use crate::hir::{ExprId, ExprKind, PlaceKind, StringId, StringLiteral};
use crate::types::{ArrayLength, IntKind, Type, TypeId};

impl Checker<'_> {
    pub(super) fn integer_literal(&mut self, literal: IntegerLiteral, span: Span) -> Checked<ExprId> {
        if literal.suffix.imaginary {
            return unsupported("imaginary constants", span);
        }
        let value = literal.value();
        let ladder = [
            (0, IntKind::Int),
            (0, IntKind::UnsignedInt),
            (1, IntKind::Long),
            (1, IntKind::UnsignedLong),
            (2, IntKind::LongLong),
            (2, IntKind::UnsignedLongLong),
            // gcc goes on where the standard has no type left.
            (2, IntKind::Int128),
            (2, IntKind::UnsignedInt128),
        ];
        let model = self.types().model;
        let is_old = self.unit.decimal_constants == ast::DecimalConstants::C89;
        let fits = |kind: IntKind| {
            let bits = u32::from(kind.width(model)) - u32::from(kind.is_signed());
            value <= u128::MAX >> (128 - bits)
        };
        let kind = ladder.into_iter().find_map(|(long, kind)| {
            let is_allowed = long >= literal.suffix.long
                && if literal.suffix.unsigned {
                    !kind.is_signed()
                } else {
                    kind.is_signed()
                        || literal.notation != Notation::Decimal
                        || is_old && kind == IntKind::UnsignedLong
                };
            (is_allowed && fits(kind)).then_some(kind)
        });
        match kind {
            Some(kind) => {
                let ty = self.int_type(kind);
                Ok(self.constant(value as i128, ty, span))
            }
            None => error("the integer constant is too large for its type", span),
        }
    }
    pub(super) fn float_literal(&mut self, literal: &ast::FloatLiteral, span: Span) -> Checked<ExprId> {
        if literal.imaginary {
            return unsupported("imaginary constants", span);
        }
        let kind = match literal.suffix {
            FloatSuffix::F | FloatSuffix::F32 => FloatKind::Single,
            FloatSuffix::None | FloatSuffix::F64 | FloatSuffix::F32x => FloatKind::Double,
            FloatSuffix::L | FloatSuffix::F64x => FloatKind::Extended,
            FloatSuffix::Q => FloatKind::Quad,
            FloatSuffix::F16 => return unsupported("the type `_Float16`", span),
        };
        match float::parse(&literal.text, kind) {
            Some(bits) => Ok(self.float_constant(bits, kind, span)),
            None => error("the floating-point constant cannot be read", span),
        }
    }
    pub(super) fn float_constant(&mut self, bits: u128, kind: FloatKind, span: Span) -> ExprId {
        let ty = self.program.types.intern(Type::Float(kind));
        self.raw(ExprKind::Float(bits), ty, span)
    }
    pub(super) fn char_literal(&mut self, literal: CharLiteral, span: Span) -> ExprId {
        let (kind, value) = match literal.encoding {
            // One character has the value of a `char`, which is signed.
            Encoding::Plain | Encoding::Utf8 if literal.count <= 1 => {
                (IntKind::Int, i128::from(literal.value as u8 as i8))
            }
            Encoding::Plain | Encoding::Utf8 => (IntKind::Int, i128::from(literal.value as i32)),
            Encoding::Char16 => (IntKind::UnsignedShort, i128::from(literal.value as u16)),
            Encoding::Char32 => (IntKind::UnsignedInt, i128::from(literal.value)),
            Encoding::Wide => (self.wide_kind(), i128::from(literal.value as i32)),
        };
        let ty = self.int_type(kind);
        self.constant(value, ty, span)
    }
    /// `wchar_t` is `int` for x86-64 and `long` for i386.
    fn wide_kind(&self) -> IntKind {
        match self.types().model {
            cfa::DataModel::Ilp32 => IntKind::Long,
            cfa::DataModel::Lp64 => IntKind::Int,
        }
    }
    /// The type of the elements of a string literal.
    pub(super) fn string_element(&mut self, encoding: Encoding) -> TypeId {
        let kind = match encoding {
            Encoding::Plain | Encoding::Utf8 => IntKind::Char,
            Encoding::Char16 => IntKind::UnsignedShort,
            Encoding::Char32 => IntKind::UnsignedInt,
            Encoding::Wide => self.wide_kind(),
        };
        self.int_type(kind)
    }
    /// A string literal as an object.
    pub(super) fn string_literal(&mut self, literal: &ast::StringLiteral, span: Span) -> Operand {
        let elem = self.string_element(literal.encoding);
        let bytes = string_bytes(literal);
        let length = ArrayLength::Fixed(literal.units.len() as u64 + 1);
        let ty = self.program.types.intern(Type::Array { elem, length });
        let string = self.intern_string(bytes.into(), ty, span);
        Operand::Place(self.place(PlaceKind::String(string), ty, span))
    }
    /// `__func__`: a string of the function's name.
    pub(super) fn function_name(&mut self, span: Span) -> Operand {
        let name = match &self.function {
            Some(function) => self.program.functions[function.id].name.to_string(),
            None => String::new(),
        };
        let units = name.bytes().map(u32::from).collect();
        self.string_literal(&ast::StringLiteral { encoding: Encoding::Plain, units }, span)
    }
    fn intern_string(&mut self, bytes: Arc<[u8]>, ty: TypeId, span: Span) -> StringId {
        let strings = &mut self.program.strings;
        *self
            .strings
            .entry((bytes.clone(), ty))
            .or_insert_with(|| strings.push(StringLiteral { bytes, ty, span }))
    }
}

/// The bytes of a string literal in memory order, with the terminating zero.
pub(super) fn string_bytes(literal: &ast::StringLiteral) -> Vec<u8> {
    let size = match literal.encoding {
        Encoding::Plain | Encoding::Utf8 => 1,
        Encoding::Char16 => 2,
        Encoding::Char32 | Encoding::Wide => 4,
    };
    let mut bytes = Vec::with_capacity((literal.units.len() + 1) * size);
    for unit in literal.units.iter().copied().chain([0]) {
        bytes.extend_from_slice(&unit.to_le_bytes()[..size]);
    }
    bytes
}
