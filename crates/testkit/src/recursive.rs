//! Random recursive programs in the text format of automata, over integers of two or three bits: all their executions can be explored.
//!
//! Direct and mutual recursion, tail calls, linear recursion, several calls on a path and calls in loops; results by value and by global variables, arrays, inputs in
//! activations, errors, ends of the execution, calls through pointers, parameters that are overwritten, uninitialised variables.
//!
//! # Invariants
//! * G1: the program depends on the seed alone.
//! * G2: the conditions of the edges that leave a location exclude each other.

use std::fmt::Write as _;

use crate::Random;

/// How members of a component call each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Tail,
    Linear,
    Nonlinear,
    /// A function that calls itself with the last few values of a parameter.
    Window,
    /// Whatever comes.
    Mixed,
}

/// The text of a random program; the first global variables are `g` and `h`.
pub fn recursive_program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let overflow = if random.chance(70) { "undefined" } else { "wrap" };
    let ty = *random.pick(&["u2", "i3", "i2", "u2"]);
    let mut text = format!("program LP64 overflow={overflow} start=main\nfile f0 \"random.c\"\n");
    let _ = writeln!(text, "global g : {ty}\nglobal h : {ty}");
    let has_array = random.chance(25);
    if has_array {
        let _ = writeln!(text, "global ga : {ty}[2]");
    }
    let fails = random.chance(45);
    let mut line = 1;
    let mut known: Vec<usize> = Vec::new();
    let mut count = 0;
    for _ in 0..if random.chance(75) { 1 } else { 2 } {
        if random.chance(30) {
            let mut writer = Writer { has_array, fails, ..Writer::new(&mut random, ty, line) };
            writer.outer.clone_from(&known);
            writer.helper();
            text.push_str(&writer.finish(&format!("f{count}"), "(n, k) -> (%r)"));
            line = writer.line;
            known.push(count);
            count += 1;
        }
        let forms = [
            Form::Tail,
            Form::Linear,
            Form::Linear,
            Form::Nonlinear,
            Form::Window,
            Form::Window,
            Form::Mixed,
        ];
        let form = *random.pick(&forms);
        let size = if form == Form::Window { 1 } else { [1, 1, 1, 2, 2, 3][random.below(6)] };
        let members: Vec<usize> = (count..count + size).collect();
        for member in &members {
            let mut writer = Writer { has_array, fails, ..Writer::new(&mut random, ty, line) };
            writer.outer.clone_from(&known);
            writer.inner.clone_from(&members);
            writer.recursive(form);
            text.push_str(&writer.finish(&format!("f{member}"), "(n, k) -> (%r)"));
            line = writer.line;
        }
        known.extend(members);
        count += size;
    }
    let mut writer = Writer { has_array, ..Writer::new(&mut random, ty, line) };
    writer.outer.clone_from(&known);
    writer.main();
    text.push_str(&writer.finish("main", "()"));
    text
}

struct Writer<'a> {
    random: &'a mut Random,
    ty: &'static str,
    edges: String,
    next: usize,
    line: usize,
    has_array: bool,
    fails: bool,
    is_main: bool,
    /// Procedures that may be called without recursion, and those of the own component.
    outer: Vec<usize>,
    inner: Vec<usize>,
}

impl<'a> Writer<'a> {
    fn new(random: &'a mut Random, ty: &'static str, line: usize) -> Self {
        let (edges, outer, inner) = (String::new(), Vec::new(), Vec::new());
        Self { random, ty, edges, next: 3, line, has_array: false, fails: true, is_main: false, outer, inner }
    }

    /// The text of the procedure.
    fn finish(&mut self, name: &str, signature: &str) -> String {
        let ty = self.ty;
        let mut text = format!("proc {name}{signature} {{\n");
        if !self.is_main {
            let _ = writeln!(text, "  local n : {ty}\n  local k : {ty}\n  local %r : {ty}");
        }
        let _ = writeln!(text, "  local x : {ty}\n  local y : {ty}\n  local fp : ptr");
        if self.edges.contains("-> l2") {
            text.push_str("  error l2\n");
        }
        text.push_str(&self.edges);
        text.push_str("}\n");
        text
    }

    fn edge(&mut self, from: usize, to: usize, ops: &[&str]) {
        let _ = write!(self.edges, "  l{from} -> l{to}");
        for (position, op) in ops.iter().enumerate() {
            let _ = write!(self.edges, " {} {op}", if position == 0 { ":" } else { ";" });
        }
        let _ = writeln!(self.edges, " @f0:{}:1-{}:2 stmt", self.line, self.line);
        self.line += 1;
    }

