//! The text form of what a proof says of one procedure, to be read back by a later run about another version of the program.
//!
//! Variables are named by what they are to the procedure: a parameter or a result by its position, a global variable or a local one by its name, with its number among those of that name. So the text does not depend on how the rest of
//! the program is numbered. The formulas are those of [`crate::store`], in which the number of a variable is that of a name:
//!
//! ```text
//! name parameter 0
//! name result 0
//! name global 0 flag
//! logic integers
//! ...
//! ```
//!
//! # Invariants
//! * I1: reading never panics. Nothing that is read is trusted: it is a candidate.
//! * I2: a name that the program does not have becomes a symbol that stands for nothing of the program, so that a fact that mentions it can be told.

use std::fmt::Write as _;
use std::sync::Arc;

use base::Idx;
use cfa::{Loc, ProcId, Procedure, Program, VarId};
use term::{Sort, SymbolKind};
use values::state::State;

use crate::annotation::{Annotation, Invariant};
use crate::formula::{Formula, FormulaNode, Free, Operator, Symbol};

/// What a variable is to a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Parameter(usize),
    Result(usize),
    Global(usize, Box<str>),
    Local(usize, Box<str>),
}

/// The text of what an annotation says of one procedure.
pub fn write(program: &Program, proc: ProcId, annotation: &Annotation) -> String {
    let procedure = &program.procs[proc];
    let mut vars: Vec<VarId> = Vec::new();
    let mut number = |var: VarId| {
        let known = vars.iter().position(|known| *known == var);
        VarId::new(known.unwrap_or_else(|| {
            vars.push(var);
            vars.len() - 1
        }))
    };
    let numbered = renamed(annotation, |symbol| match symbol {
        Symbol::Variable(var) => Symbol::Variable(number(*var)),
        Symbol::AtEntry(var) => Symbol::AtEntry(number(*var)),
        other => other.clone(),
    });
    let of_proc = |((at, location), invariant): ((ProcId, Loc), Invariant)| {
        (at == proc).then(|| ((ProcId::new(0), relative(procedure, location)), invariant))
    };
    let invariants = numbered.invariants.into_iter().filter_map(of_proc).collect();
    let mut text = String::new();
    for var in vars {
        let _ = match name(program, proc, var) {
            Name::Parameter(position) => writeln!(text, "name parameter {position}"),
            Name::Result(position) => writeln!(text, "name result {position}"),
            Name::Global(number, name) => writeln!(text, "name global {number} {name}"),
            Name::Local(number, name) => writeln!(text, "name local {number} {name}"),
        };
    }
    let _ = write!(text, "{}", Annotation { logic: annotation.logic, invariants });
    text
}

/// What a text says of a procedure, perhaps of another version of it; nothing if it is no such text. Locations that the procedure does not have are left out.
pub fn read(text: &str, program: &Program, proc: ProcId) -> Option<Annotation> {
    let procedure = &program.procs[proc];
    let mut rest = text;
    let mut vars: Vec<Option<VarId>> = Vec::new();
    while let Some(line) = rest.strip_prefix("name ") {
        let (words, after) = line.split_once('\n')?;
        vars.push(find(program, proc, &read_name(words)?));
        rest = after;
    }
    let annotation: Annotation = rest.parse().ok()?;
    let known = |var: &VarId| vars.get(var.index()).copied().flatten();
    let named = renamed(&annotation, |symbol| match symbol {
        Symbol::Variable(var) => known(var).map_or_else(|| nothing(*var), Symbol::Variable),
        Symbol::AtEntry(var) => known(var).map_or_else(|| nothing(*var), Symbol::AtEntry),
        // No text has others.
        _ => nothing(VarId::new(0)),
    });
    let placed = |((_, location), invariant): ((ProcId, Loc), Invariant)| {
        let location = absolute(procedure, location)?;
        let stated = Invariant { facts: Some(State::new()), instances: Vec::new(), ..invariant };
        Some(((proc, location), stated))
    };
    let invariants = named.invariants.into_iter().filter_map(placed).collect();
    Some(Annotation { logic: annotation.logic, invariants })
}

