//! Loop nesting of arbitrary graphs, and the weak topological order that goes with it.
//!
//! # Definition
//! Let the header of a strongly connected component be its location of least depth-first number. The
//! outermost loops are the components that have a cycle; the loops inside a loop are those of its body
//! without its header. So every cycle passes through a header, loops are nested or disjoint, and a loop has
//! exactly one header even where control can enter it elsewhere (an irreducible loop).
//!
//! # Paper
//! Ramalingam, Identifying Loops in Almost Linear Time, TOPLAS 21(2), 1999: his correction of Havlak's
//! algorithm, which computes this forest with union-find instead of repeated decomposition. The order is
//! Bourdoncle's weak topological order (Efficient Chaotic Iteration Strategies with Widenings, FMPA 1993) for
//! these components.
//!
//! # Invariants
//! * I1: the body of a loop is contiguous in the order, its header first.
//! * I2: an edge goes forward in the order, or to the header of a loop that contains its source.
//! * I3: a loop's number is greater than its parent's.

use base::{Idx, IndexVec, census, newtype_index};

use super::{DepthFirst, Digraph, Seen, Sets, UNREACHED};
use crate::{EdgeId, Loc, Procedure};

newtype_index!(
    /// A loop of a [`LoopForest`].
    LoopId,
    "loop"
);

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The location that every cycle of the loop visits, unless the cycle belongs to an inner loop.
    pub header: Loc,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// 1 for outermost loops.
    pub depth: u32,
    /// Whether control can enter elsewhere than at the header.
    pub irreducible: bool,
    /// Where the body is in the order.
    start: u32,
    end: u32,
}

/// All loops that can be reached from an entry.
#[derive(Clone, Debug)]
pub struct LoopForest {
    loops: IndexVec<LoopId, Loop>,
    innermost: IndexVec<Loc, Option<LoopId>>,
    order: Vec<Loc>,
    position: IndexVec<Loc, u32>,
    entry: Loc,
    graph: Digraph,
    reversed: Digraph,
}

impl LoopForest {
    /// The loops of a procedure, for [`Procedure::loops`], which keeps them.
    pub(crate) fn of(procedure: &Procedure) -> Self {
        Self::new(&Digraph::of(procedure), procedure.entry)
    }
    /// The loops of a graph.
    pub fn new(graph: &Digraph, entry: Loc) -> Self {
        census::count(census::Step::LoopForestBuilt);
        let raw = RawForest::new(graph, entry);
        let mut forest = raw.ordered(graph, entry);
        forest.mark_irreducible();
        forest
    }
    /// Where all paths start.
    pub(crate) fn entry(&self) -> Loc {
        self.entry
    }
    /// All loops, outer ones before inner ones.
    pub fn loops(&self) -> &IndexVec<LoopId, Loop> {
        &self.loops
    }
    /// The innermost loop around a location.
    pub fn innermost(&self, location: Loc) -> Option<LoopId> {
        self.innermost[location]
    }
    /// How many loops are around a location.
    pub fn depth(&self, location: Loc) -> u32 {
        self.innermost[location].map_or(0, |id| self.loops[id].depth)
    }
    /// The loop whose header a location is.
    pub fn headed_by(&self, location: Loc) -> Option<LoopId> {
        self.innermost[location].filter(|id| self.loops[*id].header == location)
    }
    /// Whether a location is the header of a loop.
    pub fn is_header(&self, location: Loc) -> bool {
        self.headed_by(location).is_some()
    }
    /// The locations of a loop, the header first, inner loops included.
    pub fn body(&self, id: LoopId) -> &[Loc] {
        &self.order[self.loops[id].start as usize..self.loops[id].end as usize]
    }
    /// Whether a location lies in a loop.
    pub fn contains(&self, id: LoopId, location: Loc) -> bool {
        (self.loops[id].start..self.loops[id].end).contains(&self.position[location])
    }
    /// Whether a location can be reached from the entry.
    pub fn reaches(&self, location: Loc) -> bool {
        self.position[location] != UNREACHED
    }
    /// The weak topological order of all locations that can be reached.
    pub fn order(&self) -> &[Loc] {
        &self.order
    }

