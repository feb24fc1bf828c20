//! Quotients and remainders of divisions by variables, of types with and without sign, at the ends of their ranges.

use std::fmt::Write as _;

use passes::Prepared;
use testkit::Random;
use testkit::verdicts::Dialect;
use testkit::verdicts::judge::compile;

use crate::cut::{Cut, Values};
use crate::products::Checked;

/// Programs, and executions of each; `WAYPROOF_PROGRAMS` sets the number of programs.
const PROGRAMS: u64 = 60;
const RUNS: u64 = 8;

/// A type, its least value if that may overflow, and a function that returns values of it.
const TYPES: [(&str, Option<&str>, &str); 4] = [
    ("int", Some("(-2147483647 - 1)"), "int"),
    ("unsigned", None, "uint"),
    ("signed char", None, "schar"),
    ("long long", Some("(-9223372036854775807LL - 1)"), "longlong"),
];

/// Writes programs that divide variables by each other in a loop.
struct Writer {
    random: Random,
}

impl Writer {
    fn variable(&mut self) -> &'static str {
        const NAMES: [&str; 3] = ["a", "b", "c"];
        NAMES[self.random.below(NAMES.len())]
    }

    fn division(&mut self, least: Option<&str>) -> String {
        let (left, right) = (self.variable(), self.variable());
        let target = self.variable();
        let excluded =
            least.map_or(String::new(), |least| format!(" && !({left} == {least} && {right} == -1)"));
        let statement = match self.random.below(5) {
            0 => format!("{target} = {left} / {right};"),
            1 => format!("{target} = {left} % {right};"),
            2 => format!(
                "q = {left} / {right}; r = {left} % {right}; p = (long long)q * {right}; {target} = r;"
            ),
            3 => format!("r = {left} % {right}; q = {left} / {right}; {target} = q;"),
            _ => format!("{target} = {left} > 3 ? {left} / {right} : {left} % {right};"),
        };
        format!("if ({right} != 0{excluded}) {{ {statement} }}")
    }

    fn program(&mut self) -> String {
        let (name, least, suffix) = *self.random.pick(&TYPES);
        let mut text = format!(
            "extern {name} __VERIFIER_nondet_{suffix}(void);\nextern void reach_error(void);\nint main(void) {{\n\
             {name} a = __VERIFIER_nondet_{suffix}(), b = __VERIFIER_nondet_{suffix}(), c = {}, q = 0, r = 0; long long p = 0;\n\
             for (int i = 0; i < 4; i++) {{\n",
            self.random.between(0, 9)
        );
        for _ in 0..=self.random.below(3) {
            let division = self.division(least);
            let _ = writeln!(text, "{division}");
        }
        if self.random.below(2) == 0 {
            let _ = writeln!(text, "b = __VERIFIER_nondet_{suffix}();");
        }
        let _ = writeln!(
            text,
            "}}\nif ({} > {} || p > r || q != c) reach_error();\nreturn 0;\n}}",
            self.variable(),
            self.variable()
        );
        text
    }
}

#[test]
fn every_execution_is_allowed_by_pieces_with_divisions() {
    let programs =
        std::env::var("WAYPROOF_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(PROGRAMS);
    let (mut steps, mut errors) = (0, 0);
    for seed in 0..programs {
        let text = Writer { random: Random::new(seed) }.program();
        let given = compile(&text, Dialect::of(seed)).expect("the program should compile");
        let task = Prepared::of(&given);
        let Some(cut) = Cut::new(&task) else { continue };
        let mut checked = Checked::new(cut);
        for run in 0..RUNS {
            checked.run(seed * RUNS + run, &text);
        }
        steps += checked.steps;
        errors += checked.errors;
    }
    println!("{steps} pieces, {errors} lead to the error");
    assert!(steps > 300 && errors > 50, "{steps} pieces, {errors} errors");
}

/// The least `int` divided by -1 is a number of `long`; the division of `int` is in a branch that is not chosen.
const TWO_TYPES: &str = "
program LP64 overflow=undefined start=main
proc p0 main() -> () {
  local v0 a : i32
  local v1 b : i32
  local v2 narrow : i32
  local v3 wide : i64
  entry l0
  exit l1
  error l2
  l0 -> l2 : havoc a input \"a\"
           ; havoc b input \"b\"
           ; assume b != 0:i32
           ; FIRST
           ; SECOND
           ; assume narrow == 0:i32 & 2147483647:i64 < wide
  l0 -> l1
}
";

#[test]
fn a_quotient_of_one_type_is_none_of_another() {
    let narrow = "narrow := b == -1:i32 ? 0:i32 : a / b";
    let wide = "wide := (i64) a / (i64) b";
    for (first, second) in [(narrow, wide), (wide, narrow)] {
        let text = TWO_TYPES.replace("FIRST", first).replace("SECOND", second);
        let program = cfa::text::parse("two_types.cfa", &text).expect("the text should be a program");
        let task = Prepared::of(&program);
        let mut cut = Cut::new(&task).expect("the error should be reachable");
        let entry = program.procs[program.entry].entry;
        let piece = cut.piece((entry, cut.error)).expect("the error should follow the entry");
        let nothing = Values::new();
        assert!(cut.is_possible(&piece, (&nothing, &nothing), Vec::new()), "{text}");
    }
}
