//! The execution of a counterexample as steps for readers: one for each statement, with the values that it writes, loops folded.
//!
//! # Use
//! [`steps`] executes the trace twice. The first run finds out how the execution is folded ([`fold`]) and stores no
//! more than event numbers; the second one describes the events that are left ([`tell`]). Both take memory that does not depend
//! on the length of the execution.
//!
//! The result is a flat list in the order of the execution. [`Step::nesting`] counts the loops around a step and
//! [`Step::depth`] the calls, so the steps of a loop are those that follow [`Kind::Round`] with a greater nesting:
//! to skip a loop, go on to the next step whose nesting is that of the mark and that is not itself a mark of an iteration. The
//! values of variables at a step are the [`Step::changes`] up to it, later ones first, for the frames that are in
//! [`Step::stack`]; where steps are left out, values may be older than the step.
//!
//! # Invariants
//! * I1: the list depends on the program, the trace and the scope only.
//! * I2: the last step is [`Kind::Violation`], and it is the only one.

mod fold;
mod parts;
mod relevance;
mod tell;

use std::cell::Cell;
use std::sync::Arc;

use base::{Budget, Region};
use cfa::{ProcId, Program, Source};
use interp::{
    Code, CompileOptions, Config, Inputs, Machine, Markers, Observer, Oracle, Outcome, Request, Uninitialised,
};
use verdict::Trace;

use fold::{Folder, Watched};
use relevance::Relevance;
use tell::Teller;

/// A variable that gets a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What gets it, as the source calls it.
    pub name: String,
    /// Its C type; empty where that is not known.
    pub c_type: Arc<str>,
    /// The function whose activation has it; nothing for globals and allocated memory.
    pub owner: Option<ProcId>,
    /// The value as a C constant.
    pub value: String,
    /// Whether the violation may depend on it.
    pub matters: bool,
}

/// What a step shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A statement writes values.
    Statement,
    /// A value comes from outside.
    Input {
        /// Its position among the inputs of the trace, from 1.
        number: usize,
        /// What asks for it, in words.
        source: String,
    },
    /// A condition is evaluated, and how.
    Branch(bool),
    /// A function is called; the changes are its arguments.
    Call(Arc<str>),
    /// A round of a loop begins; the first one is 1.
    Round(u64),
    /// These rounds take the same way as the one above.
    Folded {
        /// The first of them.
        from: u64,
        /// The last.
        to: u64,
    },
    /// These iterations differ and are not shown.
    Skipped {
        /// The first of them.
        from: u64,
        /// The last.
        to: u64,
    },
    /// So many steps are not shown.
    Omitted(u64),
    /// The recording ended here: what follows is not shown.
    Stopped,
    /// The property is violated.
    Violation,
}

impl Kind {
    /// Whether the step stands for other steps instead of happening itself.
    pub fn is_mark(&self) -> bool {
        match self {
            Self::Round(_)
            | Self::Folded { .. }
            | Self::Skipped { .. }
            | Self::Omitted(_)
            | Self::Stopped => true,
            Self::Statement | Self::Input { .. } | Self::Branch(_) | Self::Call(_) | Self::Violation => false,
        }
    }
}

/// An activation of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function.
    pub function: Arc<str>,
    /// Where it was called; nowhere for the entry function.
    pub called_at: Region,
}

/// One step of the execution as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it shows.
    pub kind: Kind,
    /// Where.
    pub region: Region,
    /// The innermost activations, outermost first; the function of the step is the last.
    pub stack: Arc<[Frame]>,
    /// Calls around it; the entry function has 0.
    pub depth: usize,
    /// Loops around it.
    pub nesting: usize,
    /// What is written.
    pub changes: Vec<Change>,
    /// Whether the violation may depend on it.
    pub matters: bool,
}

impl Step {
    /// The function in which it happens; empty outside all.
    pub fn function(&self) -> &str {
        self.stack.last().map_or("", |frame| &frame.function)
    }
}

/// Which steps are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Those that the violation may depend on, with the values that it may depend on.
    Relevant,
    /// All.
    All,
}

