//! Cells: elements of arrays as symbols of their own, so that everything that works on integers works on arrays.
//!
//! A *ghost* κ is an integer that never changes and that nothing constrains at the entry. The *cell* a⟨t⟩ of an array `a` and an index term `t` over ghosts, variables and constants is a
//! symbol that has, at every point, the value of `a[t]`. What is written to the array elsewhere does not change it, so `a⟨κ⟩` changes in one iteration of a loop that walks through
//! the array, and loops over arrays become loops over integers. Arcs into the error are *focused*: the index at which they read is a ghost, so a summary says "the error can be
//! reached, failing at index κ".
//!
//! # Paper
//! Monniaux and Gonnord, Cell Morphing: From Array Programs to Array-Free Horn Clauses, SAS 2016, distinguish a cell; there a read at another index is one more predicate, here it stays an element of
//! the array, with the congruence that ties it to the cell.
//!
//! # Meaning
//! Universally quantified in a proof, existentially in a search. Annotations contain no cells: they become elements again, and ghosts free symbols, of which the checker knows nothing.
//!
//! # Invariants
//! * L1: an execution that reaches the error is one of the graph with cells, with the ghosts as the focus of its last arc says; and an execution of the graph with cells is one of the graph
//!   without.
//! * L2: no array is read on an arc into the error, and no sum of elements is followed: there are no cells, and the graph is as it was.
//!
//! # Cost
//! For each arc a number of terms linear in its stores times the number of cells, of which there are at most [`MAX_CELLS`].

use std::collections::{BTreeMap, BTreeSet};

use cfa::{Program, Storage};
use term::{Integer, Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use crate::cut::{ENTRY, Graph};

/// Ghosts of a graph.
const MAX_GHOSTS: usize = 3;
/// Cells of a graph, and of one array.
const MAX_CELLS: usize = 24;
const MAX_CELLS_OF_ARRAY: usize = 6;
/// Chains of writes longer than this are left alone.
const MAX_CHAIN: usize = 64;
/// Congruences that are added to one arc.
const MAX_CONGRUENCES: usize = 48;

/// An element of an array that is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its symbol.
    pub symbol: SymbolId,
    /// The symbol of the array.
    pub array: SymbolId,
    /// The index, over ghosts, variables and constants.
    pub index: TermId,
}

/// The cells of a graph.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// The ghosts.
    pub ghosts: Vec<SymbolId>,
    /// The cells.
    pub cells: Vec<Cell>,
}

impl Cells {
    /// Whether nothing is followed.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
    /// The cell that a symbol stands for.
    pub fn get(&self, symbol: SymbolId) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.symbol == symbol)
    }
    /// A formula with elements in the place of cells.
    pub fn as_elements(&self, terms: &mut Terms, formula: TermId) -> TermId {
        if self.is_empty() {
            return formula;
        }
        let mut pairs = Vec::new();
        for cell in &self.cells {
            let array = terms.of_symbol(cell.array);
            pairs.push((cell.symbol, terms.select(array, cell.index)));
        }
        Substitution::new(pairs).apply(terms, formula)
    }
}

/// Adds cells to a graph where the error depends on elements of arrays.
pub fn add_cells(graph: &mut Graph, program: &Program, terms: &mut Terms) {
    let Some(target) = graph.target else { return };
    let mut demand = Demand::new(graph);
    let errors: Vec<_> =
        graph.arcs.iter_enumerated().filter(|(_, arc)| arc.target == target).map(|(id, _)| id).collect();
    for arc in errors {
        let focus = demand.focus(terms, graph.arcs[arc].formula.guard);
        graph.arcs[arc].focus = focus;
    }
    demand.telescope(graph, terms);
    if demand.wanted.is_empty() {
        return;
    }
    demand.marks(graph, terms);
    demand.close(graph, terms);
    let changing = demand.changing.clone();
    let cells = demand.declare(terms);
    extend(graph, program, terms, &cells, &changing);
    graph.cells = cells;
}

/// Which cells are wanted.
struct Demand {
    arrays: BTreeSet<SymbolId>,
    /// Variables that an arc inside of a loop changes.
    changing: BTreeSet<SymbolId>,
    ghosts: Vec<SymbolId>,
    /// Array and index.
    wanted: Vec<(SymbolId, TermId)>,
}

