//! Conjunctions of linear constraints, the form in which projection works.

use rustc_hash::FxHashMap;

use crate::{Evaluator, Fraction, Integer, Linear, Model, Node, TermId, Terms};

/// A linear constraint over the integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// The sum is at most zero.
    AtMost(Linear),
    /// The sum is zero.
    Zero(Linear),
    /// The positive number divides the sum.
    Divides(Integer, Linear),
}

impl Constraint {
    /// The sum that is constrained.
    pub fn form(&self) -> &Linear {
        match self {
            Self::AtMost(form) | Self::Zero(form) | Self::Divides(_, form) => form,
        }
    }

    /// The same constraint on a value of `denominator * form`, given as `scaled`.
    #[must_use]
    pub fn on_scaled(&self, scaled: Linear, denominator: &Integer) -> Self {
        match self {
            Self::AtMost(_) => Self::AtMost(scaled),
            Self::Zero(_) => Self::Zero(scaled),
            Self::Divides(divisor, _) => Self::Divides(divisor * denominator, scaled),
        }
    }
}

/// A conjunction: constraints, and literals that are not linear arithmetic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cube {
    /// The linear constraints.
    pub constraints: Vec<Constraint>,
    /// Boolean symbols, equations between arrays, comparisons of bit-vectors, and negations of these.
    pub others: Vec<TermId>,
}

impl Terms {
    /// Turns literals that hold in `model`, without choices inside (as [`Terms::implicant`] gives them), into
    /// constraints that hold in `model` and imply the literals: `t ≠ 0` becomes `t < 0` or `t > 0`, a quotient or
    /// rest is replaced by its dividend with the residue that it has in the model.
    pub fn linear_cube(&self, literals: &[TermId], model: &Model) -> Cube {
        let evaluator = Evaluator::new(self, model);
        let mut builder =
            Builder { terms: self, evaluator, fractions: FxHashMap::default(), cube: Cube::default() };
        for literal in literals {
            builder.add(*literal);
        }
        builder.cube
    }

    /// A constraint as a term.
    pub fn of_constraint(&mut self, constraint: &Constraint) -> TermId {
        match constraint {
            Constraint::AtMost(form) => self.le_zero(form),
            Constraint::Zero(form) => self.eq_zero(form),
            Constraint::Divides(divisor, form) => self.divides_linear(divisor, form),
        }
    }

    /// A cube as a term.
    pub fn of_cube(&mut self, cube: &Cube) -> TermId {
        let mut items = cube.others.clone();
        items.extend(cube.constraints.iter().map(|constraint| self.of_constraint(constraint)));
        self.and(items)
    }
}

struct Builder<'a> {
    terms: &'a Terms,
    evaluator: Evaluator<'a>,
    /// Integer terms without quotients and rests; what makes the fractions whole is in the cube.
    fractions: FxHashMap<TermId, Fraction>,
    cube: Cube,
}

impl Builder<'_> {
    fn add(&mut self, literal: TermId) {
        let (atom, is_positive) = match self.terms.node(literal) {
            Node::Not(atom) => (*atom, false),
            _ => (literal, true),
        };
        let constraint = match (self.terms.node(atom), is_positive) {
            (Node::True, true) => return,
            (Node::Le(a), true) => Constraint::AtMost(self.fraction(*a).numerator),
            (Node::Zero(a), true) => Constraint::Zero(self.fraction(*a).numerator),
            (Node::Zero(a), false) => {
                let Fraction { numerator, denominator } = self.fraction(*a);
                let is_below = self.evaluator.int(*a).is_negative();
                let side = if is_below { numerator } else { numerator.negate() };
                Constraint::AtMost(side.add_constant(&denominator))
            }
            (Node::Divides(divisor, a), true) => {
                let Fraction { numerator, denominator } = self.fraction(*a);
                Constraint::Divides(divisor * &denominator, numerator)
            }
            (Node::Divides(divisor, a), false) => {
                let rest = self.evaluator.int(*a).modulo(divisor);
                self.residue(*a, divisor, &rest)
            }
            _ => {
                self.cube.others.push(literal);
                return;
            }
        };
        self.push(constraint);
    }

    fn push(&mut self, constraint: Constraint) {
        if constraint.form().as_constant().is_none() {
            self.cube.constraints.push(constraint);
        }
    }

    /// The constraint that `term` leaves this rest when divided.
    fn residue(&mut self, term: TermId, divisor: &Integer, rest: &Integer) -> Constraint {
        let Fraction { numerator, denominator } = self.fraction(term);
        Constraint::Divides(divisor * &denominator, numerator.add_constant(&-(rest * &denominator)))
    }

    fn fraction(&mut self, root: TermId) -> Fraction {
        let mut tasks = vec![(root, false)];
        while let Some((term, is_expanded)) = tasks.pop() {
            if self.fractions.contains_key(&term) {
                continue;
            }
            if !is_expanded {
                tasks.push((term, true));
                match self.terms.node(term) {
                    Node::Linear(form) => tasks.extend(form.terms().iter().map(|(child, _)| (*child, false))),
                    Node::Div(a, _) | Node::Mod(a, _) => tasks.push((*a, false)),
                    _ => {}
                }
                continue;
            }
            let fraction = self.compute(term);
            self.fractions.insert(term, fraction);
        }
        self.fractions[&root].clone()
    }

    fn compute(&mut self, term: TermId) -> Fraction {
        match self.terms.node(term) {
            Node::Linear(form) => {
                let denominator = form
                    .terms()
                    .iter()
                    .fold(Integer::ONE, |lcm, (child, _)| lcm.lcm(&self.fractions[child].denominator));
                let mut numerator = Linear::constant(form.constant_part() * &denominator);
                for (child, coefficient) in form.terms() {
                    let part = &self.fractions[child];
                    let factor = coefficient * denominator.div_floor(&part.denominator);
                    numerator = numerator.add_scaled(&part.numerator, &factor);
                }
                Fraction { numerator, denominator }
            }
            Node::Div(a, divisor) | Node::Mod(a, divisor) => {
                let rest = self.evaluator.int(*a).modulo(divisor);
                let constraint = self.residue(*a, divisor, &rest);
                self.push(constraint);
                if matches!(self.terms.node(term), Node::Mod(..)) {
                    return Fraction::whole(Linear::constant(rest));
                }
                let Fraction { numerator, denominator } = self.fractions[a].clone();
                let numerator = numerator.add_constant(&-(rest * &denominator));
                Fraction { numerator, denominator: denominator * divisor }
            }
            _ => Fraction::whole(self.terms.linear(term)),
        }
    }
}
