//! The laws of each domain by itself (D1 and D2 of `summary::star`'s domains), by the solver and by runs of the interpreter.
//!
//! With D(k) the facts that a domain finds about k iterations of a random loop body F, over names for all values after the loop:
//! one iteration satisfies D(1); `F ∘ D(k)` and `D(k) ∘ F` imply D(k+1) for k >= 1; facts about any number of iterations hold of none; and states that
//! a run of the interpreter meets k iterations apart satisfy D(k). Every test counts how often its domain found something, so
//! that it fails if its programs no longer exercise the domain.

use std::fmt::Write as _;

use base::Budget;
use graph::PointId;
use summary::StarOptions;
use summary::star::{Body, DOMAINS, PartialStar, StarDomain, StarFacts};
use term::{Evaluator, Model, Node, Substitution, SymbolId, TermId, Terms};
use testkit::Random;

use crate::generate::{Summarised, count, summarise_with};
use crate::laws::{Tally, body};
use crate::runs::{Iterations, code, iterations, possible, run};

/// Programs for each domain.
const PROGRAMS: u64 = 14;
/// Runs of each program.
const RUNS: u64 = 4;
/// Pairs of states checked in one run.
const MAX_PAIRS: usize = 9;

/// Makes the part of a loop body that one kind of domain is there for.
type Ingredient = fn(&mut Random) -> Part;

/// Declarations, statements of the loop body, and a condition after the loop.
struct Part {
    declarations: String,
    statements: String,
    condition: String,
}

/// Steps of different sizes towards a bound.
fn steps(random: &mut Random) -> Part {
    let (low, high) = (random.between(1, 3), random.between(4, 9));
    Part {
        declarations: format!("int s = 0; int limit = {};", random.between(20, 60)),
        statements: format!(
            "int d = __VERIFIER_nondet_uchar(); if (s >= limit || d < {low} || d > {high}) return 0; s = s + d;"
        ),
        condition: format!("s > {}", random.between(40, 90)),
    }
}

/// Steps down, with states that end in a range.
fn falling(random: &mut Random) -> Part {
    let (start, step) = (random.between(30, 90), random.between(1, 4));
    Part {
        declarations: format!("int w = {start};"),
        statements: format!(
            "if (w < {step}) return 0; if (__VERIFIER_nondet_int()) w = w - {step}; else w = w - 1;"
        ),
        condition: format!("w == {}", random.between(0, 9)),
    }
}

/// Steps that are multiples of a number.
fn multiples(random: &mut Random) -> Part {
    let step = random.between(2, 6);
    Part {
        declarations: format!("int m = {};", random.between(0, 5)),
        statements: format!(
            "if (m > 500) return 0; if (__VERIFIER_nondet_int()) m = m + {step}; else m = m + {};",
            step * random.between(2, 4)
        ),
        condition: format!("m % {step} == {}", random.between(0, 2)),
    }
}

/// Values of one residue class at the end of every iteration.
fn residues(random: &mut Random) -> Part {
    let modulus = random.between(3, 7);
    Part {
        declarations: "int r = __VERIFIER_nondet_uchar(); unsigned char u = 0;".to_owned(),
        statements: format!("u = __VERIFIER_nondet_uchar(); r = {modulus} * u + {};", random.between(0, 2)),
        condition: format!("r % {modulus} == {}", random.between(0, 4)),
    }
}

/// Sums that wrap around and agree modulo the period.
fn wrapping(random: &mut Random) -> Part {
    let step = random.between(1, 5);
    Part {
        declarations: "unsigned a = __VERIFIER_nondet_int(), b = 0, t = a;".to_owned(),
        statements: format!(
            "if (__VERIFIER_nondet_int()) a = a + {step}; else b = b + {step}; t = t + {step};"
        ),
        condition: format!("a + b != t || a == {}", random.between(0, 9)),
    }
}

/// A value that at least doubles.
fn doubling(random: &mut Random) -> Part {
    let added = random.between(0, 6);
    Part {
        declarations: format!("int g = {};", random.between(1, 3)),
        statements: format!(
            "if (g > 500000000) return 0; if (__VERIFIER_nondet_int()) g = 2 * g + {added}; else g = 3 * g;"
        ),
        condition: format!("g < {}", random.between(2, 30)),
    }
}

