//! What all engines on summaries work with: the prepared program, its graph, and a guide.
//!
//! # Invariants
//! * I1: the annotation of [`Problem::annotation`] is `Inv(l) = facts(l) ∧ (¬R(l) ∨ one of the labels at l)`; design and argument are in
//!   SOUNDNESS.md. Nothing depends on that argument being right: the checker of crate certify proves the annotation again.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Budget, timeline};
use cfa::Loc;
use encode::Skolem;
use graph::cut::{Graph, PointId};
use passes::Prepared;
use smt::{Z3, Z3Settings};
use summary::star::StarStatistics;
use summary::{Reach, StarOptions, Starrer, Summaries};
use term::{TermId, Terms};
use verdict::{Annotation, Claim, Proof, Reason};

/// A program ready for search.
pub(crate) struct Problem {
    /// The arena of all formulas.
    pub(crate) terms: Terms,
    /// Makes all solvers.
    pub(crate) solvers: Z3,
    /// The program as a graph of cut points.
    pub(crate) graph: Graph,
}

/// Where the error may be reached from: the summaries, or no idea.
#[derive(Clone, Debug)]
pub(crate) struct Guide {
    reach: Vec<Reach>,
    stars: StarStatistics,
}

impl Problem {
    /// Encodes a program, or says what in it is beyond these engines.
    pub(crate) fn new(task: &Prepared<'_>, solvers: Z3, budget: &mut Budget) -> Result<Self, Reason> {
        if let Some(call) = task.kept_call() {
            let feature = task.describe(call);
            let region = task.program().procs[call.proc].edges()[call.edge].origin.region;
            return Err(Reason::Unsupported { feature, region });
        }
        let program = task.program();
        let _stage = timeline::stage("encoding");
        let mut terms = Terms::new();
        let graph =
            Graph::new(program, task.loops(program.entry), &mut terms, budget).map_err(Reason::Stopped)?;
        Ok(Self { terms, solvers, graph })
    }

    /// The summaries of the graph.
    pub(crate) fn summarise(&mut self, options: StarOptions, budget: &mut Budget) -> Result<Guide, Reason> {
        Guide::of_summaries(&self.graph, &mut self.terms, &self.solvers, options, budget)
    }

    /// The annotation by a guide and the labels of expanded nodes, each a list of clauses.
    pub(crate) fn annotation(mut self, guide: &Guide, labels: &BTreeMap<PointId, Vec<Vec<TermId>>>) -> Proof {
        let mut claims = BTreeMap::new();
        for (id, point) in self.graph.points.iter_enumerated() {
            let reach = guide.reach(id);
            let mut never = vec![reach.formula];
            for label in labels.get(&id).into_iter().flatten() {
                let label = self.terms.and(label.iter().copied());
                never.push(self.terms.not(label));
            }
            let never = self.terms.and(never);
            let other_case = self.terms.not(point.cases);
            let never = self.terms.or([never, other_case]);
            let mut instances = reach.instances.clone();
            if instances.is_empty() && point.cases != Terms::TRUE {
                instances.push(Vec::new());
            }
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
        Proof::Annotation(Arc::new(Annotation::of(&self.terms, vocabulary, *procedure, &claims, &choices)))
    }
}

/// The settings of all solvers.
pub(crate) fn solvers() -> Z3 {
    Z3::new(Z3Settings::default())
}

impl Guide {
    /// Guided by summaries.
    pub(crate) fn of_summaries(
        graph: &Graph,
        terms: &mut Terms,
        solvers: &Z3,
        options: StarOptions,
        budget: &mut Budget,
    ) -> Result<Self, Reason> {
        let _stage = timeline::stage("summary");
        let mut starrer = Starrer::new(solvers.clone(), options);
        let summaries = Summaries::new(graph, terms, &mut starrer, budget).map_err(Reason::Stopped)?;
        let reach = graph.points.ids().map(|point| summaries.reach(point).get().clone()).collect();
        Ok(Self { reach, stars: starrer.statistics() })
    }

    /// The guide that excludes nothing.
    pub(crate) fn none(graph: &Graph) -> Self {
        let reach = |facts| Reach { formula: facts, instances: vec![Vec::new()] };
        let reach = graph.points.iter().map(|point| reach(point.facts)).collect();
        Self { reach, stars: StarStatistics::default() }
    }

    /// What the summaries of loops were made of, and where they had to be weaker.
    pub(crate) fn report(&self) -> [(&'static str, u64); 6] {
        let stars = &self.stars;
        [
            ("loops summarised", stars.stars),
            ("exact loop summaries", stars.exact),
            ("phase splits", stars.phase_splits),
            ("hulls by templates", stars.template_hulls),
            ("hulls given up", stars.lost_hulls),
            ("unanswered summary queries", stars.unanswered),
        ]
    }

    /// The states of a point from which the error may be reached.
    pub(crate) fn reach(&self, point: PointId) -> &Reach {
        &self.reach[point.0 as usize]
    }
}
