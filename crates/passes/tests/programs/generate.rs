//! Random programs in the text format: loops that end, calls, arrays, memory, inputs, and an error.

use std::fmt::Write as _;

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

struct Writer<'a> {
    random: &'a mut Random,
    /// The number of the procedure; it calls only smaller ones, and itself with a smaller budget.
    level: usize,
    main: bool,
    edges: String,
    next: usize,
    line: usize,
    loops: usize,
}

const INTS: [&str; 4] = ["x", "y", "g0", "g1"];

/// The text of a random program; the same seed gives the same text.
pub(crate) fn program(seed: u64) -> String {
    let mut random = Random(seed);
    let overflow = random.pick(&["undefined", "wrap", "error"]);
    let model = random.pick(&["LP64", "ILP32"]);
    let mut text = format!("program {model} overflow={overflow} start=main\nfile f0 \"random.c\"\n");
    text.push_str("global g0 : i32\nglobal g1 : i32\nglobal gb : u8\nglobal ga : i32[4]\nglobal go : object 16 align 4\n");
    let mut line = 1;
    let procs = 1 + random.below(3);
    for level in 0..=procs {
        let main = level == procs;
        let mut writer =
            Writer { random: &mut random, level, main, edges: String::new(), next: 3, line, loops: 0 };
        let mut at = writer.prologue(main);
        at = writer.block(at, 3);
        if main {
            let status = "(g0 ^ g1 ^ ga[1:i32] ^ mem(i32, &go)) & 255:i32";
            writer.edge(at, 1, &[&format!("exit({status})")]);
        } else {
            let value = writer.int(2);
            writer.edge(at, 1, &[&format!("%return := {value}"), "end o"]);
        }
        line = writer.line;
        let (edges, loops) = (std::mem::take(&mut writer.edges), writer.loops);
        let (name, header) =
            if main { ("main".to_owned(), "()") } else { (format!("f{level}"), "(n, fuel) -> (%return)") };
        let _ = writeln!(text, "proc {name}{header} {{");
        if !main {
            text.push_str("  local n : i32\n  local fuel : i32\n  local %return : i32\n");
        }
        text.push_str(
            "  local x : i32\n  local y : i32\n  local b : u8\n  local t : i32\n  local a : i32[3]\n",
        );
        text.push_str("  local p : ptr\n  local fp : ptr\n  local o : object 8 align 4\n");
        for number in 0..loops {
            let _ = writeln!(text, "  local k{number} : i32");
        }
        text.push_str("  error l2\n");
        text.push_str(&edges);
        text.push_str("}\n");
    }
    text
}