/// A flag that every iteration sets by a test, and one that is never taken back.
fn flags(random: &mut Random) -> Part {
    let modulus = random.between(2, 4);
    Part {
        declarations: "unsigned x = __VERIFIER_nondet_uchar(); int flag = 1, seen = 0;".to_owned(),
        statements: format!(
            "x = __VERIFIER_nondet_uchar(); if (x % {modulus} == 0) flag = 0; else flag = 1; if (x > {}) seen = 1;",
            random.between(3, 90)
        ),
        condition: format!("flag == 0 && x % {modulus} == 1 && seen == 0"),
    }
}

const INGREDIENTS: [Ingredient; 7] = [steps, falling, multiples, residues, wrapping, doubling, flags];

/// A program with one loop, made of one or two ingredients; each is used in turn.
fn loop_text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let first = (seed % INGREDIENTS.len() as u64) as usize;
    let mut parts = vec![INGREDIENTS[first](&mut random)];
    if random.chance(50) {
        let second = (first + 1 + random.below(INGREDIENTS.len() - 1)) % INGREDIENTS.len();
        parts.push(INGREDIENTS[second](&mut random));
    }
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern void reach_error(void);\nint main(void) {\n",
    );
    for part in &parts {
        let _ = writeln!(text, "{}", part.declarations);
    }
    text.push_str("while (__VERIFIER_nondet_int()) {\n");
    for part in &parts {
        let _ = writeln!(text, "{}", part.statements);
    }
    text.push_str("}\n");
    for part in &parts {
        let _ = writeln!(text, "if ({}) reach_error();", part.condition);
    }
    text.push_str("return 0; }\n");
    text
}

/// What a domain has found about a loop body, as a relation D(k) between states.
struct Found<'a> {
    body: &'a Body,
    star: PartialStar,
    facts: StarFacts,
    counter: SymbolId,
}

impl<'a> Found<'a> {
    fn new(terms: &Terms, body: &'a Body, (star, facts): (PartialStar, StarFacts)) -> Self {
        let Node::Symbol(counter) = *terms.node(star.count()) else {
            panic!("without closed forms the number of iterations is a symbol")
        };
        Self { body, star, facts, counter }
    }

    /// Everything that was found.
    fn all(&self, terms: &mut Terms) -> TermId {
        let any = self.facts.any.iter().map(|witnessed| witnessed.fact);
        terms.and(self.facts.some.iter().copied().chain(any))
    }

    /// The state after one iteration from the state of the variables, as a substitution of the variables.
    fn step(&self) -> Vec<(SymbolId, TermId)> {
        self.star.values().keys().map(|symbol| (*symbol, self.body.formula.update[symbol])).collect()
    }

    /// The values after the loop for those of the variables.
    fn to_after(&self) -> Vec<(SymbolId, TermId)> {
        self.star.values().iter().map(|(symbol, after)| (*symbol, *after)).collect()
    }

    /// Other values for the values after the loop.
    fn after_is(&self, terms: &Terms, values: &[(SymbolId, TermId)]) -> Vec<(SymbolId, TermId)> {
        let mut pairs = Vec::new();
        for (symbol, value) in values {
            let Node::Symbol(after) = *terms.node(self.star.values()[symbol]) else { continue };
            pairs.push((after, *value));
        }
        pairs
    }

    /// One iteration between states that satisfy the facts of the head.
    fn iteration(&self, terms: &mut Terms) -> TermId {
        let arrives = Substitution::new(self.step()).apply(terms, self.body.facts);
        terms.and([self.body.facts, self.body.formula.guard, arrives])
    }

    /// That no choice of Skolem constants makes the facts true for one iteration more than `before`, with other values after the loop.
    fn missed(&self, terms: &mut Terms, before: TermId, after: &[(SymbolId, TermId)]) -> TermId {
        let mut choices: Vec<Vec<(SymbolId, TermId)>> = vec![Vec::new()];
        for witnessed in &self.facts.any {
            let mut longer = Vec::new();
            for choice in &choices {
                for value in &witnessed.more {
                    longer.push(choice.iter().copied().chain([(witnessed.symbol, *value)]).collect());
                }
            }
            choices = longer;
        }
        let one = terms.int(1);
        let number = terms.add(before, one);
        let all = self.all(terms);
        let mut parts = Vec::new();
        for choice in choices {
            let pairs = choice.into_iter().chain(after.iter().copied()).chain([(self.counter, number)]);
            let holds = Substitution::new(pairs.collect::<Vec<_>>()).apply(terms, all);
            parts.push(terms.not(holds));
        }
        terms.and(parts)
    }

