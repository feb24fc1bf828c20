//! Z3's models as ours.

use base::Idx;
use term::{ArrayValue, Integer, Model, SymbolId, Value};
use z3::DeclKind;
use z3::ast::{Array, Ast, BV, Dynamic, Int};

use super::translate::{Translated, Translator};

/// The values of our symbols in a model; an error if a value has a form that we cannot read.
pub(super) fn read(model: &z3::Model, translator: &Translator) -> Result<Model, String> {
    let mut values = Model::new();
    for declaration in model {
        // Names of our symbols are `s` and a number; activation constants and definitions are of no interest.
        let name = declaration.name();
        let Some(Ok(number)) = name.strip_prefix('s').map(str::parse::<usize>) else { continue };
        let symbol = SymbolId::new(number);
        let Some(constant) = translator.symbol(symbol) else { continue };
        if let Some(value) = value(model, constant) {
            values.set(symbol, value.map_err(|form| format!("value of {name} has unknown form {form}"))?);
        }
    }
    Ok(values)
}

fn value(model: &z3::Model, constant: &Translated) -> Option<Result<Value, String>> {
    match constant {
        Translated::Bool(ast) => {
            let value = model.get_const_interp(ast)?;
            Some(value.as_bool().map(Value::Bool).ok_or_else(|| value.to_string()))
        }
        Translated::Int(ast) => {
            let value = model.get_const_interp(ast)?;
            Some(integer(&value).map(Value::Int).ok_or_else(|| value.to_string()))
        }
        Translated::BitVec(ast) => {
            let value = model.get_const_interp(ast)?;
            let bits = bits(&value).map(|bits| Value::BitVec(ast.get_size(), bits));
            Some(bits.ok_or_else(|| value.to_string()))
        }
        Translated::Array(ast) => {
            let value = model.get_const_interp(ast)?;
            Some(array(model, &value).map(Value::Array).ok_or_else(|| value.to_string()))
        }
    }
}

/// A numeral, printed as `5` or `(- 5)`.
fn integer(value: &Int) -> Option<Integer> {
    if let Some(word) = value.as_i64() {
        return Some(Integer::from(word));
    }
    let text = value.to_string();
    match text.strip_prefix("(- ").and_then(|rest| rest.strip_suffix(')')) {
        Some(digits) => Some(-digits.parse::<Integer>().ok()?),
        None => text.parse().ok(),
    }
}

/// A bit-vector, printed as `#xff` or `#b101` if it is wider than a word.
fn bits(value: &BV) -> Option<Integer> {
    if let Some(word) = value.as_u64() {
        return Some(Integer::from(word));
    }
    let text = value.to_string();
    let (digits, radix) = match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) => (digits, 2),
        (None, None) => return None,
    };
    digits.chars().try_fold(Integer::ZERO, |number, digit| {
        Some(number * Integer::from(radix) + Integer::from(digit.to_digit(radix)?))
    })
}

/// An array: stores over a constant array, or the table of a function.
fn array(model: &z3::Model, value: &Array) -> Option<ArrayValue> {
    let (mut value, mut stored) = (value.clone(), Vec::new());
    let mut result = loop {
        if let Some(function) = value.as_array_func_decl() {
            let table = model.get_func_interp(&function)?;
            let mut result = ArrayValue::new(dynamic(&table.get_else()?)?);
            for entry in table.get_entries() {
                result.set(dynamic(entry.get_args().first()?)?, dynamic(&entry.get_value())?);
            }
            break result;
        }
        let declaration = value.safe_decl().ok()?;
        let children = value.children();
        match (declaration.kind(), children.as_slice()) {
            (DeclKind::Store, [before, index, element]) => {
                stored.push((dynamic(index)?, dynamic(element)?));
                value = before.as_array()?;
            }
            (DeclKind::ConstArray, [element]) => break ArrayValue::new(dynamic(element)?),
            _ => return None,
        }
    };
    for (index, element) in stored.into_iter().rev() {
        result.set(index, element);
    }
    Some(result)
}

fn dynamic(value: &Dynamic) -> Option<Integer> {
    match value.as_int() {
        Some(value) => integer(&value),
        None => bits(&value.as_bv()?),
    }
}
