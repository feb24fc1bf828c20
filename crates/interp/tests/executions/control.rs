//! Choice of edges, calls, stopping and resuming.
#![allow(clippy::many_single_char_names, reason = "the variables of the programs have short names")]

use base::{Budget, Region, Stop};
use cfa::{BinaryOp, Callee, CheckKind, DataModel, HaltReason, Op, Place, ProcId, Program, Ty};
use interp::{
    Choice, Code, CompileOptions, Config, Inputs, Machine, Markers, Outcome, Request, Resource, Seed, Silent,
    Step, UndefinedKind, Uninitialised, Value, Zero, run,
};

use super::builder::{
    BOTH, Builder, I32, U32, U64, input, line, outcome, run_oracle, run_with, status, undefined,
};

/// `x = input; if (x == 1) exit(10); if (x == 2) exit(20); ... ` as one location with several edges.
fn switch() -> Program {
    let mut b = Builder::new(DataModel::Lp64);
    let x = b.local("x", I32);
    b.havoc(x);
    let at = b.at;
    let value = b.get(x);
    for number in [1, 2, 3] {
        let (constant, code) = (b.int(I32, number), b.int(I32, number * 10));
        let cond = b.binary(BinaryOp::Eq, value, constant);
        let target = b.location();
        // Two leading assumptions: both must hold.
        let four = b.int(I32, 4);
        let small = b.binary(BinaryOp::Lt, value, four);
        b.edge(at, target, vec![Op::Assume { cond }, Op::Assume { cond: small }]);
        b.at = target;
        b.exit_with(code);
    }
    b.program
}

#[test]
fn the_first_enabled_edge_is_taken() {
    for number in [1, 2, 3] {
        let run = run_with(&switch(), Uninitialised::Report, &[number]);
        assert_eq!(run.outcome, Outcome::Exit { status: number * 10 });
    }
    let blocked = run_with(&switch(), Uninitialised::Report, &[4]);
    assert!(matches!(blocked.outcome, Outcome::Blocked { .. }));
}

#[test]
fn earlier_edges_win_when_several_are_enabled() {
    let mut b = Builder::new(DataModel::Lp64);
    let start = b.at;
    for number in [5, 6] {
        let target = b.location();
        b.edge(start, target, vec![]);
        b.at = target;
        let code = b.int(I32, number);
        b.exit_with(code);
    }
    assert_eq!(status(&b.program), 5);
}

#[test]
fn an_assumption_behind_an_operation_blocks_instead_of_choosing() {
    let mut b = Builder::new(DataModel::Lp64);
    let x = b.local("x", I32);
    let (zero, no, seven) = (b.int(I32, 0), b.program.exprs.bool(false), b.int(I32, 7));
    let (start, first, second) = (b.at, b.location(), b.location());
    b.edge(start, first, vec![Op::Assign { place: Place::Var(x), value: zero }, Op::Assume { cond: no }]);
    b.edge(start, second, vec![]);
    b.at = second;
    b.exit_with(seven);
    let result = outcome(&b.program);
    assert_eq!(result, Outcome::Blocked { region: line(1) });
}

