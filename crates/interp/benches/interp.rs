//! Speed of the interpreter on loops of 10^8 iterations, beside gcc -O0 where gcc is installed.
#![allow(missing_docs, clippy::print_stdout, clippy::many_single_char_names, reason = "a benchmark prints")]

#[path = "../tests/executions/builder.rs"]
mod builder;

use std::process::Command;
use std::time::{Duration, Instant};

use base::Budget;
use builder::{Builder, I32, U32};
use cfa::{BinaryOp, DataModel, Expr, Length, Op, Place, Program, Ty};
use interp::{
    Code, CompileOptions, Config, Inputs, Machine, Markers, Outcome, Recorder, Silent, Uninitialised,
};

/// `for (i = 0; i < n; i++) s += i & 7;`
fn sum_loop(ty: Ty, n: i128) -> Program {
    let mut b = Builder::new(DataModel::Lp64);
    let (i, s) = (b.local("i", ty), b.local("s", ty));
    let (zero, one, seven, bound) = (b.int(ty, 0), b.int(ty, 1), b.int(ty, 7), b.int(ty, n));
    b.assign(i, zero);
    b.assign(s, zero);
    let (i_value, s_value) = (b.get(i), b.get(s));
    let cond = b.binary(BinaryOp::Lt, i_value, bound);
    let masked = b.binary(BinaryOp::And, i_value, seven);
    let sum = b.add(s_value, masked);
    let next = b.add(i_value, one);
    b.while_loop(cond, |b| {
        b.assign(s, sum);
        b.assign(i, next);
    });
    b.exit_with(s_value);
    b.program
}

/// `for (i = 0; i < n; i++) a[i & 1023] = a[(i * 7) & 1023] + i;` on an array variable or in memory.
fn array_loop(in_memory: bool, n: i128) -> Program {
    let mut b = Builder::new(DataModel::Lp64);
    let i = b.local("i", U32);
    let (zero, one, seven, bound, mask) =
        (b.int(U32, 0), b.int(U32, 1), b.int(U32, 7), b.int(U32, n), b.int(U32, 1023));
    b.assign(i, zero);
    let i_value = b.get(i);
    let cond = b.binary(BinaryOp::Lt, i_value, bound);
    let next = b.add(i_value, one);
    let to = b.binary(BinaryOp::And, i_value, mask);
    let scaled = b.binary(BinaryOp::Mul, i_value, seven);
    let from = b.binary(BinaryOp::And, scaled, mask);
    let (place, value);
    if in_memory {
        let a = b.object("a", 4096);
        b.op(Op::Begin { var: a });
        b.op(Op::Init { var: a, contents: cfa::InitKind::Zero });
        let base = b.address(a);
        let mut pointer = |index| {
            let (wide, four) = (b.cast(Ty::signed(64), index), b.int(Ty::signed(64), 4));
            let bytes = b.binary(BinaryOp::Mul, wide, four);
            b.binary(BinaryOp::PtrAdd, base, bytes)
        };
        let (source, target) = (pointer(from), pointer(to));
        value = b.load(source, U32);
        place = Place::Mem { addr: target, ty: U32 };
    } else {
        let a = b.array("a", U32, Length::Fixed(1024));
        b.op(Op::Init { var: a, contents: cfa::InitKind::Zero });
        value = b.program.exprs.add(Expr::Elem { array: a, index: from, ty: U32 });
        place = Place::Elem { array: a, index: to };
    }
    let sum = b.add(value, i_value);
    b.while_loop(cond, |b| {
        b.op(Op::Assign { place, value: sum });
        b.assign(i, next);
    });
    b.exit_with(i_value);
    b.program
}

/// `for (i = 0; i < n; i++) s += f(i);` with `f(x) = x & 7`, or malloc and free in each iteration.
fn call_loop(allocate: bool, n: i128) -> Program {
    let mut b = Builder::new(DataModel::Lp64);
    let start = (b.proc, b.at);
    let f = b.procedure("f");
    let (x, r) = (b.param("x", U32), b.result("r", U32));
    let (x_value, seven) = (b.get(x), b.int(U32, 7));
    let masked = b.binary(BinaryOp::And, x_value, seven);
    b.assign(r, masked);
    b.finish();
    b.goto_proc(start.0, start.1);
    let (i, s, t, p) = (b.local("i", U32), b.local("s", U32), b.local("t", U32), b.local("p", Ty::Ptr));
    let (zero, one, bound, size) = (b.int(U32, 0), b.int(U32, 1), b.int(U32, n), b.int(Ty::unsigned(64), 16));
    b.assign(i, zero);
    b.assign(s, zero);
    let (i_value, s_value, t_value, p_value) = (b.get(i), b.get(s), b.get(t), b.get(p));
    let cond = b.binary(BinaryOp::Lt, i_value, bound);
    let next = b.add(i_value, one);
    let sum = b.add(s_value, t_value);
    b.while_loop(cond, |b| {
        if allocate {
            b.op(Op::Malloc {
                place: Place::Var(p),
                size,
                kind: cfa::AllocKind::Heap,
                contents: cfa::InitKind::Uninitialised,
            });
            b.store(p_value, i_value);
            b.op(Op::Free { addr: p_value });
        } else {
            b.call(f, vec![i_value], vec![Some(Place::Var(t))]);
            b.assign(s, sum);
        }
        b.assign(i, next);
    });
    b.exit_with(s_value);
    b.program
}

