//! Projection of one model: a conjunction without the symbols that the model satisfies and that implies
//! `∃ symbols. formula`.

use term::{
    Constraint, Cube, Evaluator, Fraction, Integer, Linear, Model, Node, Sort, SymbolId, TermId, Terms,
};

use super::Failure;
use super::choose::{Choice, cheapest, choose};

/// A cube over the other symbols of `formula` that `model` satisfies and that implies `∃ symbols. formula`. For all
/// models together there are only finitely many ([Recmc14] §5).
pub fn project_model(
    terms: &mut Terms,
    formula: TermId,
    symbols: &[SymbolId],
    model: &Model,
) -> Result<Cube, Failure> {
    let literals = terms.implicant(formula, model).ok_or(Failure::NotAModel)?;
    project_literals(terms, &literals, symbols, model)
}

/// As [`project_model`], for literals without choices inside that hold in the model.
pub(super) fn project_literals(
    terms: &mut Terms,
    literals: &[TermId],
    symbols: &[SymbolId],
    model: &Model,
) -> Result<Cube, Failure> {
    let mut cube = terms.linear_cube(literals, model);
    let mut symbols = symbols.to_vec();
    symbols.sort_unstable();
    symbols.dedup();
    cube.others.retain(|literal| !is_eliminated_boolean(terms, *literal, &symbols));
    check_linear(terms, &cube, &symbols)?;
    symbols.retain(|symbol| terms.symbol(*symbol).sort == Sort::Int);
    let mut open: Vec<TermId> = symbols.iter().map(|symbol| terms.of_symbol(*symbol)).collect();
    let mut evaluator = Evaluator::new(terms, model);
    while let Some(index) = cheapest(&cube.constraints, &open) {
        let symbol = open.swap_remove(index);
        let value = match choose(&cube.constraints, symbol, &mut evaluator) {
            Choice::Value(value) => value,
            Choice::Beyond(_, residue) => {
                let is_bound = |c: &Constraint| matches!(c, Constraint::AtMost(_));
                cube.constraints.retain(|c| !is_bound(c) || c.form().coefficient(symbol).is_zero());
                Fraction::whole(Linear::constant(residue))
            }
        };
        cube.constraints = substitute(std::mem::take(&mut cube.constraints), symbol, &value);
    }
    Ok(cube)
}

/// The literal is just a boolean symbol to be eliminated: the model's value is the instance.
fn is_eliminated_boolean(terms: &Terms, literal: TermId, symbols: &[SymbolId]) -> bool {
    let atom = if let Node::Not(atom) = terms.node(literal) { *atom } else { literal };
    matches!(terms.node(atom), Node::Symbol(symbol) if symbols.binary_search(symbol).is_ok())
}

/// No symbol to be eliminated may be hidden in an opaque term.
fn check_linear(terms: &Terms, cube: &Cube, symbols: &[SymbolId]) -> Result<(), Failure> {
    let summands = cube.constraints.iter().flat_map(|constraint| constraint.form().terms());
    let opaque = summands.map(|(term, _)| *term).filter(|term| !matches!(terms.node(*term), Node::Symbol(_)));
    let mut hidden = opaque.chain(cube.others.iter().copied()).filter(|term| terms.mentions(*term, symbols));
    hidden.next().map_or(Ok(()), |term| Err(Failure::NotLinear(term)))
}

/// The constraints with a value in the symbol's place, and the constraint that the value is an integer.
fn substitute(constraints: Vec<Constraint>, symbol: TermId, value: &Fraction) -> Vec<Constraint> {
    let Fraction { numerator, denominator } = value;
    let (touched, mut result): (Vec<Constraint>, Vec<Constraint>) =
        constraints.into_iter().partition(|constraint| !constraint.form().coefficient(symbol).is_zero());
    let is_whole = Constraint::Divides(denominator.clone(), numerator.clone());
    let images = touched.iter().map(|constraint| {
        let coefficient = constraint.form().coefficient(symbol);
        let rest = constraint.form().without(symbol).scale(denominator);
        constraint.on_scaled(rest.add_scaled(numerator, &coefficient), denominator)
    });
    for constraint in images.chain([is_whole]).filter_map(normalise) {
        if !result.contains(&constraint) {
            result.push(constraint);
        }
    }
    result
}

/// The constraint with small coefficients; nothing if it is true. It is known to have a model, so it is not false.
fn normalise(constraint: Constraint) -> Option<Constraint> {
    match constraint {
        Constraint::AtMost(form) => {
            let content = form.content();
            (!content.is_zero()).then(|| {
                let constant = form.constant_part().div_ceil(&content);
                Constraint::AtMost(form.map(|coefficient| coefficient.div_floor(&content), constant))
            })
        }
        Constraint::Zero(form) => {
            let content = form.content();
            (!content.is_zero()).then(|| {
                let constant = form.constant_part().div_floor(&content);
                Constraint::Zero(form.map(|coefficient| coefficient.div_floor(&content), constant))
            })
        }
        Constraint::Divides(divisor, form) => {
            let form =
                form.map(|coefficient| coefficient.modulo(&divisor), form.constant_part().modulo(&divisor));
            let common = form.content().gcd(&divisor);
            let divisor = divisor.div_floor(&common);
            let small = |value: &Integer| value.div_floor(&common);
            (!divisor.is_one() && form.as_constant().is_none())
                .then(|| Constraint::Divides(divisor, form.map(small, small(form.constant_part()))))
        }
    }
}
