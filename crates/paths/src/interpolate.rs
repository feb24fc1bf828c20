//! Dead-end interpolation: why no continuation of a path reaches the error, as clauses for the labels of its nodes.
//!
//! # Paper
//! [Gps25] §2.3 and §5.2 (dead-end interpolation): the states of the last node from which the summary has a path to the error are excluded
//! there, and their pre-images are excluded at the nodes before. The sequence of clauses is what `REFINE` (figure 6) adds to the labels.
//!
//! Instead of eliminating quantifiers exactly and then simplifying, bad states are excluded one cube at a time: a model of what is not
//! yet excluded gives an implicant; of that the literals are kept that the path contradicts (an unsatisfiable core, before and after
//! projection); what remains covers as many bad states as it can, and its negation is a short clause.
//!
//! # Invariants
//! * R1 (labels hold): a clause that is added to a node holds after every execution of the path to it: the path formula contradicts its
//!   negation.
//! * R2 (labels are inductive along the tree): the label of a node and the step to its child imply the clauses that were added to the child.
//! * R3 (leaf): the label of the last node and the goal have no common model; the Skolem constants of the goal are existential.
//!
//! # Cost
//! For each node of the path at most [`MAX_CUBES`] cubes, each of them three queries and one projection.

use cfa::Program;
use graph::cut::{Graph, PointId};
use graph::tree::{NodeId, Tree};
use smt::{Answer, Logic, Solver, Why, Z3Solver};
use term::{Integer, Model, Node, SymbolId, SymbolKind, TermId, Terms};
use verdict::Reason;

use crate::elements::read_through;
use crate::formula::PathFormula;
use crate::gave_up;
use crate::preimage::{constraints, projected};

/// Upper bound on the cubes that are excluded at one node for one goal.
const MAX_CUBES: usize = 200;
/// Upper bound on the questions for one tight bound.
const MAX_BISECTIONS: usize = 80;

/// Where paths are taken: the graph of a procedure of the prepared program.
#[derive(Clone, Copy, Debug)]
pub struct Space<'a> {
    /// The prepared program.
    pub program: &'a Program,
    /// The graph of one of its procedures.
    pub graph: &'a Graph,
}

impl Space<'_> {
    /// What is known at a point of the symbols in a formula.
    pub fn background(&self, terms: &mut Terms, point: PointId, formula: TermId) -> TermId {
        let facts = self.graph.points[point].facts;
        let both = terms.and([facts, formula]);
        let typed = encode::typing(self.program, terms, &self.graph.vocabulary, both);
        terms.and([facts, typed])
    }
}

/// How strong clauses are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// As weak as excludes the goal: weakest preconditions.
    Weakest,
    /// Bounds are as tight as the path allows: strongest postconditions.
    Strongest,
}

/// What the exclusion of a goal has changed.
#[derive(Clone, Debug)]
pub struct Excluded {
    /// The nodes whose labels became stronger.
    pub changed: Vec<NodeId>,
    /// What is left of the goal where the path starts, whose label contradicts it; nothing if labels on the way suffice.
    pub left: Option<TermId>,
}

/// Computes the clauses of dead ends.
pub struct Interpolator<'a> {
    space: Space<'a>,
    strength: Strength,
    scratch: Z3Solver,
    clauses: u64,
}

impl<'a> Interpolator<'a> {
    /// For paths of a graph.
    pub fn new(space: Space<'a>, logic: &Logic) -> Self {
        Self { space, strength: Strength::Weakest, scratch: logic.solvers.z3_solver(), clauses: 0 }
    }

    /// The same with clauses of some strength.
    #[must_use]
    pub fn with_strength(self, strength: Strength) -> Self {
        Self { strength, ..self }
    }

    /// How many clauses were added to labels.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    /// The goal reduced to the conjuncts that the path contradicts.
    pub fn reduced(&self, path: &mut PathFormula, goal: TermId, logic: &mut Logic) -> Result<TermId, Reason> {
        let parts = logic.terms.conjuncts(goal);
        match path.core(logic, &parts).map_err(gave_up)? {
            Some(core) => Ok(logic.terms.and(core)),
            None => Ok(goal),
        }
    }

    /// Labels the nodes of a dead path, the one that `path` stands for: `goal`, over the values at `node`, cannot hold there. The label of the
    /// node where the path starts stays, since it contradicts what is left of the goal there.
    pub fn exclude(
        &mut self,
        tree: &mut Tree,
        path: &mut PathFormula,
        node: NodeId,
        goal: TermId,
        logic: &mut Logic,
    ) -> Result<Excluded, Reason> {
        let mut changed = Vec::new();
        let mut goal = goal;
        let mut at = node;
        while path.depth() > 0 {
            let cubes = self.exclude_at(tree, path, at, goal, logic)?;
            if cubes.is_empty() {
                return Ok(Excluded { changed, left: None });
            }
            changed.push(at);
            let Some((parent, arc)) = tree.node(at).parent else { break };
            path.shorten(path.depth() - 1);
            let formula = &self.space.graph.arcs[arc].formula;
            let cubes = logic.terms.or(cubes);
            let before = formula.before(&mut logic.terms, cubes);
            goal = logic.terms.and([tree.node(at).condition, before]);
            at = parent;
        }
        Ok(Excluded { changed, left: Some(goal) })
    }