#[test]
fn opposite_conditions_of_every_form() {
    // first condition, second condition, and for which of x = 0, 1, 2 (against 1) the first holds.
    type Conditions = fn(&mut Builder, cfa::ExprId, cfa::ExprId) -> (cfa::ExprId, cfa::ExprId);
    let forms: [(Conditions, [bool; 3]); 5] = [
        (|b, x, y| (b.binary(BinaryOp::Eq, x, y), b.binary(BinaryOp::Ne, x, y)), [false, true, false]),
        (|b, x, y| (b.binary(BinaryOp::Ne, x, y), b.binary(BinaryOp::Eq, y, x)), [true, false, true]),
        (|b, x, y| (b.binary(BinaryOp::Lt, x, y), b.binary(BinaryOp::Le, y, x)), [true, false, false]),
        (|b, x, y| (b.binary(BinaryOp::Le, x, y), b.binary(BinaryOp::Lt, y, x)), [true, true, false]),
        (
            |b, x, y| {
                let less = b.binary(BinaryOp::Lt, x, y);
                let (wide, zero) = (b.cast(I32, less), b.int(I32, 0));
                let cond = b.binary(BinaryOp::Ne, wide, zero);
                let not = b.not(cond);
                (not, cond)
            },
            [false, true, true],
        ),
    ];
    for (form, expected) in forms {
        for (x_value, holds) in expected.iter().enumerate() {
            for ty in [I32, U32, Ty::signed(7), U64, Ty::signed(100), Ty::Ptr] {
                let mut b = Builder::new(DataModel::Lp64);
                let x = b.local("x", ty);
                let (initial, one) = (b.int(ty, x_value as i128), b.int(ty, 1));
                b.assign(x, initial);
                let value = b.get(x);
                let (first, second) = form(&mut b, value, one);
                let (at, yes, no) = (b.at, b.location(), b.location());
                b.edge(at, yes, vec![Op::Assume { cond: first }]);
                b.edge(at, no, vec![Op::Assume { cond: second }]);
                let (code_yes, code_no) = (b.int(I32, 1), b.int(I32, 0));
                b.at = yes;
                b.exit_with(code_yes);
                b.at = no;
                b.exit_with(code_no);
                assert_eq!(status(&b.program), i128::from(*holds), "{ty} {x_value}");
            }
        }
    }
}

#[test]
fn not_a_number_takes_neither_branch() {
    let mut b = Builder::new(DataModel::Lp64);
    let (nan, one) = (b.double(f64::NAN), b.double(1.0));
    let (first, second) = (b.binary(BinaryOp::Lt, nan, one), b.binary(BinaryOp::Le, one, nan));
    let (at, exit) = (b.at, b.exit());
    b.edge(at, exit, vec![Op::Assume { cond: first }]);
    b.edge(at, exit, vec![Op::Assume { cond: second }]);
    assert!(matches!(outcome(&b.program), Outcome::Blocked { .. }));
}

/// `i = 0; s = 0; while (i < n) { s += i; i++ } exit(s)`
fn sum(n: i128) -> Program {
    let mut b = Builder::new(DataModel::Lp64);
    let (i, s) = (b.local("i", U64), b.local("s", U64));
    let (zero, one, bound) = (b.int(U64, 0), b.int(U64, 1), b.int(U64, n));
    b.assign(i, zero);
    b.assign(s, zero);
    let (i_value, s_value) = (b.get(i), b.get(s));
    let cond = b.binary(BinaryOp::Lt, i_value, bound);
    let (total, next) = (b.add(s_value, i_value), b.add(i_value, one));
    b.while_loop(cond, |b| {
        b.assign(s, total);
        b.assign(i, next);
    });
    b.exit_with(s_value);
    b.program
}

#[test]
fn loops_of_any_length() {
    for n in [0, 1, 2, 1000] {
        assert_eq!(status(&sum(n)), n * (n - 1) / 2);
    }
}

/// `fill m[0 .. count] with 7`, and the exit status is element 5.
fn filled(count: i128) -> Program {
    let mut b = Builder::new(DataModel::Lp64);
    let elements = b.unbounded("m", I32);
    let (at, value, count) = (b.int(U64, 0), b.int(I32, 7), b.int(U64, count));
    b.op(Op::FillElems { to: elements, at, value, count });
    let index = b.int(U64, 5);
    let element = b.elem(elements, index);
    b.exit_with(element);
    b.program
}

