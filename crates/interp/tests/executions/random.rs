//! Random programs: compiled code against the evaluator, one data model and one set of markers against another.

use base::Budget;
use cfa::{
    BinaryOp, DataModel, Expr, ExprId, FloatKind, Length, Op, Place, Program, SignedOverflow, Ty, UnaryOp,
    VarId,
};
use interp::{
    Code, CompileOptions, Config, EvalError, Inputs, Machine, Markers, Outcome, Seed, Silent, Uninitialised,
    Value, eval,
};

use super::builder::Builder;

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

const TYPES: [Ty; 13] = [
    Ty::BOOL,
    Ty::signed(8),
    Ty::unsigned(8),
    Ty::signed(16),
    Ty::signed(32),
    Ty::unsigned(32),
    Ty::signed(64),
    Ty::unsigned(64),
    Ty::signed(20),
    Ty::unsigned(50),
    Ty::signed(128),
    Ty::unsigned(90),
    Ty::Float(FloatKind::Double),
];

/// An expression of a type over scalar variables.
fn expression(b: &mut Builder, random: &mut Random, vars: &[VarId], ty: Ty, depth: usize) -> ExprId {
    if depth == 0 {
        let same: Vec<VarId> =
            vars.iter().copied().filter(|var| b.program.vars[*var].scalar() == Some(ty)).collect();
        if !same.is_empty() && random.below(3) > 0 {
            return b.get(random.pick(&same));
        }
        let number = random.pick(&[0, 1, 2, 3, 7, -1, 100, i128::MAX, i128::MIN]);
        if ty.is_float() {
            return b.double(number as f64);
        }
        return b.int(ty, number);
    }
    let integer_ops = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Shl,
        BinaryOp::Shr,
    ];
    let comparisons = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le];
    let float_ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div];
    match random.below(7) {
        0 => {
            let from = random.pick(&TYPES);
            let arg = expression(b, random, vars, from, depth - 1);
            b.cast(ty, arg)
        }
        1 => {
            let cond = expression(b, random, vars, Ty::BOOL, depth - 1);
            let then = expression(b, random, vars, ty, depth - 1);
            let other = expression(b, random, vars, ty, depth - 1);
            b.ite(cond, then, other)
        }
        2 if !ty.is_float() => {
            let arg = expression(b, random, vars, ty, depth - 1);
            let op = random.pick(&[UnaryOp::Neg, UnaryOp::Not]);
            b.program.exprs.add(Expr::Unary { op, arg })
        }
        3 if ty == Ty::BOOL => {
            let of = random.pick(&TYPES);
            let (x, y) =
                (expression(b, random, vars, of, depth - 1), expression(b, random, vars, of, depth - 1));
            b.binary(random.pick(&comparisons), x, y)
        }
        _ => {
            let op = if ty.is_float() { random.pick(&float_ops) } else { random.pick(&integer_ops) };
            let x = expression(b, random, vars, ty, depth - 1);
            let right =
                if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { random.pick(&TYPES[..12]) } else { ty };
            let y = expression(b, random, vars, right, depth - 1);
            b.binary(op, x, y)
        }
    }
}

/// Straight-line assignments, branches and array accesses over random variables; the reference is `eval`.
#[test]
fn compiled_expressions_agree_with_the_evaluator() {
    let mut defined = 0;
    for seed in 0..1500_u64 {
        let mut random = Random(seed);
        let overflow = random.pick(&[SignedOverflow::Undefined, SignedOverflow::Wrap]);
        let model = random.pick(&[DataModel::Lp64, DataModel::Ilp32]);
        let mut b = Builder::with_overflow(model, overflow);
        let vars: Vec<VarId> = TYPES.iter().map(|ty| b.local("x", *ty)).collect();
        for var in &vars {
            b.havoc(*var);
        }
        let target = random.below(TYPES.len());
        let depth = 1 + random.below(4);
        let value = expression(&mut b, &mut random, &vars, TYPES[target], depth);
        // Assigning to a variable that the expression may read.
        b.assign(vars[target], value);
        b.finish();
        let code = Code::new(&b.program, CompileOptions::default());
        let mut machine = Machine::new(&b.program, &code, Config::default());
        let run =
            machine.run(&mut Seed::new(seed), &mut Silent, &mut std::io::sink(), &mut Budget::unlimited());
        let before = |var: VarId| vars.iter().position(|other| *other == var).map(|at| run.choices[at].value);
        match (eval(&b.program, value, &before), &run.outcome) {
            (Ok(expected), Outcome::Returned) => {
                defined += 1;
                assert_eq!(machine.view().scalar(vars[target]), Some(expected), "seed {seed}");
            }
            (Err(EvalError::Undefined { kind, .. }), Outcome::Undefined { kind: found, .. }) => {
                // Of several undefined operands any may be named.
                let _ = (kind, found);
            }
            (expected, found) => panic!("seed {seed}: {expected:?}, but {found}"),
        }
    }
    assert!(defined > 500, "{defined}");
}

