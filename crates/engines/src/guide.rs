//! What guides a search: for each point an over-approximation of the states that reach the error.

use base::timeline;
use engine::{Counter, Env, Events};
use graph::cut::{Graph, PointId};
use graph::direction::Over;
use smt::Logic;
use summary::star::StarStatistics;
use summary::{Reach, StarOptions, Stars, Summaries};
use verdict::Reason;

/// Says from which states the error may be reached.
pub(crate) trait Guide {
    /// The states of a point from which the error may be reached.
    fn ahead(&self, at: PointId) -> &Over<Reach>;
}

/// Which guide is used.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Guidance {
    /// Path summaries ([Gps25] §6).
    Summaries(StarOptions),
    /// None: every state may reach the error.
    Anything,
}

impl Guidance {
    /// The guide for a graph.
    pub(crate) fn guide(self, graph: &Graph, env: &mut Env<'_>) -> Result<Box<dyn Guide>, Reason> {
        match self {
            Self::Summaries(star) => {
                let summaries = PathSummaries::of(graph, star, &mut env.logic)?;
                summaries.report(env.events);
                Ok(Box::new(summaries))
            }
            Self::Anything => {
                report(&StarStatistics::default(), env.events);
                Ok(Box::new(Anything::of(graph)))
            }
        }
    }
}

/// Guides by path summaries.
#[derive(Debug)]
pub(crate) struct PathSummaries {
    reach: Vec<Over<Reach>>,
    stars: StarStatistics,
}

impl PathSummaries {
    /// The summaries of a graph.
    pub(crate) fn of(graph: &Graph, options: StarOptions, logic: &mut Logic) -> Result<Self, Reason> {
        let _stage = timeline::stage("summary");
        let Logic { terms, solvers, budget } = logic;
        let mut stars = Stars::new(solvers.clone(), options);
        let summaries = Summaries::new(graph, terms, &mut stars, budget).map_err(Reason::Stopped)?;
        let reach = graph.points.ids().map(|point| summaries.reach(point).clone()).collect();
        Ok(Self { reach, stars: stars.statistics() })
    }

    /// Tells what the summaries of loops were made of, and where they had to be weaker.
    pub(crate) fn report(&self, events: &dyn Events) {
        report(&self.stars, events);
    }
}

impl Guide for PathSummaries {
    fn ahead(&self, at: PointId) -> &Over<Reach> {
        &self.reach[at.0 as usize]
    }
}

fn report(stars: &StarStatistics, events: &dyn Events) {
    let totals = [
        (Counter::LoopsSummarised, stars.stars),
        (Counter::ExactSummaries, stars.exact),
        (Counter::PhaseSplits, stars.phase_splits),
        (Counter::TemplateHulls, stars.template_hulls),
        (Counter::LostHulls, stars.lost_hulls),
        (Counter::UnansweredSummaryQueries, stars.unanswered),
    ];
    for (counter, total) in totals {
        events.total(counter, total);
    }
}

/// Excludes nothing.
#[derive(Debug)]
struct Anything {
    reach: Vec<Over<Reach>>,
}

impl Anything {
    fn of(graph: &Graph) -> Self {
        Self { reach: graph.points.iter().map(|point| Reach::anything(point.facts)).collect() }
    }
}

impl Guide for Anything {
    fn ahead(&self, at: PointId) -> &Over<Reach> {
        &self.reach[at.0 as usize]
    }
}