#[test]
fn operations_on_many_elements_are_paid_before_they_start() {
    let program = filled(100_000);
    let code = Code::new(&program, CompileOptions::default());
    let mut machine = Machine::new(&program, &code, Config::default());
    let mut pauses = 0;
    let result = loop {
        let mut budget = Budget::ticks(999);
        match machine.step(&mut Zero, &mut Silent, &mut std::io::sink(), &mut budget) {
            Step::Ended(Outcome::Stopped(Stop::Ticks)) => pauses += 1,
            other => break other,
        }
    };
    assert_eq!(result, Step::Ended(Outcome::Exit { status: 7 }));
    assert_eq!(pauses, 12);

    let budget = &mut Budget::ticks(1_000_000);
    let run = |count: i128, budget| {
        run(&filled(count), Uninitialised::Report, &mut Zero, &mut std::io::sink(), budget).outcome
    };
    assert_eq!(run(30_000_000, budget), Outcome::Stopped(Stop::Ticks));
    // More than the memory that there is: refused at once.
    let refused = run(1 << 40, &mut Budget::ticks(100));
    assert!(matches!(refused, Outcome::Resource { what: Resource::Memory, .. }), "{refused:?}");
}

#[test]
fn the_budget_stops_an_endless_loop_and_the_run_can_go_on() {
    let program = sum(100_000);
    let code = Code::new(&program, CompileOptions::default());
    let mut machine = Machine::new(&program, &code, Config::default());
    let mut pauses = 0;
    let result = loop {
        let mut budget = Budget::ticks(999);
        match machine.step(&mut Zero, &mut Silent, &mut std::io::sink(), &mut budget) {
            Step::Ended(Outcome::Stopped(Stop::Ticks)) => pauses += 1,
            other => break other,
        }
        assert!(budget.spent() <= 999);
    };
    assert_eq!(result, Step::Ended(Outcome::Exit { status: 4_999_950_000 }));
    assert!((95..=105).contains(&pauses), "{pauses}");

    let mut b = Builder::new(DataModel::Lp64);
    let start = b.at;
    b.edge(start, start, vec![]);
    let budget = &mut Budget::ticks(10_000);
    let run = run(&b.program, Uninitialised::Report, &mut Zero, &mut std::io::sink(), budget);
    assert_eq!(run.outcome, Outcome::Stopped(Stop::Ticks));
    let cancelled = &mut Budget::unlimited();
    cancelled.cancel_flag().cancel();
    let run = interp::run(&b.program, Uninitialised::Report, &mut Zero, &mut std::io::sink(), cancelled);
    assert_eq!(run.outcome, Outcome::Stopped(Stop::Cancelled));
}

#[test]
fn the_error_location_is_reported_with_stack_and_edge() {
    let mut b = Builder::new(DataModel::Lp64);
    let start = (b.proc, b.at);
    let f = b.procedure("fail");
    let (at, error) = (b.at, b.error());
    b.edge(at, error, vec![]);
    b.goto_proc(start.0, start.1);
    b.call(f, vec![], vec![]);
    b.finish();
    let run = run_with(&b.program, Uninitialised::Report, &[]);
    let Outcome::Error { region, kind, site: Some(site), .. } = run.outcome else {
        panic!("{:?}", run.outcome)
    };
    assert_eq!((region, kind, site.proc), (line(1), CheckKind::Assertion, f));
    let stack: Vec<_> = run.stack.entries.iter().map(|entry| (&*entry.procedure, entry.called_at)).collect();
    assert_eq!(stack, [("fail", line(2)), ("%start", Region::NOWHERE)]);
}

#[test]
fn halts() {
    let mut b = Builder::new(DataModel::Lp64);
    b.op(Op::Halt { reason: HaltReason::Abort });
    assert!(matches!(outcome(&b.program), Outcome::Halted { .. }));
    let mut b = Builder::new(DataModel::Lp64);
    let status = b.int(I32, -3);
    b.exit_with(status);
    assert_eq!(outcome(&b.program), Outcome::Exit { status: -3 });
    let mut b = Builder::new(DataModel::Lp64);
    b.finish();
    assert_eq!(outcome(&b.program), Outcome::Returned);
}

