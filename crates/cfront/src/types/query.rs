//! Queries about types.

use cfa::{DataModel, FloatKind, Ty};

use super::{ArrayLength, FunctionType, IntKind, RecordId, Type, TypeId, Types};

impl Types {
    /// The size in bytes; `None` if the type is incomplete, a function or of variable length.
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        let mut count = 1_u64;
        let mut current = id;
        loop {
            let size = match self.get(current) {
                Type::Void | Type::Function(_) => return None,
                Type::Int(kind) => self.int_size(*kind),
                Type::Enum(definition) => self.int_size(self.enums[*definition].kind),
                Type::Float(kind) => Ty::Float(*kind).size(self.model),
                Type::Pointer(_) => u64::from(self.model.pointer_width()) / 8,
                Type::VaList => match self.model {
                    DataModel::Ilp32 => 4,
                    DataModel::Lp64 => 24,
                },
                Type::Record(record) => {
                    let record = &self.records[*record];
                    if !record.complete {
                        return None;
                    }
                    record.size
                }
                Type::Array { elem, length: ArrayLength::Fixed(length) } => {
                    count = count.saturating_mul(*length);
                    current = *elem;
                    continue;
                }
                Type::Array { .. } => return None,
            };
            return Some(size.saturating_mul(count));
        }
    }
    /// The alignment that every object of the type has, in bytes: C11's `_Alignof`, and the alignment of a member. 1 if the
    /// type is incomplete.
    pub fn align_of(&self, id: TypeId) -> u64 {
        let natural = self.preferred_align_of(id);
        let element = self.element_of_arrays(id);
        // The i386 ABI aligns 8-byte scalars to 4 in records.
        let is_limited = self.model == DataModel::Ilp32
            && matches!(self.get(element), Type::Int(_) | Type::Enum(_) | Type::Float(FloatKind::Double));
        if is_limited { natural.min(4) } else { natural }
    }
    /// The alignment that gcc gives to variables of the type, its `__alignof__`.
    pub fn preferred_align_of(&self, id: TypeId) -> u64 {
        let element = self.element_of_arrays(id);
        match self.get(element) {
            Type::Void | Type::Function(_) | Type::Array { .. } => 1,
            Type::Int(_) | Type::Enum(_) | Type::Pointer(_) => self.size_of(element).unwrap_or(1),
            Type::VaList => u64::from(self.model.pointer_width()) / 8,
            Type::Float(FloatKind::Extended) => match self.model {
                DataModel::Ilp32 => 4,
                DataModel::Lp64 => 16,
            },
            Type::Float(kind) => Ty::Float(*kind).size(self.model),
            Type::Record(record) => self.records[*record].align.max(1),
        }
    }
    /// Whether objects of the type can exist: its size is known, perhaps only at run time.
    pub fn is_complete(&self, id: TypeId) -> bool {
        let mut current = id;
        loop {
            match self.get(current) {
                Type::Void | Type::Function(_) | Type::Array { length: ArrayLength::Unknown, .. } => {
                    return false;
                }
                Type::Array { elem, .. } => current = *elem,
                Type::Record(record) => return self.records[*record].complete,
                Type::Int(_) | Type::Enum(_) | Type::Float(_) | Type::Pointer(_) | Type::VaList => {
                    return true;
                }
            }
        }
    }
    /// Whether it is an array type whose size is known at run time only.
    pub fn is_variable_length(&self, id: TypeId) -> bool {
        let mut current = id;
        while let Type::Array { elem, length } = self.get(current) {
            if matches!(length, ArrayLength::Variable(_)) {
                return true;
            }
            current = *elem;
        }
        false
    }
    /// Whether a variable length array is part of how the type is written (C11 6.7.6).
    pub fn is_variably_modified(&self, id: TypeId) -> bool {
        let mut current = id;
        loop {
            current = match self.get(current) {
                Type::Array { length: ArrayLength::Variable(_), .. } => return true,
                Type::Array { elem: next, .. } | Type::Pointer(next) => *next,
                Type::Function(function) => function.result,
                Type::Void
                | Type::Int(_)
                | Type::Float(_)
                | Type::Enum(_)
                | Type::Record(_)
                | Type::VaList => {
                    return false;
                }
            }
        }
    }
    /// The element type of an array of any dimension; the type itself if it is no array.
    pub fn element_of_arrays(&self, id: TypeId) -> TypeId {
        let mut current = id;
        while let Type::Array { elem, .. } = self.get(current) {
            current = *elem;
        }
        current
    }
    /// The integer kind of an integer or enumeration type.
    pub fn int_kind(&self, id: TypeId) -> Option<IntKind> {
        match self.get(id) {
            Type::Int(kind) => Some(*kind),
            Type::Enum(definition) => Some(self.enums[*definition].kind),
            _ => None,
        }
    }
    /// The format of a floating-point type.
    pub fn float_kind(&self, id: TypeId) -> Option<FloatKind> {
        match self.get(id) {
            Type::Float(kind) => Some(*kind),
            _ => None,
        }
    }
    /// Whether a value of the type holds a pointer.
    pub fn contains_pointer(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Pointer(_) | Type::VaList => true,
            Type::Array { elem, .. } => self.contains_pointer(*elem),
            // A record holds only records that were complete before it, so this ends.
            Type::Record(record) => {
                self.records[*record].fields.iter().any(|field| self.contains_pointer(field.ty))
            }
            Type::Void | Type::Int(_) | Type::Float(_) | Type::Enum(_) | Type::Function(_) => false,
        }
    }
    /// What a pointer type points to.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        }
    }
    /// The element type and length of an array type.
    pub fn array(&self, id: TypeId) -> Option<(TypeId, ArrayLength)> {
        match self.get(id) {
            Type::Array { elem, length } => Some((*elem, *length)),
            _ => None,
        }
    }
    /// The record of a record type.
    pub fn record(&self, id: TypeId) -> Option<RecordId> {
        match self.get(id) {
            Type::Record(record) => Some(*record),
            _ => None,
        }
    }
    /// The signature of a function type.
    pub fn function(&self, id: TypeId) -> Option<&FunctionType> {
        match self.get(id) {
            Type::Function(function) => Some(function),
            _ => None,
        }
    }
    /// Whether it is `void`.
    pub fn is_void(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Void)
    }
    /// Whether it is an integer or enumeration type.
    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Int(_) | Type::Enum(_))
    }
    /// Whether it is an integer, enumeration or floating-point type.
    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Int(_) | Type::Enum(_) | Type::Float(_))
    }
    /// Whether values can be tested against zero.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.is_arithmetic(id) || matches!(self.get(id), Type::Pointer(_) | Type::VaList)
    }
    /// The machine type of a scalar type: `_Bool` is one bit, an enumeration is its integer type, lists of
    /// variable arguments are pointers.
    pub fn scalar(&self, id: TypeId) -> Option<Ty> {
        match self.get(id) {
            Type::Int(kind) => Some(self.int_ty(*kind)),
            Type::Enum(definition) => Some(self.int_ty(self.enums[*definition].kind)),
            Type::Float(kind) => Some(Ty::Float(*kind)),
            Type::Pointer(_) | Type::VaList => Some(Ty::Ptr),
            Type::Void | Type::Array { .. } | Type::Record(_) | Type::Function(_) => None,
        }
    }
    /// The machine type of an integer kind.
    pub fn int_ty(&self, kind: IntKind) -> Ty {
        Ty::Int { width: kind.width(self.model), signed: kind.is_signed() }
    }
    /// The integer promotions (C11 6.3.1.1).
    pub fn promoted(&self, kind: IntKind) -> IntKind {
        if kind.rank() < IntKind::Int.rank() { IntKind::Int } else { kind }
    }
    /// The usual arithmetic conversions of two promoted integer kinds (C11 6.3.1.8).
    pub fn common_int(&self, left: IntKind, right: IntKind) -> IntKind {
        if left == right {
            return left;
        }
        if left.is_signed() == right.is_signed() {
            return if left.rank() >= right.rank() { left } else { right };
        }
        let (signed, unsigned) = if left.is_signed() { (left, right) } else { (right, left) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.width(self.model) > unsigned.width(self.model) {
            signed
        } else {
            signed.to_unsigned()
        }
    }
    /// The type of `sizeof`.
    pub fn size_type(&self) -> IntKind {
        match self.model {
            DataModel::Ilp32 => IntKind::UnsignedInt,
            DataModel::Lp64 => IntKind::UnsignedLong,
        }
    }
    /// The type of pointer differences.
    pub fn difference_type(&self) -> IntKind {
        match self.model {
            DataModel::Ilp32 => IntKind::Int,
            DataModel::Lp64 => IntKind::Long,
        }
    }
    fn int_size(&self, kind: IntKind) -> u64 {
        u64::from(kind.width(self.model)).div_ceil(8)
    }
}

