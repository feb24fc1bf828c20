//! What the tests of the checker share.
#![allow(dead_code)] // not every test needs everything
#![allow(clippy::result_large_err)] // no matter here

pub(crate) mod accepted;
#[path = "../../../testkit/src/require.rs"]
pub(crate) mod require;
pub(crate) mod validate;

use std::path::PathBuf;
use std::process::Command;

use base::{Diagnostic, SourceFile, SourceMap};
use cfa::DataModel;
use cfront::hir::Program;
use cfront::{Interner, check, parse::parse, with_large_stack};

use require::Requirement;

/// Checks texts as the translation units of one program; a message is `line:column: text`.
pub(crate) fn check_units(texts: &[&str], model: DataModel) -> Result<Program, String> {
    check_with_diagnostic(texts, model).map_err(|(message, _)| message)
}

/// As [`check_units`], with the whole diagnostic.
pub(crate) fn check_with_diagnostic(
    texts: &[&str],
    model: DataModel,
) -> Result<Program, (String, Diagnostic)> {
    with_large_stack(|| {
        let mut sources = SourceMap::new();
        let mut interner = Interner::new();
        let mut units = Vec::new();
        let mut result = Ok(());
        for (number, text) in texts.iter().enumerate() {
            let file = sources.add(SourceFile::new(format!("{number}.c"), text.as_bytes()));
            match parse(file, &mut sources, &mut interner) {
                Ok(unit) => units.push(unit),
                Err(diagnostic) => {
                    result = Err(diagnostic);
                    break;
                }
            }
        }
        result.and_then(|()| check::check(&units, &interner, &sources, model)).map_err(|diagnostic| {
            let place = diagnostic.primary.as_ref().map_or_else(String::new, |label| {
                let region = sources.region(label.span);
                format!("{}:{}: ", region.line, region.column)
            });
            (format!("{place}{}", diagnostic.message), diagnostic)
        })
    })
}

/// The lines that a C program prints; `None` with a printed reason if gcc cannot compile for that machine at all.
pub(crate) fn run_with_gcc(name: &str, code: &str, flag: &str) -> Option<Vec<String>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (folder.join(format!("{name}.c")), folder.join(name));
    let compile = |code: &str| {
        std::fs::write(&source, code).unwrap();
        Command::new("gcc").arg(flag).arg("-w").arg(&source).arg("-o").arg(&binary).output()
    };
    let probe = compile("#include <stdio.h>\nint main(void) { return 0; }\n");
    if !probe.is_ok_and(|output| output.status.success()) {
        let requirement = if flag == "-m32" { Requirement::Gcc32 } else { Requirement::Gcc };
        requirement.skip(&format!("gcc {flag} cannot compile here"));
        return None;
    }
    let output = compile(code).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&binary).output().unwrap();
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

/// Whether gcc accepts a program, or its first message; `None` with a printed reason if there is no gcc.
pub(crate) fn gcc_accepts(text: &str) -> Option<Result<(), String>> {
    let source = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mutant.c");
    std::fs::write(&source, text).unwrap();
    let Ok(output) = Command::new("gcc").args(["-m64", "-w", "-S", "-o", "/dev/null"]).arg(&source).output()
    else {
        Requirement::Gcc.skip("there is no gcc");
        return None;
    };
    if output.status.success() {
        return Some(Ok(()));
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(Err(text.lines().find(|line| line.contains("error")).unwrap_or_default().to_owned() + "\n"))
}

/// A small generator of pseudo-random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
    pub(crate) fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.below(items.len() as u64) as usize]
    }
}
