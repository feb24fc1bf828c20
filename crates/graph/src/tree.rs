//! The abstract reachability tree of a search.
//!
//! A node stands for the path from the root to it; its label, a conjunction of clauses, holds after every execution of that path. A node
//! that another one covers is not looked at further, nor is anything below it.
//!
//! # Paper
//! [Gps25] §5.1, the abstract reachability tree (T, L, Cov), and [Impact06], from which the labels and covers come.
//!
//! # Invariants ([`Tree::check_invariants`])
//! * A1: parents and children agree; a child is one step deeper than its parent and has a greater id.
//! * A2: only expanded nodes have children.
//! * A3: a covering node is at the same point, live, off the frontier, and no descendant of the node it covers.
//! * A4: each node lists the nodes that it covers.
//! * A5: labels are sorted and free of repetitions.
//!
//! Knows no solver: the soundness of labels is the caller's obligation.

use std::collections::BTreeSet;

use crate::cut::{ArcId, PointId};
use base::{Idx, IndexVec, newtype_index};
use term::{TermId, Terms};

newtype_index!(
    /// A node of a tree.
    NodeId,
    "t"
);

/// What is known of a node's continuations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing yet.
    Frontier,
    /// All of them go through its children.
    Expanded,
    /// None of them reaches the error, and the label says why.
    Pruned,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where its path ends.
    pub point: PointId,
    /// The node before, and the step from there.
    pub parent: Option<(NodeId, ArcId)>,
    /// What else is true of that step, over the values before it and what it chooses: a node may stand for some of its states only.
    pub condition: TermId,
    /// The number of steps from the root.
    pub depth: u32,
    /// One for each step onwards, if it is expanded.
    pub children: Vec<NodeId>,
    /// Clauses that hold after every execution of the path, ascending.
    pub label: Vec<TermId>,
    /// What is known of its continuations.
    pub status: Status,
    /// Who represents its states.
    pub cover: Option<NodeId>,
    /// Whose states it represents.
    pub covers: BTreeSet<NodeId>,
}

/// A tree.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: IndexVec<NodeId, Node>,
    at: IndexVec<PointId, Vec<NodeId>>,
}

impl Tree {
    /// The node without parent.
    pub const ROOT: NodeId = NodeId(0);

    /// A tree that has only a root, at the first of `points` points.
    pub fn new(points: usize) -> Self {
        let mut tree = Self { nodes: IndexVec::new(), at: IndexVec::filled(Vec::new(), points) };
        tree.add(PointId(0), None, 0);
        tree
    }

    fn add(&mut self, point: PointId, parent: Option<(NodeId, ArcId)>, depth: u32) -> NodeId {
        let node = Node {
            point,
            parent,
            condition: Terms::TRUE,
            depth,
            children: Vec::new(),
            label: Vec::new(),
            status: Status::Frontier,
            cover: None,
            covers: BTreeSet::new(),
        };
        let id = self.nodes.push(node);
        self.at[point].push(id);
        id
    }

