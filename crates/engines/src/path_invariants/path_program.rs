//! Path programs: a counterexample together with the loops that it goes through.
//!
//! # Paper
//! [PathInvariants06] §3, "Path Programs and Path Invariants", and figure 4. For a path π over the locations ℓ₀ … ℓₖ the path program has the location `(ℓᵢ, i)` for each position, and at each
//! position i where π leaves a loop a copy of that loop: the largest block B with ℓᵢ ∈ B and ℓᵢ₊₁ ∉ B, with the transitions of π inside of B. The paper joins `(ℓᵢ, i)` and its copy by two transitions
//! that change nothing; here they are one point.
//!
//! # Which loops a counterexample goes through
//! A search with covers stops where a node represents the states of another one, so its paths to the error need not repeat a loop that it has closed. The counterexamples of figures 1 and 2 go once
//! through each loop. So what leads from a node of the path to a node below that it covers belongs to the counterexample, too.
//!
//! # Invariants
//! * P1: the graph contains the path, all its repetitions of the loops, and no arc that the counterexample does not have.
//! * P2: G1 to G3 of `graph::cut` hold: copies keep the order of points, and the first point of a copy is the head of the loop.
//! * P3: arcs that leave different points have no Skolem constant in common. Arcs that leave one point may: what they choose is chosen once.

use std::collections::{BTreeMap, BTreeSet};

use base::IndexVec;
use encode::Transition;
use graph::cut::{Arc, ArcId, Graph, Point, PointId};
use graph::elements::Elements;
use graph::tree::{NodeId, Tree};
use term::{Substitution, SymbolId, TermId, Terms};

/// A path program.
pub(super) struct PathProgram {
    /// The program as a graph of its own.
    pub(super) graph: Graph,
    /// The points of the program that its points are copies of.
    pub(super) origin: IndexVec<PointId, PointId>,
}

impl PathProgram {
    /// The path program of the path to a node at the error.
    pub(super) fn of(tree: &Tree, error: NodeId, graph: &Graph, terms: &mut Terms) -> Self {
        let path = tree.path(error);
        let arcs = arcs_of(tree, &path);
        let mut builder = Builder {
            graph,
            terms,
            taken: &arcs,
            chosen: BTreeMap::new(),
            points: IndexVec::new(),
            arcs: IndexVec::new(),
            origin: IndexVec::new(),
        };
        let mut at: Option<(PointId, ArcId)> = None;
        for (position, node) in path.iter().enumerate() {
            let point = tree.node(*node).point;
            let next = path.get(position + 1).map(|node| tree.node(*node));
            let block = next.map_or_else(BTreeSet::new, |next| builder.block(point, next.point));
            let copy =
                if block.is_empty() { builder.copy_point(point) } else { builder.copy_block(&block, point) };
            if let Some((source, arc)) = at {
                builder.copy_arc(arc, source, copy);
            }
            at = next.and_then(|next| next.parent).map(|(_, arc)| (copy, arc));
        }
        let Builder { points, arcs, origin, .. } = builder;
        let target = points.ids().next_back();
        let graph = Graph {
            points,
            arcs,
            target,
            unreachable: Vec::new(),
            procedure: graph.procedure,
            vocabulary: graph.vocabulary.clone(),
            cells: graph.cells.clone(),
            elements: Elements::default(),
        };
        Self { graph, origin }
    }

    /// Whether it repeats anything.
    pub(super) fn has_loops(&self) -> bool {
        self.graph.points.iter().any(|point| point.body.is_some())
    }
}

/// The arcs of a path, and those of the loops that were closed at its nodes.
fn arcs_of(tree: &Tree, path: &[NodeId]) -> BTreeSet<ArcId> {
    let step = |node: &NodeId| tree.node(*node).parent.map(|(_, arc)| arc);
    let mut arcs: BTreeSet<ArcId> = path.iter().filter_map(step).collect();
    let mut open = path.to_vec();
    let mut seen: BTreeSet<NodeId> = path.iter().copied().collect();
    while let Some(node) = open.pop() {
        for covered in &tree.node(node).covers {
            if !tree.is_below(*covered, node) {
                continue;
            }
            let from = tree.node(node).depth as usize + 1;
            for below in &tree.path(*covered)[from..] {
                arcs.extend(step(below));
                if seen.insert(*below) {
                    open.push(*below);
                }
            }
        }
    }
    arcs
}

