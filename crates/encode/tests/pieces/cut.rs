//! A program cut into pieces, and its executions from cut to cut.

use std::collections::BTreeMap;

use base::{Budget, IndexVec};
use cfa::{Loc, Program};
use encode::{Piece, Pieces, Vocabulary};
use interp::{
    Code, CompileOptions, Config, Machine, Markers, Outcome, Seed, Silent, Step, Uninitialised, View,
};
use passes::Prepared;
use smt::{Answer, Z3, Z3Settings, Z3Solver, check_formula};
use term::{Integer, Model, Substitution, SymbolId, TermId, Terms};

/// Values of symbols.
pub(super) type Values = BTreeMap<SymbolId, Integer>;

/// The pieces of a program between its cut locations: entry, loop heads, error.
pub(super) struct Cut<'a> {
    pub(super) program: &'a Program,
    pub(super) terms: Terms,
    pub(super) vocabulary: Vocabulary,
    pub(super) error: Loc,
    pieces: BTreeMap<Loc, Vec<Piece>>,
    solver: Z3Solver,
}

impl<'a> Cut<'a> {
    /// Nothing if the program has no error, or a cut that is never reached.
    pub(super) fn new(task: &'a Prepared<'_>) -> Option<Self> {
        let program = task.program();
        let procedure = &program.procs[program.entry];
        let error = procedure.error?;
        let relevant = cfa::loops::reaching_error(procedure);
        let forest = task.loops(program.entry);
        let is_wanted = |location: &Loc| {
            let is_end = *location == procedure.entry || *location == error;
            relevant[*location] && (is_end || forest.is_header(*location))
        };
        let cuts: Vec<Loc> = procedure.locations.ids().filter(is_wanted).collect();
        let mut is_cut = IndexVec::filled(false, procedure.locations.len());
        for cut in &cuts {
            is_cut[*cut] = true;
        }
        let facts = values::analyze(program, procedure, &mut Budget::unlimited()).expect("no budget ends");
        let mut terms = Terms::new();
        let mut vocabulary = Vocabulary::of(program, program.entry, &mut terms);
        let made = Pieces::new(program, procedure, forest, &is_cut, &relevant);
        let mut pieces = BTreeMap::new();
        for cut in cuts {
            let known = facts.at(cut)?;
            pieces.insert(cut, made.from(cut, known, &mut terms, &mut vocabulary));
        }
        let solver = Z3::new(Z3Settings::default()).z3_solver();
        Some(Self { program, terms, vocabulary, error, pieces, solver })
    }

    /// The piece between two cut locations.
    pub(super) fn piece(&self, (source, target): (Loc, Loc)) -> Option<Piece> {
        self.pieces[&source].iter().find(|piece| piece.target == target).cloned()
    }

    /// That a piece can be taken from some values to others, together with more conditions over the values at its start.
    pub(super) fn is_possible(
        &mut self,
        piece: &Piece,
        (before, after): (&Values, &Values),
        conditions: Vec<TermId>,
    ) -> bool {
        self.model(piece, (before, after), conditions).is_some()
    }

    /// A model of that.
    pub(super) fn model(
        &mut self,
        piece: &Piece,
        (before, after): (&Values, &Values),
        conditions: Vec<TermId>,
    ) -> Option<Model> {
        let mut parts = conditions;
        parts.push(piece.transition.guard);
        for (symbol, value) in after {
            let reached = piece.transition.value(&mut self.terms, *symbol);
            let value = self.terms.number(value.clone());
            parts.push(self.terms.eq(reached, value));
        }
        let formula = self.terms.and(parts);
        let pairs: Vec<(SymbolId, TermId)> =
            before.iter().map(|(symbol, value)| (*symbol, self.terms.number(value.clone()))).collect();
        let formula = Substitution::new(pairs).apply(&mut self.terms, formula);
        let answer = check_formula(&mut self.solver, &self.terms, formula, &mut Budget::ticks(20_000));
        match answer {
            Answer::Sat(model) => Some(model),
            Answer::Unsat(_) => None,
            Answer::Unknown(_) => panic!("values should decide a piece: {answer:?}"),
        }
    }

    /// The states of one execution at cut locations, at most so many. The error has none.
    pub(super) fn states<S: Default>(
        &self,
        seed: u64,
        most: usize,
        state: impl Fn(&Program, &Vocabulary, &View<'_>) -> S,
    ) -> Vec<(Loc, S)> {
        let entry = self.program.entry;
        let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Locations };
        let code = Code::new(self.program, options);
        let mut machine = Machine::new(self.program, &code, Config::default());
        machine.stop_at(self.pieces.keys().map(|cut| (entry, *cut)));
        let (mut oracle, mut budget) = (Seed::new(seed), Budget::ticks(4_000));
        let mut states = Vec::new();
        while states.len() < most {
            match machine.step(&mut oracle, &mut Silent, &mut std::io::sink(), &mut budget) {
                Step::Location(_, location) if location != self.error => {
                    states.push((location, state(self.program, &self.vocabulary, &machine.view())));
                }
                Step::Location(..) | Step::Ended(Outcome::Error { .. }) => {
                    states.push((self.error, S::default()));
                    break;
                }
                Step::Ended(_) => break,
            }
        }
        states
    }
}

/// The values of scalar variables.
pub(super) fn scalars(program: &Program, vocabulary: &Vocabulary, view: &View<'_>) -> Values {
    let value = |var| Some((vocabulary.symbol(var)?, Integer::from(view.scalar(var)?.as_int())));
    program.vars.ids().filter_map(value).collect()
}
