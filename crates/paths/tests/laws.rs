//! Laws of path formulas, dead-end interpolation and executions along paths, on all short paths of small programs.

use std::collections::BTreeSet;

use base::Budget;
use cfa::Program;
use graph::cut::{ENTRY, Graph, PointId, Target};
use graph::tree::{NodeId, Tree};
use passes::Prepared;
use paths::{Interpolator, PathFormula, Runner, Space, script};
use smt::{Answer, Logic, check_formula};
use term::{TermId, Terms};

/// Programs whose loops leave infeasible and feasible paths to the error.
const PROGRAMS: &[&str] = &[
    "int main(void) { int n = IN(), r = 0; while (n > 0) { r = r + n; n--; } if (r == 2) reach_error(); return 0; }",
    "int main(void) { int n = IN(), m = IN(), x = 2; while (n-- > 0) x = 2 * x; while (m-- > 0) x = x - 2;
     if (x == 1) reach_error(); return 0; }",
    "int main(void) { int lock = 0, i; do { lock = 1; i = IN(); if (i) lock = 0; } while (i);
     if (lock == 0) reach_error(); return 0; }",
    "int main(void) { unsigned n = IN(), i = 0, j = 0; if (n > 9) return 0; while (i < n) i++; while (j < i) j++;
     if (j != n) reach_error(); return 0; }",
    "int main(void) { int a[4] = {0}; unsigned i = IN(), s = 0; while (s < 3) { unsigned k = IN(); if (k < 4) a[k] = k; s++; }
     if (i < 4 && a[i] > 3) reach_error(); return 0; }",
    "int main(void) { int s = 0, k = 0; while (k < 5) { int c = IN(); if (c == k) s = s + 3; else if (c == 9) s = 0; k++; }
     if (s == 7) reach_error(); if (s == 15) reach_error(); return 0; }",
    "int main(void) { unsigned char x = IN(); int steps = 0; while (x != 1 && steps < 4) { if (x % 2) x = 3 * x + 1; else x = x / 2; steps++; }
     if (steps == 2 && x == 7) reach_error(); return 0; }",
];

/// Paths are followed to this depth, and so many of one program are looked at.
const DEPTH: u32 = 6;
const MAX_NODES: usize = 60;

fn compile(body: &str) -> Program {
    let text = format!(
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n#define IN() __VERIFIER_nondet_int()\n{body}"
    );
    let input = cfront::Input::Text { name: "test.c".to_owned(), text: text.into_bytes().into() };
    let options = cfront::Options::new(cfa::DataModel::Lp64);
    cfront::compile(&[input], &options).expect("the program should compile").program
}

/// A program with its graph, and the tree of its paths up to a depth.
struct Scene<'p> {
    task: &'p Prepared<'p>,
    graph: Graph,
    tree: Tree,
    logic: Logic,
}

impl<'p> Scene<'p> {
    fn of(task: &'p Prepared<'p>) -> Self {
        let mut logic = Logic::new(Budget::unlimited());
        let (program, proc) = (task.program(), task.program().entry);
        let forest = task.loops(proc);
        let Logic { terms, budget, .. } = &mut logic;
        let graph =
            Graph::of(program, proc, forest, Target::Error, terms, budget).expect("there is no limit");
        let mut tree = Tree::new(graph.points.len());
        let mut pending = vec![Tree::ROOT];
        while let Some(node) = pending.pop() {
            let point = tree.node(node).point;
            if tree.node(node).depth < DEPTH && tree.len() < MAX_NODES {
                let steps: Vec<_> =
                    graph.points[point].outgoing.iter().map(|arc| (*arc, graph.arcs[*arc].target)).collect();
                pending.extend(tree.expand(node, &steps));
            }
        }
        Self { task, graph, tree, logic }
    }

    /// Whether no state that a point allows satisfies a formula.
    fn is_unsat_at(&mut self, point: PointId, formula: TermId) -> bool {
        let space = Space { program: self.task.program(), graph: &self.graph };
        let background = space.background(&mut self.logic.terms, point, formula);
        let formula = self.logic.terms.and([formula, background]);
        let mut solver = self.logic.solvers.z3_solver();
        let Logic { terms, budget, .. } = &mut self.logic;
        matches!(check_formula(&mut solver, terms, formula, budget), Answer::Unsat(_))
    }