    /// A node.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node]
    }
    /// All nodes, parents before children.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter_enumerated()
    }
    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Never: there is a root.
    pub fn is_empty(&self) -> bool {
        false
    }
    /// The nodes at a point, oldest first.
    pub fn at(&self, point: PointId) -> &[NodeId] {
        &self.at[point]
    }

    /// The nodes from the root to `node`, both included.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = vec![node];
        let mut at = node;
        while let Some((parent, _)) = self.nodes[at].parent {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }

    /// Whether neither the node nor one of its ancestors is covered.
    pub fn is_live(&self, node: NodeId) -> bool {
        let mut at = Some(node);
        while let Some(id) = at {
            if self.nodes[id].cover.is_some() {
                return false;
            }
            at = self.nodes[id].parent.map(|(parent, _)| parent);
        }
        true
    }

    /// Whether `node` lies below `ancestor`, or is it.
    pub fn is_below(&self, node: NodeId, ancestor: NodeId) -> bool {
        let mut at = node;
        while self.nodes[at].depth > self.nodes[ancestor].depth {
            let Some((parent, _)) = self.nodes[at].parent else { return false };
            at = parent;
        }
        at == ancestor
    }

    /// Gives a frontier node its children.
    pub fn expand(&mut self, node: NodeId, steps: &[(ArcId, PointId)]) -> Vec<NodeId> {
        debug_assert_eq!(self.nodes[node].status, Status::Frontier, "A2: a node should be expanded once");
        let depth = self.nodes[node].depth + 1;
        let children: Vec<NodeId> =
            steps.iter().map(|(arc, point)| self.add(*point, Some((node, *arc)), depth)).collect();
        self.nodes[node].children.clone_from(&children);
        self.nodes[node].status = Status::Expanded;
        children
    }

    /// Restricts the step to a node.
    pub fn restrict(&mut self, node: NodeId, condition: TermId) {
        self.nodes[node].condition = condition;
    }

    /// Removes all below an expanded node, which belongs to the frontier again. What was made since its expansion should be below it, and represent nothing elsewhere: a search that goes
    /// into the depth has it so.
    pub fn forget(&mut self, node: NodeId) {
        let Some(first) = self.nodes[node].children.first().copied() else {
            self.nodes[node].status = Status::Frontier;
            return;
        };
        for id in self.nodes.ids().skip(first.index()) {
            let (point, cover) = (self.nodes[id].point, self.nodes[id].cover);
            self.at[point].retain(|other| *other < first);
            if let Some(by) = cover.filter(|by| *by < first) {
                self.nodes[by].covers.remove(&id);
            }
        }
        self.nodes = std::mem::take(&mut self.nodes).into_iter().take(first.index()).collect();
        self.nodes[node].children.clear();
        self.nodes[node].status = Status::Frontier;
    }

    /// Records that no continuation of a frontier node reaches the error; its label should say so.
    pub fn prune(&mut self, node: NodeId) {
        debug_assert_eq!(self.nodes[node].status, Status::Frontier, "A2: only the frontier should be pruned");
        self.nodes[node].status = Status::Pruned;
    }

    /// Adds a clause to a label; whether it is new.
    pub fn strengthen(&mut self, node: NodeId, clause: TermId) -> bool {
        let label = &mut self.nodes[node].label;
        match label.binary_search(&clause) {
            Ok(_) => false,
            Err(position) => {
                label.insert(position, clause);
                true
            }
        }
    }

    /// Gives a node a label that it had before.
    pub fn set_label(&mut self, node: NodeId, label: Vec<TermId>) {
        self.nodes[node].label = label;
    }

    /// Whether a node may cover others (A3).
    pub fn may_cover(&self, node: NodeId) -> bool {
        self.nodes[node].status != Status::Frontier && self.is_live(node)
    }

    /// Covers a node. Returns the frontier nodes that lose their cover.
    pub fn cover(&mut self, node: NodeId, by: NodeId) -> Vec<NodeId> {
        debug_assert!(
            self.may_cover(by) && !self.is_below(by, node),
            "A3: {by} should be able to cover {node}"
        );
        self.nodes[node].cover = Some(by);
        self.nodes[by].covers.insert(node);
        let mut revived = Vec::new();
        for below in self.subtree(node) {
            for covered in std::mem::take(&mut self.nodes[below].covers) {
                self.nodes[covered].cover = None;
                revived.push(covered);
            }
        }
        revived.into_iter().flat_map(|node| self.frontier_below(node)).collect()
    }

    /// Removes a cover. Returns the frontier nodes that lose their cover.
    pub fn uncover(&mut self, node: NodeId) -> Vec<NodeId> {
        if let Some(by) = self.nodes[node].cover.take() {
            self.nodes[by].covers.remove(&node);
        }
        self.frontier_below(node)
    }

    /// The node and all below it.
    fn subtree(&self, node: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut open = vec![node];
        while let Some(id) = open.pop() {
            found.push(id);
            open.extend(self.nodes[id].children.iter().rev());
        }
        found
    }

    /// The live frontier nodes below a node, itself included.
    fn frontier_below(&self, node: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        if !self.is_live(node) {
            return found;
        }
        let mut open = vec![node];
        while let Some(id) = open.pop() {
            if self.nodes[id].cover.is_some() {
                continue;
            }
            if self.nodes[id].status == Status::Frontier {
                found.push(id);
            }
            open.extend(self.nodes[id].children.iter().rev());
        }
        found
    }

    /// Re-derives the invariants of the tree; what is broken, if anything.
    pub fn check_invariants(&self) -> Result<(), String> {
        for (id, node) in self.nodes.iter_enumerated() {
            if let Some((parent, _)) = node.parent {
                let above = &self.nodes[parent];
                if parent >= id || above.depth + 1 != node.depth || !above.children.contains(&id) {
                    return Err(format!("A1: {id} and its parent {parent} disagree"));
                }
            } else if id != Self::ROOT {
                return Err(format!("A1: {id} has no parent"));
            }
            if node
                .children
                .iter()
                .any(|child| self.nodes[*child].parent.map(|(parent, _)| parent) != Some(id))
            {
                return Err(format!("A1: a child of {id} does not know it"));
            }
            if node.status != Status::Expanded && !node.children.is_empty() {
                return Err(format!("A2: {id} has children and is not expanded"));
            }
            if let Some(by) = node.cover {
                if self.nodes[by].point != node.point || !self.may_cover(by) || self.is_below(by, id) {
                    return Err(format!("A3: {by} must not cover {id}"));
                }
                if !self.nodes[by].covers.contains(&id) {
                    return Err(format!("A4: {by} does not know that it covers {id}"));
                }
            }
            if node.covers.iter().any(|covered| self.nodes[*covered].cover != Some(id)) {
                return Err(format!("A4: {id} thinks that it covers more than it does"));
            }
            if node.label.windows(2).any(|pair| pair[0] >= pair[1]) {
                return Err(format!("A5: the label of {id} is not in order"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator of numbers, so that runs repeat.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % limit
        }
    }

    /// What random operations should lead to, kept in the simplest way.
    fn frontier(tree: &Tree) -> BTreeSet<NodeId> {
        let is_open = |(id, node): &(NodeId, &Node)| node.status == Status::Frontier && tree.is_live(*id);
        tree.nodes().filter(is_open).map(|(id, _)| id).collect()
    }

    #[test]
    fn random_operations_keep_the_invariants_and_lose_no_frontier_node() {
        for seed in 0..60 {
            let mut numbers = Numbers(seed);
            let mut tree = Tree::new(4);
            let mut queue: BTreeSet<NodeId> = BTreeSet::from([Tree::ROOT]);
            for _ in 0..120 {
                let node = NodeId(numbers.below(tree.len()) as u32);
                let other = NodeId(numbers.below(tree.len()) as u32);
                let is_open = tree.node(node).status == Status::Frontier && tree.is_live(node);
                match numbers.below(5) {
                    0 | 1 if is_open => {
                        let steps: Vec<_> = (0..numbers.below(4))
                            .map(|step| (ArcId(step as u32), PointId(step as u32)))
                            .collect();
                        queue.extend(tree.expand(node, &steps));
                    }
                    2 if is_open => tree.prune(node),
                    3 => {
                        let fits = tree.node(node).point == tree.node(other).point
                            && tree.node(node).cover.is_none()
                            && tree.may_cover(other)
                            && !tree.is_below(other, node);
                        if fits {
                            queue.extend(tree.cover(node, other));
                        }
                    }
                    4 if tree.node(node).cover.is_some() => queue.extend(tree.uncover(node)),
                    _ => {
                        tree.strengthen(node, TermId(numbers.below(9) as u32));
                    }
                }
                assert_eq!(tree.check_invariants(), Ok(()), "seed {seed}");
                // Nodes without cover that are not expanded are in the queue, so removing a cover loses no node.
                assert!(frontier(&tree).is_subset(&queue), "seed {seed}");
            }
        }
    }

    #[test]
    fn a_broken_tree_is_noticed() {
        let mut tree = Tree::new(1);
        let children = tree.expand(Tree::ROOT, &[(ArcId(0), PointId(0)), (ArcId(1), PointId(0))]);
        tree.nodes[children[0]].cover = Some(children[1]);
        assert!(tree.check_invariants().is_err_and(|why| why.starts_with("A3")));
        tree.nodes[children[0]].cover = Some(Tree::ROOT);
        assert!(tree.check_invariants().is_err_and(|why| why.starts_with("A4")));
        tree.nodes[children[0]].cover = None;
        tree.nodes[children[0]].depth = 7;
        assert!(tree.check_invariants().is_err_and(|why| why.starts_with("A1")));
    }
}
