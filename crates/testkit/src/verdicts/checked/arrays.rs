//! Random programs with loops over arrays: initialisation, copies, reversal, strides, shifts, searches, sentinels, minima, compaction, recurrences, sums, counts, folds, rows and
//! columns, sorting.
//!
//! # Invariants
//! * G1: the program depends on the random source alone.
//! * G2: lengths and contents have few values, so that all executions can be carried out.
//! * G3: exactly one line is the check: what it observes is an integer expression.

use crate::Random;

use super::draft::{Draft, input};
use super::question::Question;

/// The most elements.
const MOST: i64 = 5;

/// Where arrays are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Local,
    Global,
    Variable,
    Heap,
}

struct Generator<'a> {
    random: &'a mut Random,
    globals: Vec<String>,
    lines: Vec<String>,
    ty: &'static str,
    place: Place,
    /// How many values may still be chosen, all together.
    executions: i64,
    counters: usize,
    /// What the check may observe outside of a loop.
    scalars: Vec<&'static str>,
}

/// A random program.
pub(super) fn generate(random: &mut Random) -> Draft {
    let ty =
        *random.pick(&["int", "int", "int", "unsigned char", "signed char", "short", "long", "unsigned"]);
    let place = *random.pick(&[Place::Local, Place::Local, Place::Global, Place::Variable, Place::Heap]);
    let mut generator = Generator {
        random,
        globals: Vec::new(),
        lines: Vec::new(),
        ty,
        place,
        executions: 400,
        counters: 0,
        scalars: vec!["s", "m", "f", "x"],
    };
    generator.length();
    generator.arrays();
    generator.contents("a");
    if generator.random.chance(50) {
        generator.contents("b");
    } else {
        generator.fill("b", "0");
    }
    for _ in 0..generator.random.between(1, 3) {
        generator.phase();
    }
    generator.check();
    if generator.place == Place::Heap {
        generator.line("free(a); free(b);");
    }
    generator.finish()
}

/// The question of a seed: mostly about assertions.
pub(super) fn question(seed: u64) -> Question {
    match seed % 8 {
        5 => Question::Bounds,
        6 => Question::Default,
        7 => Question::All,
        _ => Question::Assertions,
    }
}