/// `fib(n)`, which calls itself twice, in a type.
fn fibonacci(ty: Ty, n: i128) -> Program {
    let mut b = Builder::new(DataModel::Lp64);
    let start = (b.proc, b.at);
    let fib = b.procedure("fib");
    let (n_var, r, t) = (b.param("n", ty), b.result("r", ty), b.local("t", ty));
    let (value, one, two) = (b.get(n_var), b.int(ty, 1), b.int(ty, 2));
    let cond = b.binary(BinaryOp::Lt, value, two);
    let not = b.not(cond);
    let (at, small, large) = (b.at, b.location(), b.location());
    b.edge(at, small, vec![Op::Assume { cond }]);
    b.edge(at, large, vec![Op::Assume { cond: not }]);
    b.at = small;
    b.assign(r, value);
    b.finish();
    b.at = large;
    let (less_one, less_two) = (b.binary(BinaryOp::Sub, value, one), b.binary(BinaryOp::Sub, value, two));
    b.call(fib, vec![less_one], vec![Some(Place::Var(t))]);
    b.call(fib, vec![less_two], vec![Some(Place::Var(r))]);
    let (t_value, r_value) = (b.get(t), b.get(r));
    let total = b.add(t_value, r_value);
    b.assign(r, total);
    b.finish();
    b.goto_proc(start.0, start.1);
    let result = b.local("result", ty);
    let argument = b.int(ty, n);
    b.call(fib, vec![argument], vec![Some(Place::Var(result))]);
    let value = b.get(result);
    b.exit_with(value);
    b.program
}

#[test]
fn recursion_keeps_activations_apart() {
    assert_eq!(status(&fibonacci(I32, 20)), 6765);
    assert_eq!(status(&fibonacci(Ty::signed(100), 15)), 610);
}

/// `f(n, a, b)`: returns a, b after n exchanges: `f(n - 1, b, a)` reads both parameters while they are overwritten.
#[test]
fn arguments_are_read_before_parameters_are_written() {
    fn swap(n: i128, x: i128, y: i128) -> (i128, i128) {
        if n == 0 {
            return (x, y);
        }
        let (q, p) = swap(n - 1, y, x);
        (p + 100, q)
    }
    let mut b = Builder::new(DataModel::Lp64);
    let start = (b.proc, b.at);
    let f = b.procedure("swap");
    let (n, x, y) = (b.param("n", I32), b.param("x", I32), b.param("y", I32));
    let (p, q) = (b.result("p", I32), b.result("q", I32));
    let (n_value, x_value, y_value, zero, one) = (b.get(n), b.get(x), b.get(y), b.int(I32, 0), b.int(I32, 1));
    let done = b.binary(BinaryOp::Eq, n_value, zero);
    let more = b.binary(BinaryOp::Ne, n_value, zero);
    let (at, last, again) = (b.at, b.location(), b.location());
    b.edge(at, last, vec![Op::Assume { cond: done }]);
    b.edge(at, again, vec![Op::Assume { cond: more }]);
    b.at = last;
    b.assign(p, x_value);
    b.assign(q, y_value);
    b.finish();
    b.at = again;
    let less = b.binary(BinaryOp::Sub, n_value, one);
    // The results are exchanged, too.
    b.call(f, vec![less, y_value, x_value], vec![Some(Place::Var(q)), Some(Place::Var(p))]);
    let (p_value, hundred) = (b.get(p), b.int(I32, 100));
    let p_next = b.binary(BinaryOp::Add, p_value, hundred);
    b.assign(p, p_next);
    b.finish();
    b.goto_proc(start.0, start.1);
    let (r, s) = (b.local("r", I32), b.local("s", I32));
    let (three, four, five) = (b.int(I32, 3), b.int(I32, 4), b.int(I32, 5));
    b.call(f, vec![three, four, five], vec![Some(Place::Var(r)), Some(Place::Var(s))]);
    let (r_value, s_value, thousand) = (b.get(r), b.get(s), b.int(I32, 1000));
    let high = b.binary(BinaryOp::Mul, r_value, thousand);
    let all = b.add(high, s_value);
    b.exit_with(all);
    let (r, s) = swap(3, 4, 5);
    assert_eq!(status(&b.program), r * 1000 + s);
}

