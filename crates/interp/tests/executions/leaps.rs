//! Leaps against plain runs: on programs that need them, and on random ones.

use base::Budget;
use cfa::{BinaryOp, DataModel, ExprId, Place, ProcId, Program, SignedOverflow, Ty, UnaryOp, VarId};
use interp::{
    Code, CompileOptions, Config, Leaper, Machine, Markers, Outcome, Run, Silent, Uninitialised, Value, Zero,
};

use super::builder::{Builder, I32, U32};
use super::random::Random;

/// A run, the values at its end, and how often it leapt.
pub(crate) struct Ended {
    pub(crate) run: Run,
    pub(crate) values: Vec<Option<Value>>,
    pub(crate) leaps: u64,
    pub(crate) ticks: u64,
}

pub(crate) fn execute(program: &Program, leaper: Option<Leaper>, ticks: u64) -> Ended {
    let markers = if leaper.is_some() { Markers::Heads } else { Markers::None };
    let code = Code::new(program, CompileOptions { uninitialised: Uninitialised::Report, markers });
    let config = if leaper.is_some() { Config::unobserved() } else { Config::default() };
    let mut machine = Machine::new(program, &code, config);
    let mut budget = Budget::ticks(ticks);
    let mut output = std::io::sink();
    let (run, leaps) = match leaper {
        None => (machine.run(&mut Zero, &mut Silent, &mut output, &mut budget), 0),
        Some(mut leaper) => {
            let run = leaper.run(&mut machine, &mut Zero, &mut Silent, &mut output, &mut budget);
            (run, leaper.leaps())
        }
    };
    let view = machine.view();
    let values = program.vars.ids().map(|var| view.scalar(var)).collect();
    Ended { run, values, leaps, ticks: budget.spent() }
}

/// Loops inside each other from 0 to `bound`; where all counters are equal to `bound - 1` the error is reached.
fn nest(depth: usize, bound: i128) -> Program {
    fn level(b: &mut Builder, counters: &[VarId], bound: ExprId, depth: usize) {
        let (zero, one) = (b.int(U32, 0), b.int(U32, 1));
        b.assign(counters[depth], zero);
        let counter = b.get(counters[depth]);
        let cond = b.binary(BinaryOp::Lt, counter, bound);
        let next = b.add(counter, one);
        b.while_loop(cond, |b| {
            if depth + 1 < counters.len() {
                level(b, counters, bound, depth + 1);
            } else {
                check(b, counters, bound);
            }
            b.assign(counters[depth], next);
        });
    }
    /// One location for each comparison, as C's `&&` has.
    fn check(b: &mut Builder, counters: &[VarId], bound: ExprId) {
        let after = b.location();
        for (index, counter) in counters.iter().enumerate() {
            let value = b.get(*counter);
            let other = if let Some(next) = counters.get(index + 1) {
                b.get(*next)
            } else {
                let one = b.int(U32, 1);
                b.binary(BinaryOp::Sub, bound, one)
            };
            let (equal, different) =
                (b.binary(BinaryOp::Eq, value, other), b.binary(BinaryOp::Ne, value, other));
            let (from, next) = (b.at, b.location());
            b.edge(from, next, vec![cfa::Op::Assume { cond: equal }]);
            b.edge(from, after, vec![cfa::Op::Assume { cond: different }]);
            b.at = next;
        }
        let error = b.error();
        b.go(error);
        b.at = after;
    }
    let mut b = Builder::new(DataModel::Lp64);
    let counters: Vec<VarId> = (0..depth).map(|level| b.local(&format!("c{level}"), U32)).collect();
    let bound = b.int(U32, bound);
    level(&mut b, &counters, bound, 0);
    b.finish();
    b.program
}

#[test]
fn the_diagonal_of_a_deep_nest_is_found() {
    for depth in 1..=5 {
        let program = nest(depth, 0xffff_fffe);
        let ended = execute(&program, Some(Leaper::new()), 50_000_000);
        assert!(matches!(ended.run.outcome, Outcome::Error { .. }), "{depth}: {:?}", ended.run.outcome);
        assert!(ended.leaps > 0 && ended.ticks < 20_000_000, "{depth}: {} ticks", ended.ticks);
    }
}