    /// The formula of the path to a node, from the states that the entry allows.
    fn path(&mut self, node: NodeId) -> PathFormula {
        let space = Space { program: self.task.program(), graph: &self.graph };
        let start = space.background(&mut self.logic.terms, ENTRY, Terms::TRUE);
        let mut path = PathFormula::new(&self.logic, Tree::ROOT, start);
        path.go_to(node, &self.tree, &self.graph, &mut self.logic.terms);
        path
    }

    fn nodes(&self) -> Vec<NodeId> {
        self.tree.nodes().map(|(id, _)| id).filter(|id| *id != Tree::ROOT).collect()
    }

    fn points_to(&self, node: NodeId) -> Vec<PointId> {
        self.tree.path(node).iter().map(|node| self.tree.node(*node).point).collect()
    }
}

#[test]
fn interpolants_of_dead_ends_hold_are_inductive_and_exclude_the_goal() {
    let mut explained = 0;
    for program in PROGRAMS {
        let program = compile(program);
        let task = Prepared::of(&program);
        let mut scene = Scene::of(&task);
        for node in scene.nodes() {
            let point = scene.tree.node(node).point;
            let goal = scene.graph.points[point].facts;
            let mut path = scene.path(node);
            if !matches!(path.check(&mut scene.logic, &[goal]), Answer::Unsat(_)) {
                continue;
            }
            let space = Space { program: task.program(), graph: &scene.graph };
            let mut interpolator = Interpolator::new(space, &scene.logic);
            let changed = interpolator.exclude(&mut scene.tree, &mut path, node, goal, &mut scene.logic);
            if changed.is_err() {
                continue;
            }
            explained += 1;
            check_labels(&mut scene, node, goal);
        }
    }
    assert!(explained > 30, "{explained} dead ends");
}

/// R1, R2 and R3 on the path to a node.
fn check_labels(scene: &mut Scene<'_>, node: NodeId, goal: TermId) {
    let path = scene.tree.path(node);
    for (parent, child) in path.iter().zip(&path[1..]) {
        let label = scene.tree.node(*child).label.clone();
        for clause in &label {
            let negated = scene.logic.terms.not(*clause);
            let mut formula = scene.path(*child);
            assert!(matches!(formula.check(&mut scene.logic, &[negated]), Answer::Unsat(_)), "R1 at {child}");
        }
        let Some((_, arc)) = scene.tree.node(*child).parent else { panic!("a child should have a parent") };
        let all = scene.logic.terms.and(label);
        let broken = scene.logic.terms.not(all);
        let step = scene.graph.arcs[arc].formula.before(&mut scene.logic.terms, broken);
        let before = scene.tree.node(*parent).label.clone();
        let before = scene.logic.terms.and(before);
        let both = scene.logic.terms.and([step, before]);
        let point = scene.tree.node(*parent).point;
        assert!(scene.is_unsat_at(point, both), "R2 from {parent} to {child}");
    }
    let label = scene.tree.node(node).label.clone();
    let point = scene.tree.node(node).point;
    let label = scene.logic.terms.and(label);
    let both = scene.logic.terms.and([label, goal]);
    assert!(scene.is_unsat_at(point, both), "R3 at {node}");
}

#[test]
fn an_execution_with_the_choices_of_a_model_takes_the_path() {
    let mut followed = 0;
    for program in PROGRAMS {
        let program = compile(program);
        let task = Prepared::of(&program);
        let mut scene = Scene::of(&task);
        let runner = Runner::new(task.program(), task.loops(task.program().entry), &scene.graph);
        for node in scene.nodes() {
            let path = scene.tree.path(node);
            let arcs = path.iter().filter_map(|node| scene.tree.node(*node).parent).map(|(_, arc)| arc);
            let mut skolems = arcs.flat_map(|arc| &scene.graph.arcs[arc].skolems);
            if skolems.any(|skolem| skolem.rounding().is_some()) {
                continue;
            }
            let mut formula = scene.path(node);
            let Answer::Sat(model) = formula.check(&mut scene.logic, &[Terms::TRUE]) else { continue };
            let points = scene.points_to(node);
            let stops = BTreeSet::new();
            let mut execution = runner.start(task.program(), points[0], points.len(), &stops);
            let script = script(&scene.graph, &formula, &model, &scene.logic.terms);
            let halt = execution.follow(&points, script, &mut Budget::unlimited());
            let is_error = scene.graph.target == points.last().copied();
            let arrived = if is_error {
                halt == Some(paths::Halt::Error)
            } else {
                Some(&execution.at()) == points.last()
            };
            assert!(arrived, "{points:?}: {halt:?} at {:?}", execution.at());
            followed += 1;
        }
    }
    assert!(followed > 50, "{followed} paths");
}