impl IntKind {
    /// The unsigned type of the same rank.
    #[must_use]
    pub fn to_unsigned(self) -> Self {
        match self {
            Self::Char | Self::SignedChar => Self::UnsignedChar,
            Self::Short => Self::UnsignedShort,
            Self::Int => Self::UnsignedInt,
            Self::Long => Self::UnsignedLong,
            Self::LongLong => Self::UnsignedLongLong,
            Self::Int128 => Self::UnsignedInt128,
            unsigned => unsigned,
        }
    }
    /// The signed type of the same rank.
    #[must_use]
    pub fn to_signed(self) -> Self {
        match self {
            Self::UnsignedChar => Self::SignedChar,
            Self::UnsignedShort => Self::Short,
            Self::UnsignedInt => Self::Int,
            Self::UnsignedLong => Self::Long,
            Self::UnsignedLongLong => Self::LongLong,
            Self::UnsignedInt128 => Self::Int128,
            signed => signed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_types_depend_on_the_model() {
        for (model, expected) in [(DataModel::Ilp32, IntKind::UnsignedLong), (DataModel::Lp64, IntKind::Long)]
        {
            let types = Types::new(model);
            assert_eq!(types.common_int(IntKind::UnsignedInt, IntKind::Long), expected);
            assert_eq!(types.common_int(IntKind::Int, IntKind::UnsignedInt), IntKind::UnsignedInt);
            assert_eq!(types.common_int(IntKind::LongLong, IntKind::UnsignedInt), IntKind::LongLong);
        }
        let types = Types::new(DataModel::Lp64);
        assert_eq!(types.common_int(IntKind::LongLong, IntKind::UnsignedLong), IntKind::UnsignedLongLong);
    }

    #[test]
    fn sizes_of_arrays_multiply() {
        let mut types = Types::new(DataModel::Lp64);
        let int = types.int(IntKind::Int);
        let row = types.intern(Type::Array { elem: int, length: ArrayLength::Fixed(3) });
        let matrix = types.intern(Type::Array { elem: row, length: ArrayLength::Fixed(5) });
        assert_eq!(types.size_of(matrix), Some(60));
        let open = types.intern(Type::Array { elem: row, length: ArrayLength::Unknown });
        assert_eq!(types.size_of(open), None);
        assert!(!types.is_complete(open));
    }
}