struct Builder<'a> {
    graph: &'a Graph,
    terms: &'a mut Terms,
    /// The arcs of the counterexample.
    taken: &'a BTreeSet<ArcId>,
    /// The Skolem constants of the arcs that leave a point, by those that they are copies of (P3).
    chosen: BTreeMap<(PointId, SymbolId), SymbolId>,
    points: IndexVec<PointId, Point>,
    arcs: IndexVec<ArcId, Arc>,
    origin: IndexVec<PointId, PointId>,
}

impl Builder<'_> {
    /// The points of the largest loop of the counterexample that is left on the way from a point to the next one; none if no loop is.
    fn block(&self, point: PointId, next: PointId) -> BTreeSet<PointId> {
        let is_left = |head: &PointId| self.graph.in_loop(*head, point) && !self.graph.in_loop(*head, next);
        // Loops are nested, and a loop that contains another one has the smaller head.
        let Some(head) = self.graph.points.ids().find(is_left) else { return BTreeSet::new() };
        let inside: Vec<(PointId, PointId)> = self.inside(|point| self.graph.in_loop(head, point));
        let reversed: Vec<(PointId, PointId)> =
            inside.iter().map(|(source, target)| (*target, *source)).collect();
        let (ahead, behind) = (closure(point, &inside), closure(point, &reversed));
        ahead.intersection(&behind).copied().collect()
    }

    /// Source and target of the arcs of the counterexample inside of a set of points.
    fn inside(&self, contains: impl Fn(PointId) -> bool) -> Vec<(PointId, PointId)> {
        let ends = self.taken.iter().map(|arc| &self.graph.arcs[*arc]).map(|arc| (arc.source, arc.target));
        ends.filter(|(source, target)| contains(*source) && contains(*target)).collect()
    }

    fn copy_point(&mut self, point: PointId) -> PointId {
        self.origin.push(point);
        let copy = Point { outgoing: Vec::new(), body: None, ..self.graph.points[point].clone() };
        self.points.push(copy)
    }

    /// Copies the points and arcs of a block. Returns the copy of one of its points.
    fn copy_block(&mut self, block: &BTreeSet<PointId>, wanted: PointId) -> PointId {
        let copies: Vec<(PointId, PointId)> =
            block.iter().map(|point| (*point, self.copy_point(*point))).collect();
        let copy_of = |point: PointId| {
            let found = copies.iter().find(|(original, _)| *original == point);
            found.map(|(_, copy)| *copy).expect("P1: a block should contain the ends of its arcs")
        };
        let ends = self.inside(|point| block.contains(&point));
        for (head, copy) in &copies {
            let is_in_loop = |point: PointId| self.graph.in_loop(*head, point);
            if ends.iter().any(|(source, target)| target == head && is_in_loop(*source)) {
                let length = block.iter().filter(|point| is_in_loop(**point)).count();
                self.points[*copy].body = Some(copy.0..copy.0 + length as u32);
            }
        }
        for arc in self.taken {
            let Arc { source, target, .. } = self.graph.arcs[*arc];
            if block.contains(&source) && block.contains(&target) {
                self.copy_arc(*arc, copy_of(source), copy_of(target));
            }
        }
        copy_of(wanted)
    }

    fn copy_arc(&mut self, id: ArcId, source: PointId, target: PointId) {
        let arc = &self.graph.arcs[id];
        let terms = &mut *self.terms;
        let mut pairs: Vec<(SymbolId, TermId)> = Vec::new();
        for skolem in &arc.skolems {
            let copy = *self.chosen.entry((source, skolem.symbol)).or_insert_with(|| {
                let info = terms.symbol(skolem.symbol).clone();
                terms.declare(info.name, info.sort, info.kind)
            });
            pairs.push((skolem.symbol, terms.of_symbol(copy)));
        }
        let mut substitution = Substitution::new(pairs);
        let guard = substitution.apply(terms, arc.formula.guard);
        let update = arc.formula.update.iter();
        let update = update.map(|(symbol, value)| (*symbol, substitution.apply(terms, *value))).collect();
        let formula = Transition { guard, update };
        let focus = arc.focus.clone();
        let copy = self.arcs.push(Arc { source, target, formula, skolems: Vec::new(), focus });
        self.points[source].outgoing.push(copy);
    }
}