    /// Where control can enter a loop, the header among them, in the weak topological order.
    pub fn entries(&self, id: LoopId) -> Vec<Loc> {
        let entered = |location: Loc| {
            let mut sources = self.reversed.successors(location).iter();
            location == self.entry || sources.any(|(source, _)| self.is_outside(id, *source))
        };
        self.body(id).iter().copied().filter(|location| entered(*location)).collect()
    }
    /// The edges that leave a loop.
    pub fn exits(&self, id: LoopId) -> Vec<EdgeId> {
        let leaving = |location: &Loc| self.graph.successors(*location).iter();
        let arcs = self.body(id).iter().flat_map(leaving);
        arcs.filter(|(target, _)| !self.contains(id, *target)).map(|(_, edge)| *edge).collect()
    }
    /// Whether a location can be reached and is not in the loop.
    fn is_outside(&self, id: LoopId, location: Loc) -> bool {
        self.position[location] != UNREACHED && !self.contains(id, location)
    }

    /// An edge enters every loop around its target that is not around its source. Of those only the innermost
    /// may have the target as its header; the others are irreducible. What is marked is skipped from then on.
    fn mark_irreducible(&mut self) {
        // One more than the number of loops: the last stands for "outside of all".
        let outside = Loc::new(self.loops.len());
        let mut unmarked = Sets::new(self.loops.len() + 1);
        let edges = self.graph.edges().map(|(source, target, _)| (Some(source), target));
        for (source, target) in edges.chain([(None, self.entry)]).collect::<Vec<_>>() {
            if source.is_some_and(|source| self.position[source] == UNREACHED) {
                continue;
            }
            let mut next = self.innermost[target];
            if next.is_some_and(|id| self.loops[id].header == target) {
                let id = next.filter(|id| source.is_none_or(|source| !self.contains(*id, source)));
                next = id.and_then(|id| self.loops[id].parent);
            }
            while let Some(id) = next {
                let at = unmarked.find(Loc::new(id.index()));
                let id = LoopId::new(at.index());
                if at == outside || source.is_some_and(|source| self.contains(id, source)) {
                    break;
                }
                self.loops[id].irreducible = true;
                next = self.loops[id].parent;
                unmarked.attach(at, next.map_or(outside, |parent| Loc::new(parent.index())));
            }
        }
    }
}

/// Loops as they are found: inner ones first, bodies as union-find sets.
struct RawForest {
    search: DepthFirst,
    /// Header and parent.
    loops: Vec<(Loc, Option<usize>)>,
    innermost: IndexVec<Loc, Option<usize>>,
}