impl Demand {
    fn new(graph: &Graph) -> Self {
        let mut changing = BTreeSet::new();
        for arc in &graph.arcs {
            let is_inside = graph.points.ids().any(|head| {
                graph.points[head].body.is_some()
                    && graph.in_loop(head, arc.source)
                    && graph.in_loop(head, arc.target)
            });
            if is_inside {
                changing.extend(arc.formula.update.keys().copied());
            }
        }
        let arrays = graph
            .points
            .iter()
            .flat_map(|point| point.live.iter().copied())
            .filter(|symbol| {
                graph.vocabulary.var(*symbol).is_some() || graph.vocabulary.code_of(*symbol).is_some()
            })
            .collect();
        Self { arrays, changing, ghosts: Vec::new(), wanted: Vec::new() }
    }

    /// The elements of arrays of the program that a formula reads at the start of an arc: array and index.
    fn reads(&self, terms: &mut Terms, formula: TermId) -> Vec<(SymbolId, TermId)> {
        let formula = read_through(terms, formula);
        let mut reads = Vec::new();
        for term in terms.reachable(&[formula]) {
            let Node::Select(array, index) = *terms.node(term) else { continue };
            let Node::Symbol(symbol) = *terms.node(array) else { continue };
            if self.arrays.contains(&symbol) && terms.symbol(symbol).kind == SymbolKind::Variable {
                reads.push((symbol, index));
            }
        }
        reads
    }

    /// Wants the elements that an arc into the error reads. Which ghosts are which of its indices is returned.
    fn focus(&mut self, terms: &mut Terms, guard: TermId) -> Vec<(SymbolId, TermId)> {
        let reads = self.reads(terms, guard);
        let mut parts: Vec<TermId> = Vec::new();
        for (array, index) in reads {
            if self.is_frozen(terms, index) {
                self.want(terms, array, index);
                continue;
            }
            let form = terms.linear(index);
            let constant = form.constant_part().clone();
            let part = terms.of_linear(&form.with_constant(Integer::ZERO));
            let number = match parts.iter().position(|known| *known == part) {
                Some(number) => number,
                None if parts.len() < MAX_GHOSTS => {
                    parts.push(part);
                    parts.len() - 1
                }
                None => continue,
            };
            let ghost = self.ghost(terms, number);
            let ghost = terms.of_symbol(ghost);
            let constant = terms.number(constant);
            let shifted = terms.add(ghost, constant);
            self.want(terms, array, shifted);
        }
        parts.into_iter().enumerate().map(|(number, part)| (self.ghosts[number], part)).collect()
    }

    fn ghost(&mut self, terms: &mut Terms, number: usize) -> SymbolId {
        while self.ghosts.len() <= number {
            let name =
                if self.ghosts.is_empty() { "k".to_owned() } else { format!("k{}", self.ghosts.len() + 1) };
            self.ghosts.push(terms.declare(name, Sort::Int, SymbolKind::Variable));
        }
        self.ghosts[number]
    }

    /// Whether an index does not change in loops, and depends on nothing that is chosen.
    fn is_frozen(&self, terms: &Terms, index: TermId) -> bool {
        let plain = |symbol: &SymbolId| {
            terms.symbol(*symbol).kind == SymbolKind::Variable && !self.changing.contains(symbol)
        };
        is_linear(terms, index) && terms.symbols_of(index).iter().all(plain)
    }

    fn want(&mut self, terms: &Terms, array: SymbolId, index: TermId) -> bool {
        let of_array = self.wanted.iter().filter(|(own, _)| *own == array).count();
        let is_new = !self.wanted.contains(&(array, index));
        let fits = self.wanted.len() < MAX_CELLS && of_array < MAX_CELLS_OF_ARRAY && is_linear(terms, index);
        if is_new && fits {
            self.wanted.push((array, index));
        }
        is_new && fits
    }

    /// Wants the element at which a loop is that shifts an array: where a sum of the array grows by `a[i + 1] - a[i]`, it grows as the element at `i` does.
    fn telescope(&mut self, graph: &Graph, terms: &mut Terms) {
        for arc in graph.arcs.iter().filter(|arc| arc.source == arc.target) {
            let mut after = arc.formula.substitution();
            for (symbol, value) in &arc.formula.update {
                let Some(sum) = graph.vocabulary.sum_of(*symbol) else { continue };
                let array = graph.vocabulary.summed(&sum);
                let reads = self.reads(terms, *value);
                let own: Vec<TermId> =
                    reads.iter().filter(|(read, _)| Some(*read) == array).map(|(_, index)| *index).collect();
                for index in &own {
                    let next = after.apply(terms, *index);
                    if let Some(array) = array.filter(|_| next != *index && own.contains(&next)) {
                        self.want(terms, array, *index);
                    }
                }
            }
        }
    }