/// A random control-flow graph over a few variables and an array.
fn graph(seed: u64) -> Program {
    let mut random = Random(seed);
    let mut b = Builder::with_overflow(DataModel::Lp64, SignedOverflow::Wrap);
    let types = [Ty::signed(32), Ty::unsigned(8), Ty::signed(64), Ty::BOOL, Ty::signed(70)];
    let vars: Vec<VarId> = types.iter().enumerate().map(|(at, ty)| b.local(&format!("x{at}"), *ty)).collect();
    let array = b.array("a", Ty::signed(32), Length::Fixed(8));
    for var in &vars[..3] {
        b.havoc(*var);
    }
    let mut locations = vec![b.at];
    locations.extend((0..2 + random.below(8)).map(|_| b.location()));
    for from in locations.clone() {
        let cond = expression(&mut b, &mut random, &vars, Ty::BOOL, 2);
        let not = b.not(cond);
        for cond in [cond, not] {
            let mut ops = if random.below(8) == 0 { vec![] } else { vec![Op::Assume { cond }] };
            for _ in 0..random.below(3) {
                let at = random.below(types.len());
                let index = b.get(vars[1]);
                let (seven, ty) = (b.int(Ty::unsigned(8), 7), types[at]);
                let index = b.binary(BinaryOp::And, index, seven);
                ops.push(match random.below(4) {
                    0 => {
                        let value = expression(&mut b, &mut random, &vars, Ty::signed(32), 2);
                        Op::Assign { place: Place::Elem { array, index }, value }
                    }
                    1 if at == 0 => Op::Assign { place: Place::Var(vars[0]), value: b.elem(array, index) },
                    _ => Op::Assign {
                        place: Place::Var(vars[at]),
                        value: expression(&mut b, &mut random, &vars, ty, 2),
                    },
                });
            }
            let target = if random.below(6) == 0 { b.exit() } else { random.pick(&locations) };
            b.edge(from, target, ops);
        }
    }
    b.program
}

/// Markers, budgets that end early and both policies must not change what a program does.
#[test]
fn ways_of_running_agree() {
    let mut ends = [0; 3];
    for seed in 0..600 {
        let program = graph(seed);
        for uninitialised in [Uninitialised::Report, Uninitialised::Choose] {
            let run = |markers, ticks: u64| {
                let code = Code::new(&program, CompileOptions { uninitialised, markers });
                let mut machine = Machine::new(&program, &code, Config::default());
                let mut oracle = Seed::new(seed);
                let mut budget = Budget::ticks(20_000);
                let mut rounds = 0;
                let outcome = loop {
                    let mut part = budget.child(ticks);
                    let step = machine.run(&mut oracle, &mut Silent, &mut std::io::sink(), &mut part);
                    budget.absorb(&part);
                    rounds += 1;
                    match step.outcome {
                        Outcome::Stopped(_) if rounds < 20_000 / ticks => {}
                        other => break other,
                    }
                };
                let values: Vec<Option<Value>> =
                    program.vars.ids().map(|var| machine.view().scalar(var)).collect();
                (outcome, values, machine.choices().to_vec())
            };
            let plain = run(Markers::None, 20_000);
            // A program that runs for ever is stopped at different points.
            if matches!(plain.0, Outcome::Stopped(_)) {
                ends[2] += 1;
                continue;
            }
            ends[usize::from(plain.0 == Outcome::Returned)] += 1;
            assert_eq!(plain, run(Markers::Edges, 20_000), "seed {seed}");
            assert_eq!(plain, run(Markers::None, 7), "seed {seed}");
            let located = run(Markers::Locations, 20_000);
            assert_eq!((&plain.1, &plain.2), (&located.1, &located.2), "seed {seed}");
            let replay = {
                let code = Code::new(&program, CompileOptions { uninitialised, markers: Markers::None });
                let mut machine = Machine::new(&program, &code, Config::default());
                let mut oracle = Inputs::replay(&plain.2);
                machine.run(&mut oracle, &mut Silent, &mut std::io::sink(), &mut Budget::unlimited())
            };
            assert_eq!(replay.outcome, plain.0, "seed {seed}");
        }
    }
    assert!(ends.iter().all(|count| *count > 20), "{ends:?}");
}
