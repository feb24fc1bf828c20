//! Loop structure and dominators against their definitions, on random graphs.

// Helpers of tests may fail like tests.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use cfa::loops::{Digraph, Dominators, LoopForest};
use cfa::text::parse;
use cfa::{EdgeId, Loc, dot};
use expect_test::expect;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

type Pairs = Vec<(usize, usize)>;

fn graph(count: usize, pairs: &Pairs) -> Digraph {
    let edges = pairs.iter().enumerate();
    Digraph::new(count, edges.map(|(id, (from, to))| (Loc(*from as u32), Loc(*to as u32), EdgeId(id as u32))))
}

fn random_pairs(random: &mut Random) -> (usize, Pairs) {
    let count = 1 + random.below(12);
    let edges = random.below(3 * count);
    (count, (0..edges).map(|_| (random.below(count), random.below(count))).collect())
}

/// Locations that are reached from `from` by edges within `allowed`, `from` included.
fn reach(pairs: &Pairs, allowed: &BTreeSet<usize>, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([from]);
    loop {
        let before = reached.len();
        for (source, target) in pairs {
            if reached.contains(source) && allowed.contains(source) && allowed.contains(target) {
                reached.insert(*target);
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}

fn preorder(count: usize, pairs: &Pairs) -> Vec<usize> {
    fn visit(at: usize, pairs: &Pairs, number: &mut Vec<usize>, next: &mut usize) {
        number[at] = *next;
        *next += 1;
        for (source, target) in pairs {
            if *source == at && number[*target] == usize::MAX {
                visit(*target, pairs, number, next);
            }
        }
    }
    let mut number = vec![usize::MAX; count];
    visit(0, pairs, &mut number, &mut 0);
    number
}

/// The definition: header to body, by repeated decomposition into components.
fn naive_loops(
    pairs: &Pairs,
    number: &[usize],
    within: &BTreeSet<usize>,
    out: &mut BTreeMap<usize, BTreeSet<usize>>,
) {
    let mut left = within.clone();
    while let Some(some) = left.first().copied() {
        let forward = reach(pairs, within, some);
        let component: BTreeSet<usize> =
            forward.iter().copied().filter(|other| reach(pairs, within, *other).contains(&some)).collect();
        left.retain(|location| !component.contains(location));
        if component.len() > 1 || pairs.contains(&(some, some)) {
            let header = component.iter().copied().min_by_key(|location| number[*location]).unwrap();
            let mut inner = component.clone();
            inner.remove(&header);
            out.insert(header, component);
            naive_loops(pairs, number, &inner, out);
        }
    }
}

fn check_forest(count: usize, pairs: &Pairs) {
    let graph = graph(count, pairs);
    let forest = LoopForest::new(&graph, Loc(0));
    let number = preorder(count, pairs);
    let reached: BTreeSet<usize> = (0..count).filter(|location| number[*location] != usize::MAX).collect();
    let mut expected = BTreeMap::new();
    naive_loops(pairs, &number, &reached, &mut expected);
    let found: BTreeMap<usize, BTreeSet<usize>> = forest
        .loops()
        .iter_enumerated()
        .map(|(id, looped)| {
            (looped.header.0 as usize, forest.body(id).iter().map(|location| location.0 as usize).collect())
        })
        .collect();
    assert_eq!(found, expected, "{pairs:?}");
    for (id, looped) in forest.loops().iter_enumerated() {
        let body = &expected[&(looped.header.0 as usize)];
        let around = expected.values().filter(|other| other.is_superset(body)).count();
        assert_eq!(looped.depth as usize, around, "{pairs:?}");
        let mut entries: BTreeSet<usize> = pairs
            .iter()
            .filter(|(from, to)| reached.contains(from) && !body.contains(from) && body.contains(to))
            .map(|(_, to)| *to)
            .collect();
        if body.contains(&0) {
            entries.insert(0);
        }
        let found: BTreeSet<usize> = forest.entries(id).iter().map(|location| location.0 as usize).collect();
        assert_eq!(found, entries, "{pairs:?}");
        assert_eq!(looped.irreducible, entries.len() > 1, "{pairs:?}");
        assert!(entries.contains(&(looped.header.0 as usize)));
        let exits = pairs.iter().filter(|(from, to)| body.contains(from) && !body.contains(to)).count();
        assert_eq!(forest.exits(id).len(), exits, "{pairs:?}");
        assert_eq!(forest.body(id)[0], looped.header);
        assert!(looped.parent.is_none_or(|parent| parent < id));
    }
    // I2 of the forest: the order is a weak topological one.
    let position: BTreeMap<Loc, usize> =
        forest.order().iter().enumerate().map(|(at, location)| (*location, at)).collect();
    assert_eq!(position.len(), reached.len());
    for (source, target, _) in graph.edges() {
        let (Some(from), Some(to)) = (position.get(&source), position.get(&target)) else { continue };
        let back = forest.headed_by(target).is_some_and(|id| forest.contains(id, source));
        assert!(from < to || back, "{pairs:?}: {source} -> {target}");
    }
}

fn check_dominators(count: usize, pairs: &Pairs) {
    let dominators = Dominators::new(&graph(count, pairs), Loc(0));
    let all: BTreeSet<usize> = (0..count).collect();
    let reached = reach(pairs, &all, 0);
    for dominator in 0..count {
        let mut without = all.clone();
        without.remove(&dominator);
        let avoiding = if dominator == 0 { BTreeSet::new() } else { reach(pairs, &without, 0) };
        for location in 0..count {
            let expected =
                reached.contains(&dominator) && reached.contains(&location) && !avoiding.contains(&location);
            let found = dominators.dominates(Loc(dominator as u32), Loc(location as u32));
            assert_eq!(found, expected, "{pairs:?}: {dominator} over {location}");
        }
    }
}

#[test]
fn forest_is_that_of_the_definition() {
    let mut random = Random(1);
    for _ in 0..4000 {
        let (count, pairs) = random_pairs(&mut random);
        check_forest(count, &pairs);
    }
}

#[test]
fn dominators_are_those_of_the_definition() {
    let mut random = Random(2);
    for _ in 0..4000 {
        let (count, pairs) = random_pairs(&mut random);
        check_dominators(count, &pairs);
    }
}

#[test]
fn reverse_postorder_puts_sources_first_in_acyclic_graphs() {
    let mut random = Random(3);
    for _ in 0..500 {
        let (count, mut pairs) = random_pairs(&mut random);
        pairs.retain(|(from, to)| from < to);
        let order = graph(count, &pairs).reverse_postorder(Loc(0));
        let at = |location: usize| order.iter().position(|other| other.0 as usize == location);
        for (from, to) in &pairs {
            if let Some(source) = at(*from) {
                assert!(Some(source) < at(*to));
            }
        }
    }
}

/// An algorithm whose time is quadratic would take minutes.
#[test]
fn large_graphs_need_neither_stack_nor_patience() {
    let count = 100_000;
    let chain = (0..count - 1).map(|at| (at, at + 1));
    // Nested: each location of the second half jumps back to its mirror image.
    let nested: Pairs = chain.clone().chain((count / 2..count).map(|at| (at, count - 1 - at))).collect();
    // Every location jumps into the middle of a loop around all.
    let tangled: Pairs =
        chain.clone().chain([(count - 1, 0)]).chain((0..count).map(|at| (at, (at * 7919) % count))).collect();
    let straight: Pairs = chain.collect();
    for (pairs, loops) in [(nested, count / 2), (straight, 0)] {
        let graph = graph(count, &pairs);
        let forest = graph.loops(Loc(0));
        assert_eq!(forest.loops().len(), loops);
        let dominators = Dominators::new(&graph, Loc(0));
        assert!(dominators.dominates(Loc(1), Loc(count as u32 - 1)));
    }
    let graph = graph(count, &tangled);
    assert!(!graph.loops(Loc(0)).loops().is_empty());
    assert!(Dominators::new(&graph, Loc(0)).is_reached(Loc(5)));
}

#[test]
fn a_jump_into_a_loop_makes_it_irreducible() {
    let forest = LoopForest::new(&graph(4, &vec![(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]), Loc(0));
    let id = forest.innermost(Loc(1)).unwrap();
    assert!(forest.loops()[id].irreducible);
    assert_eq!(forest.entries(id), [Loc(1), Loc(2)]);
    assert_eq!(forest.exits(id), [EdgeId(4)]);
}

#[test]
fn the_loops_of_a_procedure_are_computed_once_for_each_form_of_its_control_flow() {
    let text = "program LP64 proc main() { local x : i32 l0 -> l2 l2 -> l2 : x := 1:i32 l2 -> l1 }";
    let program = parse("a.cfa", text).unwrap();
    let old = &program.procs[program.entry];
    assert!(std::ptr::eq(old.loops(), old.loops()));
    assert!(std::ptr::eq(old.loops(), old.clone().loops()), "a copy shares them");

    let rebuilt = |targets: [Loc; 3]| {
        let mut new = cfa::Procedure::new("main", old.region);
        new.add_location(old.locations[Loc(2)]);
        for (edge, target) in old.edges().iter().zip(targets) {
            new.add_edge(cfa::Edge { target, ops: Vec::new(), ..edge.clone() });
        }
        new.share_loops(old);
        new
    };
    let mut same = rebuilt([Loc(2), Loc(2), Loc(1)]);
    assert!(std::ptr::eq(old.loops(), same.loops()), "other operations, same control flow");
    let other = rebuilt([Loc(2), Loc(1), Loc(1)]);
    assert!(other.loops().loops().is_empty(), "other control flow");

    same.add_edge(cfa::Edge { source: Loc(0), target: Loc(0), ..old.edges()[EdgeId(0)].clone() });
    assert_eq!(same.loops().loops().len(), 2, "a new edge");
    assert_eq!(old.loops().loops().len(), 1);
}

#[test]
fn only_some_locations_reach_the_error() {
    let text = "program LP64 proc main() { error l3 l0 -> l2 l2 -> l2 l2 -> l3 l0 -> l4 l4 -> l1 }";
    let program = parse("a.cfa", text).unwrap();
    let reaching = cfa::loops::reaching_error(&program.procs[program.entry]);
    assert_eq!(reaching.as_slice(), [true, false, true, true, false]);
}

#[test]
fn drawing_marks_loop_heads_and_errors() {
    let text = r#"
        program LP64
        file f0 "a.c"
        proc main() {
          local x : i32
          error l3
          l0 -> l2 : x := 0:i32 @f0:2:1-2:2 stmt
          l2 -> l2 : assume x < 10:i32; x := x + 1:i32 @f0:3:1-3:2 branch true
          l2 -> l3 : assume !(x < 10:i32) @f0:3:1-3:2 branch false
        }"#;
    expect![[r#"
        digraph cfa {
          node [shape=circle, fontname="monospace", fontsize=10];
          edge [fontname="monospace", fontsize=10];
          subgraph cluster_p0 {
            label="main";
            p0_l0 [label="l0", style=bold];
            p0_l1 [label="l1", shape=doublecircle];
            p0_l2 [label="l2", shape=diamond, style=filled, fillcolor=lightblue];
            p0_l3 [label="l3", shape=octagon, style=filled, fillcolor=salmon];
            p0_l0 -> p0_l2 [label="2: x := 0"];
            p0_l2 -> p0_l2 [label="3: [x < 10]\nx := x + 1"];
            p0_l2 -> p0_l3 [label="3: [!(x < 10)]"];
          }
        }
    "#]]
    .assert_eq(&dot::program(&parse("a.cfa", text).unwrap()));
}