impl Generator<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("    {}", text.as_ref()));
    }

    fn counter(&mut self) -> String {
        self.counters += 1;
        format!("i{}", self.counters)
    }

    fn small(&mut self) -> i64 {
        self.random.between(-1, 3)
    }

    /// The number of elements: constant, or an input.
    fn length(&mut self) {
        if self.random.chance(55) {
            let low = i64::from(self.place == Place::Variable || self.random.chance(40));
            let high = self.random.between(2, MOST);
            self.executions /= high - low + 1;
            self.line(input("n", low, high));
        } else {
            let length = self.random.between(1, MOST);
            self.line(format!("int n = {length};"));
        }
        let high = self.random.between(0, 2);
        if high > 0 {
            self.executions /= high + 1;
            self.line(input("x", 0, high));
        } else {
            self.line("int x = 1;");
        }
        self.line("int s = 0, m = 0, f = 0;");
    }

    fn arrays(&mut self) {
        let ty = self.ty;
        // Sometimes there is one element too few for an access that is off by one.
        let room = MOST + i64::from(self.random.chance(70));
        match self.place {
            Place::Local => self.line(format!("{ty} a[{room}]; {ty} b[{room}];")),
            Place::Global => self.globals.push(format!("{ty} a[{room}]; {ty} b[{room}];")),
            Place::Variable => self.line(format!("{ty} a[n + 1]; {ty} b[n + 1];")),
            Place::Heap => {
                self.line(format!("{ty} *a = malloc((n + 1) * sizeof({ty}));"));
                self.line(format!("{ty} *b = malloc((n + 1) * sizeof({ty}));"));
            }
        }
    }

    /// A loop over all indices.
    fn each(&mut self, from: &str, to: &str, step: i64, body: &str) {
        let i = self.counter();
        let body = body.replace("{i}", &i);
        let by = if step == 1 { format!("{i}++") } else { format!("{i} += {step}") };
        match self.random.below(6) {
            0 => {
                self.line(format!("int {i} = {from};"));
                self.line(format!("while ({i} < {to}) {{ {body} {by}; }}"));
            }
            1 if step == 1 && !body.contains("break") && !body.contains("- 1]") && !body.contains("+ 1]") => {
                self.line(format!("for (int {i} = {to} - 1; {i} >= {from}; {i}--) {{ {body} }}"));
            }
            _ => self.line(format!("for (int {i} = {from}; {i} < {to}; {by}) {{ {body} }}")),
        }
    }

    fn fill(&mut self, array: &str, value: &str) {
        self.each("0", "n", 1, &format!("{array}[{{i}}] = {value};"));
    }

    /// What an array holds: inputs of few values, or values that the index determines.
    fn contents(&mut self, array: &str) {
        let values = self.random.between(2, 3);
        let all = values.pow(MOST as u32);
        match self.random.below(5) {
            0 | 1 if self.executions >= all => {
                self.executions /= all;
                let low = self.random.between(-1, 1);
                let (i, low) = (self.counter(), if self.ty.starts_with("unsigned") { 0 } else { low });
                self.line(format!("for (int {i} = 0; {i} < n; {i}++) {{"));
                let asked = input("v", low, low + values - 1);
                self.line(format!("    {asked}"));
                self.line(format!("    {array}[{i}] = v;"));
                self.line("}");
            }
            2 => {
                let (factor, offset) = (self.random.between(1, 3), self.small());
                self.fill(array, &format!("{factor} * {{i}} + {offset}"));
            }
            3 => {
                let value = self.small();
                self.fill(array, &value.to_string());
            }
            _ => {
                let modulus = self.random.between(2, 3);
                self.fill(array, &format!("({{i}} + x) % {modulus}"));
            }
        }
    }

    fn phase(&mut self) {
        let (array, other) = if self.random.chance(70) { ("a", "b") } else { ("b", "a") };
        let c = self.small();
        match self.random.below(8) {
            0 | 1 => self.moves(array, other, c),
            2 => self.search(array, other, c),
            3 => self.extremum(array),
            4 => self.compaction(array, other, c),
            5 => self.recurrence(array, c),
            6 => self.fold(array, c),
            _ => self.nested(array, other, c),
        }
    }

    /// Class A.
    fn moves(&mut self, array: &str, other: &str, c: i64) {
        match self.random.below(9) {
            0 => self.each("0", "n", 1, &format!("{other}[{{i}}] = {array}[{{i}}];")),
            1 => self.each("0", "n", 1, &format!("{other}[{{i}}] = {array}[n - 1 - {{i}}];")),
            2 => self.each("0", "n", 2, &format!("{array}[{{i}}] = {c};")),
            3 => self.each("0", "n - 1", 1, &format!("{array}[{{i}}] = {array}[{{i}} + 1];")),
            4 => self.each("0", "n / 2", 1, &format!("int t = {array}[{{i}}]; {array}[{{i}}] = {array}[n - 1 - {{i}}]; {array}[n - 1 - {{i}}] = t;")),
            5 => self.each("0", "n", 1, &format!("if ({array}[{{i}}] > {c}) {array}[{{i}}] = {c}; else {array}[{{i}}] = {other}[{{i}}];")),
            6 => self.each("0", "n", 1, &format!("{array}[{{i}}] = {array}[{{i}}] + {c};")),
            7 => {
                self.line(format!("if (x < n) {array}[x] = {c};"));
                self.scalars.push("(n > 0 ? a[0] : 0)");
            }
            _ => self.each("x", "n", 1, &format!("{array}[{{i}}] = {{i}} - x;")),
        }
    }

    /// Class B.
    fn search(&mut self, array: &str, other: &str, c: i64) {
        match self.random.below(4) {
            0 => {
                self.line("f = -1;");
                self.each("0", "n", 1, &format!("if ({array}[{{i}}] == {c}) {{ f = {{i}}; break; }}"));
            }
            1 => {
                self.line("f = 1;");
                self.each("0", "n", 1, &format!("if ({array}[{{i}}] != {other}[{{i}}]) {{ f = 0; break; }}"));
            }
            2 => {
                self.line(format!(
                    "m = 0; if (n > 0) {{ {array}[n - 1] = {c}; while ({array}[m] != {c}) m++; }}"
                ));
            }
            _ => self.each("0", "n", 1, &format!("if ({array}[{{i}}] == x) f = 1;")),
        }
    }

    /// Class C.
    fn extremum(&mut self, array: &str) {
        let relation = *self.random.pick(&["<", ">", "<=", ">="]);
        if self.random.chance(60) {
            self.line(format!("m = n > 0 ? {array}[0] : 0;"));
            self.each("1", "n", 1, &format!("if ({array}[{{i}}] {relation} m) m = {array}[{{i}}];"));
        } else {
            self.line("f = 0;");
            self.each("1", "n", 1, &format!("if ({array}[{{i}}] {relation} {array}[f]) f = {{i}};"));
        }
    }

    /// Class D.
    fn compaction(&mut self, array: &str, other: &str, c: i64) {
        self.line("f = 0;");
        self.each("0", "n", 1, &format!("if ({array}[{{i}}] > {c}) {{ {other}[f] = {array}[{{i}}]; f++; }}"));
    }

    /// Class E.
    fn recurrence(&mut self, array: &str, c: i64) {
        match self.random.below(3) {
            0 => self.each("1", "n", 1, &format!("{array}[{{i}}] = {array}[{{i}} - 1] + {c};")),
            1 => self.each("2", "n", 1, &format!("{array}[{{i}}] = ({array}[{{i}} - 1] + {array}[{{i}} - 2]) % 7;")),
            _ => self.each("1", "n", 1, &format!("{array}[{{i}}] = {array}[{{i}} - 1] > {array}[{{i}}] ? {array}[{{i}} - 1] : {array}[{{i}}];")),
        }
    }

    /// Classes F and G.
    fn fold(&mut self, array: &str, c: i64) {
        self.line("s = 0;");
        match self.random.below(6) {
            0 | 1 => self.each("0", "n", 1, &format!("s += {array}[{{i}}];")),
            2 => self.each("0", "n", 1, &format!("if ({array}[{{i}}] == {c}) s++;")),
            3 => self.each(
                "0",
                "n",
                1,
                &format!("if ({{i}} % 2 == 0) s += {array}[{{i}}]; else s -= {array}[{{i}}];"),
            ),
            4 => {
                let operator = *self.random.pick(&["|", "^", "&"]);
                self.each("0", "n", 1, &format!("s = s {operator} {array}[{{i}}];"));
            }
            _ => {
                self.each("0", "n", 1, &format!("s += {array}[{{i}}];"));
                self.each("0", "n", 1, &format!("s -= {array}[n - 1 - {{i}}];"));
            }
        }
    }

    /// Class H.
    fn nested(&mut self, array: &str, other: &str, c: i64) {
        match self.random.below(4) {
            0 => self.each("0", "n", 1, &format!("for (int j = 0; j + 1 < n; j++) if ({array}[j] > {array}[j + 1]) {{ int t = {array}[j]; {array}[j] = {array}[j + 1]; {array}[j + 1] = t; }} (void){{i}};")),
            1 => self.each("1", "n", 1, &format!("int t = {array}[{{i}}], j = {{i}}; while (j > 0 && {array}[j - 1] > t) {{ {array}[j] = {array}[j - 1]; j--; }} {array}[j] = t;")),
            2 => {
                let ty = self.ty;
                self.line(format!("{ty} t2[{MOST}][2];"));
                self.each("0", "n", 1, &format!("for (int j = 0; j < 2; j++) t2[{{i}}][j] = {array}[{{i}}] + j;"));
                self.each("0", "n", 1, &format!("{other}[{{i}}] = t2[{{i}}][{}];", c.rem_euclid(2)));
            }
            _ => {
                self.line("s = 0;");
                self.each("0", "n", 1, &format!("for (int j = 0; j < {{i}}; j++) s += {array}[j] == {array}[{{i}}];"));
            }
        }
    }

    /// G3.
    fn check(&mut self) {
        let i = "k";
        let inside = [
            "a[k]",
            "b[k]",
            "a[k] - k",
            "a[k] - b[k]",
            "a[k] + b[k]",
            "b[k] - a[n - 1 - k]",
            "a[k] - m",
            "a[k] - s",
            "(k > 0 ? a[k] - a[k - 1] : 0)",
            "(k < f ? b[k] : 0)",
            "(k < f ? a[k] : 0)",
            "(f < n ? a[k] - b[k] : 0)",
            "(x < n ? a[x] : 0)",
            "(k % 2 == 0 ? a[k] : 0)",
            "(k > 0 ? b[k - 1] - b[k] : 0)",
            "(k >= x ? a[k] : 1)",
        ];
        if self.random.chance(65) {
            let observed = *self.random.pick(&inside);
            self.line(format!("for (int {i} = 0; {i} < n; {i}++) {{"));
            self.line(format!("    @({observed})"));
            self.line("}");
        } else if self.random.chance(30) {
            let observed = inside[self.random.below(inside.len())];
            self.line(input("k", 0, MOST - 1));
            self.line("if (k < n) {");
            self.line(format!("    @({observed})"));
            self.line("}");
        } else {
            let scalars = self.scalars.clone();
            let one = *self.random.pick(&scalars);
            let other = *self.random.pick(&["0", "0", "n", "x", "s", "f"]);
            self.line(format!("@({one} - {other})"));
        }
    }

    fn finish(self) -> Draft {
        let mut lines = self.globals;
        lines.push("int main(void)".to_owned());
        lines.push("{".to_owned());
        lines.extend(self.lines);
        lines.push("    return 0;".to_owned());
        lines.push("}".to_owned());
        Draft { lines, defect: None }
    }
}
