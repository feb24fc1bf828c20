//! Candidates for facts of loop heads in bit-vectors.
//!
//! What the analysis of values knows is not repeated: it is part of every proof. Beyond the conditions of the program, candidates are how variables compare when the loop is entered: equal values, and for numbers
//! their difference, sum, exclusive disjunction and order; and that a number has at most one bit, if it starts like that, here or in another loop. Floating-point numbers are finite if they start like that, and
//! each is between another one and its negation.

use encode::float_format;
use graph::cut::PointId;
use paths::Space;
use term::{BvOp, FloatFormat, FloatOp, Integer, Node, Sort, SymbolId, TermId, Terms};

/// Pairs of more variables are no candidates.
const MAX_RELATED: usize = 8;

/// How integers compare when a loop is entered, arc by arc.
pub(crate) fn compared(space: Space<'_>, head: PointId, terms: &mut Terms) -> Vec<TermId> {
    let graph = space.graph;
    let mut found = Vec::new();
    for arc in &graph.arcs {
        if arc.target != head || graph.in_loop(head, arc.source) {
            continue;
        }
        let starts: Vec<(TermId, TermId)> = integers(space, head, terms)
            .into_iter()
            .map(|symbol| (terms.of_symbol(symbol), arc.formula.value(terms, symbol)))
            .collect();
        let related = &starts[..starts.len().min(MAX_RELATED)];
        for (at, x) in related.iter().enumerate() {
            for y in &related[at + 1..] {
                if terms.bit_width(x.0) == terms.bit_width(y.0) {
                    pair(terms, *x, *y, &mut found);
                }
            }
        }
    }
    found
}

/// That floating-point numbers are finite, and between another one and its negation, if they are when a loop is entered.
pub(crate) fn floats(space: Space<'_>, head: PointId, terms: &mut Terms) -> Vec<TermId> {
    let graph = space.graph;
    let mut found = Vec::new();
    for arc in &graph.arcs {
        if arc.target != head || graph.in_loop(head, arc.source) {
            continue;
        }
        let mut starts: Vec<(FloatFormat, TermId, TermId)> = Vec::new();
        for symbol in graph.points[head].live.iter().copied() {
            if let Some(format) = format_of(space, symbol) {
                starts.push((format, terms.of_symbol(symbol), arc.formula.value(terms, symbol)));
            }
        }
        starts.truncate(MAX_RELATED);
        for (format, now, then) in &starts {
            if terms.float_is_finite(*format, *then) == Terms::TRUE {
                found.push(terms.float_is_finite(*format, *now));
            }
            for (other_format, other, other_then) in &starts {
                if format != other_format || now == other {
                    continue;
                }
                let negated = [other, other_then].map(|number| terms.float_neg(*format, *number));
                for (pair, start) in
                    [([*now, *other], [*then, *other_then]), ([negated[0], *now], [negated[1], *then])]
                {
                    let at_most = BvOp::Float(*format, FloatOp::Le);
                    if terms.bv(at_most, &start) == Terms::TRUE {
                        found.push(terms.bv(at_most, &pair));
                    }
                }
            }
        }
    }
    found
}

/// The integers of a point.
fn integers(space: Space<'_>, head: PointId, terms: &Terms) -> Vec<SymbolId> {
    let live = space.graph.points[head].live.iter().copied();
    let vectors = live.filter(|symbol| matches!(terms.symbol(*symbol).sort, Sort::BitVec(_)));
    vectors.filter(|symbol| format_of(space, *symbol).is_none()).collect()
}

/// The format of a variable, if it is a floating-point number.
fn format_of(space: Space<'_>, symbol: SymbolId) -> Option<FloatFormat> {
    let var = space.graph.vocabulary.var(symbol)?;
    match space.program.vars[var].scalar()? {
        cfa::Ty::Float(kind) => float_format(kind),
        _ => None,
    }
}

/// That variables have at most one bit, if an arc into any loop says so of the first value.
pub(crate) fn single_bits(space: Space<'_>, head: PointId, terms: &mut Terms) -> Vec<TermId> {
    let graph = space.graph;
    let mut found = Vec::new();
    for symbol in integers(space, head, terms) {
        let x = terms.of_symbol(symbol);
        for arc in &graph.arcs {
            if graph.points[arc.target].body.is_some() && !graph.in_loop(arc.target, arc.source) {
                let start = arc.formula.value(terms, symbol);
                found.extend(one_bit(terms, x, start));
            }
        }
    }
    found
}

/// That a variable has at most one bit, if its first value is such a number, and that it has some if that has.
fn one_bit(terms: &mut Terms, x: TermId, start: TermId) -> Vec<TermId> {
    let Node::BvNumber(width, number) = terms.node(start).clone() else { return Vec::new() };
    let is_power = (0..width).any(|bit| number == Integer::power_of_two(bit));
    if !is_power && !number.is_zero() {
        return Vec::new();
    }
    let (zero, one) = (terms.bv_number(width, 0), terms.bv_number(width, 1));
    let below = terms.bv(BvOp::Sub, &[x, one]);
    let common = terms.bv(BvOp::And, &[x, below]);
    let mut found = vec![terms.eq(common, zero)];
    if is_power {
        found.push(terms.ne(x, zero));
    }
    found
}

/// How two variables compare, each with its first value.
fn pair(terms: &mut Terms, x: (TermId, TermId), y: (TermId, TermId), found: &mut Vec<TermId>) {
    if x.1 == y.1 {
        found.push(terms.eq(x.0, y.0));
    }
    let is_number = |term: TermId| matches!(terms.node(term), Node::BvNumber(..));
    if !is_number(x.1) || !is_number(y.1) {
        return;
    }
    for op in [BvOp::Sub, BvOp::Add, BvOp::Xor] {
        let (now, then) = (terms.bv(op, &[x.0, y.0]), terms.bv(op, &[x.1, y.1]));
        found.push(terms.eq(now, then));
    }
    for op in [BvOp::Ule, BvOp::Sle] {
        for (left, right) in [(x, y), (y, x)] {
            if terms.bv(op, &[left.1, right.1]) == Terms::TRUE {
                found.push(terms.bv(op, &[left.0, right.0]));
            }
        }
    }
}