#[test]
fn a_small_nest_ends_as_without_leaps() {
    for (depth, bound) in [(1, 100), (2, 40), (3, 12), (4, 6)] {
        let program = nest(depth, bound);
        let (plain, leaping) =
            (execute(&program, None, 1 << 30), execute(&program, Some(Leaper::eager()), 1 << 30));
        assert_eq!(plain.run.outcome, leaping.run.outcome);
        assert_eq!(plain.values, leaping.values);
        assert!(leaping.leaps > 0);
    }
}

#[test]
fn a_location_to_stop_at_is_not_leapt_over() {
    let program = nest(2, 10);
    let code = Code::new(
        &program,
        CompileOptions { uninitialised: Uninitialised::Report, markers: Markers::Locations },
    );
    let stops: Vec<_> = program.procs[program.entry].locations.ids().collect();
    let visits = |leaps: bool| {
        let mut machine = Machine::new(&program, &code, Config::default());
        machine.stop_at(stops.iter().map(|location| (program.entry, *location)));
        let (mut leaper, mut budget) = (Leaper::eager(), Budget::unlimited());
        let mut visited = Vec::new();
        loop {
            let (oracle, output) = (&mut Zero, &mut std::io::sink());
            let step = if leaps {
                leaper.step(&mut machine, oracle, &mut Silent, output, &mut budget)
            } else {
                machine.step(oracle, &mut Silent, output, &mut budget)
            };
            match step {
                interp::Step::Location(_, location) => visited.push(location),
                interp::Step::Ended(_) => return visited,
            }
        }
    };
    assert_eq!(visits(true), visits(false));
}

const TYPES: [Ty; 7] =
    [Ty::unsigned(8), Ty::signed(8), Ty::unsigned(16), Ty::signed(16), I32, U32, Ty::signed(64)];

/// Writes random statements whose loops tend to count.
struct Writer {
    b: Builder,
    random: Random,
    vars: Vec<VarId>,
    callee: Option<ProcId>,
}

impl Writer {
    fn operand(&mut self, ty: Ty) -> ExprId {
        if self.random.below(2) == 0 {
            let var = self.random.pick(&self.vars);
            let value = self.b.get(var);
            return self.b.cast(ty, value);
        }
        let number = self.random.pick(&[0, 1, 2, 3, 5, 8, 40, 100, 127, 200, 255, -1, -2, -60]);
        self.b.int(ty, number)
    }
    fn cond(&mut self) -> ExprId {
        let var = self.random.pick(&self.vars);
        let ty = self.b.program.vars[var].scalar().expect("the variables are scalars");
        let mut value = self.b.get(var);
        if self.random.below(4) == 0 {
            let (op, number) =
                self.random.pick(&[(BinaryOp::Rem, 2), (BinaryOp::Rem, 3), (BinaryOp::And, 3)]);
            let number = self.b.int(ty, number);
            value = self.b.binary(op, value, number);
        }
        let other = self.operand(ty);
        let op = self.random.pick(&[BinaryOp::Lt, BinaryOp::Le, BinaryOp::Eq, BinaryOp::Ne]);
        let cond = if self.random.below(2) == 0 {
            self.b.binary(op, value, other)
        } else {
            self.b.binary(op, other, value)
        };
        if self.random.below(6) == 0 { self.b.not(cond) } else { cond }
    }
    fn assignment(&mut self) {
        let var = self.random.pick(&self.vars);
        let ty = self.b.program.vars[var].scalar().expect("the variables are scalars");
        let value = self.b.get(var);
        let value = match self.random.below(12) {
            0..=5 => {
                let step = self.random.pick(&[1, 1, 1, 2, 3, -1, -1, 4]);
                let step = self.b.int(ty, step);
                self.b.add(value, step)
            }
            6 => {
                let other = self.operand(ty);
                let op = self.random.pick(&[BinaryOp::Add, BinaryOp::Sub]);
                self.b.binary(op, value, other)
            }
            7 => self.operand(ty),
            8 => {
                let op = self.random.pick(&[
                    BinaryOp::Mul,
                    BinaryOp::Div,
                    BinaryOp::Rem,
                    BinaryOp::And,
                    BinaryOp::Xor,
                    BinaryOp::Shl,
                    BinaryOp::Shr,
                ]);
                let number = self.random.pick(&[1, 2, 3, 4, 7]);
                let number = self.b.int(ty, number);
                self.b.binary(op, value, number)
            }
            9 => {
                let op = self.random.pick(&[UnaryOp::Neg, UnaryOp::Not]);
                self.b.unary(op, value)
            }
            10 => {
                let (cond, one, other) = (self.cond(), self.operand(ty), self.operand(ty));
                let change = self.b.ite(cond, one, other);
                self.b.add(value, change)
            }
            _ => {
                if let Some(callee) = self.callee {
                    let argument = self.operand(I32);
                    let target = self.vars[0];
                    self.b.call(callee, vec![argument], vec![Some(Place::Var(target))]);
                }
                return;
            }
        };
        self.b.assign(var, value);
    }
    fn statements(&mut self, depth: usize) {
        for _ in 0..=self.random.below(3) {
            match self.random.below(6) {
                0 | 1 if depth > 0 => {
                    let cond = self.cond();
                    let head = self.b.location();
                    self.b.go(head);
                    self.b.at = head;
                    self.choice(cond, depth, Some(head));
                }
                2 if depth > 0 => {
                    let cond = self.cond();
                    self.choice(cond, depth, None);
                }
                _ => self.assignment(),
            }
        }
    }
    /// `if`, or `while` with a head to go back to.
    fn choice(&mut self, cond: ExprId, depth: usize, head: Option<cfa::Loc>) {
        let negated = self.b.not(cond);
        let (from, inside, after) = (self.b.at, self.b.location(), self.b.location());
        self.b.edge(from, inside, vec![cfa::Op::Assume { cond }]);
        self.b.edge(from, after, vec![cfa::Op::Assume { cond: negated }]);
        self.b.at = inside;
        self.statements(depth - 1);
        if head.is_some() {
            self.assignment();
        }
        self.b.go(head.unwrap_or(after));
        self.b.at = after;
    }
}