    /// Wants elements that are written outside of loops, of arrays that the error depends on: a loop may end where it finds what was put there.
    fn marks(&mut self, graph: &Graph, terms: &mut Terms) {
        let wanted: BTreeSet<SymbolId> = self.wanted.iter().map(|(array, _)| *array).collect();
        for arc in graph.arcs.iter().filter(|arc| arc.source != arc.target) {
            for array in &wanted {
                let Some(value) = arc.formula.update.get(array) else { continue };
                for (at, _) in stores(terms, *value) {
                    if self.is_frozen(terms, at) {
                        self.want(terms, *array, at);
                    }
                }
            }
        }
    }

    /// Wants what is written to wanted elements: if `b[w] := v` writes the cell of `b` at `t`, then the elements that `v` reads, where `w` is `t`.
    fn close(&mut self, graph: &Graph, terms: &mut Terms) {
        let mut next = 0;
        while let Some((array, index)) = self.wanted.get(next).copied() {
            next += 1;
            let mut found = Vec::new();
            for arc in &graph.arcs {
                let Some(value) = arc.formula.update.get(&array).copied() else { continue };
                for (at, stored) in stores(terms, value) {
                    let Some((variable, solution)) = solve(terms, at, index, &self.ghosts) else { continue };
                    for (read, place) in self.reads(terms, stored) {
                        let place = Substitution::new([(variable, solution)]).apply(terms, place);
                        // A recurrence along the index would not end.
                        if read != array || place == index {
                            found.push((read, place));
                        }
                    }
                }
            }
            for (read, place) in found {
                let is_followed = |symbol: &SymbolId| {
                    self.ghosts.contains(symbol)
                        || terms.symbol(*symbol).kind == SymbolKind::Variable
                            && !self.changing.contains(symbol)
                };
                if terms.symbols_of(place).iter().all(is_followed) {
                    self.want(terms, read, place);
                }
            }
        }
    }

    fn declare(self, terms: &mut Terms) -> Cells {
        let mut cells = Vec::new();
        for (array, index) in self.wanted {
            let name = format!("{}[{}]", terms.symbol(array).name, number_name(terms, index));
            let symbol = terms.declare(name, Sort::Int, SymbolKind::Variable);
            cells.push(Cell { symbol, array, index });
        }
        Cells { ghosts: self.ghosts, cells }
    }
}

/// A short name for an index.
fn number_name(terms: &Terms, index: TermId) -> String {
    let form = terms.linear(index);
    let part_name = |(part, factor): &(TermId, Integer)| {
        let own = match terms.node(*part) {
            Node::Symbol(symbol) => terms.symbol(*symbol).name.to_string(),
            _ => "?".to_owned(),
        };
        if factor.is_one() { own } else { format!("{factor}*{own}") }
    };
    let name = form.terms().iter().map(part_name).collect::<Vec<_>>().join("+");
    match form.constant_part() {
        constant if constant.is_zero() && !name.is_empty() => name,
        constant if name.is_empty() || constant.is_negative() => format!("{name}{constant}"),
        constant => format!("{name}+{constant}"),
    }
}

/// Whether a term is a sum of symbols.
fn is_linear(terms: &Terms, term: TermId) -> bool {
    let form = terms.linear(term);
    form.terms().iter().all(|(part, _)| matches!(terms.node(*part), Node::Symbol(_)))
}

/// The values that a changed array was given, and where.
pub fn stores(terms: &Terms, array: TermId) -> Vec<(TermId, TermId)> {
    let mut found = Vec::new();
    for term in terms.reachable(&[array]) {
        if let Node::Store(_, at, value) = *terms.node(term) {
            found.push((at, value));
        }
    }
    found
}

