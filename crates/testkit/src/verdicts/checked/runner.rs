//! Asks about all checks of programs, and compares the answers with all executions.
//!
//! # Invariants
//! * R1: what is asked depends on the seed alone, and which findings there are depends on the limits and on gcc.

use std::fs;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use base::Budget;
use certify::Certified;
use cfa::Program;
use checks::{Audit, Inputs, Judge, NoEarlier, Plan, State, audit};
use engine::{Env, Recorder};
use interp::Outcome;
use passes::{CheckId, PipelineConfig, Prepared};
use verdict::Reason;

use crate::shrink::shrink;

use super::super::judge::Known;
use super::super::runner::{
    Answer, CONFIGURATIONS, Configuration, Counts, Finding, Kind, Limit, STACK, Settings, Summary,
};
use super::compiled::{Compiled, End};
use super::executions::{Run, failing};
use super::{Question, Sample, Topic, judged, sample};

/// Programs that are linked together.
const BATCH: u64 = 12;

/// Runs all programs. Without a compiled judge the interpreter is the only one.
pub(in super::super) fn run(
    settings: &Settings,
    topic: Topic,
    compiled: Option<&Compiled>,
    progress: &mut dyn FnMut(u64, &Summary),
) -> io::Result<Summary> {
    if let Some(folder) = &settings.store {
        fs::create_dir_all(folder)?;
    }
    let mut campaign = Campaign { settings, compiled, summary: Summary::default() };
    let mut number = 0;
    while number < settings.count {
        let seeds = number..settings.count.min(number + BATCH);
        let mut samples = Vec::new();
        for seed in seeds.clone().map(|number| settings.first_seed.wrapping_add(number)) {
            match sample(topic, seed) {
                Some(sample) => samples.push((seed, sample)),
                None => campaign.summary.skipped += 1,
            }
        }
        campaign.compare(&samples)?;
        for (seed, sample) in &samples {
            campaign.program(*seed, sample)?;
        }
        number = seeds.end;
        progress(number, &campaign.summary);
    }
    Ok(campaign.summary)
}

struct Campaign<'a> {
    settings: &'a Settings,
    compiled: Option<&'a Compiled>,
    summary: Summary,
}

