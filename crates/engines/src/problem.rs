//! The prepared program as a graph, and the proof that a guide and labels make.
//!
//! # Invariants
//! * I1: the annotation of [`Problem::annotation`] is `Inv(l) = facts(l) ∧ (¬R(l) ∨ one of the labels at l)`; design and argument are in
//!   SOUNDNESS.md. Nothing depends on that argument being right: the checker of crate certify proves the annotation again.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::timeline;
use cfa::Loc;
use encode::Skolem;
use engine::Env;
use graph::cells::add_cells;
use graph::cut::{Cuts, Form, Graph, Point, PointId, Target};
use graph::elements::Elements;
use passes::{KeptCall, KeptReason, Prepared};
use paths::Space;
use smt::Logic;
use summary::elements::add_elements;
use term::{Substitution, SymbolId, TermId, Terms};
use verdict::{Annotation, Claim, Proof, Reason};

use crate::facts_of_others::Heard;
use crate::guide::Guide;
use crate::joint_facts::{facts_with, none};

/// A program ready for search.
pub(crate) struct Problem {
    /// The program as a graph of cut points.
    pub(crate) graph: Graph,
}

/// The reason that is a call that stays.
pub(crate) fn stays(task: &Prepared<'_>, call: &KeptCall) -> Reason {
    Reason::Unsupported { feature: task.describe(call), region: task.region(call) }
}

/// What in a program is beyond engines that know one procedure. What a recursive call does is rounded up; a program that is too large to inline its calls is too large for that, too.
pub(crate) fn refused(task: &Prepared<'_>) -> Option<Reason> {
    let is_refused = |call: &&KeptCall| call.reason != KeptReason::Recursive;
    let call = task.failing_call(|_| false).or(task.kept_call().filter(is_refused))?;
    Some(stays(task, call))
}

/// The graph of a program, or what in it is beyond engines that know one procedure.
fn encoded(task: &Prepared<'_>, form: Form, logic: &mut Logic) -> Result<Graph, Reason> {
    if let Some(reason) = refused(task) {
        return Err(reason);
    }
    let (program, proc) = (task.program(), task.program().entry);
    let _stage = timeline::stage("encoding");
    let Logic { terms, budget, .. } = logic;
    let forest = task.loops(proc);
    Graph::in_form(program, proc, forest, Target::Error, form, terms, budget).map_err(Reason::Stopped)
}

impl Problem {
    /// Encodes a program, or says what in it is beyond engines that know one procedure.
    pub(crate) fn new(task: &Prepared<'_>, logic: &mut Logic) -> Result<Self, Reason> {
        Self::cut_at(task, Cuts::Loops, logic)
    }

    /// The same with more points.
    pub(crate) fn cut_at(task: &Prepared<'_>, cuts: Cuts, logic: &mut Logic) -> Result<Self, Reason> {
        let mut graph = encoded(task, Form::over_integers(cuts), logic)?;
        let Logic { terms, budget, solvers } = logic;
        add_elements(&mut graph, task.program(), terms, solvers, budget).map_err(Reason::Stopped)?;
        add_cells(&mut graph, task.program(), terms);
        Ok(Self { graph })
    }

    /// The same without facts about all elements of arrays: for an engine that finds them by itself.
    pub(crate) fn without_element_facts(task: &Prepared<'_>, logic: &mut Logic) -> Result<Self, Reason> {
        let mut graph = encoded(task, Form::PLAIN, logic)?;
        add_cells(&mut graph, task.program(), &mut logic.terms);
        Ok(Self { graph })
    }

    /// The same in bit-vectors; arrays are terms, and nothing is known of all their elements.
    pub(crate) fn in_bits(task: &Prepared<'_>, logic: &mut Logic) -> Result<Self, Reason> {
        Ok(Self { graph: encoded(task, Form::BITS, logic)? })
    }

