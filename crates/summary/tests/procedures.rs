//! Summaries of procedures: the relation from the entry to the exit includes every call that the interpreter makes.

use base::Budget;
use cfa::{ProcId, Program, VarId};
use graph::cut::{Graph, Target};
use interp::{Observer, Uninitialised, Value, View, Written};
use smt::{Answer, Logic, check_formula};
use summary::{StarOptions, Stars, relation_to_target};
use term::{Integer, Substitution, SymbolId, TermId};

/// Procedures `f` of two parameters, and what they should never return for them: a bound that the summary has to show.
const PROCEDURES: &[(&str, i128)] = &[
    ("int f(int x, int y) { if (x > y) return 1; return 0; }", 2),
    (
        "int f(int x, int y) { int s = 0; if (x < 0 || x > 50) return 0; while (x > 0) { s += 2; x--; } return s; }",
        101,
    ),
    (
        "int f(int x, int y) { if (y < 0 || y > 9) y = 3; int n = 0; for (int i = 0; i < y; i++) for (int j = 0; j < 2; j++) n++; return n; }",
        19,
    ),
    ("unsigned char g; int f(int x, int y) { g = x; if (y > 0 && g < 100) g = g + 1; return g; }", 256),
];

fn compile(body: &str) -> Program {
    let calls = "int main(void) { f(3, 4); f(-7, 12); f(50, 9); f(49, 1); f(1000, 0); f(0, 8); f(99, 5); f(12, -3); return 0; }";
    let text = format!("{body}\n{calls}");
    let input = cfront::Input::Text { name: "test.c".to_owned(), text: text.into_bytes().into() };
    let options = cfront::Options::new(cfa::DataModel::Lp64);
    cfront::compile(&[input], &options).expect("the program should compile").program
}

/// The values of variables, where they have one.
type State = Vec<Option<i128>>;

/// The values of variables when a procedure starts and when it returns.
struct Calls<'p> {
    program: &'p Program,
    proc: ProcId,
    open: Option<State>,
    seen: Vec<(State, State)>,
}

impl Calls<'_> {
    fn values(&self, view: &View<'_>) -> State {
        let value = |var: VarId| {
            let is_visible = self.program.vars[var].owner.is_none_or(|owner| owner == self.proc);
            let is_scalar = self.program.vars[var].scalar().is_some();
            (is_visible && is_scalar).then(|| view.scalar(var)).flatten().map(Value::as_int)
        };
        self.program.vars.ids().map(value).collect()
    }
}

impl Observer for Calls<'_> {
    fn enter(&mut self, view: &View<'_>, proc: ProcId, edge: cfa::EdgeId) {
        let procedure = &self.program.procs[self.proc];
        if proc == self.proc && procedure.edges()[edge].source == procedure.entry && self.open.is_none() {
            self.open = Some(self.values(view));
        }
    }
    fn leave(&mut self, view: &View<'_>, proc: ProcId, edge: cfa::EdgeId) {
        let procedure = &self.program.procs[self.proc];
        if proc == self.proc
            && procedure.edges()[edge].target == procedure.exit
            && let Some(before) = self.open.take()
        {
            let after = self.values(view);
            self.seen.push((before, after));
        }
    }
    fn wrote(&mut self, _: &View<'_>, _: Written, _: Value) {}
}

fn is_sat(logic: &mut Logic, formula: TermId) -> bool {
    let mut solver = logic.solvers.z3_solver();
    let Logic { terms, budget, .. } = logic;
    match check_formula(&mut solver, terms, formula, budget) {
        Answer::Sat(_) => true,
        Answer::Unsat(_) => false,
        Answer::Unknown(why) => panic!("{why}"),
    }
}

#[test]
fn the_summary_of_a_procedure_includes_its_calls_and_bounds_its_results() {
    for (text, bound) in PROCEDURES {
        let program = compile(text);
        let proc = program.procs.iter_enumerated().find(|(_, procedure)| &*procedure.name == "f").unwrap().0;
        let forest = program.procs[proc].loops();
        let mut logic = Logic::new(Budget::unlimited());
        let Logic { terms, budget, solvers } = &mut logic;
        let graph = Graph::of(&program, proc, forest, Target::Exit, terms, budget).unwrap();
        let mut stars = Stars::new(solvers.clone(), StarOptions::default());
        let relation = relation_to_target(&graph, terms, &mut stars, budget).unwrap();
        let relation = relation.pruning();

        let mut calls = Calls { program: &program, proc, open: None, seen: Vec::new() };
        let code = interp::Code::new(
            &program,
            interp::CompileOptions { uninitialised: Uninitialised::Choose, markers: interp::Markers::Edges },
        );
        let mut machine = interp::Machine::new(&program, &code, interp::Config::default());
        let mut zero = |_: &interp::Request<'_>| Some(interp::Choice::Int(0));
        machine.run(&mut zero, &mut calls, &mut std::io::sink(), &mut Budget::unlimited());
        assert_eq!(calls.seen.len(), 8, "{text}");
        for (before, after) in &calls.seen {
            let mut parts = vec![relation.guard];
            let symbol = |index: usize| graph.vocabulary.symbol(VarId(index as u32));
            let results = &program.procs[proc].results;
            for (index, value) in after.iter().enumerate() {
                let is_kept = program.vars[VarId(index as u32)].owner.is_none()
                    || results.contains(&VarId(index as u32));
                if let (Some(value), Some(symbol), true) = (value, symbol(index), is_kept) {
                    let (now, value) = (relation.value(&mut logic.terms, symbol), logic.terms.number(*value));
                    parts.push(logic.terms.eq(now, value));
                }
            }
            let whole = logic.terms.and(parts);
            let given: Vec<(SymbolId, TermId)> = before
                .iter()
                .enumerate()
                .filter_map(|(index, value)| {
                    Some((symbol(index)?, logic.terms.number(Integer::from((*value)?))))
                })
                .collect();
            let instance = Substitution::new(given).apply(&mut logic.terms, whole);
            assert!(is_sat(&mut logic, instance), "{text}: {before:?} to {after:?}");
        }
        let result = graph.vocabulary.symbol(program.procs[proc].results[0]).unwrap();
        let (value, bound) = (relation.value(&mut logic.terms, result), logic.terms.number(*bound));
        let beyond = logic.terms.ge(value, bound);
        let typed = encode::typing(&program, &mut logic.terms, &graph.vocabulary, relation.guard);
        let query = logic.terms.and([relation.guard, typed, beyond]);
        assert!(!is_sat(&mut logic, query), "{text}: the summary does not bound the result");
    }
}
