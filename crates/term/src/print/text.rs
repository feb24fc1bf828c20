//! Readable mathematics.

use super::relation::{Operator, Relation, at_most_zero, equal_to_zero};
use super::{Names, Piece, Place, Written, own_name, write_pieces};
use crate::{Integer, Linear, Node, Sort, TermId, Terms};

/// Longer texts are cut.
const DEFAULT_LIMIT: usize = 100_000;

/// A term as people write it. The items of a conjunction are separated by commas: `i' = i + k, k ≥ 0`.
pub fn text(terms: &Terms, term: TermId) -> String {
    text_with(terms, term, &|symbol| own_name(terms, symbol), DEFAULT_LIMIT)
}

/// As [`text`], with other names, cut after about `limit` bytes.
pub fn text_with(terms: &Terms, term: TermId, names: &Names<'_>, limit: usize) -> String {
    let writer = Writer { terms, names };
    match write_pieces(Piece::Term(term, Place::Top), limit, |term, place| Some(writer.expand(term, place))) {
        Written::All(text) => text,
        Written::TooLong(text) => text + " …",
        Written::Impossible => unreachable!("every term should have a readable form"),
    }
}

struct Writer<'a> {
    terms: &'a Terms,
    names: &'a Names<'a>,
}

impl Writer<'_> {
    fn expand(&self, term: TermId, place: Place) -> Vec<Piece> {
        match self.terms.node(term) {
            Node::True => vec![Piece::new("true")],
            Node::False => vec![Piece::new("false")],
            Node::Symbol(symbol) => vec![Piece::Text((self.names)(*symbol))],
            Node::And(items) if place == Place::Top => join(items, ", ", Place::Item),
            Node::And(items) => parenthesise(join(items, " ∧ ", Place::Tight), place),
            Node::Or(items) => parenthesise(join(items, " ∨ ", Place::Tight), place),
            Node::Not(inner) => self.expand_not(*inner),
            Node::Le(sum) => self.relation(&at_most_zero(self.terms, &self.terms.linear(*sum))),
            Node::Zero(sum) => self.equation(*sum, Operator::Equal),
            Node::Divides(divisor, sum) => self.congruence(divisor, *sum, "≡"),
            Node::Same(a, b) => {
                vec![Piece::Term(*a, Place::Item), Piece::new(" = "), Piece::Term(*b, Place::Item)]
            }
            Node::Ite(..) => self.expand_ite(term, place),
            Node::Number(value) => vec![Piece::Text(value.to_string())],
            Node::Linear(form) => parenthesise(self.sum(form), place),
            Node::Product(factors) => parenthesise(join(factors, "·", Place::Tight), place),
            Node::Div(a, divisor) => parenthesise(
                vec![Piece::Term(*a, Place::Tight), Piece::Text(format!(" div {divisor}"))],
                place,
            ),
            Node::Mod(a, divisor) => parenthesise(self.remainder(*a, divisor), place),
            Node::Select(array, index) => call(*array, &[("[", *index)], "]"),
            Node::Store(array, index, value) => call(*array, &[("[", *index), (" ↦ ", *value)], "]"),
            Node::ConstArray(value) => {
                vec![Piece::new("["), Piece::Term(*value, Place::Item), Piece::new(", …]")]
            }
            Node::BvNumber(width, value) => vec![Piece::Text(format!("{value}:{width}"))],
            Node::Bv(op, operands) => {
                let mut pieces = vec![Piece::Text(format!("{op:?}("))];
                pieces.extend(join(operands, ", ", Place::Item));
                pieces.push(Piece::new(")"));
                pieces
            }
        }
    }

    fn expand_not(&self, inner: TermId) -> Vec<Piece> {
        match self.terms.node(inner) {
            Node::Zero(sum) => self.equation(*sum, Operator::Different),
            Node::Divides(divisor, sum) => self.congruence(divisor, *sum, "≢"),
            Node::Same(a, b) => {
                vec![Piece::Term(*a, Place::Item), Piece::new(" ≠ "), Piece::Term(*b, Place::Item)]
            }
            _ => vec![Piece::new("¬"), Piece::Term(inner, Place::Tight)],
        }
    }

    fn expand_ite(&self, term: TermId, place: Place) -> Vec<Piece> {
        let Node::Ite(condition, yes, no) = *self.terms.node(term) else { return Vec::new() };
        if self.terms.sort(term) == Sort::Bool && self.terms.negation(yes) == Some(no) {
            let sides =
                vec![Piece::Term(condition, Place::Tight), Piece::new(" ↔ "), Piece::Term(yes, Place::Tight)];
            return parenthesise(sides, place);
        }
        let pieces = vec![
            Piece::new("if "),
            Piece::Term(condition, Place::Item),
            Piece::new(" then "),
            Piece::Term(yes, Place::Item),
            Piece::new(" else "),
            Piece::Term(no, Place::Item),
        ];
        if place == Place::Top { pieces } else { parenthesise(pieces, Place::Tight) }
    }

    fn equation(&self, sum: TermId, operator: Operator) -> Vec<Piece> {
        self.relation(&equal_to_zero(self.terms, &self.terms.linear(sum), operator))
    }

    /// `x + y ≡ z + 1 (mod 4)`: of each coefficient the representative nearest to zero, negative ones on the other side.
    fn congruence(&self, divisor: &Integer, sum: TermId, sign: &str) -> Vec<Piece> {
        let form = self.terms.linear(sum);
        let rest = (-form.constant_part()).modulo(divisor);
        let positive_part = |factor: &Integer| {
            let factor = nearest(factor, divisor);
            if factor.is_negative() { Integer::ZERO } else { factor }
        };
        let negative_part = |factor: &Integer| {
            let factor = nearest(factor, divisor);
            if factor.is_negative() { -factor } else { Integer::ZERO }
        };
        let left = form.map(positive_part, Integer::ZERO);
        let right = form.map(negative_part, rest);
        let mut pieces = self.sum(&left);
        pieces.push(Piece::Text(format!(" {sign} ")));
        pieces.extend(self.sum(&right));
        pieces.push(Piece::Text(format!(" (mod {divisor})")));
        pieces
    }

    /// `(x - y) mod 4`: of each coefficient the representative nearest to zero.
    fn remainder(&self, sum: TermId, divisor: &Integer) -> Vec<Piece> {
        let mut pieces = match self.terms.node(sum) {
            Node::Linear(form) => {
                let constant = nearest(form.constant_part(), divisor);
                let form = form.map(|factor| nearest(factor, divisor), constant);
                parenthesise(self.sum(&form), Place::Tight)
            }
            _ => vec![Piece::Term(sum, Place::Tight)],
        };
        pieces.push(Piece::Text(format!(" mod {divisor}")));
        pieces
    }

    fn relation(&self, relation: &Relation) -> Vec<Piece> {
        let operator = match relation.operator {
            Operator::Less => " < ",
            Operator::AtMost => " ≤ ",
            Operator::AtLeast => " ≥ ",
            Operator::Greater => " > ",
            Operator::Equal => " = ",
            Operator::Different => " ≠ ",
        };
        let mut pieces = self.sum(&relation.left);
        pieces.push(Piece::new(operator));
        pieces.extend(self.sum(&relation.right));
        pieces
    }

    /// A sum, a positive term first if there is one.
    fn sum(&self, form: &Linear) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let (positive, negative): (Vec<_>, Vec<_>) =
            form.terms().iter().partition(|(_, coefficient)| coefficient.is_positive());
        for (term, coefficient) in positive.into_iter().chain(negative) {
            let sign = match (pieces.is_empty(), coefficient.is_negative()) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let size = coefficient.abs();
            let factor = if size.is_one() { String::new() } else { format!("{size}·") };
            let is_product = matches!(self.terms.node(*term), Node::Product(_));
            let is_alone = form.terms().len() == 1 && coefficient.is_one() && form.constant_part().is_zero();
            let place = if is_product || is_alone { Place::Item } else { Place::Tight };
            pieces.extend([Piece::Text(format!("{sign}{factor}")), Piece::Term(*term, place)]);
        }
        let constant = form.constant_part();
        if pieces.is_empty() {
            pieces.push(Piece::Text(constant.to_string()));
        } else if !constant.is_zero() {
            let sign = if constant.is_negative() { "-" } else { "+" };
            pieces.push(Piece::Text(format!(" {sign} {}", constant.abs())));
        }
        pieces
    }
}

/// The number of least size that is the same modulo `divisor`.
fn nearest(number: &Integer, divisor: &Integer) -> Integer {
    let rest = number.modulo(divisor);
    let half = divisor.div_floor(&Integer::from(2));
    if rest > half { rest - divisor.clone() } else { rest }
}

fn call(head: TermId, parts: &[(&str, TermId)], end: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Term(head, Place::Tight)];
    for (before, part) in parts {
        pieces.extend([Piece::new(*before), Piece::Term(*part, Place::Item)]);
    }
    pieces.push(Piece::new(end));
    pieces
}

fn join(items: &[TermId], separator: &str, place: Place) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(2 * items.len());
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            pieces.push(Piece::new(separator));
        }
        pieces.push(Piece::Term(*item, place));
    }
    pieces
}

fn parenthesise(mut pieces: Vec<Piece>, place: Place) -> Vec<Piece> {
    if place == Place::Tight {
        pieces.insert(0, Piece::new("("));
        pieces.push(Piece::new(")"));
    }
    pieces
}
