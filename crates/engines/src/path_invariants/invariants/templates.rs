//! Invariant templates: assertions with parameters, and values for these by constraint solving.
//!
//! # Paper
//! [PathInvariants06] §4.2, "Invariant Templates", and §5 for the order in which templates are tried. A template at each point of the path program but its entry and the error; the parameters of one
//! system are those of all points.
//!
//! # Invariants
//! * M1: coefficients are between −[`MAX_COEFFICIENT`] and [`MAX_COEFFICIENT`], constants not larger than those of the path program by more than one.
//!
//! # Cost
//! A system for each entry of [`ORDER`], at most [`EFFORT`] ticks each.

use std::collections::BTreeMap;

use graph::cut::{ENTRY, PointId};
use paths::gave_up;
use smt::{Answer, Logic, Solver};
use term::{Integer, Linear, Model, Sort, SymbolId, SymbolKind, TermId, Terms};
use verdict::Reason;

use super::Invariant;
use super::arrays::{self, Elements, Followed};
use super::constraints::{Cube, cubes, largest_constant, relevant};
use super::farkas::{Form, Kind, Row, Says, contradict, implies};
use crate::path_invariants::path_program::PathProgram;

/// Ticks for one system.
const EFFORT: u64 = 4_000;
/// Bound on the coefficients of variables.
const MAX_COEFFICIENT: i64 = 3;
/// More variables at a point are too much for templates.
const MAX_VARIABLES: usize = 8;

/// What a template is made of, besides a conjunct for each array whose elements the error reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    equations: usize,
    inequalities: usize,
}

const fn shape(equations: usize, inequalities: usize) -> Shape {
    Shape { equations, inequalities }
}

/// The templates in the order in which they are tried (§5): one that fails is conjoined with an inequality. Without elements the first one says nothing.
pub(super) const ORDER: [Shape; 5] = [shape(0, 0), shape(0, 1), shape(1, 0), shape(1, 1), shape(0, 2)];

/// A sum over variables whose coefficients are parameters.
#[derive(Clone)]
pub(super) struct Unknown {
    coefficients: Vec<(SymbolId, SymbolId)>,
    constant: SymbolId,
}

impl Unknown {
    /// The sum before a step.
    pub(super) fn before(&self, terms: &mut Terms) -> Form {
        self.form(terms, |terms, variable| Linear::monomial(terms.of_symbol(variable), 1))
    }

    /// The sum after a step.
    pub(super) fn after(&self, terms: &mut Terms, cube: &Cube) -> Form {
        self.form(terms, |terms, variable| cube.value(terms, variable))
    }

    fn form(&self, terms: &mut Terms, value: impl Fn(&mut Terms, SymbolId) -> Linear) -> Form {
        let mut form = Form { parts: BTreeMap::new(), constant: terms.of_symbol(self.constant) };
        for (variable, parameter) in &self.coefficients {
            let value = value(terms, *variable);
            let parameter = terms.of_symbol(*parameter);
            form.add_scaled(terms, &value, parameter);
        }
        form
    }

    /// The sum with values for the parameters.
    pub(super) fn value(&self, terms: &mut Terms, model: &Model) -> TermId {
        let mut products = Vec::new();
        for (variable, parameter) in &self.coefficients {
            products.push((terms.of_symbol(*variable), model.int(*parameter)));
        }
        let form = Linear::collect(products, model.int(self.constant));
        terms.of_linear(&form)
    }
}

/// A template of one point.
pub(super) struct Template {
    equations: Vec<Unknown>,
    inequalities: Vec<Unknown>,
    pub(super) elements: Vec<Elements>,
}

impl Template {
    /// The linear part as hypotheses.
    fn rows(&self, terms: &mut Terms) -> Vec<Row> {
        let mut rows = Vec::new();
        for (says, sums) in [(Says::Zero, &self.equations), (Says::AtMostZero, &self.inequalities)] {
            for sum in sums {
                rows.push(Row { form: sum.before(terms), says, kind: Kind::Template });
            }
        }
        rows
    }

    /// The assertion that the values of the parameters make.
    fn assertion(&self, terms: &mut Terms, model: &Model) -> Vec<TermId> {
        let zero = terms.int(0);
        let mut conjuncts = Vec::new();
        for sum in &self.equations {
            let sum = sum.value(terms, model);
            conjuncts.push(terms.eq(sum, zero));
        }
        for sum in &self.inequalities {
            let sum = sum.value(terms, model);
            conjuncts.push(terms.le(sum, zero));
        }
        for elements in &self.elements {
            conjuncts.push(elements.assertion(terms, model));
        }
        conjuncts.retain(|conjunct| *conjunct != Terms::TRUE);
        conjuncts
    }
}

/// What systems are made from.
struct Systems<'a> {
    path: &'a PathProgram,
    cubes: Vec<Cube>,
    variables: Vec<SymbolId>,
    largest: Integer,
    /// The elements that the error reads.
    elements: Vec<Followed>,
}

