//! What attributes and `_Alignas` do.

use base::{Diagnostic, Span};

use super::Checked;
use super::context::{Checker, error, unsupported};
use super::linkage::External;
use super::scope::Typed;
use crate::ast::{AlignasArgument, Attribute, AttributeKind, DeclaratorId, SpecifiersId};
use crate::lex::Name;
use crate::types::{ArrayLength, Field, IntKind, Record, Type, TypeId};

/// `__BIGGEST_ALIGNMENT__` of x86: what `aligned` without argument means.
const BIGGEST_ALIGNMENT: u64 = 16;
/// No vector has more bytes.
const MAX_VECTOR: u64 = 1 << 12;
/// The name of the record that a vector is, and of its member: no name of C.
const VECTOR: &str = "(vector)";
/// The tag of the record that stands for the type `_Float16`.
const HALF: &str = "_Float16";
/// The tag of the records that stand for complex types.
const COMPLEX: &str = "_Complex";
/// No object is aligned to more.
const MAX_ALIGNMENT: u64 = 1 << 28;

/// What the attributes of a declaration, member or record say together.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent attributes")]
pub(super) struct Effects {
    pub(super) packed: bool,
    /// Demanded alignment in bytes.
    pub(super) align: Option<u64>,
    /// `#pragma pack`
    pub(super) max_member_align: Option<u64>,
    pub(super) mode: Option<(Name, Span)>,
    pub(super) noreturn: bool,
    /// What a function promises to the optimiser.
    pub(super) promise: Option<Name>,
    pub(super) transparent_union: bool,
    pub(super) gnu_inline: bool,
    pub(super) system_inline: bool,
    pub(super) weak: Option<Span>,
    /// Bytes of a vector.
    pub(super) vector: Option<(i128, Span)>,
}

impl Effects {
    /// Refuses attributes of a function that are about a type.
    pub(super) fn check_function(&self) -> Checked<()> {
        match (self.mode, self.vector) {
            (Some((_, span)), _) => unsupported("the attribute `mode` of a function", span),
            (_, Some((_, span))) => unsupported("the attribute `vector_size` of a function", span),
            (None, None) => Ok(()),
        }
    }
}