fn random_program(seed: u64) -> Program {
    let mut random = Random(seed);
    let overflow = random.pick(&[SignedOverflow::Undefined, SignedOverflow::Wrap]);
    let mut b = Builder::with_overflow(DataModel::Lp64, overflow);
    let (entry, start) = (b.proc, b.at);
    let callee = b.procedure("callee");
    b.goto_proc(callee, b.program.procs[callee].entry);
    let (argument, result) = (b.param("n", I32), b.result("r", I32));
    let counter = b.local("k", I32);
    let zero = b.int(I32, 0);
    b.assign(counter, zero);
    let argument = b.get(argument);
    b.assign(result, argument);
    let mut writer = Writer { b, random, vars: vec![result, counter], callee: None };
    writer.statements(1);
    writer.b.finish();
    writer.b.goto_proc(entry, start);
    let vars: Vec<VarId> = (0..4)
        .map(|index| {
            let ty = if index == 0 { I32 } else { writer.random.pick(&TYPES) };
            let var = writer.b.local(&format!("v{index}"), ty);
            let number = writer.random.pick(&[0, 0, 1, 10, 50]);
            let number = writer.b.int(ty, number);
            writer.b.assign(var, number);
            var
        })
        .collect();
    (writer.vars, writer.callee) = (vars, Some(callee));
    writer.statements(3);
    writer.statements(3);
    writer.b.finish();
    writer.b.program
}

#[test]
fn random_programs_end_as_without_leaps() {
    let (mut ended, mut leapt) = (0, 0);
    for seed in 0..3000 {
        let program = random_program(seed * 7919 + 1);
        let plain = execute(&program, None, 20_000);
        if matches!(plain.run.outcome, Outcome::Stopped(_)) {
            continue;
        }
        let leaping = execute(&program, Some(Leaper::eager()), 200_000_000);
        assert_eq!(plain.run.outcome, leaping.run.outcome, "seed {seed}");
        let compared = program.vars.iter_enumerated().zip(plain.values.iter().zip(&leaping.values));
        for ((_, decl), (value, other)) in compared {
            if decl.owner == Some(program.entry) {
                assert_eq!(value, other, "seed {seed}, {}", decl.name);
            }
        }
        ended += 1;
        leapt += u32::from(leaping.leaps > 0);
    }
    assert!(ended > 1500 && leapt > 150, "{leapt} of {ended} programs leap");
}
