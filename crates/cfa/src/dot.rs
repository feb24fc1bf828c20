//! Control flow as a drawing: the DOT language of Graphviz.

use std::fmt::Write as _;

use base::Region;

use crate::text::{Names, Notation};
use crate::{Edge, Loc, ProcId, Program, Role};

/// Operations are cut after this many characters.
const LABEL_LENGTH: usize = 60;
/// An edge shows at most this many operations.
const LABEL_LINES: usize = 8;

/// One procedure.
pub fn procedure(program: &Program, proc: ProcId) -> String {
    drawing(program, &[proc])
}

/// All procedures, each in a box.
pub fn program(program: &Program) -> String {
    let procs: Vec<ProcId> = program.procs.ids().collect();
    drawing(program, &procs)
}

fn drawing(program: &Program, procs: &[ProcId]) -> String {
    let names = Names::new(program);
    let notation = Notation::brief(program, &names);
    let mut out = String::from("digraph cfa {\n");
    out.push_str("  node [shape=circle, fontname=\"monospace\", fontsize=10];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    for proc in procs {
        draw(program, *proc, notation, &mut out);
    }
    out.push_str("}\n");
    out
}

fn draw(program: &Program, proc: ProcId, notation: Notation<'_>, out: &mut String) {
    let procedure = &program.procs[proc];
    let loops = procedure.loops();
    let _ = writeln!(out, "  subgraph cluster_{proc} {{\n    label=\"{}\";", escape(&procedure.name));
    for location in procedure.locations.ids() {
        let mut style = String::new();
        if location == procedure.entry {
            style.push_str(", style=bold");
        }
        if Some(location) == procedure.error {
            style.push_str(", shape=octagon, style=filled, fillcolor=salmon");
        } else if location == procedure.exit {
            style.push_str(", shape=doublecircle");
        } else if loops.is_header(location) {
            style.push_str(", shape=diamond, style=filled, fillcolor=lightblue");
        }
        let _ = writeln!(out, "    {} [label=\"{location}\"{style}];", node(proc, location));
    }
    for edge in procedure.edges() {
        let label = label(edge, notation);
        let (source, target) = (node(proc, edge.source), node(proc, edge.target));
        let _ = writeln!(out, "    {source} -> {target} [label=\"{label}\"];");
    }
    out.push_str("  }\n");
}

fn node(proc: ProcId, location: Loc) -> String {
    format!("{proc}_{location}")
}

/// The line, and the operations one below the other; a branch shows its condition alone.
fn label(edge: &Edge, notation: Notation<'_>) -> String {
    let mut lines = Vec::new();
    let Region { line, .. } = edge.origin.region;
    let place = if line == 0 { String::new() } else { format!("{line}: ") };
    for op in edge.ops.iter().take(LABEL_LINES) {
        let text = notation.op(op);
        let text = match edge.origin.role {
            Role::Branch(_) => text.strip_prefix("assume ").map(|cond| format!("[{cond}]")).unwrap_or(text),
            Role::Statement | Role::Call | Role::Implicit => text,
        };
        lines.push(escape(&cut(&text)));
    }
    if edge.ops.len() > LABEL_LINES {
        lines.push(format!("... {} more", edge.ops.len() - LABEL_LINES));
    }
    format!("{place}{}", lines.join("\\n"))
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LABEL_LENGTH {
        return text.to_owned();
    }
    let kept: String = text.chars().take(LABEL_LENGTH - 3).collect();
    format!("{kept}...")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
