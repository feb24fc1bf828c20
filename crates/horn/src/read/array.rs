//! Applications of operators to terms of array sorts.

use term::{Sort, SymbolKind, TermId};

use super::Reader;
use super::operator::{Complaint, Operator, complaint};
use super::sort::{OtherSort, Type, Typed};
use crate::system::Read;

impl Reader<'_> {
    /// An operator applied to terms of any sorts.
    pub(super) fn apply(&mut self, operator: Operator, parts: &[Typed]) -> Result<Typed, Complaint> {
        match operator {
            Operator::Select => return self.select(parts),
            Operator::Store => return self.store(parts),
            Operator::Constant(ty) => return self.constant(ty, parts),
            _ => {}
        }
        let is_plain = |part: &Typed| matches!(part.ty, Type::Bool | Type::Int);
        if !parts.iter().all(is_plain) {
            return self.apply_to_arrays(operator, parts);
        }
        let operands: Vec<TermId> = parts.iter().map(|part| part.term).collect();
        let term = operator.apply(self.terms, &operands)?;
        Ok(Typed { term, ty: Type::of(self.terms.sort(term)) })
    }

    fn apply_to_arrays(&mut self, operator: Operator, parts: &[Typed]) -> Result<Typed, Complaint> {
        let compared = match operator {
            Operator::Ite if parts.len() == 3 && parts[0].ty == Type::Bool => &parts[1..],
            Operator::Equal | Operator::Distinct => parts,
            _ => {
                return complaint("the operands have wrong sorts", "arrays are compared, read and stored to");
            }
        };
        let ty = compared[0].ty;
        if compared.iter().any(|part| part.ty != ty) {
            return complaint("the operands have wrong sorts", "compare and combine terms of one sort");
        }
        if ty == Type::Booleans && operator != Operator::Ite {
            return self.compare_booleans(operator, parts);
        }
        let operands: Vec<TermId> = parts.iter().map(|part| part.term).collect();
        let term = operator.apply(self.terms, &operands)?;
        Ok(Typed { term, ty: if operator == Operator::Ite { ty } else { Type::Bool } })
    }

    fn select(&mut self, parts: &[Typed]) -> Result<Typed, Complaint> {
        let [array, index] = parts else { return complaint(NUMBER, "select has an array and an index") };
        if let Type::Other(number) = array.ty {
            return self.read_other(number, array.term, *index);
        }
        let element = self.element(array.ty)?;
        if index.ty != Type::Int {
            return complaint("an index should be of sort Int", "give an integer");
        }
        let mut term = self.terms.select(array.term, index.term);
        if element == Type::Bool {
            let zero = self.terms.int(0);
            term = self.terms.ne(term, zero);
        }
        Ok(Typed { term, ty: element })
    }

    /// An element of an array whose sort has no terms: a new symbol, which is that of an equal index of an equal array.
    fn read_other(&mut self, number: usize, array: TermId, index: Typed) -> Result<Typed, Complaint> {
        let OtherSort { text, index: of, element } = self.sorts[number].clone();
        if index.ty != of {
            return complaint("the index should be of the array's sort", "see the array's sort");
        }
        if matches!(of, Type::Bool | Type::Booleans) {
            let message = format!("unsupported: access to an array of sort {text}");
            return complaint(&message, "indices are integers or arrays of integers");
        }
        let same = |(other, read): &&(usize, Read)| {
            *other == number && (read.array, read.index) == (array, index.term)
        };
        if let Some((_, read)) = self.reads.iter().find(same) {
            return Ok(Typed { term: read.value, ty: element });
        }
        let value = self.terms.constant("element", element.sort(), SymbolKind::Variable);
        let others = self.reads.iter().filter(|(other, _)| *other == number);
        for read in others.map(|(_, read)| *read).collect::<Vec<_>>() {
            let arrays = self.terms.eq(read.array, array);
            let indices = self.terms.eq(read.index, index.term);
            let elements = self.terms.eq(read.value, value);
            let premises = self.terms.and([arrays, indices]);
            let side = self.terms.implies(premises, elements);
            self.sides.push(side);
        }
        self.reads.push((number, Read { array, index: index.term, value }));
        Ok(Typed { term: value, ty: element })
    }

    fn store(&mut self, parts: &[Typed]) -> Result<Typed, Complaint> {
        let [array, index, value] = parts else {
            return complaint(NUMBER, "store has an array, an index and an element");
        };
        let element = self.element(array.ty)?;
        if index.ty != Type::Int || value.ty != element {
            return complaint("index and element should be of the array's sorts", "see the array's sort");
        }
        let value = self.as_element(*value);
        Ok(Typed { term: self.terms.store(array.term, index.term, value), ty: array.ty })
    }

    fn constant(&mut self, ty: Type, parts: &[Typed]) -> Result<Typed, Complaint> {
        let [value] = parts else { return complaint(NUMBER, "a constant array has one element") };
        if value.ty != self.element(ty)? {
            return complaint("the element should be of the array's sort", "see the array's sort");
        }
        let value = self.as_element(*value);
        Ok(Typed { term: self.terms.const_array(value), ty })
    }

    fn element(&self, array: Type) -> Result<Type, Complaint> {
        let name = self.type_name(array);
        match (array.element(), array) {
            (Some(element), _) => Ok(element),
            (None, Type::Other(_)) => Err((
                format!("unsupported: store to an array of sort {name}"),
                "elements are stored in arrays from Int to Int or Bool only; others are passed on and read"
                    .to_owned(),
            )),
            (None, _) => Err((format!("{name} is no array sort"), "access an array".to_owned())),
        }
    }

    /// An element as it is stored.
    fn as_element(&mut self, value: Typed) -> TermId {
        if value.ty != Type::Bool {
            return value.term;
        }
        let (one, zero) = (self.terms.int(1), self.terms.int(0));
        self.terms.ite(value.term, one, zero)
    }

    fn compare_booleans(&mut self, operator: Operator, parts: &[Typed]) -> Result<Typed, Complaint> {
        if parts.len() != 2 {
            return complaint(
                "unsupported: more than two arrays of booleans compared",
                "compare them in pairs",
            );
        }
        let same = self.same_booleans(parts[0].term, parts[1].term);
        let term = if operator == Operator::Equal { same } else { self.terms.not(same) };
        Ok(Typed::bool(term))
    }

    /// Whether two arrays of booleans are equal: a new boolean `e` with `e → a = b` and `¬e → (a[d] ≠ 0) ≠ (b[d] ≠ 0)` for a new `d`.
    ///
    /// Every derivation by clauses with these arrays is one of the text: read each integer as whether it is not zero; equal arrays are equal then, and
    /// different ones differ at `d`. Every derivation of the text is one by these clauses: write the elements as 0 and 1.
    fn same_booleans(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.terms.constant("same", Sort::Bool, SymbolKind::Variable);
        let at = self.terms.constant("difference", Sort::Int, SymbolKind::Variable);
        let equal = self.terms.eq(a, b);
        let (left, right, zero) = (self.terms.select(a, at), self.terms.select(b, at), self.terms.int(0));
        let (left, right) = (self.terms.eq(left, zero), self.terms.eq(right, zero));
        let differ = self.terms.ne(left, right);
        let side = self.terms.ite(same, equal, differ);
        self.sides.push(side);
        same
    }
}

const NUMBER: &str = "the number of operands is wrong";
