//! Readable contracts: what a proof says about procedures that are called.
//!
//! A contract is written in the logic of ACSL: integers are mathematical, a parameter is its value at the entry, `\old(g)` is what a global variable was there, and `\result` is what is
//! returned. For witnesses it is also written as an expression of C, in which `\at(x, Old)` is the value of `x` at the entry (crates/explain/src/invariants/express.rs).
//!
//! # Invariants
//! * I1: what is printed are conjuncts of the contract that was certified, so it holds if the certificate does.
//! * I2: no verdict depends on this; what has no name in the source is left out, and what follows from the rest, if the solver says so in time.

use base::{Budget, Region};
use cfa::{ProcId, Program, Ty, VarId};
use encode::Vocabulary;
use passes::Prepared;
use smt::{Answer, Z3, Z3Settings, check_formula};
use term::print::c_expression;
use term::{Node, SymbolId, TermId, Terms};
use verdict::{Annotation, Imported, LogicName, import};

use crate::invariants::express::{Expressions, Words};
use crate::invariants::names::{is_plain, is_shadowed, starts_in};

/// Longer expressions help nobody.
const MAX_LENGTH: usize = 400;

/// What holds whenever a function returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The name of the function.
    pub function: String,
    /// Its definition.
    pub region: Region,
    /// What is ensured, one expression for each fact.
    pub ensures: Vec<String>,
    /// What of it can be said in C, as witnesses do.
    pub portable: Option<String>,
}

/// The contracts of an annotation, in the order of the source. The solver spends at most `ticks`.
pub fn contracts(
    task: &Prepared<'_>,
    annotation: &Annotation,
    ticks: u64,
    budget: &mut Budget,
) -> Vec<Contract> {
    let prepared = task.program();
    if annotation.locations().all(|(proc, _)| proc == prepared.entry) {
        return Vec::new();
    }
    // Formulas about bit-vectors have no words here.
    if annotation.logic == LogicName::Bits {
        return Vec::new();
    }
    let Ok(Imported { mut terms, vocabulary, claims, .. }) = import(prepared, annotation) else {
        return Vec::new();
    };
    let mut contracts = Vec::new();
    for ((proc, location), claim) in &claims {
        let procedure = &prepared.procs[*proc];
        if *proc == prepared.entry || *location != procedure.exit {
            continue;
        }
        let names = Names { task, program: prepared, proc: *proc, vocabulary: &vocabulary };
        let holds = terms.not(claim.never);
        let holds = terms.nnf(holds);
        let mut conjuncts = terms.conjuncts(holds);
        let mut child = budget.child(ticks);
        names.drop_consequences(&mut terms, &mut conjuncts, &mut child);
        budget.absorb(&child);
        let portable = names.portable(&terms, &conjuncts);
        let ensures: Vec<String> =
            conjuncts.into_iter().filter_map(|conjunct| names.text(&mut terms, conjunct)).collect();
        if !ensures.is_empty() {
            contracts.push(Contract {
                function: task.given().procs[task.back().proc(*proc).proc].name.to_string(),
                region: procedure.region,
                ensures,
                portable,
            });
        }
    }
    contracts.sort_by_key(|contract| contract.region);
    contracts
}

/// What the symbols of a contract are called.
#[derive(Clone, Copy)]
struct Names<'a> {
    task: &'a Prepared<'a>,
    program: &'a Program,
    proc: ProcId,
    vocabulary: &'a Vocabulary,
}