/// How much is shown.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Which steps.
    pub selection: Selection,
    /// About how many: of longer executions the beginning and the end are shown.
    pub most: usize,
    /// Work that each of the two runs may take.
    pub ticks: u64,
}

/// The execution of a trace that was replayed before.
pub fn steps(program: &Program, trace: &Trace, scope: Scope, budget: &Budget) -> Vec<Step> {
    let chooses = trace.choices.iter().any(|chosen| chosen.source == Source::Uninitialised);
    let uninitialised = if chooses { Uninitialised::Choose } else { Uninitialised::Report };
    let code = Code::new(program, CompileOptions { uninitialised, markers: Markers::Edges });
    let asked = Cell::new(0);
    let run = |observer: &mut dyn Observer| {
        let mut inputs = Inputs::replay(&trace.choices);
        asked.set(0);
        let mut oracle = |request: &Request<'_>| {
            asked.set(asked.get() + 1);
            inputs.choose(request)
        };
        let mut machine = Machine::new(program, &code, Config::default());
        let mut child = budget.child(scope.ticks);
        let mut watched = observer;
        machine.run(&mut oracle, &mut watched, &mut std::io::sink(), &mut child).outcome
    };
    let relevance = Relevance::new(program);
    let mut folder = Folder::new(program, &relevance, scope);
    let watched = match run(&mut folder) {
        Outcome::Error { .. } => Watched::ToTheEnd,
        _ => Watched::InPart,
    };
    let plan = folder.plan(watched);
    let mut teller = Teller::new(program, &relevance, scope.selection, &plan, &asked);
    let _ = run(&mut teller);
    teller.finish(trace.violation.region)
}

#[cfg(test)]
mod tests {
    use interp::Choice;

    use super::*;

    const NONDET: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

    /// The execution of a program with these inputs, which must end in the error.
    fn told(text: &str, inputs: &[i128], selection: Selection, most: usize) -> Vec<Step> {
        let input =
            cfront::Input::Text { name: "a.c".into(), text: format!("{NONDET}{text}").into_bytes().into() };
        let options = cfront::Options::new(cfa::DataModel::Lp64);
        let program = cfront::compile(&[input], &options).unwrap().program;
        let mut budget = Budget::unlimited();
        let mut oracle = Inputs::new(inputs.iter().map(|value| Choice::Int(*value)));
        let run =
            interp::run(&program, Uninitialised::Report, &mut oracle, &mut std::io::sink(), &mut budget);
        let trace = Trace::of(run).unwrap();
        steps(&program, &trace, Scope { selection, most, ticks: u64::MAX }, &budget)
    }

    /// One line a step, without text that the source has.
    fn lines(steps: &[Step]) -> Vec<String> {
        let line = |step: &Step| {
            let changes: Vec<String> =
                step.changes.iter().map(|change| format!("{}={}", change.name, change.value)).collect();
            let kind = format!("{:?}", step.kind);
            format!("{}{kind} {} {}", " ".repeat(step.nesting), step.function(), changes.join(" "))
        };
        steps.iter().map(|step| line(step).trim_end().to_owned()).collect()
    }

    #[test]
    fn rounds_that_go_the_same_way_are_folded_and_noise_is_left_out() {
        let program = "int main(void) { int n = __VERIFIER_nondet_int(); int i = 0, noise = 0;\n\
                       while (i < n) { i++; noise += 2; }\nif (i == 500) reach_error(); return noise; }\n";
        let steps = told(program, &[500], Selection::Relevant, 400);
        assert_eq!(
            lines(&steps),
            [
                "Input { number: 1, source: \"__VERIFIER_nondet_int()\" } main n=500",
                "Statement main i=0",
                "Round(1) main",
                " Branch(true) main",
                " Statement main i=1",
                "Folded { from: 2, to: 499 } main",
                "Round(500) main",
                " Branch(true) main",
                " Statement main i=500",
                "Branch(false) main",
                "Branch(true) main",
                "Violation main",
            ]
        );
        let all = lines(&told(program, &[500], Selection::All, 400));
        assert!(all.contains(&" Statement main noise=1000".to_owned()), "{all:?}");
    }

