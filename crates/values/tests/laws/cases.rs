//! C1 of crates/values/src/cases.rs: one of the combinations of a location holds whenever an execution comes there.

use std::fmt::Write as _;

use base::Budget;
use cfa::{Program, VarId};
use interp::View;
use passes::Prepared;
use testkit::Random;
use values::cases::{Case, Cases};

use crate::{compiled, contradiction, execute};

/// Programs with state variables.
const PROGRAMS: u64 = 150;
/// Executions of each.
const RUNS: u64 = 8;

/// Writes a protocol: state variables that are set to constants, copies, conditional values and inputs, and compared with constants.
struct Protocol {
    random: Random,
    variables: usize,
}

impl Protocol {
    fn variable(&mut self) -> String {
        format!("s{}", self.random.below(self.variables))
    }

    fn constant(&mut self) -> i64 {
        *self.random.pick(&[0, 1, 2, 3, 4, 8464, -1])
    }

    fn condition(&mut self) -> String {
        let (variable, constant) = (self.variable(), self.constant());
        let comparison = *self.random.pick(&["==", "==", "!=", "<", ">="]);
        match self.random.below(8) {
            6 => "flag".to_owned(),
            7 => "flag == 0".to_owned(),
            0 => format!("{variable} {comparison} {constant} && {}", self.condition()),
            1 => "__VERIFIER_nondet_int() > 0".to_owned(),
            2 => format!("other > {constant}"),
            _ => format!("{variable} {comparison} {constant}"),
        }
    }

    fn value(&mut self) -> String {
        match self.random.below(8) {
            0 => self.variable(),
            1 => {
                let (condition, yes, no) = (self.condition(), self.constant(), self.constant());
                format!("({condition}) ? {yes} : {no}")
            }
            2 => {
                let (condition, yes, no) = (self.condition(), self.variable(), self.constant());
                format!("({condition}) ? {yes} : {no}")
            }
            _ => self.constant().to_string(),
        }
    }

    fn statements(&mut self, text: &mut String, depth: usize) {
        for _ in 0..=self.random.below(3) {
            match self.random.below(if depth == 0 { 4 } else { 7 }) {
                0..=2 => {
                    let (variable, value) = (self.variable(), self.value());
                    let _ = writeln!(text, "{variable} = {value};");
                }
                3 if self.random.chance(30) => {
                    let _ = writeln!(text, "{} = __VERIFIER_nondet_int();", self.variable());
                }
                3 if self.random.chance(20) => {
                    let value = *self.random.pick(&["__VERIFIER_nondet_int()", "0", "-3"]);
                    let _ = writeln!(text, "flag = {value};");
                }
                3 => text.push_str("if (other < 50) other = other + 3;\n"),
                _ => {
                    let _ = writeln!(text, "if ({}) {{", self.condition());
                    self.statements(text, depth - 1);
                    if self.random.chance(60) {
                        text.push_str("} else {\n");
                        self.statements(text, depth - 1);
                    }
                    text.push_str("}\n");
                }
            }
        }
    }

    fn program(&mut self) -> String {
        let mut text = String::from(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\nint other = 0, flag = __VERIFIER_nondet_int();\n",
        );
        for number in 0..self.variables {
            let _ = writeln!(text, "int s{number} = {};", self.constant());
        }
        for _ in 0..=self.random.below(2) {
            text.push_str("while (__VERIFIER_nondet_int()) {\n");
            self.statements(&mut text, 3);
            // Every variable is compared, and the first has constants enough.
            for number in 0..self.variables {
                let (constant, value) = (self.constant(), self.value());
                let _ = writeln!(text, "if (s{number} == {constant}) s{number} = {value};");
            }
            for constant in 10..14 {
                let _ = writeln!(text, "if (s0 == {}) s0 = {constant};", self.constant());
            }
            text.push_str("if (flag) { s0 = 3; } else { s0 = 4; }\n}\n");
        }
        let _ = writeln!(text, "if ({}) reach_error();\nreturn 0;\n}}", self.condition());
        text
    }
}

/// What a case says that is not so in a state.
fn broken(program: &Program, case: &Case, view: &View<'_>) -> Option<String> {
    let is_zero = |var: &&VarId| view.scalar(**var).is_some_and(|value| value.as_int() == 0);
    let zero = case.not_zero.iter().find(is_zero).map(|var| format!("{} is zero", program.vars[*var].name));
    zero.or_else(|| contradiction(program, &case.state, view))
}

#[test]
fn one_of_the_combinations_holds_in_every_state() {
    let (mut with_cases, mut states, mut most, mut flags) = (0, 0_u64, 0, 0_u64);
    for seed in 0..PROGRAMS {
        let mut random = Random::new(seed);
        let variables = 2 + random.below(3);
        let text = Protocol { random, variables }.program();
        let given = compiled(&text, seed);
        let task = Prepared::of(&given);
        let program = task.program();
        let procedure = &program.procs[program.entry];
        let found = Cases::of(program, procedure, &mut Budget::unlimited()).expect("no budget ends");
        let Some(cases) = found else { continue };
        with_cases += 1;
        let all: Vec<VarId> = program.vars.ids().collect();
        for run in 0..RUNS {
            execute(program, seed * RUNS + run, |(proc, location), view| {
                if proc != program.entry {
                    return;
                }
                assert!(!cases.is_unreachable(location), "seed {seed}: {location} is reached\n{text}");
                let combinations = cases.at(location, &all);
                states += u64::from(combinations.len() > 1);
                most = most.max(combinations.len());
                flags += u64::from(combinations.iter().any(|case| !case.not_zero.is_empty()));
                let excluded: Vec<String> =
                    combinations.iter().map_while(|case| broken(program, case, view)).collect();
                assert!(
                    excluded.len() < combinations.len(),
                    "seed {seed}, run {run}, {location}: no combination holds: {excluded:?}\n{text}"
                );
            });
        }
    }
    println!("{with_cases} programs with cases, {states} states with several, {most} at most");
    assert!(with_cases * 3 > PROGRAMS && states > 10_000, "{with_cases}, {states}");
    assert!(flags > 1_000, "{flags}");
}

/// Where there are too many combinations of all state variables, those of the state, of what is copied to it, and of a flag are left.
#[test]
fn what_the_state_depends_on_is_looked_at_longest() {
    let text = include_str!("../../../../tests/corpus/states/resumed_session.c");
    let given = compiled(text, 0);
    let task = Prepared::of(&given);
    let program = task.program();
    let procedure = &program.procs[program.entry];
    let found = Cases::of(program, procedure, &mut Budget::unlimited()).expect("no budget ends");
    let cases = found.expect("there are state variables");
    let named = |name: &str| {
        let is_named = |var: &VarId| &*program.vars[*var].name == name;
        program.vars.ids().find(is_named).expect("the variable is there")
    };
    let (state, next, resumed) = (named("state"), named("next"), named("resumed"));
    let mut all = vec![state, next, resumed];
    all.sort_unstable();
    let is_said = |case: &Case| {
        case.state.get(state).is_some() && case.state.get(next).is_some() && case.not_zero.contains(&resumed)
    };
    let is_complete = |location| cases.at(location, &all).iter().any(is_said);
    assert!(procedure.locations.ids().any(is_complete), "nothing is said of all three");
}