impl Names<'_> {
    /// Drops the conjuncts that follow from others and from the types.
    fn drop_consequences(&self, terms: &mut Terms, conjuncts: &mut Vec<TermId>, budget: &mut Budget) {
        let mut solver = Z3::new(Z3Settings::default()).z3_solver();
        let typing = encode::typing_of(self.program, terms, self.vocabulary, conjuncts);
        let mut at = 0;
        while at < conjuncts.len() {
            let others =
                conjuncts.iter().enumerate().filter(|(number, _)| *number != at).map(|(_, other)| *other);
            let others: Vec<TermId> = others.chain([typing]).collect();
            let opposite = terms.not(conjuncts[at]);
            let query = terms.and(others.into_iter().chain([opposite]));
            match check_formula(&mut solver, terms, query, budget) {
                Answer::Unsat(_) => {
                    conjuncts.remove(at);
                }
                Answer::Sat(_) | Answer::Unknown(_) => at += 1,
            }
        }
    }

    /// A fact as an implication whose premise is about the values at the entry.
    fn text(&self, terms: &mut Terms, formula: TermId) -> Option<String> {
        let symbols = terms.symbols_of(formula);
        if symbols.is_empty() || symbols.iter().any(|symbol| self.name(*symbol).is_none()) {
            return None;
        }
        let items = match terms.node(formula) {
            Node::Or(items) => items.to_vec(),
            _ => vec![formula],
        };
        let is_premise = |item: &TermId| {
            terms.symbols_of(*item).iter().all(|symbol| self.vocabulary.at_entry(*symbol).is_some())
        };
        let (premises, conclusions): (Vec<TermId>, Vec<TermId>) = items.into_iter().partition(is_premise);
        let name = |symbol| self.name(symbol).unwrap_or_default();
        if premises.is_empty() || conclusions.is_empty() {
            return c_expression(terms, formula, &name, MAX_LENGTH);
        }
        let excluded = terms.or(premises);
        let premise = terms.not(excluded);
        let premise = terms.nnf(premise);
        let conclusion = terms.or(conclusions);
        let premise = c_expression(terms, premise, &name, MAX_LENGTH)?;
        let conclusion = c_expression(terms, conclusion, &name, MAX_LENGTH)?;
        Some(format!("{premise} ==> {conclusion}"))
    }

    /// The facts that can be said in C, as one expression.
    fn portable(&self, terms: &Terms, conjuncts: &[TermId]) -> Option<String> {
        let expressions = Expressions { program: self.program, known: None, words: *self };
        let texts: Vec<String> =
            conjuncts.iter().filter_map(|conjunct| expressions.text(terms, *conjunct)).collect();
        match texts.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            several => Some(several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" && ")),
        }
    }

    /// What a parameter or global variable is called in all of the function.
    fn source_name(&self, var: VarId) -> Option<&str> {
        let (given, back) = (self.task.given(), self.task.back());
        let source = back.var(var)?.var;
        let proc = back.proc(self.proc).proc;
        let info = &given.vars[source];
        let is_known = match info.owner {
            None => {
                let place = given.procs[proc].region;
                starts_in(info.scope, place) && !is_shadowed(given, source, info, place)
            }
            Some(owner) => owner == proc && given.procs[proc].params.contains(&source),
        };
        let is_integer = matches!(info.scalar(), Some(Ty::Int { width: 1..=64, .. }));
        let can_be_said = is_known && is_integer && is_plain(&info.name) && !info.c_type.is_empty();
        can_be_said.then_some(&*info.name)
    }

    fn name(&self, symbol: SymbolId) -> Option<String> {
        if let Some(var) = self.vocabulary.at_entry(symbol) {
            let name = self.source_name(var)?;
            return Some(if self.is_global(var) { format!("\\old({name})") } else { name.to_owned() });
        }
        self.name_at_exit(self.vocabulary.var(symbol)?).map(str::to_owned)
    }

    /// What a variable is called when the function returns.
    fn name_at_exit(&self, var: VarId) -> Option<&str> {
        let (given, back) = (self.task.given(), self.task.back());
        if let [only] = self.program.procs[self.proc].results.as_slice()
            && *only == var
        {
            let results = &given.procs[back.proc(self.proc).proc].results;
            let is_result = back.var(var).is_some_and(|source| results.as_slice() == [source.var]);
            return is_result.then_some("\\result");
        }
        self.source_name(var).filter(|_| self.is_global(var))
    }

    fn is_global(&self, var: VarId) -> bool {
        self.program.vars[var].owner.is_none()
    }
}

impl Words for Names<'_> {
    fn factors(&self, symbol: SymbolId) -> Option<Vec<(VarId, String)>> {
        if let Some(var) = self.vocabulary.at_entry(symbol) {
            let name = self.source_name(var)?;
            let (object, member) = name.split_at(name.find('.').unwrap_or(name.len()));
            return Some(vec![(var, format!("\\at({object}, Old){member}"))]);
        }
        let var = self.vocabulary.var(symbol)?;
        Some(vec![(var, self.name_at_exit(var)?.to_owned())])
    }
}
