//! Candidates for facts of loop heads where variables are multiplied.
//!
//! * *Powers*: where a variable is multiplied or divided by a number and starts as a number, it is that number times a power of the other one. `p / 2` is exact only if `p` is even, which follows for
//!   all powers of two but one.
//! * *Entered or bounded*: a loop `while (n <= a)` that is not entered has the values with which it starts; otherwise `n <= a + 1`. Where it is left, products of `n` and of `a` agree in both cases. Only programs whose products are followed have such candidates.
//!
//! # Cost
//! Linear in the size of the arcs; no question. At most [`MOST_POWERS`] members of a set and [`MOST_BOUNDS`] bounds.

use std::collections::BTreeMap;

use cfa::Ty;
use graph::cut::{Graph, PointId};
use paths::Space;
use term::{Integer, Linear, Node, Sort, SymbolId, TermId, Terms};

/// Powers of one number: those of two in a word, and zero.
const MOST_POWERS: usize = 65;
/// Bounds of one head.
const MOST_BOUNDS: usize = 3;
/// Values at the start of one head.
const MOST_STARTS: usize = 12;

/// That variables of a head are powers of what they are multiplied or divided by, or zero.
pub(crate) fn powers(space: Space<'_>, head: PointId, terms: &mut Terms) -> Vec<TermId> {
    let graph = space.graph;
    let mut found = Vec::new();
    for symbol in graph.points[head].live.iter().copied() {
        let Some(Ty::Int { width, .. }) =
            graph.vocabulary.var(symbol).and_then(|var| space.program.vars[var].scalar())
        else {
            continue;
        };
        let (Some(base), Some(start)) = (factor(graph, symbol, terms), first_number(graph, symbol, terms))
        else {
            continue;
        };
        let x = terms.of_symbol(symbol);
        let limit = Integer::power_of_two(u32::from(width));
        let mut unit = start;
        while base.divides(&unit) {
            unit = unit.div_floor(&base);
        }
        let mut members = Vec::new();
        while unit < limit && members.len() < MOST_POWERS {
            let number = terms.number(unit.clone());
            members.push(terms.eq(x, number));
            unit = &unit * &base;
        }
        let zero = terms.int(0);
        let is_zero = terms.eq(x, zero);
        let is_power = terms.or(members);
        found.extend([is_power, terms.or([is_power, is_zero])]);
    }
    found
}

/// The number by which some arc multiplies or divides a variable.
fn factor(graph: &Graph, symbol: SymbolId, terms: &mut Terms) -> Option<Integer> {
    let x = terms.of_symbol(symbol);
    for arc in &graph.arcs {
        let Some(value) = arc.formula.update.get(&symbol).copied() else { continue };
        for part in terms.reachable(&[value]) {
            if let Node::Div(dividend, divisor) = terms.node(part)
                && *dividend == x
            {
                return Some(divisor.clone()).filter(|divisor| *divisor > Integer::ONE);
            }
        }
        if let [(term, factor)] = terms.linear(value).terms()
            && *term == x
            && *factor > Integer::ONE
        {
            return Some(factor.clone());
        }
    }
    None
}

/// The first positive number that an arc into a loop gives a variable.
fn first_number(graph: &Graph, symbol: SymbolId, terms: &Terms) -> Option<Integer> {
    graph.arcs.iter().find_map(|arc| match terms.node(*arc.formula.update.get(&symbol)?) {
        Node::Number(number) if number.is_positive() => Some(number.clone()),
        _ => None,
    })
}

/// That a bound which the loop tests holds but for one, or that variables have the values with which the loop starts.
pub(crate) fn entered_or_bounded(graph: &Graph, head: PointId, terms: &mut Terms) -> Vec<TermId> {
    if graph.vocabulary.products().next().is_none() {
        return Vec::new();
    }
    let mut bounds = Vec::new();
    for hint in graph.hints(terms, head) {
        let Node::Le(sum) = *terms.node(hint) else { continue };
        let form = terms.linear(sum);
        let is_variable = |term: &TermId| matches!(terms.node(*term), Node::Symbol(symbol) if graph.vocabulary.var(*symbol).is_some());
        if form.terms().len() == 2
            && form.terms().iter().all(|(term, factor)| factor.abs().is_one() && is_variable(term))
        {
            bounds.push(terms.le_zero(&form.add_constant(&-Integer::ONE)));
        }
    }
    bounds.truncate(MOST_BOUNDS);
    let mut found = Vec::new();
    for start in starts(graph, head, terms) {
        found.extend(bounds.iter().map(|bound| terms.or([start, *bound])).collect::<Vec<_>>());
    }
    found
}

/// Equations between variables, or their products, and the values that they have when a loop is entered: numbers, or multiples of other variables.
fn starts(graph: &Graph, head: PointId, terms: &mut Terms) -> Vec<TermId> {
    let mut found = Vec::new();
    for arc in &graph.arcs {
        if arc.target != head || graph.in_loop(head, arc.source) {
            continue;
        }
        let mut named: BTreeMap<TermId, TermId> = BTreeMap::new();
        let mut values = Vec::new();
        for symbol in graph.points[head].live.iter().copied() {
            if terms.symbol(symbol).sort == Sort::Int {
                let (own, value) = (terms.of_symbol(symbol), arc.formula.value(terms, symbol));
                values.push((own, value));
                if graph.vocabulary.var(symbol).is_some() {
                    named.insert(value, own);
                }
            }
        }
        for (own, value) in values {
            let form = terms.linear(value);
            let renamed = match form.terms() {
                [] => Some(form.clone()),
                [(term, factor)] => named
                    .get(term)
                    .map(|name| Linear::monomial(*name, factor.clone()).add_constant(form.constant_part())),
                _ => None,
            };
            if let Some(renamed) = renamed.filter(|renamed| renamed.coefficient(own).is_zero()) {
                let renamed = terms.of_linear(&renamed);
                found.push(terms.eq(own, renamed));
            }
        }
    }
    found.truncate(MOST_STARTS);
    found
}
