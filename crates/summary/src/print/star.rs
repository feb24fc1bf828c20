//! The star of a loop as readable text: values afterwards, then what else holds.

use base::Budget;
use term::{Integer, Linear, Node, Sort, SymbolId, SymbolKind, TermId, Terms};

use super::{Reader, Reading, Reduced};
use crate::star::Star;
use graph::cut::PointId;

/// The names in the reading of a star.
struct Names {
    /// Equations for those that are not in the star itself.
    definitions: Vec<TermId>,
    /// The values afterwards that have a closed form.
    closed: Vec<Closed>,
    /// The number of iterations.
    count: SymbolId,
    /// The values afterwards, in the order of the star's update.
    primed: Vec<SymbolId>,
}

impl Reader<'_> {
    /// The relation of a star: equations for the values afterwards, and what else holds. Of two forms, with and without what else is
    /// chosen, the shorter one is taken.
    pub(super) fn star(&mut self, head: PointId, star: &Star, budget: &mut Budget) -> Reading {
        let Names { definitions, closed, count, primed } = self.star_names(head, star);
        let guard = fold(self.terms, star.formula.guard, star.count, &closed);
        let facts = self.graph.points[head].facts;
        let whole = self.show(guard, facts, &definitions, Some(head), budget);
        let formula = self.terms.and(definitions.into_iter().chain([guard]));
        let mut gone = self.terms.symbols_of(formula);
        gone.retain(|symbol| {
            let is_variable = self.terms.symbol(*symbol).kind == SymbolKind::Variable;
            !is_variable && *symbol != count && !primed.contains(symbol)
        });
        if gone.is_empty() {
            return whole;
        }
        let Reduced { whole: fewer, eliminated } = self.reduce(formula, facts, &gone, budget);
        let fewer = eliminated.unwrap_or(fewer);
        let expected = self.directions(star, count, &primed);
        let fewer =
            self.simplifier(&[facts], budget, |simplifier| simplifier.conjoin_implied(fewer, &expected));
        let shorter = self.show(fewer, facts, &[], Some(head), budget);
        if shorter.length() <= whole.length() { shorter } else { whole }
    }

    /// Names for the number of iterations, which is one whatever the phases of the loop, and for the values afterwards.
    fn star_names(&mut self, head: PointId, star: &Star) -> Names {
        let mut names =
            Names { definitions: Vec::new(), closed: Vec::new(), count: SymbolId(0), primed: Vec::new() };
        if let Node::Symbol(counter) = *self.terms.node(star.count) {
            names.count = counter;
        } else {
            names.count = self.terms.fresh("k", Sort::Int, SymbolKind::Counter);
            self.origins.add_iterations(names.count, head);
            let total = self.terms.of_symbol(names.count);
            names.definitions.push(self.terms.eq(total, star.count));
        }
        for (variable, value) in &star.formula.update {
            let info = self.terms.symbol(*variable).clone();
            let primed = match *self.terms.node(*value) {
                Node::Symbol(symbol) if is_primed(self.terms, symbol, &info.name) => symbol,
                _ => self.terms.declare(info.name, info.sort, SymbolKind::Primed),
            };
            if let Some(var) = self.graph.vocabulary.var(*variable) {
                self.origins.add_after(self.program, primed, head, var);
            }
            names.primed.push(primed);
            let after = self.terms.of_symbol(primed);
            if after == *value {
                continue;
            }
            names.definitions.push(self.terms.eq(after, *value));
            if info.sort == Sort::Int {
                let before = self.terms.of_symbol(*variable);
                names.closed.push(Closed { before, after, value: self.terms.linear(*value) });
            }
        }
        names
    }

    /// How people expect values to change in k iterations: not, up or down, or by at most or at least one each time.
    fn directions(&mut self, star: &Star, count: SymbolId, primed: &[SymbolId]) -> Vec<TermId> {
        let count = self.terms.of_symbol(count);
        let mut directions = Vec::new();
        for (variable, primed) in star.formula.update.keys().zip(primed) {
            if self.terms.symbol(*variable).sort != Sort::Int {
                continue;
            }
            let (before, after) = (self.terms.of_symbol(*variable), self.terms.of_symbol(*primed));
            let (up, down) = (self.terms.add(before, count), self.terms.sub(before, count));
            for bound in [before, up, down] {
                directions.push(self.terms.le(after, bound));
                directions.push(self.terms.ge(after, bound));
            }
        }
        directions
    }
}

/// A variable with its value after the iterations.
struct Closed {
    before: TermId,
    after: TermId,
    value: Linear,
}

/// Whether a symbol is the value afterwards of the variable of that name.
fn is_primed(terms: &Terms, symbol: SymbolId, name: &str) -> bool {
    let info = terms.symbol(symbol);
    info.kind == SymbolKind::Primed && *info.name == *name
}

/// Rewrites what speaks of a value before and the number of iterations so that it speaks of the value after: with `i' = i + k`,
/// from `i + k <= n` to `i' <= n`.
fn fold(terms: &mut Terms, guard: TermId, count: TermId, closed: &[Closed]) -> TermId {
    let moving: Vec<(&Closed, Integer)> = closed
        .iter()
        .filter(|closed| closed.value.coefficient(closed.before).is_one() && closed.value.terms().len() == 2)
        .map(|closed| (closed, closed.value.coefficient(count)))
        .filter(|(_, step)| !step.is_zero())
        .collect();
    let rewritten = |terms: &mut Terms, sum: TermId| {
        let form = terms.linear(sum);
        let steps = form.coefficient(count);
        let found = moving.iter().find(|(closed, step)| {
            let factor = form.coefficient(closed.before);
            !factor.is_zero() && &factor * step == steps
        });
        found.map(|(closed, _)| {
            let factor = form.coefficient(closed.before);
            let difference = Linear::monomial(closed.after, 1).sub(&closed.value);
            form.add_scaled(&difference, &factor)
        })
    };
    terms.rewrite(guard, |terms, term| match terms.node(term).clone() {
        Node::Le(sum) => rewritten(terms, sum).map_or(term, |form| terms.le_zero(&form)),
        Node::Zero(sum) => rewritten(terms, sum).map_or(term, |form| terms.eq_zero(&form)),
        Node::Divides(divisor, sum) => {
            rewritten(terms, sum).map_or(term, |form| terms.divides_linear(&divisor, &form))
        }
        _ => term,
    })
}
