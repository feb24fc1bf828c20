//! Programs as they come to the pass.

use cfa::pointsto::{PointsTo, Punning};
use cfa::{Edge, LocationInfo, LocationRole, Procedure, Program};
use passes::{InlineConfig, Selection, inline, instrument, propagate, resolve_calls, unroll};

use crate::verdicts::Dialect;

/// What was done before the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Procedures are inlined as far as possible.
    Inlined,
    /// The same, and short loops are unrolled.
    Unrolled,
    /// Calls stay.
    Calls,
}

/// A C program in a form, with at most one operation on an edge.
pub fn prepared(text: &str, dialect: Dialect, form: Form) -> Result<Program, String> {
    let program = crate::verdicts::judge::compile(text, dialect)?;
    // Only this pass knows that an overflow may be an error.
    let program = instrument(&program, &Selection::all()).program;
    let (program, _) = resolve_calls(&program, &PointsTo::new(&program, Punning::Any));
    let program = match form {
        Form::Calls => program,
        Form::Inlined | Form::Unrolled => {
            let limits = InlineConfig { max_edges: 100_000, ..InlineConfig::default() };
            inline(&program, &limits).program
        }
    };
    let (program, _) = propagate(&program);
    let program = if form == Form::Unrolled { unroll(&program).0 } else { program };
    Ok(split(&program))
}

/// The same program with at most one operation on an edge.
fn split(program: &Program) -> Program {
    let mut new = program.clone();
    for proc in program.procs.ids() {
        new.procs[proc] = split_procedure(&program.procs[proc]);
    }
    new
}

fn split_procedure(old: &Procedure) -> Procedure {
    let mut new = Procedure::new(old.name.clone(), old.region);
    (new.params, new.results) = (old.params.clone(), old.results.clone());
    for (number, info) in old.locations.iter().enumerate() {
        if number < new.locations.len() {
            new.locations[cfa::Loc(number as u32)] = *info;
        } else {
            new.add_location(*info);
        }
    }
    (new.entry, new.exit, new.error) = (old.entry, old.exit, old.error);
    for edge in old.edges() {
        let mut source = edge.source;
        // Tests at the start of an edge decide together whether it is taken.
        let leading = edge.ops.iter().take_while(|op| matches!(op, cfa::Op::Assume { .. })).count();
        let mut parts: Vec<Vec<cfa::Op>> = Vec::new();
        if leading > 0 {
            parts.push(edge.ops[..leading].to_vec());
        }
        parts.extend(edge.ops[leading..].iter().map(|op| vec![op.clone()]));
        if parts.is_empty() {
            parts.push(Vec::new());
        }
        let last = parts.len() - 1;
        for (number, ops) in parts.into_iter().enumerate() {
            let target = if number == last {
                edge.target
            } else {
                let region = old.locations[edge.source].region;
                new.add_location(LocationInfo { region, role: LocationRole::Plain })
            };
            new.add_edge(Edge { source, target, ops, origin: edge.origin });
            source = target;
        }
    }
    new
}
