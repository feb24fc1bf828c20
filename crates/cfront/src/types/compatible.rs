//! Compatible types and composite types (C11 6.2.7).
//!
//! Types may be nested arbitrarily deep through typedefs, so nothing here recurses without a bound.

use super::{ArrayLength, FunctionType, IntKind, Type, TypeId, Types};

/// How deep a composite type is built; below that the first type is taken as it is.
const MAX_COMPOSITE_DEPTH: u32 = 100;

impl Types {
    /// Whether two types are compatible. A function without prototype is compatible with every function of the same result, as old code
    /// needs; an enumeration with its integer type and with others of that type.
    pub fn compatible(&self, left: TypeId, right: TypeId) -> bool {
        let mut work = vec![(left, right)];
        while let Some((left, right)) = work.pop() {
            if left == right {
                continue;
            }
            match (self.get(left), self.get(right)) {
                (Type::Pointer(left), Type::Pointer(right)) => work.push((*left, *right)),
                (
                    Type::Array { elem: left, length: left_length },
                    Type::Array { elem: right, length: right_length },
                ) => {
                    if let (ArrayLength::Fixed(left), ArrayLength::Fixed(right)) = (left_length, right_length)
                        && left != right
                    {
                        return false;
                    }
                    work.push((*left, *right));
                }
                (Type::Function(left), Type::Function(right)) => {
                    work.push((left.result, right.result));
                    if left.prototype && right.prototype {
                        if left.variadic != right.variadic || left.params.len() != right.params.len() {
                            return false;
                        }
                        work.extend(left.params.iter().copied().zip(right.params.iter().copied()));
                    }
                }
                (Type::Enum(_), Type::Enum(_) | Type::Int(_)) | (Type::Int(_), Type::Enum(_)) => {
                    if self.int_kind(left) != self.int_kind(right) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }
    /// Whether an argument of one type, after the default promotions, may be passed for a parameter of another where no prototype is in sight (C11
    /// 6.5.2.2p6). Integers of one rank may differ in their signedness; whether a value fits both types is another question.
    pub fn may_pass(&self, given: TypeId, param: TypeId) -> bool {
        let is_byte = |pointer: TypeId| {
            let kind = |to: TypeId| self.int_kind(to).filter(|_| !matches!(self.get(to), Type::Enum(_)));
            let is_char = |to| kind(to).is_some_and(|kind| kind.rank() == IntKind::Char.rank());
            self.pointee(pointer).is_some_and(|to| self.is_void(to) || is_char(to))
        };
        let is_counterpart = match (self.int_kind(given), self.int_kind(param)) {
            (Some(given), Some(param)) => given.rank() == param.rank(),
            _ => false,
        };
        self.compatible(given, param) || is_counterpart || is_byte(given) && is_byte(param)
    }
    /// A type compatible with both of two compatible types that has what is known of either.
    pub fn composite(&mut self, left: TypeId, right: TypeId) -> TypeId {
        self.composite_within(left, right, MAX_COMPOSITE_DEPTH)
    }

    fn composite_within(&mut self, left: TypeId, right: TypeId, depth: u32) -> TypeId {
        if left == right || depth == 0 {
            return left;
        }
        match (self.get(left).clone(), self.get(right).clone()) {
            (Type::Pointer(left), Type::Pointer(right)) => {
                let to = self.composite_within(left, right, depth - 1);
                self.pointer(to)
            }
            (
                Type::Array { elem: left, length: left_length },
                Type::Array { elem: right, length: right_length },
            ) => {
                let elem = self.composite_within(left, right, depth - 1);
                let length = match (left_length, right_length) {
                    (ArrayLength::Unknown, length)
                    | (ArrayLength::Variable(_), length @ ArrayLength::Fixed(_)) => length,
                    (length, _) => length,
                };
                self.intern(Type::Array { elem, length })
            }
            (Type::Function(left), Type::Function(right)) => {
                let result = self.composite_within(left.result, right.result, depth - 1);
                let function = if left.prototype && right.prototype {
                    let pairs = left.params.iter().zip(&right.params);
                    let params =
                        pairs.map(|(left, right)| self.composite_within(*left, *right, depth - 1)).collect();
                    FunctionType { result, params, variadic: left.variadic, prototype: true }
                } else if left.prototype {
                    FunctionType { result, ..left }
                } else {
                    FunctionType { result, ..right }
                };
                self.intern(Type::Function(function))
            }
            _ => left,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::DataModel;

    #[test]
    fn unknown_lengths_are_completed() {
        let mut types = Types::new(DataModel::Lp64);
        let int = types.int(IntKind::Int);
        let open = types.intern(Type::Array { elem: int, length: ArrayLength::Unknown });
        let three = types.intern(Type::Array { elem: int, length: ArrayLength::Fixed(3) });
        let four = types.intern(Type::Array { elem: int, length: ArrayLength::Fixed(4) });
        assert!(types.compatible(open, three));
        assert!(!types.compatible(four, three));
        assert_eq!(types.composite(open, three), three);
        let (to_open, to_three) = (types.pointer(open), types.pointer(three));
        assert_eq!(types.composite(to_three, to_open), to_three);
    }

    #[test]
    fn deep_types_are_compared_without_recursion() {
        let mut types = Types::new(DataModel::Lp64);
        let mut ends = [types.int(IntKind::Int), types.int(IntKind::Long)];
        for _ in 0..100_000 {
            ends = ends.map(|end| types.pointer(end));
        }
        assert!(!types.compatible(ends[0], ends[1]));
        assert_eq!(types.composite(ends[0], ends[1]), ends[0]);
    }
}
