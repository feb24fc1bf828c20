//! The search tree as a drawing for Graphviz.

use std::fmt::Write;

use art::Status;
use term::print;

use super::Search;

/// Larger trees are drawn up to here: nobody looks at more.
const MOST_NODES: usize = 20_000;
/// Longer labels are cut.
const LONGEST_LABEL: usize = 120;

/// The tree of a search: nodes with line, label and state, covers as dashed arrows.
pub(super) fn dot(search: &Search<'_>) -> String {
    let mut text = String::from("digraph tree {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n");
    let procedure = &search.program.procs[search.program.entry];
    for (id, node) in search.tree.nodes().take(MOST_NODES) {
        let location = search.graph.points[node.point].location;
        let line = procedure.locations[location].region.line;
        let label: Vec<String> = node.label.iter().map(|clause| print::text(search.terms, *clause)).collect();
        let mut label = label.join(" and ");
        if label.chars().count() > LONGEST_LABEL {
            label = label.chars().take(LONGEST_LABEL).chain(['.', '.', '.']).collect();
        }
        let place =
            if Some(node.point) == search.graph.error { "error".to_owned() } else { format!("line {line}") };
        let style = match (node.cover, node.status) {
            (Some(_), _) => "style=dashed",
            (None, Status::Pruned) => "style=filled, fillcolor=lightgrey",
            (None, Status::Frontier) => "style=dotted",
            (None, Status::Expanded) => "style=solid",
        };
        let escaped = label.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "  {id} [label=\"{id}: {place}\\n{escaped}\", {style}];");
        if let Some((parent, _)) = node.parent {
            let _ = writeln!(text, "  {parent} -> {id};");
        }
        if let Some(cover) = node.cover {
            let _ = writeln!(text, "  {id} -> {cover} [style=dashed, constraint=false];");
        }
    }
    if search.tree.len() > MOST_NODES {
        let _ =
            writeln!(text, "  more [label=\"{} more nodes\", shape=plain];", search.tree.len() - MOST_NODES);
    }
    text.push_str("}\n");
    text
}
