//! Expressions of C, with mathematical integers in mind: the reader decides in which type they are evaluated.

use super::relation::{Operator, Relation, at_most_zero, equal_to_zero};
use super::{Names, Piece, Place, Written, write_pieces};
use crate::{Integer, Linear, Node, TermId, Terms};

/// An expression for a term; nothing if it has none (stores, bit-vectors, numbers beyond 64 bits), or if it would be
/// longer than `limit` bytes.
pub fn c_expression(terms: &Terms, term: TermId, names: &Names<'_>, limit: usize) -> Option<String> {
    let writer = Writer { terms, names };
    match write_pieces(Piece::Term(term, Place::Top), limit, |term, place| writer.expand(term, place)) {
        Written::All(text) => Some(text),
        Written::TooLong(_) | Written::Impossible => None,
    }
}

struct Writer<'a> {
    terms: &'a Terms,
    names: &'a Names<'a>,
}

impl Writer<'_> {
    fn expand(&self, term: TermId, place: Place) -> Option<Vec<Piece>> {
        let tight = |term: TermId| Piece::Term(term, Place::Tight);
        let pieces = match self.terms.node(term) {
            Node::True => vec![Piece::new("1")],
            Node::False => vec![Piece::new("0")],
            Node::Symbol(symbol) => return Some(vec![Piece::Text((self.names)(*symbol))]),
            Node::And(items) => join(items, " && "),
            Node::Or(items) => join(items, " || "),
            Node::Not(inner) => match self.terms.node(*inner) {
                Node::Zero(sum) => self.equation(*sum, Operator::Different)?,
                Node::Divides(divisor, sum) => divides(divisor, *sum, " != 0")?,
                _ => vec![Piece::new("!"), tight(*inner)],
            },
            Node::Le(sum) => relation(&at_most_zero(self.terms, &self.terms.linear(*sum)))?,
            Node::Zero(sum) => self.equation(*sum, Operator::Equal)?,
            Node::Divides(divisor, sum) => divides(divisor, *sum, " == 0")?,
            Node::Ite(condition, yes, no) => {
                vec![tight(*condition), Piece::new(" ? "), tight(*yes), Piece::new(" : "), tight(*no)]
            }
            Node::Number(value) => vec![Piece::Text(literal(value)?)],
            Node::Linear(form) => sum(form)?,
            Node::Product(factors) => join(factors, " * "),
            Node::Mod(a, divisor) => rest(*a, divisor)?,
            Node::Div(a, divisor) => {
                let mut pieces = vec![Piece::new("("), tight(*a), Piece::new(" - (")];
                pieces.extend(rest(*a, divisor)?);
                pieces.push(Piece::Text(format!(")) / {}", literal(divisor)?)));
                pieces
            }
            Node::Select(array, index) if matches!(self.terms.node(*array), Node::Symbol(_)) => {
                return Some(vec![
                    tight(*array),
                    Piece::new("["),
                    Piece::Term(*index, Place::Top),
                    Piece::new("]"),
                ]);
            }
            Node::Same(..) | Node::Select(..) | Node::Store(..) | Node::ConstArray(_) => return None,
            Node::BvNumber(..) | Node::Bv(..) => return None,
        };
        let is_atom = pieces.len() == 1;
        Some(if place == Place::Top || is_atom { pieces } else { parenthesise(pieces) })
    }

    fn equation(&self, sum: TermId, operator: Operator) -> Option<Vec<Piece>> {
        relation(&equal_to_zero(self.terms, &self.terms.linear(sum), operator))
    }
}

/// C's rest is zero exactly where the mathematical one is.
fn divides(divisor: &Integer, sum: TermId, end: &str) -> Option<Vec<Piece>> {
    let divisor = literal(divisor)?;
    Some(vec![Piece::Term(sum, Place::Tight), Piece::Text(format!(" % {divisor}{end}"))])
}

/// C's rest has the sign of the dividend; the mathematical one has none.
fn rest(a: TermId, divisor: &Integer) -> Option<Vec<Piece>> {
    let divisor = literal(divisor)?;
    let end = format!(" % {divisor} + {divisor}) % {divisor}");
    Some(vec![Piece::new("("), Piece::Term(a, Place::Tight), Piece::Text(end)])
}

fn relation(relation: &Relation) -> Option<Vec<Piece>> {
    let operator = match relation.operator {
        Operator::Less => " < ",
        Operator::AtMost => " <= ",
        Operator::AtLeast => " >= ",
        Operator::Greater => " > ",
        Operator::Equal => " == ",
        Operator::Different => " != ",
    };
    let mut pieces = sum(&relation.left)?;
    pieces.push(Piece::new(operator));
    pieces.extend(sum(&relation.right)?);
    Some(pieces)
}

fn sum(form: &Linear) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    for (term, coefficient) in form.terms() {
        let sign = match (pieces.is_empty(), coefficient.is_negative()) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let size = coefficient.abs();
        let factor = if size.is_one() { String::new() } else { format!("{} * ", literal(&size)?) };
        pieces.extend([Piece::Text(format!("{sign}{factor}")), Piece::Term(*term, Place::Tight)]);
    }
    let constant = form.constant_part();
    if pieces.is_empty() {
        pieces.push(Piece::Text(literal(constant)?));
    } else if !constant.is_zero() {
        let sign = if constant.is_negative() { "-" } else { "+" };
        pieces.push(Piece::Text(format!(" {sign} {}", literal(&constant.abs())?)));
    }
    Some(pieces)
}

/// C has no negative literals: the least number of 64 bits must be computed.
fn literal(value: &Integer) -> Option<String> {
    match value.to_i64()? {
        i64::MIN => Some(format!("({} - 1)", i64::MIN + 1)),
        value => Some(value.to_string()),
    }
}

fn join(items: &[TermId], separator: &str) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(2 * items.len());
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            pieces.push(Piece::new(separator));
        }
        pieces.push(Piece::Term(*item, Place::Tight));
    }
    pieces
}

fn parenthesise(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.insert(0, Piece::new("("));
    pieces.push(Piece::new(")"));
    pieces
}