    /// Adds to what is known at points what other engines have told, as far as it is inductive together.
    pub(crate) fn learn(&mut self, task: &Prepared<'_>, env: &mut Env<'_>) -> Result<(), Reason> {
        let heard = Heard::of(task, &mut self.graph, env);
        if heard.is_empty() {
            return Ok(());
        }
        let space = Space { program: task.program(), graph: &self.graph };
        let facts = facts_with(space, none(space), &heard, env)?;
        let terms = &mut env.logic.terms;
        for (content, facts) in self.graph.points.iter_mut().zip(&facts) {
            let known = terms.and(facts.iter().copied());
            content.cases = terms.and([content.cases, known]);
            content.facts = terms.and([content.facts, known]);
        }
        Ok(())
    }

    /// The instances of an invariant: those at hand, with elements in the place of cells, and for edges to the error also those whose ghosts are the indices that the edge reads.
    fn focused(
        &self,
        terms: &mut Terms,
        point: &Point,
        instances: Vec<Vec<(SymbolId, TermId)>>,
    ) -> Vec<Vec<(SymbolId, TermId)>> {
        if self.graph.cells.is_empty() {
            return instances;
        }
        let mut all: Vec<Vec<(SymbolId, TermId)>> = Vec::new();
        for instance in instances {
            let plain = instance
                .into_iter()
                .map(|(symbol, value)| (symbol, self.graph.cells.as_elements(terms, value)))
                .collect();
            all.push(plain);
        }
        let plain = all.clone();
        for arc in &point.outgoing {
            let focus = &self.graph.arcs[*arc].focus;
            if focus.is_empty() {
                continue;
            }
            let ghosts: Vec<(SymbolId, TermId)> = focus
                .iter()
                .map(|(ghost, index)| (*ghost, self.graph.cells.as_elements(terms, *index)))
                .collect();
            // The values at hand may speak of ghosts, too: a cell is the element at its ghost.
            let mut chosen = Substitution::new(ghosts.iter().copied());
            for instance in &plain {
                let moved = instance.iter().map(|(symbol, value)| (*symbol, chosen.apply(terms, *value)));
                all.push(moved.chain(ghosts.iter().copied()).collect());
            }
        }
        all
    }

    /// The annotation by a guide and the labels of expanded nodes, each a list of clauses.
    pub(crate) fn annotation(
        self,
        guide: &dyn Guide,
        labels: &BTreeMap<PointId, Vec<Vec<TermId>>>,
        logic: &mut Logic,
    ) -> Proof {
        let terms = &mut logic.terms;
        let mut claims = BTreeMap::new();
        for (id, point) in self.graph.points.iter_enumerated() {
            let reach = guide.ahead(id).pruning();
            let mut never = vec![reach.formula];
            for label in labels.get(&id).into_iter().flatten() {
                let label = terms.and(label.iter().copied());
                never.push(terms.not(label));
            }
            let never = terms.and(never);
            let other_case = terms.not(point.cases);
            let other_elements = self.graph.elements.violated(terms, id);
            let never = terms.or([never, other_case, other_elements]);
            let never = self.graph.cells.as_elements(terms, never);
            let mut instances = reach.instances.clone();
            let is_stated = point.cases != Terms::TRUE || other_elements != Terms::FALSE;
            if instances.is_empty() && (is_stated || !self.graph.cells.is_empty()) {
                instances.push(Vec::new());
            }
            let mut instances = self.focused(terms, point, instances);
            let Elements { ghost, indices, pairs, .. } = &self.graph.elements;
            for index in indices.get(&id).into_iter().flatten() {
                instances.push(ghost.iter().map(|ghost| (*ghost, *index)).collect());
            }
            instances.extend(pairs.instances(id));
            claims.insert(point.location, Claim { facts: Some(point.known.clone()), never, instances });
        }
        for location in &self.graph.unreachable {
            let never_reached = Claim { facts: None, never: Terms::FALSE, instances: Vec::new() };
            claims.insert(*location, never_reached);
        }
        let mut choices: BTreeMap<Loc, Vec<Skolem>> = BTreeMap::new();
        for arc in &self.graph.arcs {
            let known = choices.entry(self.graph.points[arc.source].location).or_default();
            known.extend(arc.skolems.iter().cloned());
        }
        let Graph { procedure, vocabulary, .. } = &self.graph;
        Proof::Annotation(Arc::new(Annotation::of(terms, vocabulary, *procedure, &claims, &choices)))
    }
}