impl Campaign<'_> {
    /// Compares the two judges.
    fn compare(&mut self, samples: &[(u64, Sample)]) -> io::Result<()> {
        let Some(compiled) = self.compiled else { return Ok(()) };
        let programs: Vec<(&str, &[Run])> =
            samples.iter().map(|(_, sample)| (sample.text.as_str(), sample.runs.as_slice())).collect();
        let all = compiled.ends(&programs).map_err(io::Error::other)?;
        for ((seed, sample), ends) in samples.iter().zip(&all) {
            let Some(ends) = ends else {
                self.summary.refused += 1;
                continue;
            };
            self.summary.executed += ends.len() as u64;
            let Some(difference) = difference(sample, ends) else { continue };
            let text = self.reduced(sample, &|text, question| {
                let Ok(Some(sample)) = judged(text.to_owned(), question) else { return false };
                let ends = compiled.ends(&[(&sample.text, &sample.runs)]);
                ends.is_ok_and(|ends| difference_in(&sample, &ends))
            });
            let answer = Answer::NotCertified(difference);
            self.record(*seed, Kind::Judges, "interpreter", sample, answer, &text)?;
        }
        Ok(())
    }

    fn program(&mut self, seed: u64, sample: &Sample) -> io::Result<()> {
        match known(sample) {
            Known::Safe => self.summary.safe += 1,
            Known::Unsafe => self.summary.unsafe_ += 1,
        }
        for configuration in self.configurations(seed) {
            if let Some(folder) = &self.settings.store {
                let (question, name) = (sample.question.name(), configuration.name);
                let text = format!("// seed {seed}, {question}, {name}\n{}", sample.text);
                fs::write(folder.join(format!("in-flight-{}.c", self.settings.first_seed)), text)?;
            }
            let start = Instant::now();
            let answer = ask(sample, configuration, self.settings.limit);
            let (kind, answer) = judge(sample, &answer);
            self.count(sample, configuration, kind, &answer, start.elapsed());
            let Some(kind) = kind else { continue };
            let limit = self.settings.limit;
            let text = self.reduced(sample, &|text, question| {
                // A run that does not end would take its whole time at each step.
                let Ok(Some(sample)) = judged(text.to_owned(), question) else { return false };
                kind != Kind::Hang && judge(&sample, &ask(&sample, configuration, limit)).0 == Some(kind)
            });
            self.record(seed, kind, configuration.name, sample, answer, &text)?;
        }
        Ok(())
    }

    /// The first configuration, and others in turn.
    fn configurations(&self, seed: u64) -> Vec<Configuration> {
        if let Some(name) = &self.settings.only {
            return CONFIGURATIONS.iter().filter(|one| one.name == name).copied().collect();
        }
        let rest = CONFIGURATIONS.len() - 1;
        let mut chosen = vec![CONFIGURATIONS[0]];
        let others = (0..self.settings.others.min(rest)).map(|index| 1 + (seed as usize * 3 + index) % rest);
        chosen.extend(others.map(|index| CONFIGURATIONS[index]));
        chosen
    }

    fn count(
        &mut self,
        sample: &Sample,
        configuration: Configuration,
        kind: Option<Kind>,
        answer: &Answer,
        time: Duration,
    ) {
        let add = |counts: &mut Counts| {
            counts.runs += 1;
            counts.time += time;
            match (kind, answer) {
                (None, Answer::Decided(Known::Safe)) => counts.safe += 1,
                (None, Answer::Decided(Known::Unsafe)) => counts.unsafe_ += 1,
                _ => {}
            }
        };
        add(self.summary.counts.entry(configuration.name).or_default());
        add(self.summary.questions.entry(sample.question.name()).or_default());
        if let Answer::Unknown(code) = answer {
            *self.summary.unknown.entry((configuration.name, code)).or_default() += 1;
        }
    }

    fn reduced(&self, sample: &Sample, fails: &dyn Fn(&str, Question) -> bool) -> String {
        shrink(&sample.text, self.settings.reduction, |text| fails(text, sample.question))
    }

    fn record(
        &mut self,
        seed: u64,
        kind: Kind,
        configuration: &'static str,
        sample: &Sample,
        answer: Answer,
        text: &str,
    ) -> io::Result<()> {
        let known = known(sample);
        let question = sample.question.name();
        let text = format!("// {question}, {configuration}: known {}, got {answer:?}\n{text}", known.word());
        if let Some(folder) = &self.settings.store {
            let name = format!("{kind:?}-{seed}-{}.c", configuration.replace(' ', "_"));
            fs::write(folder.join(name), &text)?;
        }
        self.summary.findings.push(Finding { seed, kind, configuration, known, answer, text });
        Ok(())
    }
}

/// The verdict about all checks together.
fn known(sample: &Sample) -> Known {
    let is_error = |run: &Run| matches!(run.outcome, Outcome::Error { .. });
    if sample.runs.iter().any(is_error) { Known::Unsafe } else { Known::Safe }
}

/// Where the judges disagree, for people.
fn difference(sample: &Sample, ends: &[End]) -> Option<String> {
    sample.runs.iter().zip(ends).find_map(|(run, compiled)| {
        let interpreted = End::of(&run.outcome);
        // Where calls of the error function are no violations, the interpreter goes on.
        let is_stopped = *compiled == End::Error && sample.question.is_silent_about_calls();
        let agrees = is_stopped || interpreted.agrees(*compiled);
        let outcome = &run.outcome;
        (!agrees).then(|| format!("{:?}: {outcome:?}, compiled {compiled:?}", run.inputs))
    })
}

fn difference_in(sample: &Sample, ends: &[Option<Vec<End>>]) -> bool {
    ends.first().and_then(Option::as_ref).is_some_and(|ends| difference(sample, ends).is_some())
}