/// I2.
fn nothing(var: VarId) -> Symbol {
    let free = Free {
        number: var.index() as u32,
        sort: Sort::Int,
        kind: SymbolKind::Auxiliary,
        name: "missing".into(),
    };
    Symbol::Free(free)
}

fn name(program: &Program, proc: ProcId, var: VarId) -> Name {
    let procedure = &program.procs[proc];
    let at = |vars: &[VarId]| vars.iter().position(|known| *known == var);
    if let Some(position) = at(&procedure.params) {
        return Name::Parameter(position);
    }
    if let Some(position) = at(&procedure.results) {
        return Name::Result(position);
    }
    let info = &program.vars[var];
    let is_alike =
        |other: &VarId| program.vars[*other].owner == info.owner && program.vars[*other].name == info.name;
    let number = program.vars.ids().take_while(|other| *other != var).filter(is_alike).count();
    let name = info.name.as_ref().into();
    if info.owner.is_none() { Name::Global(number, name) } else { Name::Local(number, name) }
}

fn find(program: &Program, proc: ProcId, name: &Name) -> Option<VarId> {
    let procedure = &program.procs[proc];
    let (owner, number, wanted) = match name {
        Name::Parameter(position) => return procedure.params.get(*position).copied(),
        Name::Result(position) => return procedure.results.get(*position).copied(),
        Name::Global(number, name) => (None, *number, name),
        Name::Local(number, name) => (Some(proc), *number, name),
    };
    let is_alike = |var: &VarId| program.vars[*var].owner == owner && *program.vars[*var].name == **wanted;
    program.vars.ids().filter(is_alike).nth(number)
}

fn read_name(words: &str) -> Option<Name> {
    let (kind, rest) = words.split_once(' ')?;
    Some(match kind {
        "parameter" => Name::Parameter(rest.parse().ok()?),
        "result" => Name::Result(rest.parse().ok()?),
        _ => {
            let (number, name) = rest.split_once(' ')?;
            let (number, name) = (number.parse().ok()?, name.into());
            match kind {
                "global" => Name::Global(number, name),
                "local" => Name::Local(number, name),
                _ => return None,
            }
        }
    })
}

/// The number of a location in a text: zero is the entry and one the exit, whatever their numbers are.
fn relative(procedure: &Procedure, location: Loc) -> Loc {
    match location {
        location if location == procedure.entry => Loc::new(0),
        location if location == procedure.exit => Loc::new(1),
        other => Loc::new(other.index() + 2),
    }
}

fn absolute(procedure: &Procedure, location: Loc) -> Option<Loc> {
    match location.index() {
        0 => Some(procedure.entry),
        1 => Some(procedure.exit),
        other => Some(Loc::new(other - 2)).filter(|location| location.index() < procedure.locations.len()),
    }
}

/// An annotation with its symbols replaced.
fn renamed(annotation: &Annotation, mut rename: impl FnMut(&Symbol) -> Symbol) -> Annotation {
    // Formulas that were made together share their nodes: these are gone through once.
    let mut last: Option<(Arc<[FormulaNode]>, Formula)> = None;
    let mut invariants = std::collections::BTreeMap::new();
    for (place, invariant) in &annotation.invariants {
        let (nodes, root) = (invariant.never.nodes(), invariant.never.root());
        if !last.as_ref().is_some_and(|(old, _)| Arc::ptr_eq(old, nodes)) {
            let node = |node: &FormulaNode| match &node.operator {
                Operator::Symbol(symbol) => {
                    FormulaNode { operator: Operator::Symbol(rename(symbol)), operands: Box::default() }
                }
                _ => node.clone(),
            };
            let new: Vec<FormulaNode> = nodes.iter().map(node).collect();
            last = Formula::new(new, root).map(|formula| (Arc::clone(nodes), formula));
        }
        let Some(never) = last.as_ref().and_then(|(_, formula)| formula.at(root)) else { continue };
        invariants.insert(*place, Invariant { never, ..invariant.clone() });
    }
    Annotation { logic: annotation.logic, invariants }
}