/// Runs are repeated because the machine may be busy with something else; the shortest counts.
const REPETITIONS: usize = 3;

fn measure(name: &str, program: &Program, iterations: i128) -> Duration {
    let options = CompileOptions { uninitialised: Uninitialised::Report, markers: Markers::None };
    let code = Code::new(program, options);
    let mut best = Duration::MAX;
    for _ in 0..REPETITIONS {
        let mut machine = Machine::new(program, &code, Config::default());
        let start = Instant::now();
        let (oracle, out) = (&mut Inputs::default(), &mut std::io::sink());
        let run = machine.run(oracle, &mut Silent, out, &mut Budget::unlimited());
        best = best.min(start.elapsed());
        assert!(matches!(run.outcome, Outcome::Exit { .. }), "{}", run.outcome);
    }
    println!(
        "{name:<34} {iterations:>10} iterations {:>8.3} s {:>7.2} ns each",
        best.as_secs_f64(),
        best.as_secs_f64() * 1e9 / iterations as f64
    );
    best
}

/// Largest amount of memory that this process had, where the system tells.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

/// Time of the same loop compiled by gcc without optimisation.
fn gcc(ty: &str, n: i128) -> Option<Duration> {
    let folder = std::env::temp_dir().join(format!("interp-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let (source, binary) = (folder.join("loop.c"), folder.join("loop"));
    let text = format!(
        "int main(void) {{ {ty} s = 0; for ({ty} i = 0; i < {n}; i++) {{ s += i & 7; }} return s == 350000000 ? 0 : 1; }}"
    );
    std::fs::write(&source, text).ok()?;
    let compiled = Command::new("gcc").args(["-O0", "-o"]).arg(&binary).arg(&source).status().ok()?;
    let time = compiled.success().then(|| {
        let once = || {
            let start = Instant::now();
            Command::new(&binary)
                .status()
                .ok()
                .filter(std::process::ExitStatus::success)
                .map(|_| start.elapsed())
        };
        (0..REPETITIONS).filter_map(|_| once()).min()
    });
    let _ = std::fs::remove_dir_all(&folder);
    time.flatten()
}

fn traced(program: &Program) {
    let code =
        Code::new(program, CompileOptions { uninitialised: Uninitialised::Report, markers: Markers::Edges });
    let mut machine = Machine::new(program, &code, Config::default());
    let mut recorder = Recorder::default();
    let start = Instant::now();
    let run =
        machine.run(&mut Inputs::default(), &mut recorder, &mut std::io::sink(), &mut Budget::unlimited());
    let (length, folded) = (recorder.trace.len(), recorder.trace.folded_len());
    println!(
        "trace of {length} edges: {folded} symbols, {:.3} s, {}",
        start.elapsed().as_secs_f64(),
        run.outcome
    );
}

fn main() {
    const N: i128 = 100_000_000;
    for (name, ty) in [("unsigned", U32), ("int", I32)] {
        let ours = measure(&format!("{name} s += i & 7"), &sum_loop(ty, N), N);
        match gcc(name, N) {
            Some(theirs) => println!(
                "{:<34} {N:>10} iterations {:>8.3} s   ratio {:.1}",
                format!("  gcc -O0 {name}"),
                theirs.as_secs_f64(),
                ours.as_secs_f64() / theirs.as_secs_f64()
            ),
            None => println!("  gcc -O0: not available"),
        }
    }
    println!("peak memory {}", peak_memory());
    let tenth = N / 10;
    measure("array variable", &array_loop(false, tenth), tenth);
    measure("array in memory", &array_loop(true, tenth), tenth);
    measure("call", &call_loop(false, tenth), tenth);
    measure("malloc, store, free", &call_loop(true, tenth), tenth);
    traced(&sum_loop(U32, tenth));
    println!("peak memory {}", peak_memory());
}
