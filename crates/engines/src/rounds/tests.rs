//! Rounds with engines that crash, lie or tell, beside real ones.

use base::Budget;
use certify::certify;
use engine::Recorder;
use paths::Space;
use verdict::Annotation;

use super::job::{Arrays, Calls};
use super::*;
use crate::facts_of_others::tell;
use crate::joint_facts::none;
use crate::problem::Problem;

/// An engine that is a function.
struct Mock(fn(&Prepared<'_>, &mut Env<'_>) -> Verdict);

impl Engine for Mock {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        (self.0)(task, env)
    }
}

const fn mock(name: &'static str, configure: fn(&Settings) -> Box<dyn Engine>) -> Member {
    Member { name, ticks: 1 << 12, early: |_| None, suits: |_| true, configure }
}

fn gives_up(_: &Settings) -> Box<dyn Engine> {
    Box::new(Mock(|_, _| Verdict::Unknown(Reason::NotProgressing)))
}

fn crashes(_: &Settings) -> Box<dyn Engine> {
    Box::new(Mock(|_, _| panic!("the frontier should be empty")))
}

/// Says safe of every program, with a proof that proves nothing.
fn lies(_: &Settings) -> Box<dyn Engine> {
    Box::new(Mock(|_, _| Verdict::Safe(nothing())))
}

fn nothing() -> Proof {
    let text = "logic integers\n";
    Proof::Annotation(std::sync::Arc::new(text.parse::<Annotation>().expect("this is an annotation")))
}

/// Tells that `2 * b <= a` at every loop, and no more.
fn tells(_: &Settings) -> Box<dyn Engine> {
    Box::new(Mock(|task, env| {
        let problem = Problem::new(task, &mut env.logic).expect("the program should be encoded");
        let space = Space { program: task.program(), graph: &problem.graph };
        let symbol = |name: &str| {
            let var = task.program().vars.ids().find(|var| *task.program().vars[*var].name == *name);
            var.and_then(|var| problem.graph.vocabulary.symbol(var)).expect("the variable should be there")
        };
        let terms = &mut env.logic.terms;
        let (a, b) = (terms.of_symbol(symbol("a")), terms.of_symbol(symbol("b")));
        let twice = terms.add(b, b);
        let clause = terms.le(twice, a);
        let mut clauses = none(space);
        clauses.iter_mut().for_each(|known| known.push(clause));
        tell(&problem.graph, &clauses, env);
        Verdict::Unknown(Reason::NotProgressing)
    }))
}

fn real(name: &'static str) -> Member {
    *MEMBERS.iter().find(|member| member.name == name).expect("the member should be there")
}

