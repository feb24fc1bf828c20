//! The search tree for people.

use base::Idx;
use engine::{NodeState, SearchTree, TreeNode};
use graph::tree::{Status, Tree};
use paths::Space;
use term::{Terms, print};

/// Upper bound on the nodes that are kept: nobody looks at more.
const MAX_NODES: usize = 20_000;
/// Longer labels are cut.
const MAX_LABEL: usize = 120;

/// The tree of a search: nodes with line, label and state, and covers.
pub(crate) fn tree(space: Space<'_>, tree: &Tree, terms: &Terms) -> SearchTree {
    let procedure = &space.program.procs[space.graph.procedure];
    let nodes = tree.nodes().take(MAX_NODES).map(|(_, node)| {
        let location = space.graph.points[node.point].location;
        let label = joined(node.label.iter().map(|clause| print::text(terms, *clause)));
        TreeNode {
            parent: node.parent.map(|(parent, _)| parent.index()),
            cover: node.cover.map(Idx::index).filter(|cover| *cover < MAX_NODES),
            line: (Some(node.point) != space.graph.target)
                .then_some(procedure.locations[location].region.line),
            label,
            kept: String::new(),
            dropped: String::new(),
            state: match (node.cover, node.status) {
                (Some(_), _) => NodeState::Covered,
                (None, Status::Pruned) => NodeState::DeadEnd,
                (None, Status::Frontier) => NodeState::Frontier,
                (None, Status::Expanded) => NodeState::Expanded,
            },
        }
    });
    SearchTree { nodes: nodes.collect(), more: tree.len().saturating_sub(MAX_NODES) }
}

/// Clauses as one text that is not too long.
pub(crate) fn joined(clauses: impl Iterator<Item = String>) -> String {
    let clauses: Vec<String> = clauses.collect();
    let text = clauses.join(" and ");
    if text.chars().count() > MAX_LABEL {
        return text.chars().take(MAX_LABEL).chain(['.', '.', '.']).collect();
    }
    text
}
