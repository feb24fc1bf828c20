//! Figures for charts: time by stage, queries by answer.

use base::timeline::{Detail, Entry, Kind};
use serde::Serialize;
use std::time::Duration;

/// A bar of a chart.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub(super) struct Bar {
    name: String,
    count: u64,
    seconds: f64,
}

/// Adds to the bar of a name; bars are in the order of their first use.
fn add(bars: &mut Vec<Bar>, name: &str, took: Duration) {
    let seconds = took.as_secs_f64();
    match bars.iter_mut().find(|bar| bar.name == name) {
        Some(bar) => {
            bar.count += 1;
            bar.seconds += seconds;
        }
        None => bars.push(Bar { name: name.to_owned(), count: 1, seconds }),
    }
}

/// How long stages took by themselves, without the stages in them. What has not ended is left out.
pub(super) fn stages(entries: &[Entry]) -> Vec<Bar> {
    struct Open {
        thread: u64,
        begin: Duration,
        inner: Duration,
    }
    let mut open: Vec<Open> = Vec::new();
    let mut bars = Vec::new();
    for entry in entries {
        match entry.kind {
            Kind::Begin(begin) => open.push(Open { thread: entry.thread, begin, inner: Duration::ZERO }),
            Kind::End(end) => {
                let Some(at) = open.iter().rposition(|stage| stage.thread == entry.thread) else { continue };
                let stage = open.remove(at);
                let took = end.saturating_sub(stage.begin);
                add(&mut bars, entry.name, took.saturating_sub(stage.inner));
                if let Some(outer) = open.iter_mut().rfind(|outer| outer.thread == entry.thread) {
                    outer.inner += took;
                }
            }
            Kind::Event(..) => {}
        }
    }
    bars
}

/// The questions to the solver by their answers.
pub(super) fn queries(entries: &[Entry]) -> Vec<Bar> {
    let mut bars = Vec::new();
    for entry in entries {
        let Kind::Event(_, took) = entry.kind else { continue };
        let answer = entry.details.iter().find_map(|(name, detail)| match detail {
            Detail::Word(word) if *name == "answer" => Some(*word),
            Detail::Word(_) | Detail::Number(_) => None,
        });
        add(&mut bars, answer.unwrap_or("not answered"), took);
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_inner_stages_counts_once() {
        let at = Duration::from_secs;
        let entry = |name, kind| Entry { name, kind, thread: 1, details: Vec::new() };
        let answer = vec![("answer", Detail::Word("sat"))];
        let entries = [
            entry("engine", Kind::Begin(at(0))),
            entry("search", Kind::Begin(at(2))),
            Entry { details: answer, ..entry("query", Kind::Event(at(3), at(1))) },
            entry("search", Kind::End(at(5))),
            entry("engine", Kind::End(at(6))),
            entry("report", Kind::Begin(at(7))),
        ];
        let bar = |name: &str, seconds| Bar { name: name.to_owned(), count: 1, seconds };
        assert_eq!(stages(&entries), [bar("search", 3.0), bar("engine", 3.0)]);
        assert_eq!(queries(&entries), [bar("sat", 1.0)]);
    }
}
