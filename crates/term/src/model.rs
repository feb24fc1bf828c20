//! Values, and models that give symbols values.

use std::collections::BTreeMap;

use crate::{Integer, Sort, SymbolId, TermId, Terms};

/// An array: a default, and the elements that differ from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayValue {
    default: Integer,
    entries: BTreeMap<Integer, Integer>,
}

impl ArrayValue {
    /// The array with one element everywhere.
    pub fn new(default: Integer) -> Self {
        Self { default, entries: BTreeMap::new() }
    }
    /// The element at an index.
    pub fn get(&self, index: &Integer) -> &Integer {
        self.entries.get(index).unwrap_or(&self.default)
    }
    /// Changes the element at an index.
    pub fn set(&mut self, index: Integer, value: Integer) {
        if value == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, value);
        }
    }
    /// The element of all indices that have no entry.
    pub fn default_element(&self) -> &Integer {
        &self.default
    }
    /// The elements that differ from the default, by ascending index.
    pub fn entries(&self) -> impl Iterator<Item = (&Integer, &Integer)> {
        self.entries.iter()
    }
}

/// A value of some sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of sort [`Sort::Bool`].
    Bool(bool),
    /// Of sort [`Sort::Int`].
    Int(Integer),
    /// Of sort [`Sort::BitVec`]: width and unsigned value.
    BitVec(u32, Integer),
    /// Of sort [`Sort::Array`], or of sort [`Sort::BitArray`] with unsigned indices and elements.
    Array(ArrayValue),
}

impl Value {
    /// The value of symbols that a model does not mention.
    pub fn default_of(sort: Sort) -> Self {
        match sort {
            Sort::Bool => Self::Bool(false),
            Sort::Int => Self::Int(Integer::ZERO),
            Sort::BitVec(width) => Self::BitVec(width, Integer::ZERO),
            Sort::Array | Sort::BitArray(_) => Self::Array(ArrayValue::new(Integer::ZERO)),
        }
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<&Integer> {
        if let Self::Int(value) = self { Some(value) } else { None }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }
}

/// Gives every symbol a value; one that is not mentioned has its sort's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: BTreeMap<SymbolId, Value>,
}

impl Model {
    /// The model that mentions nothing.
    pub fn new() -> Self {
        Self::default()
    }
    /// Gives a symbol a value of its sort.
    pub fn set(&mut self, symbol: SymbolId, value: Value) {
        self.values.insert(symbol, value);
    }
    /// Gives a symbol an integer.
    pub fn set_int(&mut self, symbol: SymbolId, value: impl Into<Integer>) {
        self.set(symbol, Value::Int(value.into()));
    }
    /// The value of a symbol, if it is mentioned.
    pub fn get(&self, symbol: SymbolId) -> Option<&Value> {
        self.values.get(&symbol)
    }
    /// The integer of a symbol of sort [`Sort::Int`].
    pub fn int(&self, symbol: SymbolId) -> Integer {
        self.get(symbol).and_then(Value::as_int).cloned().unwrap_or(Integer::ZERO)
    }
    /// The symbols mentioned and their values, by ascending id.
    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, &Value)> {
        self.values.iter().map(|(symbol, value)| (*symbol, value))
    }
}

impl Terms {
    /// The term of a value.
    pub fn of_value(&mut self, value: &Value) -> TermId {
        match value {
            Value::Bool(value) => self.bool(*value),
            Value::Int(value) => self.number(value.clone()),
            Value::BitVec(width, value) => self.bv_number(*width, value.clone()),
            Value::Array(array) => {
                let default = self.number(array.default.clone());
                let mut term = self.const_array(default);
                for (index, element) in &array.entries {
                    let (index, element) = (self.number(index.clone()), self.number(element.clone()));
                    term = self.store(term, index, element);
                }
                term
            }
        }
    }
}
