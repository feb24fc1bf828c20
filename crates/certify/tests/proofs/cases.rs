//! Programs with certified proofs.

use std::path::Path;
use std::sync::Arc;

use base::Budget;
use certify::certify;
use cfa::{DataModel, Program};
use engine::{Env, Recorder, Settings};
use passes::Prepared;
use verdict::{Annotation, Proof, Verdict};

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n\
     extern void __VERIFIER_assume(int);\nextern void reach_error(void);\n#define IN() __VERIFIER_nondet_int()\n";

/// Loops, nested loops, arrays, products, and copies by inlining. The inputs have many values: otherwise all executions would be the proof.
const PROGRAMS: &[(&str, &str)] = &[
    ("counter", "int main(void) { int n = IN(), i = 0; if (n < 0) return 0; while (i < n) i++; if (i != n) reach_error(); return 0; }"),
    ("two counters", "int main(void) { int n = IN(), i = 0, s = 0; if (n < 0 || n > 1000) return 0;
        while (i < n) { i++; s += 2; } if (s != 2 * n) reach_error(); return 0; }"),
    ("parity", "int main(void) { unsigned n = __VERIFIER_nondet_uint(), x = 0; while (n > 0) { n--; x += 2; } if (x % 2) reach_error(); return 0; }"),
    ("input in the loop", "int main(void) { int x = 0, i = IN(); while (i > 0) { int y = IN(); if (y > 5) y = 5; if (y > x) x = y; i--; }
        if (x > 5) reach_error(); return 0; }"),
    ("sequence of loops", "int main(void) { int n = IN(), i = 0, j; if (n < 1 || n > 50) return 0; while (i < n) i++; j = i; while (j > 0) j--;
        if (j != 0 || i != n) reach_error(); return 0; }"),
    ("nested loops", "int main(void) { int n = IN(), c = 0; if (n < 0) return 0;
        for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) if (c < 7) c++; if (c > 7) reach_error(); return 0; }"),
    ("states", "int main(void) { int s = 0, k = IN(); while (k > 0) { k--; if (s == 0) s = 1; else if (s == 1) { if (IN()) s = 2; else s = 0; } else s = 0; }
        if (s < 0 || s > 2) reach_error(); return 0; }"),
    ("array", "int main(void) { int a[4] = { 0 }; int n = IN(), x = 0; for (int i = 0; i < n; i++) { x = a[i & 3]; a[x & 3] = (i & 1) * 4 + 4; }
        if (x % 4 != 0) reach_error(); return 0; }"),
    ("index", "int main(void) { int a[8]; int k = IN(), i = 0; while (k > 0) { k--; if (i < 8) { a[i] = k; i++; } } if (i > 8) reach_error(); return 0; }"),
    ("product", "int main(void) { int a = IN(), n = IN(), i = 0, p = 0; if (a < 0 || a > 1000 || n < 0 || n > 1000) return 0;
        while (i < n) { i++; p += a; } if (p != a * i) reach_error(); return 0; }"),
    ("two copies", "static int count(int to) { int i = 0; while (i < to) i++; return i; }
        int main(void) { int n = IN(); if (n < 0 || n > 100000) return 0; int a = count(n), b = count(n + 1); if (b - a != 1) reach_error(); return 0; }"),
    ("wrapping", "int main(void) { unsigned char c = 0; int k = IN(); while (k > 0) { c += 2; k--; } if (c & 1) reach_error(); return 0; }"),
    ("break", "int main(void) { int n = IN(), i = 0; while (1) { if (i >= 10) break; if (IN() == n) break; i++; } if (i > 10) reach_error(); return 0; }"),
    ("difference", "int main(void) { int x = IN(), y = x, k = IN(); if (x < -1000 || x > 1000) return 0; while (k > 0 && x < 5000) { x++; y++; k--; }
        if (x != y) reach_error(); return 0; }"),
];

/// A program and a proof that passed the check.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) program: Program,
    pub(crate) annotation: Arc<Annotation>,
}

fn solved(name: String, text: &str) -> Option<Case> {
    let input = cfront::Input::Text { name: "test.c".to_owned(), text: text.as_bytes().into() };
    let options = cfront::Options::new(DataModel::Lp64);
    let program = cfront::compile(&[input], &options).expect("the program should compile").program;
    let task = Prepared::of(&program);
    let recorder = Recorder::default();
    let mut env = Env::new(Budget::ticks(1 << 20), &recorder);
    let spec = engines::find("gps").expect("the engine should exist");
    let verdict = (spec.configure)(&Settings::default()).solve(&task, &mut env);
    match certify(&task, verdict, &mut Budget::unlimited()).verdict() {
        Verdict::Safe(Proof::Annotation(annotation)) => {
            let annotation = Arc::clone(annotation);
            Some(Case { name, program, annotation })
        }
        Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
    }
}

/// The proofs of the programs above and of the examples that are proved by invariants.
pub(crate) fn cases() -> Vec<Case> {
    let (mut cases, mut missing) = (Vec::new(), Vec::new());
    for (name, body) in PROGRAMS {
        let case = solved((*name).to_owned(), &format!("{PRELUDE}{body}\n"));
        missing.extend(case.is_none().then_some(*name));
        cases.extend(case);
    }
    assert_eq!(missing, Vec::<&str>::new(), "these should be proved by invariants");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("there should be examples")
        .map(|entry| entry.expect("the folder should be readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("an example should be readable");
        if !text.contains("#include") {
            cases.extend(solved(file.display().to_string(), &text));
        }
    }
    cases
}