impl Checker<'_> {
    /// Reads lists of attributes and `_Alignas` arguments.
    pub(super) fn effects(
        &mut self,
        lists: &[&[Attribute]],
        alignas: &[AlignasArgument],
    ) -> Checked<Effects> {
        let mut effects = Effects::default();
        for argument in alignas {
            let align = self.alignment(*argument)?;
            effects.align = effects.align.max(align);
        }
        for attribute in lists.iter().copied().flatten() {
            match attribute.kind {
                AttributeKind::Packed => effects.packed = true,
                AttributeKind::Aligned(argument) => {
                    let align = match argument {
                        Some(argument) => self.alignment(argument)?,
                        None => Some(BIGGEST_ALIGNMENT),
                    };
                    effects.align = effects.align.max(align);
                }
                AttributeKind::Noreturn => effects.noreturn = true,
                AttributeKind::Promise(name) => effects.promise = Some(name),
                AttributeKind::Mode(mode) => effects.mode = Some((mode, attribute.span)),
                AttributeKind::TransparentUnion => effects.transparent_union = true,
                AttributeKind::MaxAlign(bytes) => effects.max_member_align = Some(u64::from(bytes)),
                AttributeKind::VectorSize(size) => {
                    let size = self.rvalue(size)?;
                    effects.vector = Some((self.require_int(size, "the size of a vector")?, attribute.span));
                }
                AttributeKind::GnuInline => effects.gnu_inline = true,
                AttributeKind::SystemInline => {
                    (effects.gnu_inline, effects.system_inline) = (true, true);
                }
                AttributeKind::Weak => effects.weak = Some(attribute.span),
            }
        }
        Ok(effects)
    }
    /// A symbol that is weak needs a definition: without one its address is null. A function is refused where it is used.
    pub(super) fn check_weak_symbols(&mut self) -> Checked<()> {
        for (name, span) in self.weak_symbols.clone() {
            if self.is_defined_external(name) {
                continue;
            }
            let construct = format!("the weak symbol `{}` without a definition", self.text(name));
            let diagnostic = Diagnostic::unsupported(construct, span);
            match self.externals.get(&name) {
                Some(External::Function(function)) => {
                    self.program.functions[*function].refused = Some(Box::new(diagnostic));
                }
                _ => return Err(Box::new(diagnostic)),
            }
        }
        Ok(())
    }
    /// The alignment that an argument says; `None` for 0, which says nothing.
    fn alignment(&mut self, argument: AlignasArgument) -> Checked<Option<u64>> {
        let expr = match argument {
            AlignasArgument::Type(type_name) => {
                let typed = self.type_name(type_name)?;
                return Ok(Some(typed.align.unwrap_or_else(|| self.types().align_of(typed.ty))));
            }
            AlignasArgument::Expr(expr) => expr,
        };
        let expr = self.rvalue(expr)?;
        let value = self.require_int(expr, "the alignment")?;
        match u64::try_from(value) {
            Ok(0) => Ok(None),
            Ok(align) if align.is_power_of_two() && align <= MAX_ALIGNMENT => Ok(Some(align)),
            _ => error(format!("the alignment {value} is not a supported power of two"), self.span(expr)),
        }
    }
    /// A vector type. It is a record with an array: that is right for its size, and for what is copied, passed and returned. Functions that do more with
    /// vectors are refused when they are called.
    fn with_vector(&mut self, elem: TypeId, effects: &Effects) -> Checked<TypeId> {
        let Some((bytes, span)) = effects.vector else { return Ok(elem) };
        let size = self.types().size_of(elem).filter(|size| *size > 0);
        let (Some(size), Ok(bytes)) = (size, u64::try_from(bytes)) else {
            return unsupported("vector types", span);
        };
        if !bytes.is_power_of_two() || bytes > MAX_VECTOR || bytes % size != 0 {
            return unsupported("vector types", span);
        }
        let array = Type::Array { elem, length: ArrayLength::Fixed(bytes / size) };
        let ty = self.program.types.intern(array);
        Ok(self.stand_in(VECTOR, ty, bytes))
    }
    /// The type `_Float16`. It is a record of two bytes, which is right for what vectors are right for. Computing with it is refused.
    pub(super) fn half(&mut self) -> TypeId {
        let bits = self.int_type(IntKind::UnsignedShort);
        self.stand_in(HALF, bits, 2)
    }
    /// A complex type, likewise: a record with its two parts.
    pub(super) fn complex(&mut self, part: TypeId) -> TypeId {
        let size = self.types().size_of(part).unwrap_or(0);
        let array = Type::Array { elem: part, length: ArrayLength::Fixed(2) };
        let ty = self.program.types.intern(array);
        self.stand_in(COMPLEX, ty, 2 * size)
    }
    /// The record with one member that stands for a type that is not computed with.
    fn stand_in(&mut self, name: &str, member: TypeId, size: u64) -> TypeId {
        let known = self.types().records.iter_enumerated().find(|(_, record)| {
            &*record.name == name && (record.fields[0].ty, record.size) == (member, size)
        });
        let known = known.map(|(record, _)| record);
        // A vector is aligned to its size.
        let align = if name == VECTOR { size } else { self.types().align_of(member) };
        let record = known.unwrap_or_else(|| {
            self.program.types.records.push(Record {
                name: name.into(),
                alias: None,
                is_union: false,
                complete: true,
                fields: vec![Field { name: VECTOR.into(), ty: member, offset: 0, bits: None }],
                size,
                align,
            })
        });
        self.program.types.intern(Type::Record(record))
    }
    /// A type after the attributes of its specifiers and its declarator.
    pub(super) fn with_attributes(
        &mut self,
        typed: Typed,
        specifiers: SpecifiersId,
        declarator: DeclaratorId,
    ) -> Checked<Typed> {
        let (specifiers, declarator) =
            (&self.unit.specifiers[specifiers], &self.unit.declarators[declarator]);
        let effects = self.effects(&[&specifiers.attributes, &declarator.attributes], &[])?;
        let ty = self.with_mode(typed.ty, &effects)?;
        Ok(Typed { ty, align: effects.align.or(typed.align), ..typed })
    }
    /// Why no operator but assignment may be applied to values of a type, if it is one that a record stands for.
    pub(super) fn stands_for(&self, ty: TypeId) -> Option<&'static str> {
        let name = &*self.types().records[self.types().record(ty)?].name;
        [(VECTOR, "vector types"), (HALF, "the type `_Float16`"), (COMPLEX, "`_Complex` types")]
            .into_iter()
            .find_map(|(known, construct)| (known == name).then_some(construct))
    }
    /// A type after the attributes `vector_size` and `mode`.
    pub(super) fn with_mode(&mut self, ty: TypeId, effects: &Effects) -> Checked<TypeId> {
        let ty = self.with_vector(ty, effects)?;
        let Some((mode, span)) = effects.mode else { return Ok(ty) };
        let text = self.text(mode);
        let is_wide = self.types().model == cfa::DataModel::Lp64;
        let float = match text {
            "SF" => Some(cfa::FloatKind::Single),
            "DF" => Some(cfa::FloatKind::Double),
            "XF" => Some(cfa::FloatKind::Extended),
            "TF" => Some(cfa::FloatKind::Quad),
            _ => None,
        };
        if let (Some(kind), Some(_)) = (float, self.types().float_kind(ty)) {
            return Ok(self.program.types.intern(Type::Float(kind)));
        }
        let signed = match text {
            "QI" | "byte" => IntKind::SignedChar,
            "HI" => IntKind::Short,
            "SI" => IntKind::Int,
            "DI" if is_wide => IntKind::Long,
            "DI" => IntKind::LongLong,
            "TI" => IntKind::Int128,
            "word" | "pointer" | "unwind_word" if is_wide => IntKind::Long,
            "word" | "pointer" | "unwind_word" => IntKind::Int,
            _ => return unsupported(format!("the machine mode `{text}`"), span),
        };
        match self.types().int_kind(ty) {
            Some(kind) if kind.is_signed() => Ok(self.int_type(signed)),
            Some(_) => Ok(self.int_type(signed.to_unsigned())),
            None => error(format!("the machine mode `{text}` does not fit the type {}", self.show(ty)), span),
        }
    }
}
