//! Programs as lines of text, with one line that observes a value: it prints the value to see which ones there are, then it asserts something about them.
//!
//! # Invariants
//! * D1: an input is asked for in a line of its own that restricts it, so that its range can be read off the text.

use std::collections::{BTreeMap, BTreeSet};

use crate::Random;

use super::super::judge::Known;
use super::super::syntax::Printed;
use super::question::Question;

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int); extern void reach_error(void); extern int printf(const char *, ...);
extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long); extern void free(void *); extern void exit(int);
extern void *memcpy(void *, const void *, unsigned long); extern void *memmove(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long); extern unsigned long strlen(const char *);
extern char *strcpy(char *, const char *); extern int strcmp(const char *, const char *);
extern char *strchr(const char *, int); extern int memcmp(const void *, const void *, unsigned long);
";

/// A program whose check is still open: the line `@(EXPRESSION)`.
pub(super) struct Draft {
    pub(super) lines: Vec<String>,
    /// What goes wrong in it, if that was the intention; for the choice of a question.
    pub(super) defect: Option<Question>,
}

/// The line of an input.
pub(super) fn input(name: &str, low: i64, high: i64) -> String {
    format!("int {name} = __VERIFIER_nondet_int(); __VERIFIER_assume({name} >= {low} && {name} <= {high});")
}

impl Draft {
    /// The program that prints what its check observes.
    pub(super) fn probe(&self) -> String {
        self.with(|observed| format!("printf(\"%ld\\n\", (long)({observed}));"))
    }

    /// The program with an assertion.
    pub(super) fn asserting(&self, relation: &str) -> String {
        self.with(|observed| format!("if (!(({observed}) {relation})) reach_error();"))
    }

    fn with(&self, check: impl Fn(&str) -> String) -> String {
        let mut text = PRELUDE.to_owned();
        for line in &self.lines {
            match line.trim_start().strip_prefix("@(").and_then(|rest| rest.strip_suffix(')')) {
                None => text.push_str(line),
                Some(observed) => {
                    text.push_str(&line[..line.len() - line.trim_start().len()]);
                    text.push_str(&check(observed));
                }
            }
            text.push('\n');
        }
        text
    }
}

/// What the observed values have in common, or barely not.
pub(super) fn relation(values: &BTreeSet<i64>, wanted: Known, random: &mut Random) -> String {
    let (Some(low), Some(high)) = (values.first().copied(), values.last().copied()) else {
        return "== 0".to_owned();
    };
    let error = i64::from(wanted == Known::Unsafe);
    match random.below(4) {
        0 => format!("<= {}", high - error),
        1 => format!(">= {}", low + error),
        2 if low == high => format!("{} {low}", if error == 0 { "==" } else { "!=" }),
        _ => {
            let is_wanted = |value: &i64| values.contains(value) == (error == 1);
            let all: Vec<i64> = (low - 1..=high.min(low + 300) + 1).filter(is_wanted).collect();
            format!("!= {}", random.pick(&all))
        }
    }
}

/// A text with the ranges of its inputs (D1); nothing if one has none.
pub(super) fn printed(text: &str) -> Option<Printed> {
    let mut ranges = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let is_asked = line.contains("= __VERIFIER_nondet_");
        if is_asked && !line.starts_with("extern") {
            ranges.insert(number as u32 + 1, range(line)?);
        }
    }
    Some(Printed { text: text.to_owned(), ranges })
}

fn range(line: &str) -> Option<(i64, i64)> {
    let name = line.split(" = ").next()?.split(' ').next_back()?;
    let condition = line.split("__VERIFIER_assume(").nth(1)?.split(");").next()?;
    let (low, high) = condition.split_once(" && ")?;
    let low = low.strip_prefix(name)?.strip_prefix(" >= ")?.parse().ok()?;
    let high = high.strip_prefix(name)?.strip_prefix(" <= ")?.parse().ok()?;
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_off_the_text() {
        let text = format!("int main(void) {{\n    {}\n", input("x", -1, 3));
        assert_eq!(printed(&text).unwrap().ranges, BTreeMap::from([(2, (-1, 3))]));
        assert!(printed("int x = __VERIFIER_nondet_int(); __VERIFIER_assume(1);").is_none());
    }

    #[test]
    fn relations_hold_or_fail_as_wanted() {
        let values = BTreeSet::from([2, 3, 7]);
        let mut random = Random::new(3);
        for _ in 0..50 {
            for wanted in [Known::Safe, Known::Unsafe] {
                let text = relation(&values, wanted, &mut random);
                let (operator, constant) = text.split_once(' ').unwrap();
                let constant: i64 = constant.parse().unwrap();
                let holds = values.iter().all(|value| match operator {
                    "<=" => *value <= constant,
                    ">=" => *value >= constant,
                    "==" => *value == constant,
                    _ => *value != constant,
                });
                assert_eq!(holds, wanted == Known::Safe, "{text}");
            }
        }
    }
}
