//! Control-flow automata as data for drawings.

use std::sync::Arc;

use base::Region;
use cfa::text::{Names, Notation};
use cfa::{Edge, ProcId, Procedure, Program, Role};
use serde::Serialize;

use super::data::{Spot, spot};

/// Automata with more edges in all are left out.
const MAX_EDGES: usize = 20_000;
/// Operations are cut after this many characters.
const MAX_OPERATION: usize = 400;

/// An automaton.
#[derive(Serialize)]
pub(super) struct Automaton {
    name: String,
    is_prepared: bool,
    nodes: Vec<Node>,
    edges: Vec<Arrow>,
    /// Loops, outer ones first.
    loops: Vec<Circle>,
}

/// A location.
#[derive(Serialize)]
struct Node {
    at: Spot,
    kind: &'static str,
    /// The innermost loop around it.
    #[serde(rename = "loop")]
    around: Option<usize>,
}

#[derive(Serialize)]
struct Arrow {
    from: usize,
    to: usize,
    at: Spot,
    text: Vec<String>,
}

#[derive(Serialize)]
struct Circle {
    head: usize,
    parent: Option<usize>,
}

/// Which program an automaton is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The program as it was written.
    Written,
    /// The program after the passes.
    Prepared,
}

/// The automata that are drawn, and how many are not.
#[derive(Serialize, Default)]
pub(super) struct Automata {
    all: Vec<Automaton>,
    omitted: usize,
}

impl Automata {
    /// The procedures as they were written, and what the search works on.
    pub(super) fn new(program: &Program, prepared: Option<&Program>) -> Self {
        let mut automata = Self::default();
        let mut room = MAX_EDGES;
        let written = program.procs.ids().filter(|proc| *proc != program.entry);
        // What execution starts with has no text; it is shown last.
        for proc in written.chain([program.entry]) {
            automata.push(program, proc, Form::Written, &mut room);
        }
        if let Some(prepared) = prepared {
            automata.push(prepared, prepared.entry, Form::Prepared, &mut room);
        }
        automata
    }

    fn push(&mut self, program: &Program, proc: ProcId, form: Form, room: &mut usize) {
        let procedure = &program.procs[proc];
        let count = procedure.edges().len();
        if count == 0 {
            return;
        }
        if count > *room {
            self.omitted += 1;
            return;
        }
        *room -= count;
        self.all.push(automaton(program, procedure, form));
    }
}

fn automaton(program: &Program, procedure: &Procedure, form: Form) -> Automaton {
    let forest = procedure.loops();
    let index = |location: cfa::Loc| location.0 as usize;
    let nodes = procedure.locations.iter_enumerated().map(|(location, info)| Node {
        at: spot(info.region),
        kind: match location {
            _ if location == procedure.entry => "entry",
            _ if Some(location) == procedure.error => "error",
            _ if location == procedure.exit => "exit",
            _ if forest.is_header(location) => "loop",
            _ => "plain",
        },
        around: forest.innermost(location).map(|id| id.0 as usize),
    });
    let names = Names::new(program);
    let notation = Notation::brief(program, &names);
    let edges = procedure.edges().iter().map(|edge| Arrow {
        from: index(edge.source),
        to: index(edge.target),
        at: spot(edge.origin.region),
        text: text(edge, notation),
    });
    let loops = forest
        .loops()
        .iter()
        .map(|circle| Circle { head: index(circle.header), parent: circle.parent.map(|id| id.0 as usize) });
    Automaton {
        name: title(&procedure.name, form),
        is_prepared: form == Form::Prepared,
        nodes: nodes.collect(),
        edges: edges.collect(),
        loops: loops.collect(),
    }
}

fn title(name: &Arc<str>, form: Form) -> String {
    match form {
        Form::Prepared => "the whole program, simplified for the search".to_owned(),
        Form::Written if name.starts_with('%') => "start of the program".to_owned(),
        Form::Written => format!("{name}()"),
    }
}

/// The operations of an edge; a branch shows its condition.
fn text(edge: &Edge, notation: Notation<'_>) -> Vec<String> {
    let line = |op| {
        let text = notation.op(op);
        let text = match (edge.origin.role, text.strip_prefix("assume ")) {
            (Role::Branch(_), Some(condition)) => format!("[{condition}]"),
            _ => text,
        };
        if text.chars().count() > MAX_OPERATION {
            text.chars().take(MAX_OPERATION).chain("...".chars()).collect()
        } else {
            text
        }
    };
    edge.ops.iter().map(line).collect()
}

/// The files that automata refer to, besides those that are named anyway.
pub(super) fn mentioned(program: &Program) -> Vec<bool> {
    let mut mentioned = vec![false; program.sources.iter().count()];
    let mut mention = |region: Region| {
        if let Some(entry) = mentioned.get_mut(region.file.0 as usize).filter(|_| !region.is_nowhere()) {
            *entry = true;
        }
    };
    for procedure in &program.procs {
        mention(procedure.region);
        procedure.edges().iter().for_each(|edge| mention(edge.origin.region));
    }
    mentioned
}
