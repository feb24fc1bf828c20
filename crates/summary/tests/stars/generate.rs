//! Random small C programs with loops, and their summaries.

use std::fmt::Write as _;

use base::Budget;
use cfa::{DataModel, Program};
use cfront::{Input, Options, compile};
use graph::Graph;
use smt::{Z3, Z3Settings};
use summary::{StarOptions, Stars, Summaries};
use term::Terms;
use testkit::Random;

const TYPES: [&str; 5] = ["int", "unsigned", "unsigned char", "signed char", "short"];

/// Writes a program.
struct Writer {
    random: Random,
    variables: usize,
    text: String,
    loops: usize,
}

impl Writer {
    fn variable(&mut self) -> String {
        format!("v{}", self.random.below(self.variables))
    }

    fn condition(&mut self) -> String {
        let (v, w) = (self.variable(), self.variable());
        let c = self.random.between(-3, 12);
        match self.random.below(10) {
            0 | 1 => format!("{v} < {w}"),
            2 | 3 => format!("{v} < {c}"),
            4 => format!("{v} != {c}"),
            5 => format!("{v} > {c}"),
            6 => format!("{v} % {} == {}", self.random.between(2, 4), self.random.below(2)),
            7 => format!("{v} == {w}"),
            8 => format!("{v} * {w} {} {c}", self.random.pick(&["==", "<", "!="])),
            _ => "__VERIFIER_nondet_int()".to_owned(),
        }
    }

    fn assignment(&mut self) -> String {
        let (v, w) = (self.variable(), self.variable());
        let c = self.random.between(1, 5);
        match self.random.below(18) {
            0..=4 => format!("{v} = {v} + {c};"),
            5 | 6 => format!("{v} = {v} - {c};"),
            7 => format!("{v} = {v} + {w};"),
            8 => format!("{v} = {w};"),
            9 => format!("{v} = {c};"),
            10 => format!("{v} = 2 * {v};"),
            11 => format!("{v} = {c} - {v};"),
            12 => format!("{v} = {v} / 2;"),
            13 => format!("{v} = {v} % {};", c + 1),
            14 => format!("{v} = {w} * {};", self.variable()),
            15 => format!("{v} = {v} + {w} * {};", self.variable()),
            16 => format!("{v} = __VERIFIER_nondet_uchar();"),
            _ => format!("{v} = {v} & {c};"),
        }
    }

    fn statements(&mut self, depth: usize, in_loop: bool) {
        for _ in 0..=self.random.below(3) {
            match self.random.below(10) {
                0..=2 if depth > 0 => {
                    let condition = self.condition();
                    let _ = write!(self.text, "if ({condition}) {{ ");
                    self.statements(depth - 1, in_loop);
                    if self.random.chance(50) {
                        self.text.push_str("} else { ");
                        self.statements(depth - 1, in_loop);
                    }
                    self.text.push_str("}\n");
                }
                3 if in_loop && depth < 2 => {
                    let jump = if self.random.chance(70) { "break" } else { "continue" };
                    let condition = self.condition();
                    let _ = writeln!(self.text, "if ({condition}) {jump};");
                }
                4 if depth > 1 && self.loops < 3 => self.cycle(depth - 1),
                _ => {
                    let assignment = self.assignment();
                    self.text.push_str(&assignment);
                    self.text.push('\n');
                }
            }
        }
    }

    fn cycle(&mut self, depth: usize) {
        self.loops += 1;
        let condition = self.condition();
        let _ = write!(self.text, "while ({condition}) {{ ");
        self.statements(depth, true);
        self.text.push_str("}\n");
    }
}

