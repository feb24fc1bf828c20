//! The laws of star on random loops: with F the body, `S(0)` includes the identity, `F ∘ S(k)` implies `S(k+1)` and `S(k) ∘ F` implies `S(k+1)`;
//! and the steps of the annotation that summaries are (T2 of `summary::single_target`). `WAYPROOF_LAWS` sets the number of programs, `WAYPROOF_SEED` the
//! first.

use crate::generate::{Summarised, count, program_text, summarise};
use base::Budget;
use encode::Transition;
use graph::PointId;
use smt::{Answer, check_formula};
use summary::Star;
use summary::star::Body;
use summary::starts::starts;
use term::{Evaluator, Model, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

/// Effort of one question; a law that takes more is counted as open.
const EFFORT: u64 = 20_000;
/// Pairs of states for the law that has no witness at hand.
const SAMPLES: usize = 3;

/// How the questions about laws were answered.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) held: u64,
    pub(crate) open: u64,
}

impl Tally {
    /// Counts the law that a formula has no model; a model breaks it.
    pub(crate) fn unsatisfiable(&mut self, summarised: &Summarised, formula: TermId, what: &str) {
        match ask(summarised, formula) {
            Answer::Unsat(_) => self.held += 1,
            Answer::Unknown(_) => self.open += 1,
            Answer::Sat(model) => {
                let mut values = Vec::new();
                for (symbol, value) in model.iter() {
                    values.push(format!("{} = {value:?}", term::print::own_name(&summarised.terms, symbol)));
                }
                panic!("{what}\n{}", values.join(", "));
            }
        }
    }
}

fn ask(summarised: &Summarised, formula: TermId) -> Answer {
    let mut solver = summarised.solvers.z3_solver();
    check_formula(&mut solver, &summarised.terms, formula, &mut Budget::ticks(EFFORT))
}

/// The body of a loop that consists of its head alone.
pub(crate) fn body(summarised: &mut Summarised, head: PointId) -> Option<Body> {
    let point = &summarised.graph.points[head];
    if point.body.as_ref()?.len() > 1 {
        return None;
    }
    let mut formula = Transition::empty();
    for arc in point.outgoing.iter().rev() {
        let arc = &summarised.graph.arcs[*arc];
        if arc.target == head {
            formula = formula.or(&mut summarised.terms, &arc.formula);
        }
    }
    let hints = summarised.graph.hints(&summarised.terms, head);
    Some(Body {
        formula,
        facts: point.facts,
        live: point.live.clone(),
        hints,
        starts: starts(&summarised.graph, head, &summarised.terms),
        ghosts: summarised.graph.cells.ghosts.clone(),
        cells: summarised.graph.cells.cells.iter().map(|cell| cell.symbol).collect(),
    })
}

/// The star with other values of its Skolem constants.
fn instance(terms: &mut Terms, star: &Transition, choice: &[(SymbolId, TermId)]) -> Transition {
    let mut substitution = Substitution::new(choice.iter().copied());
    let guard = substitution.apply(terms, star.guard);
    let update =
        star.update.iter().map(|(symbol, value)| (*symbol, substitution.apply(terms, *value))).collect();
    Transition { guard, update }
}

/// That `smaller` is no instance of `larger` as a relation between live variables.
fn missed(terms: &mut Terms, smaller: &Transition, larger: &Transition, live: &[SymbolId]) -> TermId {
    let mut parts = vec![larger.guard];
    for symbol in live {
        let (left, right) = (smaller.value(terms, *symbol), larger.value(terms, *symbol));
        parts.push(terms.eq(left, right));
    }
    let included = terms.and(parts);
    terms.not(included)
}

fn check_star(summarised: &mut Summarised, body: &Body, star: &Star, tally: &mut Tally, context: &str) {
    let terms = &mut summarised.terms;
    let facts = Transition::assume(body.facts);
    let none = instance(terms, &star.formula, &star.none);
    let outside = missed(terms, &Transition::identity(), &none, &body.live);
    let question = terms.and([body.facts, outside]);
    tally.unsatisfiable(summarised, question, &format!("S(0) misses the identity\n{context}"));

    let terms = &mut summarised.terms;
    let then_facts = body.formula.then(terms, &facts);
    let one = facts.then(terms, &then_facts);
    let longer = one.then(terms, &star.formula);
    let mut parts = vec![longer.guard];
    for choice in &star.more {
        let larger = instance(terms, &star.formula, choice);
        parts.push(missed(terms, &longer, &larger, &body.live));
    }
    let question = terms.and(parts);
    tally.unsatisfiable(summarised, question, &format!("F before S(k) is not in S(k+1)\n{context}"));
    check_behind(summarised, body, star, &one, tally, context);
}