/// The first invariant of a path program that fits a template.
pub(super) fn invariant(
    path: &PathProgram,
    logic: &mut Logic,
    is_invariant: impl Fn(&Invariant, &mut Logic) -> Result<bool, Reason>,
) -> Result<Option<Invariant>, Reason> {
    let Some(mut cubes) = cubes(&path.graph, logic)? else { return Ok(None) };
    let variables = relevant(&logic.terms, &path.graph, &mut cubes);
    let largest = largest_constant(&cubes);
    let elements = arrays::followed(&mut logic.terms, path, &cubes);
    let variants = elements.iter().map(|followed| followed.relations.len()).max().unwrap_or(1);
    let systems = Systems { path, cubes, variables, largest, elements };
    for shape in ORDER {
        for variant in 0..variants {
            if let Some(invariant) = systems.solve(shape, variant, logic)?
                && is_invariant(&invariant, logic)?
            {
                return Ok(Some(invariant));
            }
        }
    }
    Ok(None)
}

impl Systems<'_> {
    /// Values for the parameters of a template at all points.
    fn solve(&self, shape: Shape, variant: usize, logic: &mut Logic) -> Result<Option<Invariant>, Reason> {
        let mut solver = logic.solvers.z3_solver();
        let mut templates: BTreeMap<PointId, Template> = BTreeMap::new();
        let graph = &self.path.graph;
        for point in graph.points.ids() {
            if point == ENTRY || Some(point) == graph.target {
                continue;
            }
            match self.template(point, shape, variant, &mut logic.terms, &mut solver) {
                Some(template) => templates.insert(point, template),
                None => return Ok(None),
            };
        }
        for cube in &self.cubes {
            let condition = step(&mut logic.terms, cube, &templates);
            solver.assert(&logic.terms, condition);
        }
        let mut allowance = logic.budget.child(EFFORT);
        let answer = solver.check(&logic.terms, &[], &mut allowance);
        logic.budget.absorb(&allowance);
        let model = match answer {
            Answer::Sat(model) => model,
            Answer::Unsat(_) => return Ok(None),
            Answer::Unknown(why) => {
                logic.budget.poll().map_err(|_| gave_up(why))?;
                return Ok(None);
            }
        };
        let mut invariant: Invariant = graph.points.iter().map(|_| Vec::new()).collect();
        for (point, template) in &templates {
            invariant[*point] = template.assertion(&mut logic.terms, &model);
        }
        Ok(Some(invariant))
    }

    /// A template with parameters of its own; nothing if the point has too many variables.
    fn template(
        &self,
        point: PointId,
        shape: Shape,
        variant: usize,
        terms: &mut Terms,
        solver: &mut dyn Solver,
    ) -> Option<Template> {
        let graph = &self.path.graph;
        let is_plain = |symbol: &SymbolId| {
            self.variables.binary_search(symbol).is_ok()
                && !graph.cells.ghosts.contains(symbol)
                && graph.cells.get(*symbol).is_none()
        };
        let live: Vec<SymbolId> = graph.points[point].live.iter().copied().filter(is_plain).collect();
        if live.len() > MAX_VARIABLES {
            return None;
        }
        let mut unknown = |terms: &mut Terms, coefficient: i64| {
            let mut coefficients = Vec::new();
            for variable in &live {
                coefficients.push((*variable, parameter(terms, solver, &Integer::from(coefficient))));
            }
            let bound = &self.largest + Integer::ONE;
            Unknown { coefficients, constant: parameter(terms, solver, &bound) }
        };
        let mut template = Template { equations: Vec::new(), inequalities: Vec::new(), elements: Vec::new() };
        for _ in 0..shape.equations {
            template.equations.push(unknown(terms, MAX_COEFFICIENT));
        }
        for _ in 0..shape.inequalities {
            template.inequalities.push(unknown(terms, MAX_COEFFICIENT));
        }
        for followed in &self.elements {
            if graph.points[point].live.contains(&followed.cell) {
                let [low, high, value] = [(); 3].map(|()| unknown(terms, 1));
                let relation = followed.relations[variant % followed.relations.len()];
                let Followed { cell, ghost, .. } = *followed;
                template.elements.push(Elements { cell, ghost, relation, low, high, value });
            }
        }
        Some(template)
    }
}

fn parameter(terms: &mut Terms, solver: &mut dyn Solver, bound: &Integer) -> SymbolId {
    let symbol = terms.fresh("p", Sort::Int, SymbolKind::Auxiliary);
    let value = terms.of_symbol(symbol);
    let (low, high) = (terms.number(-bound), terms.number(bound.clone()));
    let (low, high) = (terms.le(low, value), terms.le(value, high));
    let range = terms.and([low, high]);
    solver.assert(terms, range);
    symbol
}

/// That a step preserves the templates, or is impossible if it leads to the error (conditions I1 and I2 of §3).
fn step(terms: &mut Terms, cube: &Cube, templates: &BTreeMap<PointId, Template>) -> TermId {
    let mut rows = cube.hypotheses(terms);
    let source = templates.get(&cube.source);
    if let Some(source) = source {
        rows.extend(source.rows(terms));
    }
    let mut conditions = Vec::new();
    let Some(target) = templates.get(&cube.target) else {
        let rows = arrays::with_instances(terms, &rows, source, &mut conditions);
        conditions.push(contradict(terms, &rows));
        return terms.and(conditions);
    };
    for sum in &target.equations {
        let sum = sum.after(terms, cube);
        let negated = sum.negated(terms);
        conditions.push(implies(terms, &rows, &sum));
        conditions.push(implies(terms, &rows, &negated));
    }
    for sum in &target.inequalities {
        let sum = sum.after(terms, cube);
        conditions.push(implies(terms, &rows, &sum));
    }
    for elements in &target.elements {
        conditions.push(elements.preserved(terms, cube, &rows, source));
    }
    terms.and(conditions)
}
