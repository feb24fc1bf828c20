//! Terms as text: for people ([`text`]), for C programs ([`c_expression`]), for solvers ([`smtlib`]).

mod c;
mod relation;
pub mod smtlib;
mod text;

pub use c::c_expression;
pub use text::{text, text_with};

use crate::{SymbolId, SymbolKind, TermId, Terms};

/// How symbols are called.
pub type Names<'a> = dyn Fn(SymbolId) -> String + 'a;

/// A symbol's own name, with a prime if it is the value afterwards.
pub fn own_name(terms: &Terms, symbol: SymbolId) -> String {
    let symbol = terms.symbol(symbol);
    let prime = if symbol.kind == SymbolKind::Primed { "'" } else { "" };
    format!("{}{prime}", symbol.name)
}

/// A part of a text that is yet to be written.
enum Piece {
    Text(String),
    /// A term, and whether it stands where only something without operators may stand.
    Term(TermId, Place),
}

/// Where a term stands, which decides about parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Alone.
    Top,
    /// Among others, of a connective or a sum.
    Item,
    /// Where an operator would bind wrongly.
    Tight,
}

impl Piece {
    fn new(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// Writes pieces in order, expanding terms without recursion. Nothing if the text gets longer than `limit` bytes.
fn write_pieces(
    first: Piece,
    limit: usize,
    mut expand: impl FnMut(TermId, Place) -> Option<Vec<Piece>>,
) -> Written {
    let (mut written, mut open) = (String::new(), vec![first]);
    while let Some(piece) = open.pop() {
        match piece {
            Piece::Text(text) => written.push_str(&text),
            Piece::Term(term, place) => match expand(term, place) {
                Some(pieces) => open.extend(pieces.into_iter().rev()),
                None => return Written::Impossible,
            },
        }
        if written.len() > limit {
            return Written::TooLong(written);
        }
    }
    Written::All(written)
}

enum Written {
    All(String),
    TooLong(String),
    Impossible,
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{BvOp, Integer, Sort};

    /// Terms over `i`, `i'`, `n`, `k`, a boolean `b` and an array `a`.
    struct World {
        terms: Terms,
        i: TermId,
        next: TermId,
        n: TermId,
        k: TermId,
        b: TermId,
        a: TermId,
    }

    fn world() -> World {
        let mut terms = Terms::new();
        let mut constant = |name, sort, kind| terms.constant(name, sort, kind);
        World {
            i: constant("i", Sort::Int, SymbolKind::Variable),
            next: constant("i", Sort::Int, SymbolKind::Primed),
            n: constant("n", Sort::Int, SymbolKind::Variable),
            k: constant("k", Sort::Int, SymbolKind::Counter),
            b: constant("b", Sort::Bool, SymbolKind::Variable),
            a: constant("a", Sort::Array, SymbolKind::Variable),
            terms,
        }
    }

    fn check(build: impl FnOnce(&mut World) -> TermId, readable: &Expect, c: &Expect) {
        let mut world = world();
        let term = build(&mut world);
        readable.assert_eq(&text(&world.terms, term));
        let names = |symbol| own_name(&world.terms, symbol).replace('\'', "_next");
        c.assert_eq(&c_expression(&world.terms, term, &names, 10_000).unwrap_or("none".to_owned()));
    }

    #[test]
    fn a_summary_reads_like_mathematics() {
        check(
            |w| {
                let (zero, sum) = (w.terms.int(0), w.terms.add(w.i, w.k));
                let (moved, counted) = (w.terms.eq(w.next, sum), w.terms.ge(w.k, zero));
                let bounded = w.terms.le(w.next, w.n);
                w.terms.and([moved, counted, bounded])
            },
            &expect!["i' = i + k, k ≥ 0, i' ≤ n"],
            &expect!["(i_next == i + k) && (k >= 0) && (i_next <= n)"],
        );
    }

    #[test]
    fn strict_and_negated_atoms_are_written_as_people_do() {
        check(
            |w| {
                let (two, five) = (w.terms.int(2), w.terms.int(5));
                let less = w.terms.lt(w.i, w.n);
                let differ = w.terms.ne(w.i, five);
                let double = w.terms.scale(&Integer::from(2), w.n);
                let odd = w.terms.sub(w.i, two);
                let odd = w.terms.divides(&Integer::from(4), odd);
                let not_odd = w.terms.not(odd);
                let not_b = w.terms.not(w.b);
                let far = w.terms.gt(double, five);
                let inner = w.terms.and([not_b, far]);
                w.terms.or([less, differ, not_odd, inner])
            },
            &expect!["i < n ∨ i ≠ 5 ∨ i ≢ 2 (mod 4) ∨ (¬b ∧ n ≥ 3)"],
            &expect!["(i < n) || (i != 5) || ((i + 2) % 4 != 0) || ((!b) && (n >= 3))"],
        );
    }

    #[test]
    fn quotients_choices_and_arrays() {
        check(
            |w| {
                let (seven, three) = (Integer::from(7), w.terms.int(3));
                let shifted = w.terms.add(w.i, three);
                let (quotient, rest) = (w.terms.div(shifted, &seven), w.terms.modulo(w.n, &seven));
                let chosen = w.terms.ite(w.b, quotient, rest);
                let element = w.terms.select(w.a, chosen);
                let product = w.terms.mul(w.i, w.n);
                w.terms.le(element, product)
            },
            &expect!["a[(if b then (i + 3) div 7 else n mod 7)] ≤ i·n"],
            &expect!["a[b ? (((i + 3) - (((i + 3) % 7 + 7) % 7)) / 7) : ((n % 7 + 7) % 7)] <= (i * n)"],
        );
    }

    #[test]
    fn what_c_cannot_say_is_not_said() {
        check(
            |w| {
                let zero = w.terms.int(0);
                let stored = w.terms.store(w.a, zero, w.i);
                w.terms.eq(w.a, stored)
            },
            &expect!["a = a[0 ↦ i]"],
            &expect!["none"],
        );
        check(
            |w| {
                let huge = w.terms.number(Integer::power_of_two(70));
                w.terms.le(w.i, huge)
            },
            &expect!["i ≤ 1180591620717411303424"],
            &expect!["none"],
        );
    }

    #[test]
    fn scripts_define_what_is_shared() {
        let mut w = world();
        let (quotient, minus) = (w.terms.div(w.i, &Integer::from(3)), w.terms.int(-4));
        let shared = w.terms.mul(quotient, w.n);
        let (first, second) = (w.terms.le(shared, w.k), w.terms.ge(shared, minus));
        let even = w.terms.divides(&Integer::from(2), w.next);
        let low = w.terms.bv(BvOp::FromInt(8), &[w.k]);
        let high = w.terms.bv_number(8, 200);
        let wrapped = w.terms.bv(BvOp::Ult, &[high, low]);
        let text = smtlib::script(&w.terms, &[first, second, even, wrapped], "unknown");
        expect![[r"
            (set-info :status unknown)
            (set-logic ALL)
            (declare-fun |i!0| () Int)
            (declare-fun |i!1| () Int)
            (declare-fun |n!2| () Int)
            (declare-fun |k!3| () Int)
            (define-fun t11 () Int (* |n!2| (div |i!0| 3)))
            (assert (<= (+ (* (- 1) |k!3|) t11) 0))
            (assert (<= (+ (* (- 1) t11) (- 4)) 0))
            (assert (= (mod |i!1| 2) 0))
            (assert (bvult (_ bv200 8) ((_ int2bv 8) |k!3|)))
            (check-sat)
        "]]
        .assert_eq(&text);
    }

    #[test]
    fn deep_terms_are_written_without_recursion_and_cut() {
        let mut w = world();
        let mut deep = w.i;
        for _ in 0..1_000_000 {
            let other = w.terms.add(deep, w.n);
            deep = w.terms.ite(w.b, other, deep);
        }
        let (zero, limit) = (w.terms.int(0), 1_000);
        let formula = w.terms.le(deep, zero);
        let readable = text_with(&w.terms, formula, &|symbol| own_name(&w.terms, symbol), limit);
        assert!(readable.ends_with('…') && readable.len() < 2 * limit);
        let script = smtlib::script(&w.terms, &[formula], "sat");
        let depth = |line: &str| {
            line.bytes().fold((0i32, 0i32), |(now, most), byte| match byte {
                b'(' => (now + 1, most.max(now + 1)),
                b')' => (now - 1, most),
                _ => (now, most),
            })
        };
        assert!(script.lines().all(|line| depth(line).1 < 200));
    }
}