/// The points that one or more arcs lead to from a point.
fn closure(start: PointId, arcs: &[(PointId, PointId)]) -> BTreeSet<PointId> {
    let mut found = BTreeSet::new();
    let mut open = vec![start];
    while let Some(point) = open.pop() {
        for (_, target) in arcs.iter().filter(|(source, _)| *source == point) {
            if found.insert(*target) {
                open.push(*target);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use base::Budget;
    use passes::Prepared;
    use smt::Logic;

    use super::*;
    use crate::problem::Problem;

    /// Two nested loops, as in figure 4.
    const NESTED: &str = "extern int in(void); extern void reach_error(void);
        int main(void) { int i = 0;
          while (in() < 5) { int j = 0; while (in() < 9) { j += i; } i += j + 1; }
          if (i == 77) { reach_error(); } return 0; }";
    const ENTRY: PointId = PointId(0);
    const OUTER: PointId = PointId(1);
    const INNER: PointId = PointId(2);
    const ERROR: PointId = PointId(3);

    fn with_graph(test: impl FnOnce(&Graph, &mut Terms)) {
        let options = cfront::Options::new(cfa::DataModel::Lp64);
        let text = NESTED.as_bytes().to_vec().into();
        let input = cfront::Input::Text { name: "nested.c".to_owned(), text };
        let program = cfront::compile(&[input], &options).expect("the program should compile").program;
        let mut logic = Logic::new(Budget::unlimited());
        let problem = Problem::without_element_facts(&Prepared::of(&program), &mut logic)
            .expect("the program should be encoded");
        test(&problem.graph, &mut logic.terms);
    }

    /// A tree with one path through these points; its last node.
    fn tree(graph: &Graph, points: &[PointId]) -> (Tree, NodeId) {
        let mut tree = Tree::new(graph.points.len());
        let mut at = Tree::ROOT;
        for pair in points.windows(2) {
            let is_step = |arc: &&ArcId| graph.arcs[**arc].target == pair[1];
            let arc = graph.points[pair[0]].outgoing.iter().find(is_step).expect("there should be an arc");
            at = tree.expand(at, &[(*arc, pair[1])])[0];
        }
        (tree, at)
    }

    fn shape(program: &PathProgram) -> Vec<(PointId, Option<usize>)> {
        let body = |point: &Point| point.body.as_ref().map(ExactSizeIterator::len);
        program.origin.iter().copied().zip(program.graph.points.iter().map(body)).collect()
    }

    #[test]
    fn the_path_of_figure_4_gets_copies_of_the_loops_that_it_leaves() {
        with_graph(|graph, terms| {
            let (tree, error) = tree(graph, &[ENTRY, OUTER, INNER, INNER, OUTER, INNER, OUTER, ERROR]);
            let program = PathProgram::of(&tree, error, graph, terms);
            // The inner loop is left at positions 3 and 5, the outer one at position 6.
            let expected = [
                (ENTRY, None),
                (OUTER, None),
                (INNER, None),
                (INNER, Some(1)),
                (OUTER, None),
                (INNER, Some(1)),
                (OUTER, Some(2)),
                (INNER, Some(1)),
                (ERROR, None),
            ];
            assert_eq!(shape(&program), expected);
            // P3
            for (id, arc) in program.graph.arcs.iter_enumerated() {
                let later = program.graph.arcs.ids().filter(|other| *other > id);
                for other in later.map(|other| &program.graph.arcs[other]) {
                    let theirs = other.formula.symbols(terms);
                    let is_shared = |symbol: &SymbolId| {
                        terms.symbol(*symbol).kind == term::SymbolKind::Skolem && theirs.contains(symbol)
                    };
                    let shares = arc.formula.symbols(terms).iter().any(is_shared);
                    assert!(!shares || arc.source == other.source, "{id}");
                }
            }
        });
    }

    #[test]
    fn loops_that_the_search_has_closed_belong_to_a_path_that_goes_past_them() {
        with_graph(|graph, terms| {
            let (mut tree, inner) = tree(graph, &[ENTRY, OUTER, INNER]);
            let outer = tree.path(inner)[1];
            let arc = |source: PointId, target: PointId| {
                let arcs = graph.arcs.iter_enumerated();
                let mut found = arcs.filter(|(_, arc)| (arc.source, arc.target) == (source, target));
                found.next().map(|(id, _)| id).expect("there should be an arc")
            };
            let back = tree.expand(inner, &[(arc(INNER, OUTER), OUTER)])[0];
            tree.cover(back, outer);
            let without = PathProgram::of(&tree, inner, graph, terms);
            assert_eq!(shape(&without).len(), 3);
            let program = Builder {
                graph,
                terms,
                taken: &arcs_of(&tree, &tree.path(outer)),
                chosen: BTreeMap::new(),
                points: IndexVec::new(),
                arcs: IndexVec::new(),
                origin: IndexVec::new(),
            };
            assert_eq!(program.block(OUTER, ERROR), BTreeSet::from([OUTER, INNER]));
        });
    }
}
