//! Unfolding: an atom is replaced by the bodies of the clauses that derive it.

use base::IndexVec;
use term::{Node, Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::{Choice, Fate, Part, Premise, counts, equations, map_atoms, map_terms};
use crate::system::{Atom, Clause, PredicateId, System};

/// For each predicate those that its original clauses mention.
type Premises = IndexVec<PredicateId, Vec<PredicateId>>;

/// A predicate without atoms in its clauses is unfolded if the copies beyond the first have at most so many terms together.
const COPY_LIMIT: usize = 3_000;
/// No clause gets a longer body by unfolding.
const BODY_LIMIT: usize = 12;

/// Unfolds predicates until none is left whose unfolding makes the system no larger; those that are kept stay.
pub(super) fn unfold(
    terms: &mut Terms,
    system: &System,
    keep: &dyn Fn(PredicateId) -> bool,
    parts: &mut Vec<Part>,
    fates: &mut IndexVec<PredicateId, Fate>,
) {
    let premises = premises(system, fates);
    loop {
        let mut has_changed = false;
        for predicate in system.predicates.ids() {
            let is_open = fates[predicate] == Fate::Kept && !keep(predicate);
            if is_open && is_worthwhile(terms, parts, predicate) && !is_circular(&premises, fates, predicate)
            {
                merge_leaves(terms, system, parts, predicate);
                replace(terms, parts, predicate);
                fates[predicate] = Fate::Unfolded;
                has_changed = true;
            }
        }
        if !has_changed {
            return;
        }
    }
}

/// Original clauses with a premise that nothing derives do not count: they hold whatever their heads mean.
fn premises(system: &System, fates: &IndexVec<PredicateId, Fate>) -> Premises {
    let mut premises: Premises = IndexVec::filled(Vec::new(), system.predicates.len());
    for clause in &system.clauses {
        let is_vacuous = clause.body.iter().any(|atom| fates[atom.predicate] == Fate::Empty);
        if let Some(head) = clause.head.as_ref().filter(|_| !is_vacuous) {
            premises[head.predicate].extend(clause.body.iter().map(|atom| atom.predicate));
        }
    }
    premises
}

/// Whether the original clauses would define the predicate by itself. That may be so although no clause that is left mentions it: clauses
/// disappear when their constraints turn out to be false.
fn is_circular(premises: &Premises, fates: &IndexVec<PredicateId, Fate>, predicate: PredicateId) -> bool {
    let mut is_seen: IndexVec<PredicateId, bool> = IndexVec::filled(false, premises.len());
    let mut open = premises[predicate].clone();
    while let Some(other) = open.pop() {
        if other == predicate {
            return true;
        }
        if fates[other] == Fate::Unfolded && !std::mem::replace(&mut is_seen[other], true) {
            open.extend(&premises[other]);
        }
    }
    false
}

fn derives(part: &Part, predicate: PredicateId) -> bool {
    part.clause.head.as_ref().is_some_and(|head| head.predicate == predicate)
}

fn is_worthwhile(terms: &Terms, parts: &[Part], predicate: PredicateId) -> bool {
    let Some((uses, clauses)) = counts(parts).get(&predicate).copied() else { return false };
    let own: Vec<&Part> = parts.iter().filter(|part| derives(part, predicate)).collect();
    if own.iter().any(|part| part.clause.body.iter().any(|atom| atom.predicate == predicate)) {
        return false;
    }
    let longest = own.iter().map(|part| part.clause.body.len()).max().unwrap_or(0);
    let fits = parts.iter().all(|part| {
        let occurrences = part.clause.body.iter().filter(|atom| atom.predicate == predicate).count();
        part.clause.body.len() + occurrences * longest <= BODY_LIMIT
    });
    if longest == 0 {
        let roots: Vec<TermId> = own.iter().flat_map(|part| part.clause.terms()).collect();
        return uses.saturating_sub(1) * terms.reachable(&roots).len() <= COPY_LIMIT;
    }
    fits && uses * clauses <= uses.max(clauses)
}

/// Clauses without atoms in their bodies become one, whose constraint is a disjunction.
fn merge_leaves(terms: &mut Terms, system: &System, parts: &mut Vec<Part>, predicate: PredicateId) {
    let is_leaf = |part: &Part| derives(part, predicate) && part.clause.body.is_empty();
    if parts.iter().filter(|part| is_leaf(part)).count() < 2 {
        return;
    }
    let (leaves, rest): (Vec<Part>, Vec<Part>) = std::mem::take(parts).into_iter().partition(is_leaf);
    *parts = rest;
    let mut arguments = Vec::new();
    for formal in &system.predicates[predicate].formals {
        let sort = terms.symbol(*formal).sort;
        arguments.push(terms.constant("x", sort, SymbolKind::Skolem));
    }
    let (mut cases, mut origin): (Vec<TermId>, Choice) = (Vec::new(), Vec::new());
    for leaf in leaves {
        let mut conjuncts = vec![leaf.clause.constraint];
        for (argument, own) in arguments.iter().zip(leaf.clause.head.iter().flat_map(|head| &head.arguments))
        {
            conjuncts.push(terms.eq(*argument, *own));
        }
        let case = terms.and(conjuncts);
        cases.push(case);
        for (condition, inner) in leaf.origin {
            origin.push((terms.and([case, condition]), inner));
        }
    }
    let head = Some(Atom { predicate, arguments });
    let clause = Clause { head, body: Vec::new(), constraint: terms.or(cases) };
    parts.push(Part { clause, origin });
}

/// Replaces all atoms of the predicate and drops its clauses.
fn replace(terms: &mut Terms, parts: &mut Vec<Part>, predicate: PredicateId) {
    let is_own = |part: &Part| derives(part, predicate);
    let (own, rest): (Vec<Part>, Vec<Part>) = std::mem::take(parts).into_iter().partition(is_own);
    let mut open: Vec<Part> = rest.into_iter().rev().collect();
    while let Some(part) = open.pop() {
        let Some(position) = part.clause.body.iter().position(|atom| atom.predicate == predicate) else {
            parts.push(part);
            continue;
        };
        for inner in own.iter().rev() {
            let mut resolvent = resolve(terms, &part, position, inner);
            equations::solve(terms, &mut resolvent);
            if resolvent.clause.constraint != Terms::FALSE {
                open.push(resolvent);
            }
        }
    }
}

/// The clause with one atom replaced by the body of a clause that derives it.
fn resolve(terms: &mut Terms, outer: &Part, position: usize, inner: &Part) -> Part {
    let atom = &outer.clause.body[position];
    let (inner, equations) = fresh_copy(terms, inner, &atom.arguments);
    let mut body = outer.clause.body.clone();
    body.remove(position);
    let offset = body.len();
    body.extend(inner.clause.body);
    let conjuncts = [outer.clause.constraint, inner.clause.constraint].into_iter().chain(equations);
    let constraint = terms.and(conjuncts);
    let mut unfolded = inner.origin;
    map_atoms(&mut unfolded, |index| Premise::Atom(index + offset));
    let mut origin = outer.origin.clone();
    map_atoms(&mut origin, |index| match index.cmp(&position) {
        std::cmp::Ordering::Less => Premise::Atom(index),
        std::cmp::Ordering::Equal => Premise::Unfolded(unfolded.clone()),
        std::cmp::Ordering::Greater => Premise::Atom(index - 1),
    });
    Part { clause: Clause { head: outer.clause.head.clone(), body, constraint }, origin }
}

/// A copy of a part with new symbols, whose head has these arguments if the equations hold.
fn fresh_copy(terms: &mut Terms, part: &Part, arguments: &[TermId]) -> (Part, Vec<TermId>) {
    let mut pairs: Vec<(SymbolId, TermId)> = Vec::new();
    let own = part.clause.head.iter().flat_map(|head| &head.arguments);
    for (argument, own) in arguments.iter().zip(own) {
        if let Node::Symbol(symbol) = terms.node(*own)
            && pairs.iter().all(|(known, _)| known != symbol)
        {
            pairs.push((*symbol, *argument));
        }
    }
    let mut symbols = part.clause.symbols(terms);
    symbols.retain(|symbol| pairs.iter().all(|(known, _)| known != symbol));
    for symbol in symbols {
        let term::Symbol { name, sort, .. } = terms.symbol(symbol).clone();
        pairs.push((symbol, terms.constant(&name, sort, SymbolKind::Skolem)));
    }
    let mut substitution = Substitution::new(pairs);
    let clause = part.clause.substitute(terms, &mut substitution);
    let mut origin = part.origin.clone();
    map_terms(&mut origin, |term| substitution.apply(terms, term));
    let own = clause.head.iter().flat_map(|head| &head.arguments);
    let equations = arguments.iter().zip(own).map(|(argument, own)| terms.eq(*argument, *own)).collect();
    (Part { clause, origin }, equations)
}