/// The text of a program.
pub(crate) fn program_text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let variables = 2 + random.below(3);
    let mut writer = Writer { random, variables, text: String::new(), loops: 0 };
    for index in 0..variables {
        let ty = *writer.random.pick(&TYPES);
        let value = match writer.random.below(3) {
            0 => writer.random.between(0, 5).to_string(),
            1 => "__VERIFIER_nondet_uchar()".to_owned(),
            _ => "__VERIFIER_nondet_int()".to_owned(),
        };
        let _ = writeln!(writer.text, "{ty} v{index} = {value};");
        if writer.random.chance(50) {
            let high = writer.random.between(3, 20);
            let _ = writeln!(writer.text, "if (v{index} < 0 || v{index} > {high}) return 0;");
        }
    }
    writer.cycle(2);
    if writer.random.chance(30) {
        writer.cycle(1);
    }
    let (first, second) = (writer.condition(), writer.condition());
    let _ = writeln!(writer.text, "if ({first} && {second}) reach_error();");
    format!(
        "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern void reach_error(void);\nint main(void) {{\n{}return 0; }}\n",
        writer.text
    )
}

/// The text of a program with arrays that loops fill, copy and read.
pub(crate) fn array_text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let length = random.between(3, 6);
    let mut text = format!(
        "unsigned char a[{length}], b[{length}];\nint n = __VERIFIER_nondet_uchar() % {length} + 1, x = __VERIFIER_nondet_uchar() % {length}, s = 0;\n\
         if (x >= n) return 0;\n"
    );
    for _ in 0..2 + random.below(2) {
        let (to, from) = if random.chance(60) { ("a", "b") } else { ("b", "a") };
        let (c, d) = (random.between(0, 5), random.between(1, 3));
        let value = match random.below(7) {
            0 => c.to_string(),
            1 => format!("{d} * i + {c}"),
            2 => format!("{from}[i]"),
            3 => format!("{to}[i] + {c}"),
            4 => format!("{from}[{length} - 1 - i]"),
            5 => "__VERIFIER_nondet_uchar()".to_owned(),
            _ => format!("x + {c}"),
        };
        let condition = match random.below(6) {
            0 => format!("if (i % 2 == {}) ", random.below(2)),
            1 => format!("if ({from}[i] > {c}) "),
            2 => "if (i != x) ".to_owned(),
            3 => format!("if (i < {d}) "),
            _ => String::new(),
        };
        let bound = if random.chance(70) { "n".to_owned() } else { length.to_string() };
        let head = match random.below(4) {
            0 => format!("for (int i = {bound} - 1; i >= 0; i--)"),
            1 => format!("for (int i = 0; i < {bound}; i += {})", random.between(1, 2)),
            _ => format!("for (int i = 0; i < {bound}; i++)"),
        };
        let _ = writeln!(text, "{head} {{ {condition}{to}[i] = {value}; }}");
    }
    let c = random.between(0, 6);
    let _ = match random.below(4) {
        0 => writeln!(text, "if (a[x] == {c}) reach_error();"),
        1 => writeln!(text, "for (int i = 0; i < n; i++) {{ if (a[i] != {c}) reach_error(); }}"),
        2 => writeln!(text, "for (int i = 0; i < n; i++) {{ if (a[i] > b[i] + {c}) reach_error(); }}"),
        _ => writeln!(
            text,
            "for (int i = 0; i < n; i++) {{ if (a[i] == b[x]) s++; }} if (a[0] == {c} && s > 1) reach_error();"
        ),
    };
    format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void reach_error(void);\nint main(void) {{\n{text}return 0; }}\n"
    )
}

