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
                NodeState::Expanded => "style=solid",
            };
            let escaped = node.label.replace('\\', "\\\\").replace('"', "\\\"");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  n{id} [label=\"n{id}: {place}\\n{escaped}\", {style}];");
            if let Some(parent) = node.parent {
                let _ = writeln!(text, "  n{parent} -> n{id};");
            }
            if let Some(cover) = node.cover {
                let _ = writeln!(text, "  n{id} -> n{cover} [style=dashed, constraint=false];");
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
            state: NodeState::Expanded,
        };
        let text = SearchTree { nodes: vec![node], more: 2 }.dot();
        assert!(text.contains("n0: error\\na\\\\b\\\"]; evil\""), "{text}");
        assert!(text.contains("2 more nodes"));
    }
}