/// What is known after an attempt.
enum Attempt {
    Audited(Box<Audit>),
    Crashed(String),
    Hanging,
}

/// What an answer says about a program, and what is wrong with it.
fn judge(sample: &Sample, attempt: &Attempt) -> (Option<Kind>, Answer) {
    let audit = match attempt {
        Attempt::Audited(audit) => audit,
        Attempt::Crashed(message) => return (Some(Kind::Crash), Answer::Crashed(message.clone())),
        Attempt::Hanging => return (Some(Kind::Hang), Answer::Hanging),
    };
    let ends = failing(&audit.checks, &sample.runs);
    if ends.contains(&None) {
        let message = "an execution fails at a place that is no check".to_owned();
        return (Some(Kind::Wrong), Answer::NotCertified(message));
    }
    let fails = |check: CheckId| ends.contains(&Some(check));
    let beyond = failing(&audit.checks, &sample.beyond);
    let (mut verdict, mut unknown) = (Known::Safe, None);
    for (id, state) in audit.checks.ids().zip(&audit.states) {
        let wrong = match state {
            State::Holds(_) => fails(id).then_some("holds, but fails in an execution"),
            State::Fails(_) => {
                (!fails(id) && !beyond.contains(&Some(id))).then_some("fails, but in no execution")
            }
            State::Open(_) => None,
        };
        if let (Some(wrong), Some(check)) = (wrong, audit.checks.get(id)) {
            let (kind, line) = (check.kind.code(), check.place.line);
            let answer = Answer::NotCertified(format!("{kind} in line {line} {wrong}"));
            return (Some(Kind::Wrong), answer);
        }
        match state {
            State::Fails(_) => verdict = Known::Unsafe,
            State::Open(reason) => unknown = Some(reason),
            State::Holds(_) => {}
        }
    }
    match (verdict, unknown) {
        (_, Some(Reason::NotCertified { why })) => {
            (Some(Kind::NotCertified), Answer::NotCertified(why.clone()))
        }
        (_, Some(Reason::Crashed { message })) => (Some(Kind::Crash), Answer::Crashed(message.clone())),
        (Known::Safe, Some(reason)) => (None, Answer::Unknown(reason.code())),
        (verdict, _) => (None, Answer::Decided(verdict)),
    }
}

/// Nobody objects to a violation.
struct Nobody;

impl Judge for Nobody {
    fn judge(&mut self, _: &Prepared<'_>, certified: Certified, _: &mut Budget) -> Certified {
        certified
    }
}

/// Audits a program in a thread of its own: the solver's context is per thread, and a crash ends only that run.
fn ask(sample: &Sample, configuration: Configuration, limit: Limit) -> Attempt {
    let (sender, receiver) = mpsc::channel();
    let (program, goal) = (Arc::clone(&sample.program), sample.question.goal());
    let work = move || {
        let audited = panic::catch_unwind(AssertUnwindSafe(|| audited(&program, goal, configuration, limit)));
        let attempt = audited.unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let message = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("panic");
            Attempt::Crashed(message.to_owned())
        });
        // Nobody waits any more after a hang.
        let _ = sender.send(attempt);
    };
    match thread::Builder::new().name("checks".to_owned()).stack_size(STACK).spawn(work) {
        Err(error) => Attempt::Crashed(error.to_string()),
        Ok(_) => receiver.recv_timeout(limit.patience()).unwrap_or(Attempt::Hanging),
    }
}

fn audited(program: &Program, goal: checks::Goal, configuration: Configuration, limit: Limit) -> Attempt {
    let Some(engine) = configuration.spec() else {
        return Attempt::Crashed(format!("there is no engine for {}", configuration.name));
    };
    let recorder = Recorder::default();
    let mut env = Env::new(limit.budget(), &recorder);
    let settings = configuration.settings();
    let plan = Plan {
        engine,
        settings: &settings,
        passes: PipelineConfig::default(),
        goal,
        inputs: Inputs::AsFound,
    };
    Attempt::Audited(Box::new(audit(program, &plan, &mut NoEarlier, &mut Nobody, &mut env)))
}