/// The variable of an index that must have a certain value for the index to equal another one.
pub fn solve(
    terms: &mut Terms,
    at: TermId,
    index: TermId,
    ghosts: &[SymbolId],
) -> Option<(SymbolId, TermId)> {
    let difference = terms.linear(at).sub(&terms.linear(index));
    for (part, factor) in difference.terms() {
        let Node::Symbol(symbol) = *terms.node(*part) else { continue };
        if ghosts.contains(&symbol) || !(factor.is_one() || (-factor).is_one()) {
            continue;
        }
        let rest = difference.without(*part);
        let solution = if factor.is_one() { rest.negate() } else { rest };
        return Some((symbol, terms.of_linear(&solution)));
    }
    None
}

/// The formula with reads of changed arrays as choices.
pub fn read_through(terms: &mut Terms, formula: TermId) -> TermId {
    let none = Lookup::default();
    terms.rewrite(formula, |terms, part| match *terms.node(part) {
        Node::Select(array, index) => none.read(terms, array, index, MAX_CHAIN),
        _ => part,
    })
}

/// The cells by array and index.
#[derive(Default)]
struct Lookup {
    cells: BTreeMap<(SymbolId, TermId), SymbolId>,
    ghosts: Vec<SymbolId>,
}

impl Lookup {
    fn of(cells: &Cells) -> Self {
        let own = cells.cells.iter().map(|cell| ((cell.array, cell.index), cell.symbol)).collect();
        Self { cells: own, ghosts: cells.ghosts.clone() }
    }

    /// An element of an array: a cell where it is one.
    fn read(&self, terms: &mut Terms, array: TermId, index: TermId, left: usize) -> TermId {
        match *terms.node(array) {
            Node::Store(before, at, value) if left > 0 => {
                let is_there = terms.eq(at, index);
                let value = self.at_index(terms, (at, index), value);
                let other = self.read(terms, before, index, left - 1);
                terms.ite(is_there, value, other)
            }
            Node::Ite(condition, yes, no) if left > 0 => {
                let yes = self.read(terms, yes, index, left / 2);
                let no = self.read(terms, no, index, left / 2);
                terms.ite(condition, yes, no)
            }
            Node::Symbol(symbol) => match self.cells.get(&(symbol, index)) {
                Some(cell) => terms.of_symbol(*cell),
                None => terms.select(array, index),
            },
            _ => terms.select(array, index),
        }
    }

    /// What is written where it matters: if the element is the cell, its index is that of the cell, and so elements that are read there are cells, too.
    fn at_index(&self, terms: &mut Terms, (at, index): (TermId, TermId), value: TermId) -> TermId {
        let reads = |terms: &Terms, term: &TermId| matches!(terms.node(*term), Node::Select(..));
        if self.cells.is_empty() || !terms.reachable(&[value]).iter().any(|term| reads(terms, term)) {
            return value;
        }
        let Some((variable, solution)) = solve(terms, at, index, &self.ghosts) else { return value };
        // Only the indices: elsewhere the variable says as much.
        terms.rewrite(value, |terms, part| match *terms.node(part) {
            Node::Select(array, place) => {
                let moved = Substitution::new([(variable, solution)]).apply(terms, place);
                match *terms.node(array) {
                    Node::Symbol(symbol) if self.cells.contains_key(&(symbol, moved)) => {
                        self.read(terms, array, moved, MAX_CHAIN)
                    }
                    _ => part,
                }
            }
            _ => part,
        })
    }
}

/// Cells are live where their array is. One whose index moves is so only where the index is known.
fn add_live(graph: &mut Graph, terms: &Terms, cells: &Cells, changing: &BTreeSet<SymbolId>) {
    for point in &mut graph.points {
        let is_known = |symbol: &SymbolId| !changing.contains(symbol) || point.live.contains(symbol);
        let is_live = |cell: &&Cell| {
            point.live.contains(&cell.array) && terms.symbols_of(cell.index).iter().all(is_known)
        };
        let own: Vec<SymbolId> = cells.cells.iter().filter(is_live).map(|cell| cell.symbol).collect();
        point.live.extend(cells.ghosts.iter().copied().chain(own));
        point.live.sort_unstable();
    }
}