/// The members of a test, which live as long as the process.
fn members(members: impl IntoIterator<Item = Member>) -> &'static [Member] {
    Vec::leak(members.into_iter().collect())
}

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); int main(void) {";
const SAFE: &str =
    "int x = 0, i = 0, n = __VERIFIER_nondet_int(); while (i < n) { if (x != i) reach_error(); ++x; ++i; }";
const UNSAFE: &str =
    "int x = 0, n = __VERIFIER_nondet_int(); while (x < n) { x = x + 1; if (x == 4) reach_error(); }";
/// No condition mentions what is needed, and no interval: `2 * b <= a`.
const NEEDS_A_FACT: &str = "int x = 1, a = 0, b = 0; while (b < 1000) { if (x < 1) reach_error(); x = x + a - 2 * b; if (x > 5000) x = 5000; a = a + 3; b = b + 1; if (__VERIFIER_nondet_int()) a = 2 * b; }";

struct Ran {
    verdict: Verdict,
    recorder: Recorder,
    spent: u64,
}

fn run(body: &str, members: &'static [Member], threads: usize) -> Ran {
    let text = format!("{HEAD} {body} return 0; }}\n");
    let input = cfront::Input::Text { name: "test.c".to_owned(), text: text.into_bytes().into() };
    let options = cfront::Options::new(cfa::DataModel::Lp64);
    let program = cfront::compile(&[input], &options).expect("the program should compile").program;
    let task = Prepared::of(&program);
    let recorder = Recorder::default();
    let mut env = Env::new(Budget::ticks(200_000), &recorder);
    let threads = std::num::NonZero::new(threads).expect("there should be a thread");
    let settings = Settings::default().with_threads(threads);
    let verdict = Box::new(Rounds { members, settings }).solve(&task, &mut env);
    let spent = env.logic.budget.spent();
    let verdict = certify(&task, verdict, &mut Budget::unlimited()).verdict().clone();
    Ran { verdict, recorder, spent }
}

#[test]
fn an_engine_that_crashes_is_named_and_the_others_go_on() {
    let Ran { verdict, recorder, .. } = run(SAFE, members([mock("broken", crashes), real("kind")]), 1);
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    let work = recorder.work();
    assert_eq!(work.decided.map(|decided| decided.engine), Some("kind"));
    assert!(work.shares[0].to_string().contains("broken: attempts 1, decided 0"), "{}", work.shares[0]);
    assert!(work.shares[0].to_string().contains("the frontier should be empty"), "{}", work.shares[0]);
    let Ran { verdict, .. } = run(SAFE, members([mock("broken", crashes)]), 1);
    let Verdict::Unknown(Reason::Crashed { message }) = verdict else { panic!("{verdict:?}") };
    assert!(message.starts_with("engine `broken`: the frontier"), "{message}");
}

#[test]
fn evidence_that_does_not_pass_its_check_costs_its_engine_the_round_and_no_more() {
    let all = members([mock("lead", gives_up), mock("liar", lies), real("bmc")]);
    let Ran { verdict, recorder, .. } = run(UNSAFE, all, 1);
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
    let reason = recorder.work().shares[1].last.clone();
    assert!(matches!(reason, Some(Reason::NotCertified { .. })), "{reason:?}");
}

#[test]
fn engines_that_have_no_more_to_say_end_the_rounds() {
    let Ran { verdict, recorder, .. } =
        run(SAFE, members([mock("lead", gives_up), mock("other", gives_up)]), 1);
    assert_eq!(verdict, Verdict::Unknown(Reason::NotProgressing));
    assert!(recorder.work().shares.iter().all(|share| share.attempts == 1));
}

#[test]
fn a_fact_that_another_engine_tells_is_proved_and_used_in_the_next_round() {
    let alone = run(NEEDS_A_FACT, members([mock("lead", gives_up), real("kind")]), 1);
    assert!(matches!(alone.verdict, Verdict::Unknown(_)), "{:?}", alone.verdict);
    let Ran { verdict, recorder, .. } =
        run(NEEDS_A_FACT, members([mock("lead", gives_up), mock("teller", tells), real("kind")]), 1);
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    let decided = recorder.work().decided.expect("somebody should have decided");
    assert_eq!((decided.engine, decided.round, decided.used), ("kind", 1, vec![("teller", 1)]));
}

#[test]
fn the_number_of_threads_changes_nothing_but_the_time() {
    let all = members([
        mock("lead", gives_up),
        mock("teller", tells),
        mock("liar", lies),
        real("kind"),
        real("bself"),
        real("tracer"),
        real("path-invariants"),
        real("bmc"),
    ]);
    for body in [
        NEEDS_A_FACT,
        "int a = 0, b = 0, n = __VERIFIER_nondet_int(); while (a < n) { a = a + 2; b = b + 1; if (b == 9) reach_error(); }",
    ] {
        let one = run(body, all, 1);
        assert!(!matches!(one.verdict, Verdict::Unknown(_)), "{:?}", one.verdict);
        for threads in [2, 4] {
            let many = run(body, all, threads);
            assert_eq!(many.verdict, one.verdict, "{threads} {body}");
            assert_eq!(many.spent, one.spent, "{threads} {body}");
            assert_eq!(many.recorder.statistics(), one.recorder.statistics(), "{threads} {body}");
            assert_eq!(many.recorder.work(), one.recorder.work(), "{threads} {body}");
        }
    }
}

#[test]
fn safe_against_unsafe_is_reported_with_both_pieces_of_evidence() {
    let Ran { verdict: Verdict::Unsafe(trace), .. } = run(UNSAFE, members([real("bmc")]), 1) else {
        panic!("the violation should be found")
    };
    let all = members([mock("liar", lies), real("bmc")]);
    let done = |verdict| {
        let (budget, recorder) = (Budget::ticks(0), Recorder::default());
        Some(Done { verdict, budget, recorder, told: None, used: Vec::new() })
    };
    let settings = Settings::default();
    let seats = all.iter().map(|member| Seat { member, state: State::Waiting }).collect();
    let mut table = Table { settings: &settings, seats, facts: Vec::new(), told: 0, used: 0 };
    let recorder = Recorder::default();
    let mut env = Env::new(Budget::unlimited(), &recorder);
    let jobs = table.jobs(0);
    let results = vec![done(Verdict::Safe(nothing())), done(Verdict::Unsafe(trace))];
    let verdict = table.settle(&jobs, results, &mut env);
    let Some(Verdict::Unknown(Reason::Contradiction { safe, violated })) = verdict else {
        panic!("{verdict:?}")
    };
    assert_eq!((safe.engine, safe.evidence.as_str()), ("liar", "logic integers\n"));
    assert_eq!(violated.engine, "bmc");
    assert!(!violated.evidence.is_empty(), "{violated:?}");
}

#[test]
fn features_move_members_and_exclude_none() {
    let names =
        |features| -> Vec<&str> { ordered(&MEMBERS, features).iter().map(|member| member.name).collect() };
    let with_calls = names(Features { loops: 0, calls: Calls::Kept, arrays: Arrays::None });
    assert_eq!(with_calls[..3], ["gps", "recmc", "bmc"]);
    let with_loops = names(Features { loops: 2, calls: Calls::Inlined, arrays: Arrays::None });
    assert_eq!(with_loops[..2], ["gps", "kind"]);
    let unwound = names(Features { loops: 2, calls: Calls::Unwound, arrays: Arrays::None });
    assert_eq!(unwound[..3], ["gps", "recmc", "kind"]);
    assert!(with_calls.len() == MEMBERS.len() && with_loops.len() == MEMBERS.len());
}

#[test]
fn loops_over_few_elements_are_unwound_before_the_lead_has_all_its_ticks() {
    let spends: fn(&Settings) -> Box<dyn Engine> = |_| {
        Box::new(Mock(|_, env| {
            let left = env.logic.budget.left();
            let stop = env.logic.budget.charge(left).and_then(|()| env.logic.budget.tick());
            Verdict::Unknown(Reason::Stopped(stop.expect_err("no tick should be left")))
        }))
    };
    let lead = |early| members([Member { early, ..mock("lead", spends) }, real("bmc")]);
    let few = "int i, k, a[4], n = __VERIFIER_nondet_int(); if (n < 1 || n > 4) return 0;\
         for (i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int() % 8;\
         k = __VERIFIER_nondet_int() % n; if (k >= 0 && a[k] > 7) reach_error();";
    let Ran { verdict, recorder, .. } = run(few, lead(|_| Some(100)), 1);
    assert!(matches!(verdict, Verdict::Safe(Proof::Bounded(_))), "{verdict:?}");
    assert!(recorder.work().shares[0].to_string().contains("ticks 100,"), "{}", recorder.work().shares[0]);
    let many = few.replace("a[4]", "a[4000]");
    let Ran { recorder, .. } = run(&many, lead(|_| None), 1);
    assert!(recorder.work().shares[0].to_string().contains("ticks 4096,"), "{}", recorder.work().shares[0]);
}

/// Tasks whose programs are larger are left out: passes have no ticks.
const LARGEST: u64 = 60_000;
/// What all rounds of a task may take.
const TICKS_OF_A_TASK: u64 = 1 << 12;

/// What a task comes to with members of few ticks, so that all of them work. Nothing if it is not C of the subset.
///
/// On a thread of its own, as in a process of its own: the lead works on the thread that asks, and what its solver answers depends on what it was asked before (A3).
fn run_task(task: &testkit::tasks::Task, members: &'static [Member], threads: usize) -> Option<Ran> {
    std::thread::scope(|scope| {
        let solve = || {
            smt::free_context_with_thread();
            run_task_here(task, members, threads)
        };
        let handle = std::thread::Builder::new().stack_size(128 << 20).spawn_scoped(scope, solve);
        handle.expect("the thread should start").join().expect("no engine should crash the rounds")
    })
}

fn run_task_here(task: &testkit::tasks::Task, members: &'static [Member], threads: usize) -> Option<Ran> {
    let model = match task.model {
        testkit::Model::Lp64 => cfa::DataModel::Lp64,
        testkit::Model::Ilp32 => cfa::DataModel::Ilp32,
    };
    let input = cfront::Input::Path(task.file.clone());
    let program = cfront::compile(&[input], &cfront::Options::new(model)).ok()?.program;
    let task = Prepared::of(&program);
    let recorder = Recorder::default();
    let mut env = Env::new(Budget::ticks(TICKS_OF_A_TASK), &recorder);
    let settings = Settings::default().with_threads(std::num::NonZero::new(threads)?);
    let verdict = Box::new(Rounds { members, settings }).solve(&task, &mut env);
    let spent = env.logic.budget.spent();
    Some(Ran { verdict, recorder, spent })
}

/// `WAYPROOF_TASKS` is the number of tasks.
#[test]
fn the_number_of_threads_changes_nothing_on_verification_tasks() {
    let Some(tasks) = testkit::tasks::bench_tasks() else { return };
    let mut tasks = tasks.expect("the tasks should be readable");
    tasks.retain(|task| std::fs::metadata(&task.file).is_ok_and(|file| file.len() <= LARGEST));
    let wanted = std::env::var("WAYPROOF_TASKS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let all = members(MEMBERS.iter().map(|member| Member {
        ticks: if member.name == "gps" { 1 << 8 } else { 1 << 6 },
        early: |_| None,
        ..*member
    }));
    let step = (tasks.len() / wanted).max(1);
    let (mut decided, mut in_later_rounds) = (0, 0);
    for task in tasks.iter().step_by(step) {
        let Some(one) = run_task(task, all, 1) else { continue };
        decided += usize::from(!matches!(one.verdict, Verdict::Unknown(_)));
        in_later_rounds +=
            usize::from(one.recorder.work().decided.is_some_and(|who| who.engine != "gps" || who.round > 0));
        for threads in [2, 4] {
            let name = format!("{}/{} with {threads} threads", task.suite, task.name);
            let many = run_task(task, all, threads).expect("the program was compiled before");
            assert_eq!(many.verdict, one.verdict, "{name}");
            assert_eq!(many.spent, one.spent, "{name}");
            assert_eq!(many.recorder.statistics(), one.recorder.statistics(), "{name}");
            assert_eq!(many.recorder.work(), one.recorder.work(), "{name}");
        }
    }
    println!(
        "{} tasks, {decided} decided, {in_later_rounds} of them not at once by the lead",
        tasks.iter().step_by(step).count()
    );
    assert!(decided > 0);
}