/// The text of a program that orders elements, in some cases not all of them, and compares pairs of them.
pub(crate) fn order_text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let length = random.between(3, 5);
    let mut text = format!(
        "unsigned char a[{length}]; int n = __VERIFIER_nondet_uchar() % {length} + 1, m = 0;\n\
         for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_uchar();\n"
    );
    // Most are right; a bound that is off by one gives facts about a part of the array.
    let mut off = || if random.chance(70) { 0 } else { random.between(0, 1) };
    let (early, late) = (off(), off());
    let less = if random.chance(70) { "<" } else { "<=" };
    let swap = |one: &str, other: &str| {
        format!("{{ unsigned char t = a[{one}]; a[{one}] = a[{other}]; a[{other}] = t; }}")
    };
    let _ = match random.below(5) {
        0 => writeln!(
            text,
            "for (int i = {early}; i < n - 1; i++) {{ for (int j = 0; j < n - 1 - {late}; j++) {{ if (a[j + 1] {less} a[j]) {} }} }}",
            swap("j", "j + 1")
        ),
        1 => writeln!(
            text,
            "for (int i = 0; i < n - 1; i++) {{ for (int j = 0; j < n - i - 1 - {late}; j++) {{ if (a[j + 1] {less} a[j]) {} }} }}",
            swap("j", "j + 1")
        ),
        2 => writeln!(
            text,
            "for (int i = {early}; i < n - 1; i++) {{ m = i; for (int j = i + 1; j < n - {late}; j++) {{ if (a[j] {less} a[m]) m = j; }} {} }}",
            swap("i", "m")
        ),
        3 => writeln!(
            text,
            "for (int i = 1; i < n - {late}; i++) {{ unsigned char key = a[i]; int j = i - 1; while (j >= {early} && key {less} a[j]) {{ a[j + 1] = a[j]; j--; }} a[j + 1] = key; }}"
        ),
        _ => writeln!(text, "for (int i = {early}; i < n - {late}; i++) {{ if (a[i] {less} a[m]) m = i; }}"),
    };
    let _ = match random.below(3) {
        0 => writeln!(text, "for (int i = 0; i < n; i++) {{ if (a[i] < a[m]) reach_error(); }}"),
        _ => writeln!(text, "for (int i = 0; i < n - 1; i++) {{ if (a[i + 1] < a[i]) reach_error(); }}"),
    };
    format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void reach_error(void);\nint main(void) {{\n{text}return 0; }}\n"
    )
}

/// The text of a program that writes arrays, adds up elements, and uses the sum.
pub(crate) fn sum_text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let length = random.between(3, 6);
    let mut text = format!(
        "int a[{length}], b[{length}]; int n = __VERIFIER_nondet_uchar() % {}; int x = __VERIFIER_nondet_uchar() % 3; int s = 0;\n",
        length + 1
    );
    for _ in 0..random.between(2, 4) {
        let (to, from) = if random.chance(60) { ("a", "b") } else { ("b", "a") };
        let c = random.between(0, 3);
        let bound = if random.chance(70) { "n".to_owned() } else { length.to_string() };
        let head = match random.below(5) {
            0 => format!("for (int i = {bound} - 1; i >= 0; i--)"),
            1 => format!("for (int i = 0; i < {bound}; i += 2)"),
            2 => format!("for (int i = 1; i < {bound}; i++)"),
            _ => format!("for (int i = 0; i < {bound}; i++)"),
        };
        let body = match random.below(12) {
            0..=2 => format!("{to}[i] = {c};"),
            3 => format!("{to}[i] = i + {c};"),
            4 => format!("if (i % 2 == 0) {to}[i] = {c}; else {to}[i] = x;"),
            5 => format!("{to}[i] = {to}[i] + {c};"),
            6 => format!("{to}[i] = {from}[i] + x;"),
            7 => format!("{to}[i] = {to}[i] + s;"),
            8 => format!("if ({to}[i] == {c}) {to}[i] = x;"),
            9 => format!("s = s + {to}[i]; {from}[i] = s;"),
            10 => format!("if (i < {c}) break; {to}[i] = {c};"),
            _ => format!("{to}[{length} - 1 - i] = {from}[i];"),
        };
        let _ = writeln!(text, "{head} {{ {body} }}");
        if random.chance(25) {
            let _ = writeln!(text, "if (n > {c}) {to}[{c} % {length}] = {};", random.between(0, 3));
        }
    }
    let _ = writeln!(text, "s = 0; for (int i = 0; i < n; i++) {{ s = s + a[i]; }}");
    let c = random.between(0, 6);
    let _ = match random.below(3) {
        0 => writeln!(text, "if (s == {c}) reach_error();"),
        1 => writeln!(text, "for (int i = 0; i < n; i++) {{ if (a[i] + s > {c}) reach_error(); }}"),
        _ => writeln!(text, "if (s > n * {c} && b[x] == {c}) reach_error();"),
    };
    format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void reach_error(void);\nint main(void) {{\n{text}return 0; }}\n"
    )
}