impl Writer<'_> {
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
    /// Adds an edge to a new location.
    fn step(&mut self, from: usize, ops: &[&str]) -> usize {
        let to = self.location();
        self.edge(from, to, ops);
        to
    }
    fn input(&mut self, place: &str) -> String {
        self.line += 1;
        format!("havoc {place} input \"nondet\" at @f0:{}:1-{}:9", self.line, self.line)
    }

    fn prologue(&mut self, main: bool) -> usize {
        let mut at = 0;
        if main {
            at = self.step(at, &["g0 := 3:i32"]);
            at = self.step(at, &["g1 := 0:i32"]);
            at = self.step(at, &["gb := 200:u8"]);
            at = self.step(at, &["init ga zero"]);
            at = self.step(at, &["init go zero"]);
        }
        at = self.step(at, &["x := 0:i32"]);
        let y = if main { self.input("y") } else { "y := n".to_owned() };
        at = self.step(at, &[&y]);
        at = self.step(at, &["b := 7:u8"]);
        at = self.step(at, &["init a zero"]);
        at = self.step(at, &["begin o"]);
        at = self.step(at, &["fill(&o, 0:u8, 8:u64)"]);
        at = self.step(at, &["p := &o"]);
        if !main {
            // Recursion ends because the fuel does.
            let enough = self.location();
            self.edge(at, enough, &["assume 0:i32 < fuel"]);
            self.edge(at, 1, &["assume fuel <= 0:i32", "%return := 0:i32"]);
            at = enough;
        }
        at
    }

    fn constant(&mut self) -> String {
        let value = match self.random.below(4) {
            0 => i64::from(i32::MAX) - self.random.below(3) as i64,
            1 => -(self.random.below(5) as i64),
            _ => self.random.below(12) as i64,
        };
        format!("{value}:i32")
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(4) {
            return match self.random.below(6) {
                0 => self.constant(),
                1 => format!("ga[{}:u8]", self.random.below(4)),
                2 => "(i32) b".to_owned(),
                3 => format!("a[{}:i32]", self.random.below(3)),
                4 if self.random.one_in(2) => "mem(i32, p)".to_owned(),
                _ => self.random.pick(&INTS).to_owned(),
            };
        }
        let left = self.int(depth - 1);
        match self.random.below(12) {
            0 => format!("({left} / {})", self.int(depth - 1)),
            1 => format!("({left} % {}:i32)", 1 + self.random.below(7)),
            2 => format!("({left} << {}:i32)", self.random.below(4)),
            3 => format!("-({left})"),
            4 => format!("({} ? {left} : {})", self.cond(depth - 1), self.int(depth - 1)),
            5 => format!("(i32) (u8) ({left})"),
            6 => format!("(i32) ({})", self.cond(depth - 1)),
            _ => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({left} {op} {})", self.int(depth - 1))
            }
        }
    }

    fn cond(&mut self, depth: usize) -> String {
        let (left, right) = (self.int(depth), self.int(depth));
        match self.random.below(8) {
            0 => format!("({left} < {right} & {left} != 3:i32)"),
            1 => format!("(p == &o | {left} <= {right})"),
            2 => format!("((i32) ({left} < {right}) != 0:i32)"),
            3 => format!("{left} == {right}"),
            4 => format!("b == {}:u8", self.random.below(9)),
            _ => format!("{left} < {right}"),
        }
    }

    fn block(&mut self, mut at: usize, depth: usize) -> usize {
        for _ in 0..=self.random.below(4) {
            at = self.statement(at, depth);
        }
        at
    }

    fn statement(&mut self, at: usize, depth: usize) -> usize {
        match self.random.below(16) {
            0 | 1 if depth > 0 => self.branch(at, depth),
            2 if depth > 0 && self.loops < 3 => self.repeat(at, depth),
            3 => {
                let cond = self.cond(1);
                self.edge(at, 2, &[&format!("assume {cond}")]);
                self.step(at, &[&format!("assume !({cond})")])
            }
            4 => {
                let cond = self.cond(1);
                self.step(at, &[&format!("assume ({cond} | x != 77:i32)")])
            }
            5 => {
                let input = self.input("x");
                self.step(at, &[&input])
            }
            6 if self.level > 0 => self.call(at),
            7 => {
                let index = self.random.below(4);
                let value = self.int(2);
                self.step(at, &[&format!("ga[{index}:i32] := {value}")])
            }
            8 => {
                let address = self.random.pick(&["&o", "&o + 4:OFFSET", "&go", "&go + 8:OFFSET"]).to_owned();
                self.step(at, &[&format!("p := {address}")])
            }
            9 => {
                let value = self.int(2);
                self.step(at, &[&format!("mem(i32, p) := {value}")])
            }
            10 => {
                let value = self.int(1);
                self.step(at, &[&format!("b := (u8) ({value})")])
            }
            11 => self.step(at, &["t := x", "y := t"]),
            12 => {
                let index = self.int(1);
                self.step(at, &[&format!("a[({index}) & 3:i32] := x")])
            }
            _ => {
                let (place, value) = (self.random.pick(&INTS).to_owned(), self.int(3));
                self.step(at, &[&format!("{place} := {value}")])
            }
        }
    }

    fn branch(&mut self, at: usize, depth: usize) -> usize {
        let cond = self.cond(1);
        let then = self.step(at, &[&format!("assume {cond}")]);
        let other = self.step(at, &[&format!("assume !({cond})")]);
        let then = self.block(then, depth - 1);
        let other = if self.random.one_in(2) { other } else { self.block(other, depth - 1) };
        let join = self.step(then, &[]);
        self.edge(other, join, &[]);
        join
    }

    fn repeat(&mut self, at: usize, depth: usize) -> usize {
        let counter = format!("k{}", self.loops);
        self.loops += 1;
        let head = self.step(at, &[&format!("{counter} := 0:i32")]);
        let bound = 1 + self.random.below(4);
        let body = self.step(head, &[&format!("assume {counter} < {bound}:i32")]);
        let exit = self.step(head, &[&format!("assume !({counter} < {bound}:i32)")]);
        let end = self.block(body, depth - 1);
        self.edge(end, head, &[&format!("{counter} := {counter} + 1:i32")]);
        exit
    }

    fn call(&mut self, at: usize) -> usize {
        let fuel = if self.random.one_in(3) { 2 } else { 1 };
        let arg = self.int(1);
        let place = self.random.pick(&["x", "g1", "mem(i32, p)", "_"]).to_owned();
        let target = self.random.below(self.level);
        if !self.main && self.random.one_in(3) {
            return self.step(at, &[&format!("call f{}({arg}, fuel - 1:i32) -> ({place})", self.level)]);
        }
        if self.random.one_in(3) {
            let cond = self.cond(0);
            let other = self.random.below(self.level);
            let mut at = self.step(at, &[&format!("fp := {cond} ? fn(f{target}) : fn(f{other})")]);
            let targets: Vec<String> = (0..self.level).map(|level| format!("f{level}")).collect();
            at = self
                .step(at, &[&format!("call *fp {{{}}}({arg}, {fuel}:i32) -> ({place})", targets.join(", "))]);
            return at;
        }
        self.step(at, &[&format!("call f{target}({arg}, {fuel}:i32) -> ({place})")])
    }
}

/// The text with pointer offsets of the data model's width.
pub(crate) fn text(seed: u64) -> String {
    let text = program(seed);
    let (offset, size) = if text.starts_with("program LP64") { ("i64", "u64") } else { ("i32", "u32") };
    text.replace(":OFFSET", &format!(":{offset}")).replace(":u64", &format!(":{size}"))
}
