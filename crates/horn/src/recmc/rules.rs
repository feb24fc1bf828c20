//! The system as the search sees it: for each predicate, and for false, the rules that derive it.
//!
//! # Invariants
//! * I1: the symbols of a site are distinct. Sites share integers with each other and with the formals where their arguments are the same: an
//!   argument that is only passed on needs neither a symbol of its own nor an equation. Booleans are not shared: their equations cost nothing,
//!   and a chain of N procedures takes 3N + 2 queries instead of 4N + 3.
//! * I2: `values` gives every symbol of the clause as a term over the symbols of the rule.

use base::Idx;
use rustc_hash::FxHashSet;
use term::{Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::components::components;
use super::facts::Level;
use crate::system::{ClauseId, PredicateId, System};

/// A predicate, or false.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    /// Its arguments.
    pub(super) formals: Vec<SymbolId>,
    /// What derives it.
    pub(super) rules: Vec<Rule>,
}

impl Relation {
    /// Whether a rule needs a step of recursion.
    pub(super) fn recurs(&self, rule: usize) -> bool {
        self.rules[rule].sites.iter().any(|site| site.step == Step::Recursive)
    }
}

/// From a relation to one of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// That depends on it in turn: the height counts it.
    Recursive,
    /// That does not.
    Down,
}

impl Step {
    /// The height that is left for the premise of a derivation of at most this height.
    pub(super) fn below(self, height: u32) -> u32 {
        match self {
            Self::Recursive => height.saturating_sub(1),
            Self::Down => height,
        }
    }

    /// Up to which height a conclusion holds if its premise is known up to this one.
    pub(super) fn above(self, level: Level) -> Level {
        match self {
            Self::Recursive => level.next(),
            Self::Down => level,
        }
    }
}

/// A clause, said about the formals of its head.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The clause.
    pub(super) clause: ClauseId,
    /// Its constraint, with the arguments of head and body.
    pub(super) formula: TermId,
    /// The atoms of its body.
    pub(super) sites: Vec<Site>,
    /// The symbols of the clause as terms of the rule (I2).
    pub(super) values: Vec<(SymbolId, TermId)>,
}

/// An atom of a body.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// Its predicate, by number.
    pub(super) relation: usize,
    /// What the height of derivations counts.
    pub(super) step: Step,
    /// Its arguments (I1).
    pub(super) symbols: Vec<SymbolId>,
}

/// All relations; false comes last.
pub(super) fn relations(terms: &mut Terms, system: &System) -> Vec<Relation> {
    let heads = system.predicates.ids().map(Some).chain([None]);
    let mut relations: Vec<Relation> = heads.map(|head| relation(terms, system, head)).collect();
    let components = components(&relations);
    for (relation, own) in relations.iter_mut().zip(&components) {
        for site in relation.rules.iter_mut().flat_map(|rule| &mut rule.sites) {
            site.step = if components[site.relation] == *own { Step::Recursive } else { Step::Down };
        }
    }
    relations
}

fn relation(terms: &mut Terms, system: &System, head: Option<PredicateId>) -> Relation {
    let formals = head.map(|head| system.predicates[head].formals.clone()).unwrap_or_default();
    let clauses: Vec<ClauseId> = system.clauses_of(head).collect();
    let rules = clauses.into_iter().map(|clause| rule(terms, system, &formals, clause)).collect();
    Relation { formals, rules }
}

fn rule(terms: &mut Terms, system: &System, formals: &[SymbolId], id: ClauseId) -> Rule {
    let clause = &system.clauses[id];
    let symbols = clause.symbols(terms);
    let arguments = clause.head.iter().flat_map(|head| &head.arguments);
    // A symbol that is an argument of the head is called as the formal.
    let mut pairs: Vec<(SymbolId, TermId)> = Vec::new();
    let mut renamed = FxHashSet::default();
    for (formal, argument) in formals.iter().zip(arguments) {
        if let Node::Symbol(symbol) = terms.node(*argument)
            && renamed.insert(*symbol)
        {
            pairs.push((*symbol, terms.of_symbol(*formal)));
        }
    }
    let mut substitution = Substitution::new(pairs);
    let said = clause.substitute(terms, &mut substitution);
    let values = symbols
        .into_iter()
        .map(|symbol| {
            let term = terms.of_symbol(symbol);
            (symbol, substitution.apply(terms, term))
        })
        .collect();
    let mut conjuncts = vec![said.constraint];
    for (formal, argument) in formals.iter().zip(said.head.iter().flat_map(|head| &head.arguments)) {
        let formal = terms.of_symbol(*formal);
        conjuncts.push(terms.eq(formal, *argument));
    }
    let is_boolean = |terms: &Terms, symbol: SymbolId| terms.symbol(symbol).sort == Sort::Bool;
    let mut booleans: FxHashSet<SymbolId> =
        formals.iter().copied().filter(|formal| is_boolean(terms, *formal)).collect();
    let mut sites = Vec::new();
    for atom in &said.body {
        let mut used = booleans.clone();
        let mut symbols = Vec::new();
        for argument in &atom.arguments {
            let own = match terms.node(*argument) {
                Node::Symbol(symbol) if used.insert(*symbol) => Some(*symbol),
                _ => None,
            };
            symbols.push(own.unwrap_or_else(|| {
                let sort = terms.sort(*argument);
                let symbol = terms.fresh("y", sort, SymbolKind::Auxiliary);
                let name = terms.of_symbol(symbol);
                conjuncts.push(terms.eq(name, *argument));
                symbol
            }));
        }
        booleans.extend(symbols.iter().filter(|symbol| is_boolean(terms, **symbol)));
        sites.push(Site { relation: atom.predicate.index(), step: Step::Down, symbols });
    }
    Rule { clause: id, formula: terms.and(conjuncts), sites, values }
}

/// The height of the lowest derivation of false that the atoms allow: lower bounds are vacuous. Zero if there is none.
pub(super) fn least_height(relations: &[Relation]) -> u32 {
    let mut heights: Vec<Option<u32>> = vec![None; relations.len()];
    for _ in 0..relations.len() {
        let mut next = heights.clone();
        for (relation, height) in relations.iter().zip(&mut next) {
            let of_rule = |rule: &Rule| {
                let height =
                    |site: &Site| Some(heights[site.relation]? + u32::from(site.step == Step::Recursive));
                let sites = rule.sites.iter().map(height);
                sites.collect::<Option<Vec<u32>>>().map(|sites| sites.into_iter().max().unwrap_or(0))
            };
            *height = relation.rules.iter().filter_map(of_rule).min();
        }
        if next == heights {
            break;
        }
        heights = next;
    }
    heights.last().copied().flatten().unwrap_or(0)
}

impl Site {
    /// What is said about formals, said about this site.
    pub(super) fn at(&self, terms: &mut Terms, formals: &[SymbolId], formula: TermId) -> TermId {
        let pairs: Vec<_> =
            formals.iter().zip(&self.symbols).map(|(formal, own)| (*formal, terms.of_symbol(*own))).collect();
        Substitution::new(pairs).apply(terms, formula)
    }

    /// What is said about this site, said about formals.
    pub(super) fn back(&self, terms: &mut Terms, formals: &[SymbolId], formula: TermId) -> TermId {
        let pairs: Vec<_> =
            formals.iter().zip(&self.symbols).map(|(formal, own)| (*own, terms.of_symbol(*formal))).collect();
        Substitution::new(pairs).apply(terms, formula)
    }
}
