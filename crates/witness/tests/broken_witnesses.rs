//! Broken witnesses: whatever the text is, there is an answer.

use base::Budget;
use certify::Certified;
use cfa::{DataModel, Program};
use verdict::Reason;
use witness::format::{self, Stamp};
use witness::question::{Asked, Hashes, Question, Text};
use witness::validate::{Judgement, validate};

const PROGRAM: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x > 0) { x--; }
    if (x == -7) { reach_error(); }
    return 0;
}
";

/// The generator splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

fn witnesses() -> Vec<String> {
    let head = |kind: &str| {
        let task = format::Task {
            files: vec![("p.c".to_owned(), format::hash(PROGRAM.as_bytes()))],
            specification: "G ! call(reach_error())".to_owned(),
            data_model: "LP64".to_owned(),
        };
        let empty =
            format::Witness { task, content: format::Content::Correctness(format::Claims::default()) };
        let text = format::write(&empty, &Stamp { seconds: 0, version: "1" });
        text.replace("invariant_set", kind).replace("  content: []\n", "  content:\n")
    };
    let violation = "  - segment:
    - waypoint: {type: function_return, action: follow, constraint: {value: '\\result == -7', format: acsl_expression}, location: {file_name: p.c, line: 4, column: 35}}
  - segment:
    - waypoint: {type: branching, action: avoid, constraint: {value: 'true'}, location: {file_name: p.c, line: 5, column: 5}}
    - waypoint: {type: assumption, action: follow, constraint: {value: 'x < 0', format: c_expression}, location: {file_name: p.c, line: 6}}
  - segment:
    - waypoint: {type: target, action: follow, location: {file_name: p.c, line: 6, column: 20}}
";
    let correctness = "  - invariant: {type: loop_invariant, location: {file_name: p.c, line: 5, column: 5}, value: 'x >= 0 || x != -7', format: c_expression}
  - invariant: {type: location_invariant, location: {file_name: p.c, line: 7}, value: 'x <= 0', format: c_expression}
";
    let contract = "  - contract: {type: function_contract, location: {file_name: p.c, line: 3, column: 1, function: main}, requires: '1', ensures: '\\result == 0', format: ext_c_expression, labels: [inductive]}
";
    let newer = head("invariant_set").replace("\"2.0\"", "\"2.1\"");
    vec![head("violation_sequence") + violation, head("invariant_set") + correctness, newer + contract]
}

fn judged(text: &[u8]) -> Option<Judgement> {
    let options = cfront::Options::new(DataModel::Lp64);
    let program = Text::new("p.c", PROGRAM.as_bytes().into(), options.preprocess.clone())
        .expect("the program should be one");
    let mut question =
        Question { texts: vec![program], options, asked: Asked::Exactly, hashes: Hashes::Equal };
    let witness = format::read(text).ok()?;
    let mut nobody = |_: &Program, _: &mut Budget| Certified::unknown(Reason::NotProgressing);
    Some(validate(&witness, &mut question, &mut nobody, &mut Budget::ticks(100_000)))
}

#[test]
fn the_originals_are_understood() {
    let [violation, correctness, contract] = witnesses().try_into().unwrap();
    assert!(
        matches!(judged(violation.as_bytes()), Some(Judgement::Confirmed(_))),
        "{:?}",
        judged(violation.as_bytes())
    );
    for claims in [correctness, contract] {
        let judged = judged(claims.as_bytes());
        assert!(matches!(judged, Some(Judgement::Unknown(_))), "{judged:?}");
    }
}

#[test]
fn every_change_of_a_text_gets_an_answer() {
    let mut random = Random(5);
    let words: [&[u8]; 16] = [
        b"0",
        b"-1",
        b"99999999999999999999",
        b"x",
        b"(",
        b")",
        b"''",
        b"\"",
        b": ",
        b"\n",
        b"- ",
        b"&a *a",
        b"\xff",
        b"4294967295",
        b"\\result",
        b"\\at(",
    ];
    for text in witnesses() {
        // The head is long and its mistakes are all alike.
        let body = text.find("  content:").unwrap();
        for round in 0..400 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random.below(3) {
                let from = if round % 4 == 0 { 0 } else { body };
                let at = from + random.below(bytes.len() - from);
                match random.below(3) {
                    0 => {
                        bytes.remove(at);
                    }
                    1 => bytes[at] = words[random.below(words.len())][0],
                    _ => {
                        let word = words[random.below(words.len())];
                        bytes.splice(at..at, word.iter().copied());
                    }
                }
            }
            let _ = judged(&bytes);
        }
    }
}