    /// Facts about any number of iterations, for none.
    fn none(&self, terms: &mut Terms) -> TermId {
        let same: Vec<_> =
            self.star.values().keys().map(|symbol| (*symbol, terms.of_symbol(*symbol))).collect();
        let zero = terms.int(0);
        let mut pairs = self.after_is(terms, &same);
        pairs.push((self.counter, zero));
        pairs.extend(self.facts.any.iter().map(|witnessed| (witnessed.symbol, witnessed.none)));
        let any: Vec<TermId> = self.facts.any.iter().map(|witnessed| witnessed.fact).collect();
        let any = terms.and(any);
        let holds = Substitution::new(pairs).apply(terms, any);
        let broken = terms.not(holds);
        terms.and([self.body.facts, broken])
    }

    /// One iteration that does not satisfy D(1).
    fn one(&self, terms: &mut Terms) -> TermId {
        let iteration = self.iteration(terms);
        let after = self.after_is(terms, &self.step());
        let zero = terms.int(0);
        let missed = self.missed(terms, zero, &after);
        let none = self.facts.any.iter().map(|witnessed| (witnessed.symbol, witnessed.none));
        let missed = Substitution::new(none.collect::<Vec<_>>()).apply(terms, missed);
        terms.and([iteration, missed])
    }

    /// An iteration, then D(k), but not D(k+1).
    fn in_front(&self, terms: &mut Terms) -> TermId {
        let iteration = self.iteration(terms);
        let all = self.all(terms);
        let rest = Substitution::new(self.step()).apply(terms, all);
        let one = terms.int(1);
        let some = terms.ge(self.star.count(), one);
        let missed = self.missed(terms, self.star.count(), &[]);
        terms.and([iteration, some, rest, missed])
    }

    /// D(k), then an iteration, but not D(k+1).
    fn behind(&self, terms: &mut Terms) -> TermId {
        let mut to_after = Substitution::new(self.to_after());
        let iteration = self.iteration(terms);
        let last = to_after.apply(terms, iteration);
        let mut end = Vec::new();
        for (symbol, value) in self.step() {
            end.push((symbol, to_after.apply(terms, value)));
        }
        let after = self.after_is(terms, &end);
        let all = self.all(terms);
        let one = terms.int(1);
        let some = terms.ge(self.star.count(), one);
        let missed = self.missed(terms, self.star.count(), &after);
        terms.and([self.body.facts, some, all, last, missed])
    }

    /// Checks that the facts hold of states that a run has met. Returns whether the run has values for all variables.
    fn holds_of(&self, summarised: &mut Summarised, iterations: &Iterations<'_>, context: &str) -> bool {
        let terms = &mut summarised.terms;
        let formula = if iterations.number > 0 {
            self.all(terms)
        } else {
            terms.and(self.facts.any.iter().map(|witnessed| witnessed.fact).collect::<Vec<_>>())
        };
        let mut pairs = Vec::new();
        for (symbol, value) in &iterations.from.values {
            pairs.push((*symbol, terms.number(value.clone())));
        }
        for (symbol, after) in self.star.values() {
            let (Node::Symbol(after), Some(value)) = (terms.node(*after), iterations.to.values.get(symbol))
            else {
                return false;
            };
            pairs.push((*after, terms.number(value.clone())));
        }
        pairs.push((self.counter, terms.int(iterations.number as i64)));
        let formula = Substitution::new(pairs).apply(terms, formula);
        let holds = Evaluator::new(terms, &Model::new()).holds(formula)
            || !self.facts.any.is_empty() && possible(summarised, formula, &Model::new());
        let Iterations { from, to, number } = iterations;
        assert!(holds, "the facts exclude {from:?} to {to:?} in {number}\n{context}");
        true
    }
}