impl RawForest {
    fn new(graph: &Digraph, entry: Loc) -> Self {
        let count = graph.len();
        let mut back_sources: IndexVec<Loc, Vec<Loc>> = IndexVec::filled(Vec::new(), count);
        // Cross and forward edges wait at the nearest common ancestor of their ends: while a location is
        // visited, the set of a finished one is represented by its closest ancestor that is still being
        // visited.
        let mut waiting: IndexVec<Loc, Vec<(Loc, Loc)>> = IndexVec::filled(Vec::new(), count);
        let mut ancestors = Sets::new(count);
        let search = DepthFirst::with(graph, entry, |seen, source, target| match seen {
            Seen::Back => back_sources[target].push(source),
            Seen::CrossOrForward => waiting[ancestors.find(target)].push((source, target)),
            Seen::Finish => ancestors.attach(source, target),
        });
        let mut predecessors: IndexVec<Loc, Vec<Loc>> = IndexVec::filled(Vec::new(), count);
        for location in &search.preorder[1..] {
            predecessors[*location].push(search.parent[*location]);
        }
        let mut collapsed = Sets::new(count);
        let mut forest = Self { search, loops: Vec::new(), innermost: IndexVec::filled(None, count) };
        // A location is marked with the header whose body it was last put into.
        let mut mark: IndexVec<Loc, Option<Loc>> = IndexVec::filled(None, count);
        for header in forest.search.preorder.clone().into_iter().rev() {
            for (source, target) in std::mem::take(&mut waiting[header]) {
                let (source, target) = (collapsed.find(source), collapsed.find(target));
                predecessors[target].push(source);
            }
            if back_sources[header].is_empty() {
                continue;
            }
            mark[header] = Some(header);
            let mut body: Vec<Loc> = Vec::new();
            let mut add = |body: &mut Vec<Loc>, location: Loc| {
                if mark[location] != Some(header) {
                    mark[location] = Some(header);
                    body.push(location);
                }
            };
            for source in &back_sources[header] {
                add(&mut body, collapsed.find(*source));
            }
            let mut next = 0;
            while let Some(member) = body.get(next).copied() {
                next += 1;
                for predecessor in std::mem::take(&mut predecessors[member]) {
                    add(&mut body, collapsed.find(predecessor));
                }
            }
            forest.close(header, &body, &mut collapsed);
        }
        forest
    }

    fn close(&mut self, header: Loc, body: &[Loc], collapsed: &mut Sets) {
        let id = self.loops.len();
        self.loops.push((header, None));
        self.innermost[header] = Some(id);
        for member in body {
            match self.innermost[*member] {
                Some(inner) => self.loops[inner].1 = Some(id),
                None => self.innermost[*member] = Some(id),
            }
            collapsed.attach(*member, header);
        }
    }

    /// Lists every level in reverse postorder, an inner loop where its header is, and renumbers.
    fn ordered(self, graph: &Digraph, entry: Loc) -> LoopForest {
        let count = graph.len();
        let mut levels: Vec<Vec<Loc>> = vec![Vec::new(); self.loops.len() + 1];
        let outside = self.loops.len();
        for location in self.search.postorder.iter().rev() {
            let level = match self.innermost[*location] {
                Some(id) if self.loops[id].0 == *location => self.loops[id].1,
                other => other,
            };
            levels[level.unwrap_or(outside)].push(*location);
        }
        let mut forest = LoopForest {
            loops: IndexVec::new(),
            innermost: IndexVec::filled(None, count),
            order: Vec::with_capacity(self.search.preorder.len()),
            position: IndexVec::filled(UNREACHED, count),
            entry,
            graph: graph.clone(),
            reversed: graph.reversed(),
        };
        let mut stack: Vec<(usize, usize, Option<LoopId>)> = vec![(outside, 0, None)];
        while let Some((level, next, id)) = stack.last_mut() {
            let (parent, item) = (*id, levels[*level].get(*next).copied());
            *next += 1;
            let Some(location) = item else {
                if let Some(id) = parent {
                    forest.loops[id].end = forest.order.len() as u32;
                }
                stack.pop();
                continue;
            };
            let start = forest.order.len() as u32;
            forest.position[location] = start;
            forest.order.push(location);
            forest.innermost[location] = parent;
            if let Some(raw) = self.innermost[location].filter(|raw| self.loops[*raw].0 == location) {
                let depth = parent.map_or(0, |parent| forest.loops[parent].depth) + 1;
                let inner = Loop { header: location, parent, depth, irreducible: false, start, end: start };
                let inner = forest.loops.push(inner);
                forest.innermost[location] = Some(inner);
                stack.push((raw, 0, Some(inner)));
            }
        }
        forest
    }
}

impl Digraph {
    /// The loops that can be reached from a location.
    pub fn loops(&self, entry: Loc) -> LoopForest {
        debug_assert!(entry.index() < self.len());
        LoopForest::new(self, entry)
    }
}
