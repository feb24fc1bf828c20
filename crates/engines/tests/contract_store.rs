//! What earlier runs have found out about procedures: recognised after changes, and never believed.

use std::sync::Mutex;

use base::Budget;
use certify::certify;
use cfa::Program;
use engine::{ContractStore, Counter, Env, Identity, Recorder, Settings, Version};
use passes::Prepared;
use verdict::Verdict;

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";
const SUMS: &str = "int calls;\n\
    int twice(int n) { if (n <= 0) return 0; calls = calls > 0; int a = twice(n - 1), b = twice(0); return 2 + a + b; }\n\
    int main(void) { int n = __VERIFIER_nondet_int(); if (n > 1000) return 0; calls = 1;\n\
    if (twice(n) < 0 || !calls) reach_error(); return 0; }\n";
/// Enough for each program here, in ticks.
const TICKS: u64 = 1 << 26;

fn compile(body: &str) -> Program {
    let text = format!("{PRELUDE}{body}").into_bytes().into();
    let input = cfront::Input::Text { name: "test.c".to_owned(), text };
    let options = cfront::Options::new(cfa::DataModel::Lp64);
    cfront::compile(&[input], &options).expect("the program should compile").program
}

/// Keeps the last text of each procedure in memory.
#[derive(Default)]
struct Memory {
    texts: Mutex<Vec<(Identity, String)>>,
}

impl ContractStore for Memory {
    fn recall(&self, identity: &Identity) -> Option<(Version, String)> {
        let texts = self.texts.lock().expect("no thread should have panicked");
        let (known, text) = texts.iter().find(|(known, _)| known.signature == identity.signature)?;
        let version = if known == identity { Version::Same } else { Version::Other };
        Some((version, text.clone()))
    }
    fn learn(&self, identity: &Identity, text: String) {
        let mut texts = self.texts.lock().expect("no thread should have panicked");
        texts.retain(|(known, _)| known.signature != identity.signature);
        texts.push((identity.clone(), text));
    }
}

/// The certified verdict, the contracts that hold and the procedures that were proved anew.
fn solve(body: &str, store: &Memory) -> (Verdict, u64, u64) {
    let program = compile(body);
    let recorder = Recorder::default();
    let mut env = Env::new(Budget::ticks(TICKS), &recorder);
    env.contracts = Some(store);
    let spec = engines::find("recmc").expect("the engine should exist");
    let task = Prepared::of(&program);
    let verdict = (spec.configure)(&Settings::default()).solve(&task, &mut env);
    let verdict = certify(&task, verdict, &mut env.logic.budget).verdict().clone();
    (verdict, recorder.get(Counter::ContractsRecalled), recorder.get(Counter::ProceduresProved))
}

#[test]
fn procedures_are_recognised_after_changes_elsewhere() {
    let store = Memory::default();
    let (verdict, recalled, proved) = solve(SUMS, &store);
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    assert_eq!((recalled, proved), (0, 2));
    let moved = SUMS.replace("int calls;", "\n\nint before;\nint calls;");
    assert_eq!(solve(&moved, &store).1, 2);
    assert_eq!(solve(&moved, &store).2, 0);
    let changed = moved.replace("2 + a + b", "a + 2 + b");
    let (verdict, recalled, proved) = solve(&changed, &store);
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    assert_eq!((recalled, proved), (2, 1));
}

#[test]
fn texts_that_were_made_by_hand_are_not_believed() {
    let wrong = SUMS.replace("return 2 +", "if (n == 7) return -1; return 2 +");
    let texts = [
        "",
        "name",
        "name parameter 0\nlogic integers\ntrue\ninvariant 0 1 never 0\n",
        // Nothing ever returns, or arrives anywhere.
        "logic integers\ntrue\ninvariant 0 0 reached 0\ninvariant 0 1 reached 0\ninvariant 0 2 reached 0\ninvariant 0 3 reached 0\n",
        // The result is always one.
        "name result 0\nlogic integers\nvariable 0\nsum -1 1 1 0\nzero 1\nnot 2\ninvariant 0 1 reached 3\n",
        // Names that are missing, positions that are missing, sorts that do not fit.
        "name result 7\nname global 9 x\nlogic integers\nvariable 0\nentry 1\nle 0\nle 1\nand 2 3\ninvariant 0 1 reached 4\n",
        "name result 0\nlogic integers\nvariable 0\nle 5\ninvariant 0 1 reached 1\n",
        "name result 0\nlogic integers\nvariable 0\nvariable 4294967295\nproduct 0 1\nle 2\ninvariant 0 4294967295 reached 3\n",
        "name parameter 0\nname result 0\nlogic integers\nvariable 0\nvariable 1\nproduct 0 1\nle 2\ninvariant 0 1 reached 3\n",
        "name result 0\nlogic bits\nvariable 0\nand 0 0\ninvariant 0 1 reached 1\n",
    ];
    let store = Memory::default();
    assert!(matches!(solve(SUMS, &store).0, Verdict::Safe(_)));
    let good = store.texts.lock().expect("no thread should have panicked").clone();
    for text in texts {
        for (body, is_safe) in [(SUMS, true), (wrong.as_str(), false)] {
            let hostile = good.iter().map(|(identity, _)| (identity.clone(), text.to_owned())).collect();
            let (verdict, ..) = solve(body, &Memory { texts: Mutex::new(hostile) });
            let is_right = if is_safe {
                matches!(verdict, Verdict::Safe(_))
            } else {
                matches!(verdict, Verdict::Unsafe(_))
            };
            assert!(is_right, "{text}: {verdict:?}");
        }
    }
}
