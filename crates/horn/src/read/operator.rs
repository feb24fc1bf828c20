//! Operators of the core theory and of integer arithmetic.

use term::{Integer, Sort, TermId, Terms};

use super::sort::Type;

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Not,
    And,
    Or,
    Implies,
    Xor,
    Equal,
    Distinct,
    Ite,
    Plus,
    Minus,
    Times,
    Div,
    Mod,
    Abs,
    Le,
    Lt,
    Ge,
    Gt,
    Select,
    Store,
    /// `(as const …)`, with its sort.
    Constant(Type),
}

/// What is wrong with an application, and what to do about it.
pub(super) type Complaint = (String, String);

pub(super) fn complaint<T>(message: &str, help: &str) -> Result<T, Complaint> {
    Err((message.to_owned(), help.to_owned()))
}

impl Operator {
    /// The operator of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "not" => Self::Not,
            "and" => Self::And,
            "or" => Self::Or,
            "=>" => Self::Implies,
            "xor" => Self::Xor,
            "=" => Self::Equal,
            "distinct" => Self::Distinct,
            "ite" => Self::Ite,
            "+" => Self::Plus,
            "-" => Self::Minus,
            "*" => Self::Times,
            "div" => Self::Div,
            "mod" => Self::Mod,
            "abs" => Self::Abs,
            "<=" => Self::Le,
            "<" => Self::Lt,
            ">=" => Self::Ge,
            ">" => Self::Gt,
            "select" => Self::Select,
            "store" => Self::Store,
            _ => return None,
        })
    }

    /// The sort that all operands should have; nothing if it depends on them.
    fn operands(self) -> Option<Sort> {
        match self {
            Self::Not | Self::And | Self::Or | Self::Implies | Self::Xor => Some(Sort::Bool),
            Self::Equal | Self::Distinct | Self::Ite => None,
            _ => Some(Sort::Int),
        }
    }

    /// The least and the greatest number of operands.
    fn arity(self) -> (usize, usize) {
        match self {
            Self::Not | Self::Abs => (1, 1),
            Self::Ite => (3, 3),
            Self::Div | Self::Mod => (2, 2),
            Self::And | Self::Or | Self::Plus | Self::Minus | Self::Times => (1, usize::MAX),
            _ => (2, usize::MAX),
        }
    }

    /// The application to these terms; accesses of arrays are applied by the reader.
    pub(super) fn apply(self, terms: &mut Terms, parts: &[TermId]) -> Result<TermId, Complaint> {
        let (least, most) = self.arity();
        if parts.len() < least || parts.len() > most {
            return complaint("the number of operands is wrong", "see the operator in SMT-LIB");
        }
        let sort = match (self.operands(), self) {
            (Some(sort), _) => sort,
            (None, Self::Ite) if terms.sort(parts[0]) != Sort::Bool => {
                return complaint("the condition should be of sort Bool", "write a formula");
            }
            (None, Self::Ite) => terms.sort(parts[1]),
            (None, _) => terms.sort(parts[0]),
        };
        let checked = if self == Self::Ite { &parts[1..] } else { parts };
        if checked.iter().any(|part| terms.sort(*part) != sort) {
            return complaint("the operands have wrong sorts", "compare and combine terms of one sort");
        }
        self.combine(terms, parts)
    }

    fn combine(self, terms: &mut Terms, parts: &[TermId]) -> Result<TermId, Complaint> {
        let all = parts.iter().copied();
        Ok(match self {
            Self::Not => terms.not(parts[0]),
            Self::And => terms.and(all),
            Self::Or => terms.or(all),
            Self::Implies => implies(terms, parts),
            Self::Xor => all.reduce(|a, b| terms.ne(a, b)).unwrap_or(Terms::FALSE),
            Self::Equal => chain(terms, parts, Terms::eq),
            Self::Distinct => distinct(terms, parts)?,
            Self::Ite => terms.ite(parts[0], parts[1], parts[2]),
            Self::Plus => terms.sum(all),
            Self::Minus => minus(terms, parts),
            Self::Times => times(terms, parts)?,
            Self::Div | Self::Mod => quotient(self, terms, parts)?,
            Self::Abs => {
                let (zero, opposite) = (terms.int(0), terms.neg(parts[0]));
                let is_negative = terms.lt(parts[0], zero);
                terms.ite(is_negative, opposite, parts[0])
            }
            Self::Le => chain(terms, parts, Terms::le),
            Self::Lt => chain(terms, parts, Terms::lt),
            Self::Ge => chain(terms, parts, Terms::ge),
            Self::Gt => chain(terms, parts, Terms::gt),
            Self::Select | Self::Store | Self::Constant(_) => {
                return complaint("an access to no array", "access an array");
            }
        })
    }
}

fn chain(terms: &mut Terms, parts: &[TermId], relation: fn(&mut Terms, TermId, TermId) -> TermId) -> TermId {
    let pairs: Vec<TermId> = parts.windows(2).map(|pair| relation(terms, pair[0], pair[1])).collect();
    terms.and(pairs)
}

fn implies(terms: &mut Terms, parts: &[TermId]) -> TermId {
    let mut items: Vec<TermId> = Vec::new();
    let (last, rest) = parts.split_last().expect("an implication should have two parts or more");
    items.extend(rest.iter().map(|part| terms.not(*part)));
    items.push(*last);
    terms.or(items)
}

fn minus(terms: &mut Terms, parts: &[TermId]) -> TermId {
    match parts {
        [one] => terms.neg(*one),
        _ => parts.iter().copied().reduce(|a, b| terms.sub(a, b)).expect("a difference should have a part"),
    }
}

/// More operands would make too many pairs.
const DISTINCT_LIMIT: usize = 200;

fn distinct(terms: &mut Terms, parts: &[TermId]) -> Result<TermId, Complaint> {
    if parts.len() > DISTINCT_LIMIT {
        return complaint("unsupported: distinct of so many terms", "at most 200 are supported");
    }
    let mut pairs = Vec::new();
    for (index, a) in parts.iter().enumerate() {
        for b in &parts[index + 1..] {
            pairs.push(terms.ne(*a, *b));
        }
    }
    Ok(terms.and(pairs))
}

fn times(terms: &mut Terms, parts: &[TermId]) -> Result<TermId, Complaint> {
    if parts.iter().filter(|part| terms.as_number(**part).is_none()).count() > 1 {
        return complaint("unsupported: a product of variables", "only linear arithmetic is supported");
    }
    Ok(parts.iter().copied().reduce(|a, b| terms.mul(a, b)).expect("a product should have a part"))
}

fn quotient(operator: Operator, terms: &mut Terms, parts: &[TermId]) -> Result<TermId, Complaint> {
    let Some(divisor) = terms.as_number(parts[1]).cloned() else {
        return complaint("unsupported: division by a variable", "only division by constants is supported");
    };
    if divisor == Integer::ZERO {
        return complaint("unsupported: division by zero", "its value is not fixed by SMT-LIB");
    }
    Ok(match operator {
        Operator::Div => terms.div(parts[0], &divisor),
        _ => terms.modulo(parts[0], &divisor),
    })
}