    fn location(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    fn step(&mut self, from: usize, ops: &[&str]) -> usize {
        let to = self.location();
        self.edge(from, to, ops);
        to
    }

    fn constant(&mut self) -> String {
        let (low, high) = match self.ty {
            "u2" => (0, 3),
            "i2" => (-2, 1),
            _ => (-2, 3),
        };
        format!("{}:{}", self.random.between(low, high), self.ty)
    }

    fn variable(&mut self) -> String {
        let mut names = vec!["x", "y", "g", "h"];
        if !self.is_main {
            names.extend(["n", "n", "k"]);
        }
        if self.has_array {
            names.extend(["ga[0:u8]", "ga[1:u8]"]);
        }
        (*self.random.pick(&names)).to_owned()
    }

    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(35) {
            return if self.random.chance(25) { self.constant() } else { self.variable() };
        }
        let left = self.value(depth - 1);
        match self.random.below(8) {
            0 => format!("-({left})"),
            1 => format!("({} ? {left} : {})", self.condition(), self.value(depth - 1)),
            2 => {
                let other = if self.ty == "u2" { "i2" } else { "u2" };
                format!("({}) ({other}) ({left})", self.ty)
            }
            3 => format!("({left} * {})", self.value(depth - 1)),
            _ => {
                let op = *self.random.pick(&["+", "-", "-", "^"]);
                format!("({left} {op} {})", self.value(depth - 1))
            }
        }
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.value(0), self.value(0));
        let op = *self.random.pick(&["<", "<=", "==", "!="]);
        format!("{left} {op} {right}")
    }

    /// Two locations, for a condition that holds and one that does not.
    fn branch(&mut self, at: usize, condition: &str) -> (usize, usize) {
        let yes = self.step(at, &[&format!("assume {condition}")]);
        let no = self.step(at, &[&format!("assume !({condition})")]);
        (yes, no)
    }

    fn start(&mut self) -> usize {
        let mut at = 0;
        for var in ["x", "y"] {
            if self.random.chance(92) || self.is_main {
                let value =
                    if self.is_main { self.constant() } else { self.value(0).replace(['x', 'y'], "k") };
                at = self.step(at, &[&format!("{var} := {value}")]);
            }
        }
        at
    }

    fn helper(&mut self) {
        let mut at = self.start();
        at = self.block(at, 2, 1);
        self.leave(at);
    }

    /// Returns some value.
    fn leave(&mut self, at: usize) {
        let value = self.value(1);
        self.edge(at, 1, &[&format!("%r := {value}")]);
    }

    fn recursive(&mut self, form: Form) {
        if form == Form::Window {
            return self.window();
        }
        let mut at = self.start();
        at = self.block(at, 1, 1);
        let bound = if self.random.chance(70) {
            let op = *self.random.pick(&["==", "<=", "<"]);
            let limit = self.constant();
            format!("n {op} {limit}")
        } else {
            self.condition()
        };
        let (base, other) = self.branch(at, &bound);
        let base = self.block(base, 1, 1);
        self.leave(base);
        if form == Form::Mixed {
            let end = self.mixed(other);
            self.leave(end);
            return;
        }
        let ways = if self.random.chance(35) {
            let condition = self.condition();
            let (left, right) = self.branch(other, &condition);
            vec![left, right]
        } else {
            vec![other]
        };
        for way in ways {
            let mut at = self.block(way, 1, 1);
            if self.random.chance(25) {
                at = self.input(at);
            }
            if self.fails && self.random.chance(30) {
                at = self.error(at);
            }
            match form {
                Form::Tail => self.tail(at),
                Form::Linear | Form::Window | Form::Mixed => {
                    let mut at = self.inner_call(at);
                    if self.fails && self.random.chance(30) {
                        at = self.error(at);
                    }
                    let at = self.block(at, 2, 1);
                    self.leave(at);
                }
                Form::Nonlinear => {
                    let at = self.inner_call(at);
                    let at = self.block(at, 1, 1);
                    let at = self.inner_call(at);
                    let at = self.block(at, 1, 1);
                    self.leave(at);
                }
            }
        }
    }

    fn window(&mut self) {
        let mut at = 0;
        for var in ["x", "y"] {
            let value = self.constant();
            at = self.step(at, &[&format!("{var} := {value}")]);
        }
        let bases = if self.random.chance(50) { 1 } else { 2 };
        for _ in 0..bases {
            let (op, limit) = (*self.random.pick(&["==", "<=", "<", "=="]), self.constant());
            let (base, other) = self.branch(at, &format!("n {op} {limit}"));
            let value = self.pure_value();
            self.edge(base, 1, &[&format!("%r := {value}")]);
            at = other;
        }
        let sign = if self.random.chance(75) { "-" } else { "+" };
        if self.random.chance(35) {
            let (op, value) = (*self.random.pick(&["+", "-"]), self.pure_value());
            at = self.step(at, &[&format!("g := g {op} {value}")]);
        }
        for _ in 0..self.random.between(2, 3) {
            let call = self.window_call(sign);
            at = match self.random.below(5) {
                0 => {
                    let limit = self.constant();
                    let (yes, no) = self.branch(at, &format!("n < {limit}"));
                    let yes = self.step(yes, &[&call]);
                    let join = self.step(yes, &[]);
                    self.edge(no, join, &[]);
                    join
                }
                1 => {
                    let value = self.pure_value();
                    let at = self.step(at, &[&call]);
                    self.step(at, &[&format!("y := {value}")])
                }
                _ => self.step(at, &[&call]),
            };
        }
        let value = self.pure_value();
        self.edge(at, 1, &[&format!("%r := {value}")]);
    }

    fn window_call(&mut self, sign: &str) -> String {
        let (member, ty) = (self.inner[0], self.ty);
        let (by, place) = (*self.random.pick(&[1, 1, 1, 2]), *self.random.pick(&["x", "y", "x", "_"]));
        let by = if ty == "i2" { 1 } else { by };
        format!("call f{member}(n {sign} {by}:{ty}, k) -> ({place})")
    }

    fn pure_value(&mut self) -> String {
        let mut part = || (*self.random.pick(&["x", "y", "n", "k", "h", "x"])).to_owned();
        let (left, right) = (part(), part());
        let op = *self.random.pick(&["+", "-", "^", "+"]);
        format!("({left} {op} {right})")
    }

    /// A call that ends the procedure.
    fn tail(&mut self, at: usize) {
        let call = self.call_text(&self.inner.clone());
        match self.random.below(4) {
            0 => {
                let at = self.step(at, &[&format!("{call} -> (x)")]);
                self.edge(at, 1, &["%r := x"]);
            }
            1 => {
                let at = self.step(at, &[&format!("{call} -> (%r)")]);
                self.edge(at, 1, &[]);
            }
            _ => self.edge(at, 1, &[&format!("{call} -> (%r)")]),
        }
    }

    fn inner_call(&mut self, at: usize) -> usize {
        let call = self.call_text(&self.inner.clone());
        let place = *self.random.pick(&["x", "x", "y", "g", "_", "k"]);
        self.step(at, &[&format!("{call} -> ({place})")])
    }

    /// A call without the places of its results.
    fn call_text(&mut self, targets: &[usize]) -> String {
        let first = match self.random.below(12) {
            0..5 if !self.is_main => "n - 1:T".to_owned(),
            5 if !self.is_main => "n + 1:T".to_owned(),
            6 if !self.is_main => "k".to_owned(),
            7 if !self.is_main => "1:T - n".to_owned(),
            8 => self.constant(),
            _ => self.value(1),
        };
        let second = match self.random.below(8) {
            0..3 if !self.is_main => "k".to_owned(),
            3 if !self.is_main => "n".to_owned(),
            4 if !self.is_main => "k + 1:T".to_owned(),
            _ => self.value(1),
        };
        let args = format!("({first}, {second})").replace(":T", &format!(":{}", self.ty));
        let target = *self.random.pick(targets);
        if self.random.chance(88) {
            return format!("call f{target}{args}");
        }
        let other = *self.random.pick(targets);
        let condition = self.condition();
        let mut targets = vec![target, other];
        targets.sort_unstable();
        targets.dedup();
        let names: Vec<String> = targets.iter().map(|target| format!("f{target}")).collect();
        format!("fp := {condition} ? fn(f{target}) : fn(f{other}) ; call *fp {{{}}}{args}", names.join(", "))
    }

    /// Statements with inner calls anywhere.
    fn mixed(&mut self, mut at: usize) -> usize {
        for _ in 0..self.random.between(1, 3) {
            at = match self.random.below(4) {
                0 => self.inner_call(at),
                1 => {
                    let condition = self.condition();
                    let (yes, no) = self.branch(at, &condition);
                    let yes = self.inner_call(yes);
                    let join = self.step(yes, &[]);
                    self.edge(no, join, &[]);
                    join
                }
                2 if self.random.chance(30) => {
                    let head = self.step(at, &[]);
                    let condition = self.condition();
                    let (body, out) = self.branch(head, &condition);
                    let end = self.inner_call(body);
                    self.edge(end, head, &[]);
                    out
                }
                _ => self.block(at, 1, 1),
            };
        }
        at
    }

    fn block(&mut self, mut at: usize, most: usize, depth: usize) -> usize {
        for _ in 0..self.random.below(most + 1) {
            at = self.statement(at, depth);
        }
        at
    }

    fn input(&mut self, at: usize) -> usize {
        let place = *self.random.pick(&["x", "y", "g"]);
        let line = self.line;
        self.step(at, &[&format!("havoc {place} input \"nondet\" at @f0:{line}:1-{line}:9")])
    }

    /// The error under some condition.
    fn error(&mut self, at: usize) -> usize {
        let condition = self.condition();
        self.edge(at, 2, &[&format!("assume {condition}")]);
        self.step(at, &[&format!("assume !({condition})")])
    }

    fn statement(&mut self, at: usize, depth: usize) -> usize {
        match self.random.below(16) {
            0 | 1 if depth > 0 => {
                let condition = self.condition();
                let (yes, no) = self.branch(at, &condition);
                let yes = self.block(yes, 2, depth - 1);
                let join = self.step(yes, &[]);
                self.edge(no, join, &[]);
                join
            }
            2 if depth > 0 && self.random.chance(50) => {
                let head = self.step(at, &[]);
                let condition = self.condition();
                let (body, out) = self.branch(head, &condition);
                let end = self.block(body, 2, depth - 1);
                self.edge(end, head, &[]);
                out
            }
            3 if self.fails && self.random.chance(60) => self.error(at),
            4 => self.input(at),
            5 if self.random.chance(40) => {
                let condition = self.condition();
                self.step(at, &[&format!("assume {condition}")])
            }
            6 if self.random.chance(15) => self.step(at, &["abort"]),
            7 | 8 if !self.outer.is_empty() && self.random.chance(40) => {
                let call = self.call_text(&self.outer.clone());
                let place = *self.random.pick(&["x", "y", "h", "_"]);
                self.step(at, &[&format!("{call} -> ({place})")])
            }
            9 if self.has_array => {
                let (index, value) = (self.random.below(2), self.value(1));
                self.step(at, &[&format!("ga[{index}:u8] := {value}")])
            }
            10 if !self.is_main && self.random.chance(50) => {
                let place = *self.random.pick(&["n", "k"]);
                let value = self.value(1);
                self.step(at, &[&format!("{place} := {value}")])
            }
            _ => {
                let place = *self.random.pick(&["x", "y", "x", "g", "h"]);
                let value = self.value(2);
                self.step(at, &[&format!("{place} := {value}")])
            }
        }
    }

    fn main(&mut self) {
        self.is_main = true;
        let mut at = self.start();
        for global in ["g", "h"] {
            let value = self.constant();
            at = self.step(at, &[&format!("{global} := {value}")]);
        }
        if self.has_array {
            at = self.step(at, &["init ga zero"]);
        }
        if self.random.chance(70) {
            let line = self.line;
            at = self.step(at, &[&format!("havoc x input \"nondet\" at @f0:{line}:1-{line}:9")]);
        }
        let looped = self.random.chance(15).then(|| self.step(at, &[]));
        let at = if let Some(head) = looped {
            let condition = self.condition();
            let (body, out) = self.branch(head, &condition);
            let end = self.calls(body, 1);
            self.edge(end, head, &[]);
            out
        } else {
            let calls = if self.random.chance(70) { 1 } else { 2 };
            self.calls(at, calls)
        };
        let condition = self.condition();
        self.edge(at, 2, &[&format!("assume {condition}")]);
        self.edge(at, 1, &[&format!("assume !({condition})")]);
    }

    fn calls(&mut self, mut at: usize, count: usize) -> usize {
        for _ in 0..count {
            let call = self.call_text(&self.outer.clone());
            let place = *self.random.pick(&["x", "y", "g", "_"]);
            at = self.step(at, &[&format!("{call} -> ({place})")]);
            at = self.block(at, 1, 1);
        }
        at
    }
}
