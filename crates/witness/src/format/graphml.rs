//! Reading violation witnesses in GraphML, format 1.0: an automaton whose edges state lines, branches and values.
//!
//! # Invariants
//! * I1: the edges of an [`Automaton`] lead from its entry to a violation, in order; no node on the way is a sink.
//! * I2: of several such paths it is the shortest one, and among these the first in the order of the file.

use std::collections::{BTreeMap, VecDeque};

use roxmltree::{Document, Node, ParsingOptions};

use super::{Malformed, Task};

/// Elements and texts of a witness: about twenty for each edge.
const MAX_NODES: u32 = 4_000_000;

/// A path of a witness automaton to a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// What it is about.
    pub task: Task,
    /// The edges that state a line.
    pub edges: Vec<Edge>,
}

/// What an edge states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// The line where its code starts.
    pub line: u32,
    /// The code.
    pub code: Option<String>,
    /// Whether the condition of the code holds.
    pub holds: Option<bool>,
    /// What holds after it: expressions of C.
    pub assumptions: Vec<String>,
    /// The function whose result `\result` is.
    pub result_of: Option<String>,
}

/// Whether a text looks like a witness in this format.
pub fn is_graph(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"<")
}

/// Reads a witness.
pub fn read(text: &[u8]) -> Result<Automaton, Malformed> {
    let text = std::str::from_utf8(text).map_err(|_| wrong("the witness is not in UTF-8"))?;
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let place = error.pos();
        Malformed { message: format!("not a witness: {error}"), line: place.row, column: place.col }
    })?;
    let graph = document.descendants().find(|node| node.tag_name().name() == "graph");
    let graph = graph.ok_or_else(|| wrong("the witness has no graph"))?;
    let stated = data(graph);
    let field = |key: &str| stated.get(key).and_then(|values| values.first()).cloned();
    match field("witness-type").as_deref() {
        Some("violation_witness") => {}
        _ => return Err(wrong("of witnesses in GraphML only violation_witness is read")),
    }
    let data_model = match field("architecture").as_deref() {
        Some("32bit") => "ILP32",
        Some("64bit") => "LP64",
        _ => return Err(wrong("architecture should be 32bit or 64bit")),
    };
    let needed = |key: &str| field(key).ok_or_else(|| wrong(&format!("the graph states no {key}")));
    let task = Task {
        files: vec![(needed("programfile")?, needed("programhash")?)],
        specification: needed("specification")?,
        data_model: data_model.to_owned(),
    };
    let path = path(graph).ok_or_else(|| wrong("no path leads from the entry to a violation"))?;
    let mut edges = Vec::new();
    for node in path {
        edges.extend(edge(node)?);
    }
    if edges.is_empty() {
        return Err(wrong("no edge on the way to the violation states a line"));
    }
    Ok(Automaton { task, edges })
}

fn wrong(message: &str) -> Malformed {
    Malformed { message: message.to_owned(), line: 0, column: 0 }
}

/// The values of the `data` elements of a node, by key.
fn data<'a>(node: Node<'a, '_>) -> BTreeMap<&'a str, Vec<String>> {
    let mut values: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for child in node.children().filter(|child| child.tag_name().name() == "data") {
        let text = child.text().unwrap_or_default().trim().to_owned();
        values.entry(child.attribute("key").unwrap_or_default()).or_default().push(text);
    }
    values
}

/// The shortest path from the entry to a violation (I1, I2).
fn path<'a, 'b>(graph: Node<'a, 'b>) -> Option<Vec<Node<'a, 'b>>> {
    let named = |name: &'static str| graph.children().filter(move |node| node.tag_name().name() == name);
    let (mut entry, mut flags) = (None, BTreeMap::new());
    for node in named("node") {
        let id = node.attribute("id")?;
        let stated = data(node);
        let is = |key: &str| stated.get(key).is_some_and(|values| values.iter().any(|value| value == "true"));
        flags.insert(id, (is("violation"), is("sink")));
        if is("entry") && entry.is_none() {
            entry = Some(id);
        }
    }
    let mut leaving: BTreeMap<&str, Vec<(&str, Node<'a, 'b>)>> = BTreeMap::new();
    for edge in named("edge") {
        if let (Some(source), Some(target)) = (edge.attribute("source"), edge.attribute("target")) {
            leaving.entry(source).or_default().push((target, edge));
        }
    }
    let entry = entry?;
    let mut reached: BTreeMap<&str, Option<(&str, Node<'a, 'b>)>> = BTreeMap::from([(entry, None)]);
    let mut open = VecDeque::from([entry]);
    while let Some(node) = open.pop_front() {
        let (is_violation, is_sink) = flags.get(node).copied().unwrap_or_default();
        if is_violation {
            let mut path = Vec::new();
            let mut current = node;
            while let Some(Some((before, edge))) = reached.get(current) {
                path.push(*edge);
                current = before;
            }
            path.reverse();
            return Some(path);
        }
        for (target, edge) in leaving.get(node).into_iter().flatten().filter(|_| !is_sink) {
            if !reached.contains_key(target) {
                reached.insert(target, Some((node, *edge)));
                open.push_back(target);
            }
        }
    }
    None
}

/// What an edge states; nothing if it has no line.
fn edge(node: Node<'_, '_>) -> Result<Option<Edge>, Malformed> {
    let stated = data(node);
    let field = |key: &str| stated.get(key).and_then(|values| values.first());
    let Some(line) = field("startline") else { return Ok(None) };
    let line: u32 = line.parse().map_err(|_| wrong(&format!("the startline `{line}` is no line")))?;
    if stated.contains_key("createThread") || field("threadId").is_some_and(|id| id != "0") {
        return Err(wrong("witnesses of programs with threads are not read"));
    }
    let holds = match field("control").map(String::as_str) {
        None => None,
        Some("condition-true") => Some(true),
        Some("condition-false") => Some(false),
        Some(other) => {
            return Err(wrong(&format!(
                "control is `{other}`, it should be condition-true or condition-false"
            )));
        }
    };
    let assumptions = stated.get("assumption").into_iter().flatten().flat_map(|text| text.split(';'));
    let assumptions = assumptions.map(|one| one.trim().to_owned()).filter(|one| !one.is_empty());
    Ok(Some(Edge {
        line,
        code: field("sourcecode").filter(|code| !code.is_empty()).cloned(),
        holds,
        assumptions: assumptions.collect(),
        result_of: field("assumption.resultfunction").cloned(),
    }))
}