/// The text of a program with a loop of the kind that a decomposition is there for.
pub(crate) fn decomposable_text(decomposition: &str, seed: u64) -> String {
    let mut random = Random::new(seed);
    let (a, b, c) = (random.between(1, 3), random.between(2, 5), random.between(3, 9));
    let (declarations, cycle, condition) = match decomposition {
        "unrolling" => (
            format!("unsigned x = 0, y = {a};"),
            format!("while (x < {b}) {{ x = x + 1; y = y * {a} + x; }}"),
            format!("y == {c}"),
        ),
        "phases" => (
            format!("int n = __VERIFIER_nondet_uchar(), x = 0, y = {a};"),
            format!("while (x < n) {{ if (x < {c}) y = y + {a}; else y = y - {b}; x = x + 1; }}"),
            format!("y == {b}"),
        ),
        "wrap-around" => (
            "unsigned n = __VERIFIER_nondet_int(), s = 0, v = __VERIFIER_nondet_uchar();".to_owned(),
            format!("while (n > 0) {{ n = n - 1; s = s + v; v = v + {a}; }}"),
            format!("s == {c}"),
        ),
        // What is exchanged has no closed form, but what is exchanged twice has.
        "period" => (
            format!(
                "int n = __VERIFIER_nondet_uchar(), i = 0, x = __VERIFIER_nondet_uchar(), y = {b}, z = 0;"
            ),
            format!("while (i < n) {{ int t = x; x = y; y = t; if (i % 2 == 0) z = z + {a}; i = i + 1; }}"),
            format!("i % 2 == 0 && x == y + {c} && z > {c}"),
        ),
        "events" => (
            "int a[8], n = __VERIFIER_nondet_uchar(), i = 0, k = __VERIFIER_nondet_uchar();".to_owned(),
            format!("if (n > 8 || k >= n) return 0; while (i < n) {{ a[i] = {b} * i + {a}; i = i + 1; }}"),
            format!("a[k] == {c}"),
        ),
        other => panic!("there is no program for {other}"),
    };
    format!(
        "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern void reach_error(void);\nint main(void) {{\n{declarations}\n{cycle}\nif ({condition}) reach_error();\nreturn 0; }}\n"
    )
}

/// The program as engines see it.
pub(crate) fn prepared(text: &str) -> Program {
    let input = Input::Text { name: "random.c".to_owned(), text: text.as_bytes().into() };
    let compiled = compile(&[input], &Options::new(DataModel::Lp64))
        .unwrap_or_else(|failure| panic!("{}\n{text}", failure.diagnostics[0].message));
    passes::pipeline(&compiled.program, &passes::PipelineConfig::default()).program
}

/// A program with its summaries.
pub(crate) struct Summarised {
    pub(crate) program: Program,
    pub(crate) terms: Terms,
    pub(crate) graph: Graph,
    pub(crate) summaries: Summaries,
    pub(crate) stars: Stars,
    pub(crate) solvers: Z3,
}

/// Summarises a program.
pub(crate) fn summarise(text: &str) -> Summarised {
    summarise_with(text, StarOptions::default())
}

/// Summarises a program with other domains or decompositions.
pub(crate) fn summarise_with(text: &str, options: StarOptions) -> Summarised {
    let program = prepared(text);
    let mut terms = Terms::new();
    let mut budget = Budget::unlimited();
    let solvers = Z3::new(Z3Settings::default());
    let loops = program.procs[program.entry].loops();
    let mut graph =
        Graph::of(&program, program.entry, loops, graph::cut::Target::Error, &mut terms, &mut budget)
            .expect("there is no limit");
    summary::elements::add_elements(&mut graph, &program, &mut terms, &solvers, &mut budget)
        .expect("there is no limit");
    graph::cells::add_cells(&mut graph, &program, &mut terms);
    let mut stars = Stars::new(solvers.clone(), options);
    let summaries = Summaries::new(&graph, &mut terms, &mut stars, &mut budget).expect("there is no limit");
    Summarised { program, terms, graph, summaries, stars, solvers }
}

/// How many of something to try: the number in an environment variable, or a default.
pub(crate) fn count(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