    /// Adds clauses to the label of a node, where the path ends, until no state that it allows satisfies `goal`. Returns the negations of the new clauses.
    pub fn exclude_at(
        &mut self,
        tree: &mut Tree,
        path: &mut PathFormula,
        node: NodeId,
        goal: TermId,
        logic: &mut Logic,
    ) -> Result<Vec<TermId>, Reason> {
        let goal = read_through(&mut logic.terms, goal);
        let point = tree.node(node).point;
        self.scratch.push();
        let background = self.space.background(&mut logic.terms, point, goal);
        self.scratch.assert(&logic.terms, background);
        self.scratch.assert(&logic.terms, goal);
        for clause in tree.node(node).label.clone() {
            self.scratch.assert(&logic.terms, clause);
        }
        let result = self.exclude_all(tree, path, node, goal, logic);
        self.scratch.pop();
        result
    }

    fn exclude_all(
        &mut self,
        tree: &mut Tree,
        path: &mut PathFormula,
        node: NodeId,
        goal: TermId,
        logic: &mut Logic,
    ) -> Result<Vec<TermId>, Reason> {
        let chosen: Vec<SymbolId> = logic.terms.symbols_of(goal);
        let chosen: Vec<SymbolId> = chosen
            .into_iter()
            .filter(|symbol| logic.terms.symbol(*symbol).kind != SymbolKind::Variable)
            .collect();
        let mut cubes = Vec::new();
        loop {
            let model = match self.scratch.check(&logic.terms, &[], &mut logic.budget) {
                Answer::Unsat(_) => return Ok(cubes),
                Answer::Sat(model) => model,
                Answer::Unknown(why) => return Err(gave_up(why)),
            };
            if cubes.len() == MAX_CUBES {
                return Err(Reason::NoInterpolant { cubes: MAX_CUBES });
            }
            let cube = cube(path, goal, &chosen, &model, logic)?;
            let cube = match (self.strength, &cube[..]) {
                (Strength::Strongest, [literal]) => tightest(path, *literal, logic)?,
                _ => logic.terms.and(cube),
            };
            let clause = logic.terms.not(cube);
            self.scratch.assert(&logic.terms, clause);
            tree.strengthen(node, clause);
            self.clauses += 1;
            cubes.push(cube);
        }
    }
}

/// A cube that the path contradicts, with the model in it, as large as can be found.
fn cube(
    path: &mut PathFormula,
    goal: TermId,
    chosen: &[SymbolId],
    model: &Model,
    logic: &mut Logic,
) -> Result<Vec<TermId>, Reason> {
    let inconsistent = || Reason::NotInterpolated;
    let literals = logic.terms.implicant(goal, model).ok_or_else(inconsistent)?;
    let literals = constraints(&mut logic.terms, &literals, model);
    let core = path.core(logic, &literals).map_err(gave_up)?.ok_or_else(inconsistent)?;
    if !core.iter().any(|literal| logic.terms.mentions(*literal, chosen)) {
        return Ok(core);
    }
    // Dropping what cannot be projected makes the cube larger; the path has to contradict it all the same.
    let (projected, _) = projected(&mut logic.terms, &core, chosen, model)?;
    let projected = constraints(&mut logic.terms, &projected, model);
    path.core(logic, &projected).map_err(gave_up)?.ok_or_else(inconsistent)
}

/// The weakest bound on a sum, of those that imply nothing less than `literal` does, that the path contradicts: its negation is the strongest postcondition of the path for that sum.
fn tightest(path: &mut PathFormula, literal: TermId, logic: &mut Logic) -> Result<TermId, Reason> {
    let Node::Le(sum) = *logic.terms.node(literal) else { return Ok(literal) };
    let form = logic.terms.linear(sum);
    // The literal says that the sum is at most zero; the path may contradict that it is at most so much more.
    let (mut known, mut step) = (Integer::ZERO, Integer::ONE);
    let mut literal = literal;
    let mut is_growing = true;
    for _ in 0..MAX_BISECTIONS {
        let more = &known + &step;
        let weaker = logic.terms.le_zero(&form.add_constant(&-more.clone()));
        match path.check(logic, &[weaker]) {
            Answer::Unsat(_) => {
                known = more;
                literal = weaker;
                if is_growing {
                    step = &step + &step;
                }
            }
            Answer::Sat(_) => {
                is_growing = false;
                if step.is_one() {
                    break;
                }
            }
            Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
            Answer::Unknown(_) => break,
        }
        if !is_growing && !step.is_one() {
            step = step.div_floor(&Integer::from(2));
        }
    }
    Ok(literal)
}