    #[test]
    fn half_of_a_condition_is_no_round() {
        let program = "int main(void) { int i = 0; while (i < 9 && i != 2) { i++; }\n\
                       if (i == 2) reach_error(); return 0; }\n";
        let lines = lines(&told(program, &[], Selection::Relevant, 400));
        assert!(lines.contains(&"Round(2) main".to_owned()), "{lines:?}");
        assert!(!lines.contains(&"Round(3) main".to_owned()), "{lines:?}");
    }

    #[test]
    fn calls_have_arguments_results_and_frames() {
        let program = "static int g(int a) { if (a > 2) reach_error(); return a + 1; }\n\
                       static int f(int b) { return g(b); }\n\
                       int main(void) { int x = f(0); x = f(x + 2); return x; }\n";
        let steps = told(program, &[], Selection::Relevant, 400);
        let shown = lines(&steps);
        assert!(shown.contains(&"Call(\"f\") main b=0".to_owned()), "{shown:?}");
        assert!(shown.contains(&"Call(\"g\") f a=3".to_owned()), "{shown:?}");
        assert!(shown.contains(&"Statement g return value=1".to_owned()), "{shown:?}");
        let last = steps.last().unwrap();
        let functions: Vec<&str> = last.stack.iter().map(|frame| &*frame.function).collect();
        assert_eq!((functions, last.depth), (vec!["main", "f", "g"], 2));
        assert_eq!(last.stack[2].called_at.line, 4);
    }

    #[test]
    fn a_violation_in_a_loop_is_in_its_last_round() {
        let program = "int main(void) { for (int i = 0; ; i++) { if (i == 700) reach_error(); } }\n";
        let shown = lines(&told(program, &[], Selection::Relevant, 400));
        let end = &shown[shown.len() - 3..];
        assert_eq!(end, ["Round(701) main", " Branch(true) main", " Violation main"]);
    }

    #[test]
    fn long_executions_without_repetition_are_cut_in_the_middle() {
        // The way of a round depends on a random walk, so that there is little to fold.
        let program = "int main(void) { unsigned x = 1; for (int i = 0; i < 20000; i++) {\n\
                       x = x * 1103515245u + 12345u; if (x & 65536u) x ^= 1u; else x ^= 3u; }\n\
                       if (x) reach_error(); return 0; }\n";
        for most in [20, 400] {
            let steps = told(program, &[], Selection::All, most);
            assert!(steps.len() <= most + 2, "{} of {most}", steps.len());
            let skips = |step: &Step| matches!(step.kind, Kind::Skipped { .. } | Kind::Omitted(_));
            assert!(steps.iter().any(skips), "{:?}", lines(&steps));
            assert_eq!(steps.iter().filter(|step| step.kind == Kind::Violation).count(), 1);
        }
    }

    #[test]
    fn recursion_is_bounded() {
        let program = "static int f(int n) { if (n == 0) { reach_error(); return 0; } return f(n - 1) + 1; }\n\
                       int main(void) { return f(30000); }\n";
        let steps = told(program, &[], Selection::Relevant, 400);
        let last = steps.last().unwrap();
        assert_eq!((last.depth, last.stack.len()), (30001, 64));
        assert!(steps.len() <= 402, "{}", steps.len());
    }

    #[test]
    fn memory_has_the_names_of_the_source() {
        let program = "int main(void) { int a[2][3]; int *p = &a[1][2]; int x = 4; int *q = &x;\n\
                       *p = 7; *q = 5; if (a[1][2] + x == 12) reach_error(); return 0; }\n";
        let shown = lines(&told(program, &[], Selection::Relevant, 400));
        assert!(shown.contains(&"Statement main a[1][2]=7".to_owned()), "{shown:?}");
        assert!(shown.contains(&"Statement main x=5".to_owned()), "{shown:?}");
    }
}
