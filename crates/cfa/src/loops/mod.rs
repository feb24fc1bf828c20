//! Shape of control flow: graphs, depth-first search, dominators, loop nesting, reachability.
//!
//! Works on [`Digraph`], a plain graph of locations, so that passes may add virtual nodes or turn edges
//! around. Nothing here recurses on the native stack: graphs have hundreds of thousands of locations.

mod dominators;
mod forest;

pub use dominators::Dominators;
pub use forest::{Loop, LoopForest, LoopId};

use base::{Idx, IndexVec};

use crate::{EdgeId, Loc, Procedure};

/// A directed graph of locations with numbered edges, as adjacency lists in one array.
#[derive(Clone, Debug)]
pub struct Digraph {
    starts: Vec<u32>,
    arcs: Vec<(Loc, EdgeId)>,
}

impl Digraph {
    /// The graph with locations `0..count` and the given edges; lists keep the order in which edges are
    /// given.
    pub fn new(count: usize, edges: impl Iterator<Item = (Loc, Loc, EdgeId)> + Clone) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for (source, _, _) in edges.clone() {
            starts[source.index() + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut arcs = vec![(Loc(0), EdgeId(0)); starts[count] as usize];
        for (source, target, edge) in edges {
            let slot = &mut next[source.index()];
            arcs[*slot as usize] = (target, edge);
            *slot += 1;
        }
        Self { starts, arcs }
    }
    /// The control flow of a procedure; the edges have their own ids.
    pub fn of(procedure: &Procedure) -> Self {
        let edges = procedure.edges().iter().enumerate();
        let edges = edges.map(|(index, edge)| (edge.source, edge.target, EdgeId::new(index)));
        Self::new(procedure.locations.len(), edges)
    }
    /// Number of locations.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// Whether there is no location.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The edges that leave a location, with their targets.
    pub fn successors(&self, location: Loc) -> &[(Loc, EdgeId)] {
        &self.arcs[self.starts[location.index()] as usize..self.starts[location.index() + 1] as usize]
    }
    /// All edges: source, target, id.
    pub fn edges(&self) -> impl Iterator<Item = (Loc, Loc, EdgeId)> + Clone {
        (0..self.len()).flat_map(move |index| {
            let source = Loc::new(index);
            self.successors(source).iter().map(move |(target, edge)| (source, *target, *edge))
        })
    }
    /// The same graph with all edges turned around.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self::new(self.len(), self.edges().map(|(source, target, edge)| (target, source, edge)))
    }
    /// Which locations can be reached from any of `roots`.
    pub fn reachable(&self, roots: impl IntoIterator<Item = Loc>) -> IndexVec<Loc, bool> {
        let mut reached = IndexVec::filled(false, self.len());
        let mut pending: Vec<Loc> = Vec::new();
        for root in roots {
            if !std::mem::replace(&mut reached[root], true) {
                pending.push(root);
            }
        }
        while let Some(location) = pending.pop() {
            for (target, _) in self.successors(location) {
                if !std::mem::replace(&mut reached[*target], true) {
                    pending.push(*target);
                }
            }
        }
        reached
    }
    /// The locations that can be reached from `entry`, each before its successors except along back edges.
    pub fn reverse_postorder(&self, entry: Loc) -> Vec<Loc> {
        let mut order = DepthFirst::new(self, entry).postorder;
        order.reverse();
        order
    }
}

/// The result of a depth-first search that follows edges in the order of the lists.
#[derive(Clone, Debug)]
pub(crate) struct DepthFirst {
    /// Locations in the order of discovery.
    pub(crate) preorder: Vec<Loc>,
    /// Locations in the order of completion.
    pub(crate) postorder: Vec<Loc>,
    /// Position in `preorder`; `UNREACHED` if not found.
    pub(crate) number: IndexVec<Loc, u32>,
    /// The location from which it was discovered; the entry's is itself.
    pub(crate) parent: IndexVec<Loc, Loc>,
}

pub(crate) const UNREACHED: u32 = u32::MAX;

/// What a depth-first search sees at an edge that discovers nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The target is being visited: it is an ancestor of the source, or the source itself.
    Back,
    /// The target is finished.
    CrossOrForward,
    /// The visit of the source ends (the pair is the location and its parent).
    Finish,
}

impl DepthFirst {
    pub(crate) fn new(graph: &Digraph, entry: Loc) -> Self {
        Self::with(graph, entry, |_, _, _| {})
    }

    /// Searches and reports edges as they are seen.
    pub(crate) fn with(graph: &Digraph, entry: Loc, mut see: impl FnMut(Seen, Loc, Loc)) -> Self {
        let mut search = Self {
            preorder: vec![entry],
            postorder: Vec::new(),
            number: IndexVec::filled(UNREACHED, graph.len()),
            parent: IndexVec::filled(entry, graph.len()),
        };
        search.number[entry] = 0;
        let mut finished = IndexVec::filled(false, graph.len());
        let mut stack: Vec<(Loc, usize)> = vec![(entry, 0)];
        while let Some((location, next)) = stack.last_mut() {
            let source = *location;
            let Some((target, _)) = graph.successors(source).get(*next) else {
                finished[source] = true;
                search.postorder.push(source);
                see(Seen::Finish, source, search.parent[source]);
                stack.pop();
                continue;
            };
            *next += 1;
            if search.number[*target] == UNREACHED {
                search.number[*target] = search.preorder.len() as u32;
                search.parent[*target] = source;
                search.preorder.push(*target);
                stack.push((*target, 0));
            } else if finished[*target] {
                see(Seen::CrossOrForward, source, *target);
            } else {
                see(Seen::Back, source, *target);
            }
        }
        search
    }
}

/// Disjoint sets with path halving; the representative is chosen by the caller.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    up: IndexVec<Loc, Loc>,
}

impl Sets {
    pub(crate) fn new(count: usize) -> Self {
        Self { up: (0..count).map(Loc::new).collect() }
    }
    pub(crate) fn find(&mut self, mut location: Loc) -> Loc {
        while self.up[location] != location {
            let above = self.up[self.up[location]];
            self.up[location] = above;
            location = above;
        }
        location
    }
    /// Puts the set that `child` represents below `parent`.
    pub(crate) fn attach(&mut self, child: Loc, parent: Loc) {
        self.up[child] = parent;
    }
}

/// The locations from which the error location of the procedure itself can be reached.
pub fn reaching_error(procedure: &Procedure) -> IndexVec<Loc, bool> {
    reaching(procedure, procedure.error)
}

/// The locations from which `target` can be reached; none if there is no target.
pub fn reaching(procedure: &Procedure, target: Option<Loc>) -> IndexVec<Loc, bool> {
    Digraph::of(procedure).reversed().reachable(target)
}