#[test]
fn endless_recursion_is_a_resource_outcome() {
    let mut b = Builder::new(DataModel::Lp64);
    let start = (b.proc, b.at);
    let f = b.procedure("f");
    b.call(f, vec![], vec![]);
    b.finish();
    b.goto_proc(start.0, start.1);
    b.call(f, vec![], vec![]);
    let run = run_with(&b.program, Uninitialised::Report, &[]);
    assert!(matches!(run.outcome, Outcome::Resource { what: Resource::CallDepth, .. }));
    assert_eq!((run.stack.entries.len(), run.stack.omitted), (64, 1_000_000 - 64));
}

#[test]
fn calls_through_pointers() {
    for model in BOTH {
        let mut b = Builder::new(model);
        let start = (b.proc, b.at);
        let mut procs = Vec::new();
        for number in [11, 22, 33] {
            procs.push(b.procedure(&format!("f{number}")));
            let r = b.result("r", I32);
            let value = b.int(I32, number);
            b.assign(r, value);
            b.finish();
        }
        let indirect = |b: &mut Builder, make: &dyn Fn(&mut Builder, &[ProcId]) -> cfa::ExprId| {
            b.goto_proc(start.0, start.1);
            let (p, r) = (b.local("p", Ty::Ptr), b.local("r", I32));
            let pointer = make(b, &procs);
            b.assign(p, pointer);
            let pointer = b.get(p);
            // The third may not be called.
            let callee = Callee::Indirect { pointer, targets: procs[..2].to_vec() };
            b.op(Op::Call { callee, args: vec![], results: vec![Some(Place::Var(r))] });
            let value = b.get(r);
            b.exit_with(value);
        };
        let build = |make: &dyn Fn(&mut Builder, &[ProcId]) -> cfa::ExprId| {
            let mut copy = Builder::new(model);
            copy.program = b.program.clone();
            indirect(&mut copy, make);
            copy.program
        };
        assert_eq!(status(&build(&|b, procs| b.function(procs[1]))), 22);
        let through_int = build(&|b, procs| {
            let (pointer, ty) = (b.function(procs[0]), b.size_ty());
            let number = b.cast(ty, pointer);
            b.cast(Ty::Ptr, number)
        });
        assert_eq!(status(&through_int), 11);
        assert_eq!(undefined(&build(&|b, procs| b.function(procs[2]))), UndefinedKind::BadFunctionPointer);
        assert_eq!(undefined(&build(&|b, _| b.int(Ty::Ptr, 0))), UndefinedKind::BadFunctionPointer);
        let inside = build(&|b, procs| {
            let pointer = b.function(procs[0]);
            b.offset(pointer, 1)
        });
        assert_eq!(undefined(&inside), UndefinedKind::BadFunctionPointer);
        let data = build(&|b, procs| {
            let pointer = b.function(procs[0]);
            let value = b.load(pointer, I32);
            b.cast(Ty::Ptr, value)
        });
        assert_eq!(undefined(&data), UndefinedKind::WildPointer);
    }
}

