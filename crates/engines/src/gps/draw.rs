//! The search tree for people.

use base::Idx;
use graph::tree::Status;
use term::print;

use super::Search;
use engine::{NodeState, SearchTree, TreeNode};

/// Larger trees are kept up to here: nobody looks at more.
const MOST_NODES: usize = 20_000;
/// Longer labels are cut.
const LONGEST_LABEL: usize = 120;

/// The tree of a search: nodes with line, label and state, and covers.
pub(super) fn tree(search: &Search<'_>) -> SearchTree {
    let procedure = &search.program.procs[search.program.entry];
    let nodes = search.tree.nodes().take(MOST_NODES).map(|(_, node)| {
        let location = search.graph.points[node.point].location;
        let label: Vec<String> = node.label.iter().map(|clause| print::text(search.terms, *clause)).collect();
        let mut label = label.join(" and ");
        if label.chars().count() > LONGEST_LABEL {
            label = label.chars().take(LONGEST_LABEL).chain(['.', '.', '.']).collect();
        }
        TreeNode {
            parent: node.parent.map(|(parent, _)| parent.index()),
            cover: node.cover.map(Idx::index).filter(|cover| *cover < MOST_NODES),
            line: (Some(node.point) != search.graph.error)
                .then_some(procedure.locations[location].region.line),
            label,
            state: match (node.cover, node.status) {
                (Some(_), _) => NodeState::Covered,
                (None, Status::Pruned) => NodeState::DeadEnd,
                (None, Status::Frontier) => NodeState::Frontier,
                (None, Status::Expanded) => NodeState::Expanded,
            },
        }
    });
    SearchTree { nodes: nodes.collect(), more: search.tree.len().saturating_sub(MOST_NODES) }
}