/// Puts the cells into the graph.
fn extend(
    graph: &mut Graph,
    program: &Program,
    terms: &mut Terms,
    cells: &Cells,
    changing: &BTreeSet<SymbolId>,
) {
    let lookup = Lookup::of(cells);
    add_live(graph, terms, cells, changing);
    for id in graph.arcs.ids().collect::<Vec<_>>() {
        let (source, target) = (graph.arcs[id].source, graph.arcs[id].target);
        let mut formula = graph.arcs[id].formula.clone();
        let live = &graph.points[target].live;
        let mut after = formula.substitution();
        let mut updates = Vec::new();
        for cell in cells.cells.iter().filter(|cell| live.binary_search(&cell.symbol).is_ok()) {
            let index = after.apply(terms, cell.index);
            let array = formula.value(terms, cell.array);
            let value = lookup.read(terms, array, index, MAX_CHAIN);
            if value != terms.of_symbol(cell.symbol) {
                updates.push((cell.symbol, value));
            }
        }
        let rename = |terms: &mut Terms, term: TermId| {
            terms.rewrite(term, |terms, part| match *terms.node(part) {
                Node::Select(array, index) => match *terms.node(array) {
                    Node::Symbol(symbol) if lookup.cells.contains_key(&(symbol, index)) => {
                        lookup.read(terms, array, index, 0)
                    }
                    _ => part,
                },
                _ => part,
            })
        };
        formula.guard = rename(terms, formula.guard);
        for value in formula.update.values_mut() {
            if terms.sort(*value) == Sort::Int {
                *value = rename(terms, *value);
            }
        }
        formula.update.extend(updates);
        let mut guard = congruences(terms, cells, &formula, &graph.points[source].live);
        guard.push(formula.guard);
        for (ghost, part) in &graph.arcs[id].focus {
            let ghost = terms.of_symbol(*ghost);
            guard.push(terms.eq(ghost, *part));
        }
        if source == ENTRY {
            guard.extend(definitions(terms, cells, &graph.points[ENTRY].live));
        }
        guard.extend(ranges(graph, program, terms, cells, source));
        formula.guard = terms.and(guard);
        graph.arcs[id].formula = formula;
    }
}

/// Elements that an arc reads at the index of a cell are that cell.
fn congruences(
    terms: &mut Terms,
    cells: &Cells,
    formula: &encode::Transition,
    live: &[SymbolId],
) -> Vec<TermId> {
    let ints: Vec<TermId> =
        formula.update.values().copied().filter(|value| terms.sort(*value) == Sort::Int).collect();
    let mut roots = ints;
    roots.push(formula.guard);
    let mut found = Vec::new();
    for term in terms.reachable(&roots) {
        let Node::Select(array, index) = *terms.node(term) else { continue };
        let Node::Symbol(symbol) = *terms.node(array) else { continue };
        let is_there = |cell: &&Cell| cell.array == symbol && live.contains(&cell.symbol);
        for cell in cells.cells.iter().filter(is_there) {
            let is_there = terms.eq(index, cell.index);
            if is_there == Terms::FALSE || found.len() >= MAX_CONGRUENCES {
                continue;
            }
            let value = terms.of_symbol(cell.symbol);
            let same = terms.eq(term, value);
            found.push(terms.implies(is_there, same));
        }
    }
    found
}

/// At the entry cells are what they stand for.
fn definitions(terms: &mut Terms, cells: &Cells, live: &[SymbolId]) -> Vec<TermId> {
    let mut found = Vec::new();
    for cell in cells.cells.iter().filter(|cell| live.contains(&cell.symbol)) {
        let (array, value) = (terms.of_symbol(cell.array), terms.of_symbol(cell.symbol));
        let element = terms.select(array, cell.index);
        found.push(terms.eq(value, element));
    }
    found
}

/// Cells have values of their type where an arc starts.
fn ranges(
    graph: &Graph,
    program: &Program,
    terms: &mut Terms,
    cells: &Cells,
    source: crate::cut::PointId,
) -> Vec<TermId> {
    let mut found = Vec::new();
    for cell in cells.cells.iter().filter(|cell| graph.points[source].live.contains(&cell.symbol)) {
        let Some(var) = graph.vocabulary.var(cell.array) else { continue };
        let Storage::Array { elem, .. } = program.vars[var].storage else { continue };
        let Some((low, high)) = elem.range() else { continue };
        let value = terms.of_symbol(cell.symbol);
        let (low, high) = (terms.number(low), terms.number(high));
        found.push(terms.le(low, value));
        found.push(terms.le(value, high));
    }
    found
}
