//! Dominator trees.
//!
//! # Paper
//! Lengauer and Tarjan, A Fast Algorithm for Finding Dominators in a Flowgraph: the simple version, with
//! path compression and without balancing, so O(m log n).
//!
//! # Invariants
//! * I1: a location's immediate dominator precedes it in the search's preorder.

use base::IndexVec;

use super::{DepthFirst, Digraph, UNREACHED};
use crate::Loc;

/// The dominator tree of the locations that can be reached from an entry.
#[derive(Clone, Debug)]
pub struct Dominators {
    immediate: IndexVec<Loc, Option<Loc>>,
    /// Entering and leaving times of a walk over the tree: ancestors enclose descendants.
    spans: IndexVec<Loc, (u32, u32)>,
}

impl Dominators {
    /// Computes the tree.
    pub fn new(graph: &Digraph, entry: Loc) -> Self {
        let search = DepthFirst::new(graph, entry);
        let by_number = Numbered::new(graph, &search).dominators();
        let mut immediate = IndexVec::filled(None, graph.len());
        for (number, dominator) in by_number.iter().enumerate().skip(1) {
            immediate[search.preorder[number]] = Some(search.preorder[*dominator as usize]);
        }
        let spans = spans(&search, &immediate);
        Self { immediate, spans }
    }
    /// The closest strict dominator; `None` for the entry and for what cannot be reached.
    pub fn immediate(&self, location: Loc) -> Option<Loc> {
        self.immediate[location]
    }
    /// Whether every path from the entry to `location` visits `dominator`. False if either cannot be reached.
    pub fn dominates(&self, dominator: Loc, location: Loc) -> bool {
        let ((start, end), (inner, _)) = (self.spans[dominator], self.spans[location]);
        start <= inner && inner < end
    }
    /// Whether the location can be reached from the entry.
    pub fn is_reached(&self, location: Loc) -> bool {
        self.spans[location].1 != 0
    }
}

fn spans(search: &DepthFirst, immediate: &IndexVec<Loc, Option<Loc>>) -> IndexVec<Loc, (u32, u32)> {
    // By I1, sizes of subtrees add up from the end, and children find their parent's start from the front.
    let mut sizes = IndexVec::<Loc, u32>::filled(0, immediate.len());
    for location in search.preorder.iter().rev() {
        sizes[*location] += 1;
        if let Some(dominator) = immediate[*location] {
            sizes[dominator] += sizes[*location];
        }
    }
    // Unreached locations have an empty span that encloses nothing.
    let mut spans = IndexVec::filled((UNREACHED, 0), immediate.len());
    let mut next = IndexVec::<Loc, u32>::filled(0, immediate.len());
    for location in &search.preorder {
        let start = match immediate[*location] {
            None => 0,
            Some(dominator) => {
                let start = next[dominator];
                next[dominator] += sizes[*location];
                start
            }
        };
        spans[*location] = (start, start + sizes[*location]);
        next[*location] = start + 1;
    }
    spans
}

/// The algorithm's state; vertices are their preorder numbers.
struct Numbered {
    predecessors: Vec<Vec<u32>>,
    parent: Vec<u32>,
    semi: Vec<u32>,
    label: Vec<u32>,
    ancestor: Vec<u32>,
}

impl Numbered {
    fn new(graph: &Digraph, search: &DepthFirst) -> Self {
        let count = search.preorder.len();
        let mut predecessors = vec![Vec::new(); count];
        for (source, target, _) in graph.edges() {
            if search.number[source] != UNREACHED {
                predecessors[search.number[target] as usize].push(search.number[source]);
            }
        }
        let parent = search.preorder.iter().map(|location| search.number[search.parent[*location]]).collect();
        let identity: Vec<u32> = (0..count as u32).collect();
        Self {
            predecessors,
            parent,
            semi: identity.clone(),
            label: identity,
            ancestor: vec![UNREACHED; count],
        }
    }

    fn dominators(mut self) -> Vec<u32> {
        let count = self.parent.len();
        let mut dominator = vec![0_u32; count];
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); count];
        for vertex in (1..count as u32).rev() {
            let index = vertex as usize;
            for predecessor in std::mem::take(&mut self.predecessors[index]) {
                let best = self.evaluate(predecessor);
                self.semi[index] = self.semi[index].min(self.semi[best as usize]);
            }
            buckets[self.semi[index] as usize].push(vertex);
            let parent = self.parent[index];
            self.ancestor[index] = parent;
            for other in std::mem::take(&mut buckets[parent as usize]) {
                let best = self.evaluate(other);
                let smaller = self.semi[best as usize] < self.semi[other as usize];
                dominator[other as usize] = if smaller { best } else { parent };
            }
        }
        for index in 1..count {
            if dominator[index] != self.semi[index] {
                dominator[index] = dominator[dominator[index] as usize];
            }
        }
        dominator
    }

    /// The vertex of least semidominator on the path to the root of the link forest, the root excluded.
    fn evaluate(&mut self, vertex: u32) -> u32 {
        if self.ancestor[vertex as usize] == UNREACHED {
            return vertex;
        }
        let mut path = Vec::new();
        let mut at = vertex;
        while self.ancestor[self.ancestor[at as usize] as usize] != UNREACHED {
            path.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(below) = path.pop() {
            let above = self.ancestor[below as usize];
            let (own, inherited) = (self.label[below as usize], self.label[above as usize]);
            if self.semi[inherited as usize] < self.semi[own as usize] {
                self.label[below as usize] = inherited;
            }
            self.ancestor[below as usize] = self.ancestor[above as usize];
        }
        self.label[vertex as usize]
    }
}