/// `S(k) ∘ F` implies `S(k+1)`: for samples of the left side the solver finds the Skolem constants of the right one.
fn check_behind(
    summarised: &mut Summarised,
    body: &Body,
    star: &Star,
    one: &Transition,
    tally: &mut Tally,
    context: &str,
) {
    let terms = &mut summarised.terms;
    let facts = Transition::assume(body.facts);
    let started = facts.then(terms, &star.formula);
    let longer = started.then(terms, one);
    let mut blocked = vec![longer.guard];
    for _ in 0..SAMPLES {
        let terms = &mut summarised.terms;
        let question = terms.and(blocked.clone());
        let Answer::Sat(model) = ask(summarised, question) else { return };
        let terms = &mut summarised.terms;
        let question = continued(terms, star, &longer, &model, &body.live);
        match ask(summarised, question) {
            Answer::Sat(_) => tally.held += 1,
            Answer::Unknown(_) => tally.open += 1,
            Answer::Unsat(_) => panic!("S(k) before F is not in S(k+1)\n{model:?}\n{context}"),
        }
        // The next sample differs in the number of iterations.
        let terms = &mut summarised.terms;
        let count = Evaluator::new(terms, &model).int(star.count);
        let count = terms.number(count);
        blocked.push(terms.ne(star.count, count));
    }
}

/// That the star leads from the state before to the state after that a model of `longer` has, in one iteration more.
fn continued(
    terms: &mut Terms,
    star: &Star,
    longer: &Transition,
    model: &Model,
    live: &[SymbolId],
) -> TermId {
    let mut pairs = Vec::new();
    for symbol in terms.symbols_of_all(&[longer.guard, star.formula.guard]) {
        if terms.symbol(symbol).kind == SymbolKind::Variable && terms.symbol(symbol).sort == Sort::Int {
            pairs.push((symbol, terms.number(model.int(symbol))));
        }
    }
    // What the elements of arrays are is for the solver to choose.
    let live: Vec<SymbolId> =
        live.iter().copied().filter(|symbol| terms.symbol(*symbol).sort == Sort::Int).collect();
    for symbol in &live {
        pairs.push((*symbol, terms.number(model.int(*symbol))));
    }
    let one = terms.int(1);
    let iterations = Evaluator::new(terms, model).int(star.count);
    let before = terms.number(iterations);
    let iterations = terms.add(before, one);
    let mut parts = vec![star.formula.guard, terms.eq(star.count, iterations)];
    for symbol in &live {
        let reached = longer.value(terms, *symbol);
        let goal = Evaluator::new(terms, model).int(reached);
        let (value, goal) = (star.formula.value(terms, *symbol), terms.number(goal));
        parts.push(terms.eq(value, goal));
    }
    let formula = terms.and(parts);
    Substitution::new(pairs).apply(terms, formula)
}

/// What a summary says depends on variables that matter only: an arc need not say what becomes of others.
fn check_liveness(summarised: &Summarised, context: &str) {
    for (id, point) in summarised.graph.points.iter_enumerated() {
        let formula = summarised.summaries.reach(id).pruning().formula;
        for symbol in summarised.terms.symbols_of(formula) {
            let info = summarised.terms.symbol(symbol);
            let matters = info.kind != SymbolKind::Variable || point.live.binary_search(&symbol).is_ok();
            assert!(matters, "the summary of {id} speaks of {}\n{context}", info.name);
        }
    }
}

/// T2: from the facts of p, an arc p -> q and R(q) follows an instance of R(p).
fn check_steps(summarised: &mut Summarised, tally: &mut Tally, context: &str) {
    for arc in summarised.graph.arcs.ids() {
        let arc = &summarised.graph.arcs[arc];
        let terms = &mut summarised.terms;
        let goal = summarised.summaries.reach(arc.target).pruning().formula;
        let step = arc.formula.before(terms, goal);
        let reach = summarised.summaries.reach(arc.source).pruning().clone();
        let mut parts = vec![summarised.graph.points[arc.source].facts, step];
        for choice in &reach.instances {
            let instance = Substitution::new(choice.iter().copied()).apply(terms, reach.formula);
            parts.push(terms.not(instance));
        }
        let broken = terms.and(parts);
        let what = format!("{} -> {} is no step\n{context}", arc.source, arc.target);
        tally.unsatisfiable(summarised, broken, &what);
    }
}

/// The laws of all loops of a program that consist of their heads alone, and of its summaries. Returns how many loops there were.
pub(crate) fn check_loops(summarised: &mut Summarised, tally: &mut Tally, context: &str) -> u64 {
    check_liveness(summarised, context);
    check_steps(summarised, tally, context);
    let mut loops = 0;
    let heads: Vec<PointId> = summarised.summaries.stars().keys().copied().collect();
    for head in heads {
        let Some(body) = body(summarised, head) else { continue };
        let mut budget = Budget::unlimited();
        let star =
            summarised.stars.star(&mut summarised.terms, &body, &mut budget).expect("there is no limit");
        loops += 1;
        check_star(summarised, &body, star.pruning(), tally, context);
    }
    loops
}

#[test]
fn stars_of_random_loops_satisfy_the_laws() {
    let programs = count("WAYPROOF_LAWS", 16);
    let first = count("WAYPROOF_SEED", 500);
    let (mut tally, mut stars) = (Tally::default(), 0);
    for seed in first..first + programs {
        let text = program_text(seed);
        let context = format!("program {seed}\n{text}");
        stars += check_loops(&mut summarise(&text), &mut tally, &context);
    }
    println!("{programs} programs, {stars} stars, {tally:?}");
    assert!(tally.held > 10 * tally.open, "{tally:?}");
}
