//! Templates about all elements of an array in a range.
//!
//! # Paper
//! [PathInvariants06] §4.2, "Universal Quantification" and "Array Reads as Function Applications", equations 3 to 8, and the tractable form of "Theoretical Foundations":
//! `for all k: p(X) ≤ k ∧ k ≤ q(X) implies a[k] = r(X)`, here also with ≤ and ≥ in the place of =.
//!
//! The graph of a path program has a ghost and cells (`graph::cells`): the ghost is the paper's fresh variable k*, the cell its `a[k*]`, before and after a step. So the elimination of the quantifier on the right-hand
//! side and of the primed array symbol has happened already (equations 3 to 4b, with the cubes of `constraints`), and functionality (8) holds because a cell is one symbol. What is left is the
//! instance of the left-hand side at k* (5 to 7): it may be used if the range before the step contains k*.
//!
//! # Invariants
//! * Q1: an instance of a quantified conjunct is used only where its range is implied.

use graph::elements::Relation;
use term::{Linear, Model, Node, SymbolId, TermId, Terms};

use super::constraints::Cube;
use super::farkas::{Form, Kind, Row, Says, implies};
use super::templates::{Template, Unknown};
use crate::path_invariants::path_program::PathProgram;

/// An element on which the error depends.
#[derive(Clone, Debug)]
pub(super) struct Followed {
    /// The element at the ghost.
    pub(super) cell: SymbolId,
    /// The ghost.
    pub(super) ghost: SymbolId,
    /// How it may have to compare to a value, so that the error is not reached; at least one way.
    pub(super) relations: &'static [Relation],
}

/// A template: for all k between two bounds, the element compares to a value.
pub(super) struct Elements {
    pub(super) cell: SymbolId,
    pub(super) ghost: SymbolId,
    pub(super) relation: Relation,
    pub(super) low: Unknown,
    pub(super) high: Unknown,
    pub(super) value: Unknown,
}

/// The elements on which the error of a path program depends. As in §5 the form of the template is that of the assertion.
pub(super) fn followed(terms: &mut Terms, path: &PathProgram, cubes: &[Cube]) -> Vec<Followed> {
    let graph = &path.graph;
    let mut found = Vec::new();
    for cell in &graph.cells.cells {
        let index = terms.linear(cell.index);
        let [(part, factor)] = index.terms() else { continue };
        let Node::Symbol(ghost) = *terms.node(*part) else { continue };
        if !factor.is_one() || !graph.cells.ghosts.contains(&ghost) {
            continue;
        }
        let errors = cubes.iter().filter(|cube| Some(cube.target) == graph.target);
        let column = terms.of_symbol(cell.symbol);
        let relations = relations(column, errors);
        if !relations.is_empty() {
            found.push(Followed { cell: cell.symbol, ghost, relations });
        }
    }
    found
}

/// What may contradict the conditions on an element in steps to the error: if all steps bound it from one side, a bound from the other side; if some bound it from above and
/// some from below, as "different from" does, its value.
fn relations<'a>(column: TermId, errors: impl Iterator<Item = &'a Cube>) -> &'static [Relation] {
    let (mut is_low, mut is_high) = (false, false);
    for cube in errors {
        let factors = || cube.rows.iter().map(|(form, says)| (form.coefficient(column), *says));
        let is_equated = factors().any(|(factor, says)| says == Says::Zero && !factor.is_zero());
        let from_above = factors().any(|(factor, _)| factor.is_positive());
        let from_below = factors().any(|(factor, _)| factor.is_negative());
        if is_equated || from_above && from_below {
            return &[Relation::AtMost, Relation::AtLeast, Relation::Equal];
        }
        is_low |= from_above;
        is_high |= from_below;
    }
    match (is_low, is_high) {
        (false, false) => &[],
        (true, false) => &[Relation::AtLeast],
        (false, true) => &[Relation::AtMost],
        (true, true) => &[Relation::Equal],
    }
}

/// The hypotheses with the instances at the ghost of what is known before a step (equation 7). When they may be used (equation 6) becomes part of the conditions.
pub(super) fn with_instances(
    terms: &mut Terms,
    rows: &[Row],
    source: Option<&Template>,
    conditions: &mut Vec<TermId>,
) -> Vec<Row> {
    let mut all = rows.to_vec();
    for elements in source.into_iter().flat_map(|source| &source.elements) {
        let is_used = terms.fresh("instance", term::Sort::Bool, term::SymbolKind::Auxiliary);
        let is_used = terms.of_symbol(is_used);
        let ghost = ghost_form(terms, elements.ghost);
        let (low, high) = (elements.low.before(terms), elements.high.before(terms));
        let (below, above) = (low.minus(terms, &ghost), ghost.minus(terms, &high));
        let below = implies(terms, rows, &below);
        let above = implies(terms, rows, &above);
        let is_inside = terms.and([below, above]);
        conditions.push(terms.implies(is_used, is_inside));
        let element = ghost_form(terms, elements.cell);
        let value = elements.value.before(terms);
        let (form, says) = match elements.relation {
            Relation::Equal => (element.minus(terms, &value), Says::Zero),
            Relation::AtMost => (element.minus(terms, &value), Says::AtMostZero),
            Relation::AtLeast => (value.minus(terms, &element), Says::AtMostZero),
        };
        all.push(Row { form, says, kind: Kind::Instance(is_used) });
    }
    all
}

fn ghost_form(terms: &mut Terms, symbol: SymbolId) -> Form {
    let column = terms.of_symbol(symbol);
    Form::known(terms, &Linear::monomial(column, 1))
}

impl Elements {
    /// That the template holds after a step.
    pub(super) fn preserved(
        &self,
        terms: &mut Terms,
        cube: &Cube,
        rows: &[Row],
        source: Option<&Template>,
    ) -> TermId {
        let mut rows = rows.to_vec();
        let ghost = ghost_form(terms, self.ghost);
        let (low, high) = (self.low.after(terms, cube), self.high.after(terms, cube));
        for form in [low.minus(terms, &ghost), ghost.minus(terms, &high)] {
            rows.push(Row { form, says: Says::AtMostZero, kind: Kind::Template });
        }
        let mut conditions = Vec::new();
        let rows = with_instances(terms, &rows, source, &mut conditions);
        let element = cube.value(terms, self.cell);
        let element = Form::known(terms, &element);
        let value = self.value.after(terms, cube);
        let (above, below) = (element.minus(terms, &value), value.minus(terms, &element));
        if self.relation != Relation::AtLeast {
            conditions.push(implies(terms, &rows, &above));
        }
        if self.relation != Relation::AtMost {
            conditions.push(implies(terms, &rows, &below));
        }
        terms.and(conditions)
    }

    /// The assertion that the values of the parameters make, about the element at the ghost.
    pub(super) fn assertion(&self, terms: &mut Terms, model: &Model) -> TermId {
        let [low, high, value] = [&self.low, &self.high, &self.value].map(|sum| sum.value(terms, model));
        let (ghost, element) = (terms.of_symbol(self.ghost), terms.of_symbol(self.cell));
        let (from, to) = (terms.le(low, ghost), terms.le(ghost, high));
        let inside = terms.and([from, to]);
        let related = match self.relation {
            Relation::Equal => terms.eq(element, value),
            Relation::AtLeast => terms.ge(element, value),
            Relation::AtMost => terms.le(element, value),
        };
        terms.implies(inside, related)
    }
}
