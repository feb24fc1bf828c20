//! `wayproof ask`: every answer, its evidence, and what cannot be asked.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Finished, Folder, plainly};

/// Line 8 is reached with any `x` from 1 to 9, line 10 is not reached; the loop at line 5 counts to `x`.
const PROGRAM: &str = "\
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int(), i = 0;
    if (x < 1 || x > 9) { return 0; }
    while (i < x) {
        i++;
    }
    i = i * 2;
    if (i > 18) {
        x = 0;
    }
    return 100 / x;
}
";

fn ask(program: &str, arguments: &[&str]) -> Finished {
    // Tests run at the same time, and each asks several questions.
    static QUESTIONS: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("ask-{}", QUESTIONS.fetch_add(1, Ordering::Relaxed)));
    let file = folder.file("t.c", program);
    let mut words = vec!["ask".to_owned(), file.display().to_string()];
    words.extend(arguments.iter().map(|word| (*word).to_owned()));
    plainly(words)
}

/// The word of the answer and the exit code.
#[track_caller]
fn answers(program: &str, arguments: &[&str], word: &str, code: i32) -> Finished {
    let finished = ask(program, arguments);
    assert_eq!(finished.stdout.split(':').next(), Some(word), "{finished:?}");
    assert_eq!(finished.code, code, "{finished:?}");
    finished
}

#[test]
fn every_answer_has_its_evidence() {
    let always = answers(PROGRAM, &["8", "i == x && x > 0"], "ALWAYS", 0);
    for part in ["true in this execution", "never false or undefined: ", "checked: "] {
        assert!(always.stdout.contains(part), "{always:?}");
    }
    let never = answers(PROGRAM, &["8", "i > 9"], "NEVER", 10);
    assert!(never.stdout.contains("never true: ") && never.stdout.contains("false in this"), "{never:?}");
    let sometimes = answers(PROGRAM, &["8", "i == 7"], "SOMETIMES", 10);
    assert!(sometimes.stdout.contains("1. 7 for __VERIFIER_nondet_int()"), "{sometimes:?}");
    assert!(sometimes.stdout.contains("1. 1 for __VERIFIER_nondet_int()"), "{sometimes:?}");
    assert!(!sometimes.stdout.contains("__VERIFIER_nondet_witness"), "{sometimes:?}");
    let unreached = answers(PROGRAM, &["10", "x == 0"], "UNREACHED", 0);
    assert!(unreached.stdout.contains("no execution gets to "), "{unreached:?}");
}

/// The macro closed the parenthesis of the tool: no execution was said to get to the line.
#[test]
fn macros_that_close_parentheses_are_refused() {
    let program = format!("#define OPEN ) || (1\n{PROGRAM}");
    let refused = ask(&program, &["9", "i > 9 OPEN"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stdout.is_empty(), "{refused:?}");
    answers(&program, &["9", "i > 9"], "NEVER", 10);
}

#[test]
fn at_a_loop_the_condition_is_evaluated_each_time() {
    answers(PROGRAM, &["5", "i <= x"], "ALWAYS", 0);
    let third = answers(PROGRAM, &["5", "i == 2"], "SOMETIMES", 10);
    assert!(third.stdout.contains("true in this execution, the 3. time"), "{third:?}");
    let own = "int main(void) { int s = 0;\n for (int k = 0; k < 4; k++) s += k;\n do s--;\n while (s > 0);\n return s; }\n";
    answers(own, &["2", "k == 4"], "SOMETIMES", 10);
    answers(own, &["4", "s <= 5"], "ALWAYS", 0);
}

#[test]
fn a_condition_without_a_value_is_not_true() {
    let program = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n int x = __VERIFIER_nondet_int();\n return x != 0; }\n";
    let undefined = answers(program, &["4", "7 / x != 8"], "SOMETIMES", 10);
    assert!(undefined.stdout.contains("undefined in this execution"), "{undefined:?}");
    assert!(undefined.stdout.contains("never false: "), "{undefined:?}");
}

#[test]
fn errors_of_the_program_end_its_executions() {
    let program = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                   int main(void) {\n int x = __VERIFIER_nondet_int();\n assert(x > 3);\n if (x > 9) reach_error();\n return x; }\n";
    answers(program, &["6", "x > 3"], "SOMETIMES", 10);
    answers(program, &["8", "x > 3 && x < 10"], "ALWAYS", 0);
}

#[test]
fn the_answer_for_programs_has_the_same_parts() {
    let finished = ask(PROGRAM, &["8", "i == 7", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(document["schema"], "wayproof-answer");
    assert_eq!(document["answer"], "sometimes");
    assert_eq!(document["evaluated"], "statement");
    assert_eq!(document["location"]["line"], 8);
    assert_eq!(document["can_be_true"]["example"]["inputs"][0]["value"], "7");
    assert_eq!(document["can_be_false"]["known"], "yes");
    assert_eq!(document["can_be_true"]["checked_by"], "replay");
    let never = ask(PROGRAM, &["8", "i > 9", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&never.stdout).unwrap();
    assert_eq!(document["can_be_true"]["known"], "no", "{document}");
    assert!(document["can_be_true"]["proof"]["kind"].is_string(), "{document}");
}

#[test]
fn what_cannot_be_asked_is_said_in_one_message() {
    for (arguments, code, message) in [
        (["8", "y > 5"], 2, "`y > 5` cannot be evaluated at line 8: "),
        (["3", "i == 0"], 2, "a variable that the line declares is visible at the next one"),
        (["8", "i++ > 5"], 2, "it contains `++`"),
        (["8", "__VERIFIER_nondet_int()"], 2, "it contains a call"),
        (["8", "i > "], 2, "cannot be evaluated at line 8"),
        (["8", "1) || (1"], 2, "its brackets do not match"),
        (["8", ""], 2, "it is empty"),
        (["11", "i > 5"], 1, "no statement starts at t.c:11; the nearest ones start at lines 10 and 12"),
        (["800", "i > 5"], 1, "no statement starts at t.c:800"),
        (["zero", "i > 5"], 1, "a line is a number from 1"),
        (["0", "i > 5"], 1, "a line is a number from 1"),
    ] {
        let finished = ask(PROGRAM, &arguments);
        assert_eq!(finished.code, code, "{arguments:?}: {finished:?}");
        assert!(finished.stderr.contains(message), "{arguments:?}: {finished:?}");
        assert_eq!(finished.stderr.matches("error:").count(), 1, "{finished:?}");
        assert!(finished.stdout.is_empty(), "{finished:?}");
    }
}

#[test]
fn a_question_may_be_about_one_file_of_several() {
    let folder = Folder::new("ask-two");
    let main =
        folder.file("main.c", "int twice(int);\nint main(void) {\n int x = twice(21);\n return x; }\n");
    let other = folder.file("twice.c", "int twice(int n) { return 2 * n; }\n");
    let words = ["ask", &main.display().to_string(), "4", "x == 42", "--with", &other.display().to_string()];
    let finished = plainly(words);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stdout.starts_with("ALWAYS"), "{finished:?}");
}
