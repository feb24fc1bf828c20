//! Search trees for people: the nodes with their places and labels, and the same as a drawing for Graphviz.

use std::fmt::Write;

/// A search tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchTree {
    /// Its nodes in the order in which they were made: parents come first, the number of a node is its position.
    pub nodes: Vec<TreeNode>,
    /// How many more there were.
    pub more: usize,
}

/// A node of a search tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// The node before.
    pub parent: Option<usize>,
    /// The node that represents its states.
    pub cover: Option<usize>,
    /// The source line of its location; `None` at the error.
    pub line: Option<u32>,
    /// What holds there.
    pub label: String,
    /// At a loop head: what the search found to be needed there.
    pub kept: String,
    /// At a loop head: what held when it was reached and does not hold after all iterations.
    pub dropped: String,
    /// What became of it.
    pub state: NodeState,
}

/// What became of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    /// It has children.
    Expanded,
    /// Nothing behind it leads to the error.
    DeadEnd,
    /// Another node represents it.
    Covered,
    /// Not looked at yet.
    Frontier,
    /// A node that is done and no ancestor represents it.
    Subsumed,
    /// Others represent part of it, and it has children for the rest.
    Partly,
    /// It has children, and is the head of a loop with what iterations keep as its label.
    Widened,
}

/// How the text of [`SearchTree::dot`] starts.
pub const TREE_HEAD: &str = "digraph tree {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n";

impl SearchTree {
    /// The tree in the language of Graphviz: covers are dashed arrows.
    pub fn dot(&self) -> String {
        let mut text = String::from(TREE_HEAD);
        for (id, node) in self.nodes.iter().enumerate() {
            let place = node.line.map_or("error".to_owned(), |line| format!("line {line}"));
            let style = match node.state {
                NodeState::Covered => "style=dashed",
                NodeState::DeadEnd => "style=filled, fillcolor=lightgrey",
                NodeState::Frontier => "style=dotted",
                NodeState::Subsumed => "style=dashed, color=green",
                NodeState::Partly | NodeState::Widened => "style=filled, fillcolor=lightblue",
                NodeState::Expanded => "style=solid",
            };
            let mut label = node.label.clone();
            for (what, text) in [("needed", &node.kept), ("dropped", &node.dropped)] {
                if !text.is_empty() {
                    let _ = write!(label, "\n{what}: {text}");
                }
            }
            let escaped = label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  n{id} [label=\"n{id}: {place}\\n{escaped}\", {style}];");
            if let Some(parent) = node.parent {
                let _ = writeln!(text, "  n{parent} -> n{id};");
            }
            if let Some(cover) = node.cover {
                let style = match node.state {
                    NodeState::Subsumed => "style=dotted, color=green, label=\"subsumed\"",
                    _ => "style=dashed",
                };
                let _ = writeln!(text, "  n{id} -> n{cover} [{style}, constraint=false];");
            }
        }
        if self.more > 0 {
            let _ = writeln!(text, "  more [label=\"{} more nodes\", shape=plain];", self.more);
        }
        text.push_str("}\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_end_their_quotes() {
        let node = TreeNode {
            parent: None,
            cover: None,
            line: None,
            label: "a\\b\"]; evil".to_owned(),
            kept: String::new(),
            dropped: String::new(),
            state: NodeState::Expanded,
        };
        let text = SearchTree { nodes: vec![node], more: 2 }.dot();
        assert!(text.contains("n0: error\\na\\\\b\\\"]; evil\""), "{text}");
        assert!(text.contains("2 more nodes"));
    }
}