#[test]
fn inputs_are_recorded_and_replayed() {
    let mut b = Builder::new(DataModel::Lp64);
    let (x, y, d) =
        (b.local("x", I32), b.local("y", Ty::signed(100)), b.local("d", Ty::Float(cfa::FloatKind::Double)));
    b.havoc(x);
    b.havoc(y);
    b.havoc(d);
    let (x_value, y_value, d_value) = (b.get(x), b.get(y), b.get(d));
    let (wide, number) = (b.cast(Ty::signed(100), x_value), b.cast(Ty::signed(100), d_value));
    let sum = b.add(wide, y_value);
    let sum = b.add(sum, number);
    b.exit_with(sum);
    let first = run_with(&b.program, Uninitialised::Report, &[-5, 1 << 70, 7]);
    assert_eq!(first.outcome, Outcome::Exit { status: (1 << 70) + 2 });
    let values: Vec<_> = first.choices.iter().map(|chosen| chosen.value).collect();
    assert_eq!(values, [Value::int(I32, -5), Value::int(Ty::signed(100), 1 << 70), Value::double(7.0)]);
    assert!(first.choices.iter().all(|chosen| chosen.source == input() && chosen.region == line(99)));
    let again = run_oracle(&b.program, Uninitialised::Report, &mut Inputs::replay(&first.choices));
    assert_eq!(again, first);
    for seed in 0..20 {
        let random = run_oracle(&b.program, Uninitialised::Report, &mut Seed::new(seed));
        assert_eq!(
            run_oracle(&b.program, Uninitialised::Report, &mut Inputs::replay(&random.choices)),
            random
        );
    }
    let mut asked = Vec::new();
    let mut closure = |request: &Request<'_>| {
        asked.push(request.ty);
        Some(Choice::Int(1))
    };
    assert_eq!(
        run_oracle(&b.program, Uninitialised::Report, &mut closure).outcome,
        Outcome::Exit { status: 3 }
    );
    assert_eq!(asked.len(), 3);
}

#[test]
fn a_run_without_input_can_be_resumed() {
    let mut b = Builder::new(DataModel::Lp64);
    let (x, y) = (b.local("x", I32), b.local("y", I32));
    b.havoc(x);
    b.havoc(y);
    let (x_value, y_value) = (b.get(x), b.get(y));
    let difference = b.binary(BinaryOp::Sub, x_value, y_value);
    b.exit_with(difference);
    let code = Code::new(&b.program, CompileOptions::default());
    let mut machine = Machine::new(&b.program, &code, Config::default());
    let mut step = |inputs: &mut Inputs| {
        machine.step(inputs, &mut Silent, &mut std::io::sink(), &mut Budget::unlimited())
    };
    let out = Step::Ended(Outcome::OutOfInputs { region: line(99) });
    assert_eq!(step(&mut Inputs::default()), out);
    assert_eq!(step(&mut Inputs::ints([9])), out);
    assert_eq!(step(&mut Inputs::ints([5])), Step::Ended(Outcome::Exit { status: 4 }));
    assert_eq!(machine.choices().len(), 2);
}

#[test]
fn a_machine_runs_from_the_middle_to_chosen_locations() {
    let program = sum(1000);
    let entry = program.entry;
    // The loop head is the location that two edges enter.
    let edges = program.procs[entry].edges();
    let head = program.procs[entry]
        .locations
        .ids()
        .find(|location| edges.iter().filter(|edge| edge.target == *location).count() == 2)
        .unwrap();
    let vars: Vec<_> = program.vars.ids().collect();
    let code =
        Code::new(&program, CompileOptions { markers: Markers::Locations, ..CompileOptions::default() });
    let mut machine = Machine::new(&program, &code, Config::default());
    machine.stop_at([(entry, head)]);
    machine.start_at(entry, head);
    machine.set(vars[0], Value::int(U64, 990));
    machine.set(vars[1], Value::int(U64, 7));
    let mut visits = 0;
    let last = loop {
        match machine.step(&mut Zero, &mut Silent, &mut std::io::sink(), &mut Budget::unlimited()) {
            Step::Location(proc, location) => {
                assert_eq!((proc, location), (entry, head));
                visits += 1;
                assert_eq!(machine.view().scalar(vars[0]), Some(Value::int(U64, 990 + visits)));
            }
            Step::Ended(outcome) => break outcome,
        }
    };
    assert_eq!(visits, 10);
    assert_eq!(last, Outcome::Exit { status: 7 + (990..1000).sum::<i128>() });
    // Without stops the same code runs through.
    machine.stop_at([]);
    machine.start_at(entry, program.procs[entry].entry);
    let run = machine.run(&mut Zero, &mut Silent, &mut std::io::sink(), &mut Budget::unlimited());
    assert_eq!(run.outcome, Outcome::Exit { status: 499_500 });
}
