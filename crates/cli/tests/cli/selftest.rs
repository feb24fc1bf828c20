//! `wayproof selftest`, with the compiler of this machine and with compilers that do not work.

use crate::support::{Finished, command};

fn selftest(compiler: Option<&str>) -> Finished {
    let mut command = command();
    command.arg("selftest").env_remove("CC");
    if let Some(compiler) = compiler {
        command.env("CC", compiler);
    }
    command.output().unwrap().into()
}

#[test]
fn tool_and_compiler_agree() {
    let finished = selftest(None);
    assert_eq!(finished.code, 0, "{finished:?}");
    for line in [
        "ok      solver: Z3 ",
        "ok      sizes, LP64: compiler and wayproof agree",
        "ok      execution: compiled and interpreted, the program exits with 146",
        "ok      proof: found, and checked again",
        "ok      violation: bug.c: found, and confirmed by the compiled program; memory.c: found",
    ] {
        assert!(finished.stdout.contains(line), "{line}: {finished:?}");
    }
    assert_eq!(finished.stdout, selftest(None).stdout);
}

#[test]
fn a_compiler_that_does_not_work_is_found() {
    for compiler in ["false", "no-such-compiler-here"] {
        let finished = selftest(Some(compiler));
        assert_eq!(finished.code, 1, "{finished:?}");
        assert!(
            finished.stdout.contains(&format!("FAILED  compiler: `{compiler}` cannot be")),
            "{finished:?}"
        );
        // What needs no compiler works.
        assert!(finished.stdout.contains("ok      proof: "), "{finished:?}");
        assert!(finished.stdout.contains("memory.c: found, not confirmed"), "{finished:?}");
    }
}

#[test]
fn a_compiler_of_another_machine_is_found() {
    // Characters have a sign here.
    let finished = selftest(Some("cc -funsigned-char"));
    assert_eq!(finished.code, 1, "{finished:?}");
    assert!(finished.stdout.contains("FAILED  sizes, LP64: the compiler disagrees"), "{finished:?}");
}
