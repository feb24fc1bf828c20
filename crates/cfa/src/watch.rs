//! Where a program is asked whether it has lost memory, and where it ends.
//!
//! Memory that is lost stays lost: no pointer to it can be made again. So it is enough to ask where an execution ends, and where one that never ends comes by
//! again and again: at the heads of loops, and at the entries of procedures that call themselves.

use std::collections::BTreeSet;

use base::{IndexVec, Region};

use crate::op::{AllocKind, Op};
use crate::program::{Loc, ProcId, Program};

/// The locations other than the end at which lost memory is noticed; none if the program allocates nothing.
pub fn watch_points(program: &Program) -> BTreeSet<(ProcId, Loc)> {
    let mut points = BTreeSet::new();
    if !allocates(program) {
        return points;
    }
    let recursive = recursive_procedures(program);
    for (proc, procedure) in program.procs.iter_enumerated() {
        points.extend(procedure.loops().loops().iter().map(|looped| (proc, looped.header)));
        if recursive[proc] {
            points.insert((proc, procedure.entry));
        }
    }
    points
}

/// Whether a program has an operation that allocates heap memory.
pub fn allocates(program: &Program) -> bool {
    let allocates = |op: &Op| matches!(op, Op::Malloc { kind: AllocKind::Heap, .. } | Op::Realloc { .. });
    program.procs.iter().flat_map(super::program::Procedure::edges).flat_map(|edge| &edge.ops).any(allocates)
}

/// Procedures that may call themselves, by way of others too.
pub fn recursive_procedures(program: &Program) -> IndexVec<ProcId, bool> {
    let targets = |proc: ProcId| -> Vec<ProcId> {
        let ops = program.procs[proc].edges().iter().flat_map(|edge| &edge.ops);
        ops.flat_map(Op::call_targets).copied().collect()
    };
    let calls: IndexVec<ProcId, Vec<ProcId>> = program.procs.ids().map(targets).collect();
    let reaches_itself = |proc: ProcId| {
        let mut seen: IndexVec<ProcId, bool> = IndexVec::filled(false, program.procs.len());
        let mut pending = calls[proc].clone();
        while let Some(next) = pending.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                pending.extend(&calls[next]);
            }
        }
        seen[proc]
    };
    program.procs.ids().map(reaches_itself).collect()
}

/// The place where a program ends when its entry function returns: the last character of that function.
pub fn end_of(program: &Program) -> Region {
    let ops = program.procs[program.entry].edges().iter().flat_map(|edge| &edge.ops);
    let called = ops.flat_map(Op::call_targets).last();
    let whole = called.map_or(Region::NOWHERE, |proc| program.procs[*proc].region);
    if whole.is_nowhere() {
        return whole;
    }
    let (line, end_column) = (whole.end_line, whole.end_column);
    Region { line, column: end_column.saturating_sub(1).max(1), ..whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_and_recursion_are_watched_if_there_is_memory_to_lose() {
        let program = |op: &str| {
            let text = format!(
                "program LP64 start=%start\nfile f0 \"a.c\"\nproc %start() {{\n  entry l0\n  exit l1\n  l0 -> l1 : call f()\n}}\nproc f() @f0:1:1-9:2 {{\n  \
                 local p : ptr\n  entry l0\n  exit l1\n  loc l2\n  l0 -> l2 : {op}\n  l2 -> l2\n  l2 -> l1 : call f()\n}}\n"
            );
            crate::text::parse("test.cfa", &text).unwrap()
        };
        let with = program("p := malloc(8:u64) heap uninit");
        assert_eq!(
            watch_points(&with).into_iter().collect::<Vec<_>>(),
            [(ProcId(1), Loc(0)), (ProcId(1), Loc(2))]
        );
        let end = end_of(&with);
        assert_eq!((end.line, end.column, end.end_line, end.end_column), (9, 1, 9, 2));
        assert!(watch_points(&program("p := null")).is_empty());
    }
}