/// The laws of one domain on one loop body.
fn check_laws(summarised: &mut Summarised, found: &Found<'_>, tally: &mut Tally, context: &str) {
    let terms = &mut summarised.terms;
    let mut questions = vec![
        ("one iteration violates the facts", found.one(terms)),
        ("an iteration in front violates the facts", found.in_front(terms)),
        ("an iteration behind violates the facts", found.behind(terms)),
    ];
    if !found.facts.any.is_empty() {
        questions.push(("no iteration violates the facts", found.none(terms)));
    }
    for (what, question) in questions {
        tally.unsatisfiable(summarised, question, &format!("{what}\n{context}"));
    }
}

/// The laws of one domain. It should find something in at least `least` of the programs.
#[allow(clippy::print_stdout)] // the tally, for `--nocapture`
fn check_domain(name: &str, least: u64) {
    let domain: &dyn StarDomain =
        *DOMAINS.iter().find(|domain| domain.name() == name).expect("the domain is in the list");
    let programs = count("WAYPROOF_LAWS", PROGRAMS);
    let first = count("WAYPROOF_SEED", 0);
    let (mut tally, mut fruitful, mut pairs) = (Tally::default(), 0, 0);
    for seed in first..first + programs {
        let text = loop_text(seed);
        let context = format!("domain {name}, program {seed}\n{text}");
        let mut summarised =
            summarise_with(&text, StarOptions { domains: &[], effort: 0, ..StarOptions::default() });
        summarised.stars = summary::Stars::new(summarised.solvers.clone(), StarOptions::default());
        let heads: Vec<PointId> = summarised.summaries.stars().keys().copied().collect();
        for head in heads {
            let body = body(&mut summarised, head).expect("there is one loop");
            let facts = summarised
                .stars
                .facts(domain, &mut summarised.terms, &body, &mut Budget::unlimited())
                .expect("there is no limit");
            if facts.1.is_empty() {
                continue;
            }
            fruitful += 1;
            let found = Found::new(&summarised.terms, &body, facts);
            check_laws(&mut summarised, &found, &mut tally, &context);
            let code = code(&summarised);
            for inputs in 0..RUNS {
                let (states, _) = run(&summarised, &code, inputs * 77_777 + seed);
                let met = iterations(&summarised, &states, head);
                for apart in met.iter().take(MAX_PAIRS) {
                    pairs += u64::from(found.holds_of(&mut summarised, apart, &context));
                }
            }
        }
    }
    println!("{name}: facts in {fruitful} of {programs} programs, {pairs} pairs of states, {tally:?}");
    if programs >= PROGRAMS {
        assert!(fruitful >= least, "{name} found something in {fruitful} programs only");
        assert!(tally.held > 10 * tally.open && pairs > fruitful, "{name}: {tally:?}, {pairs} pairs");
    }
}

#[test]
fn every_domain_has_a_law_test() {
    let text = include_str!("domain_laws.rs");
    for domain in DOMAINS {
        let tested = format!("check_domain(\"{}\"", domain.name());
        assert!(text.contains(&tested), "there is no law test of {}", domain.name());
    }
}

#[test]
fn head_facts_satisfy_the_laws() {
    check_domain("head facts", 10);
}

#[test]
fn increments_satisfy_the_laws() {
    check_domain("increments", 10);
}

#[test]
fn congruences_of_increments_satisfy_the_laws() {
    check_domain("congruences of increments", 3);
}

#[test]
fn modular_increments_satisfy_the_laws() {
    check_domain("modular increments", 2);
}

#[test]
fn states_before_satisfy_the_laws() {
    check_domain("states before", 10);
}

#[test]
fn progress_towards_bounds_satisfies_the_laws() {
    check_domain("progress before", 4);
}

#[test]
fn states_after_satisfy_the_laws() {
    check_domain("states after", 10);
}

#[test]
fn progress_away_from_bounds_satisfies_the_laws() {
    check_domain("progress after", 4);
}

#[test]
fn growth_satisfies_the_laws() {
    check_domain("growth", 2);
}

#[test]
fn congruences_of_states_satisfy_the_laws() {
    check_domain("congruences of states", 2);
}

#[test]
fn established_conditions_satisfy_the_laws() {
    check_domain("established", 2);
}

#[test]
fn stable_conditions_satisfy_the_laws() {
    check_domain("stable", 4);
}
