//! Checks many programs with `wayproof check` and compares the verdicts with the truth.
//!
//! # Invariants
//! * R1: what is found depends on the seeds, on limits of time and on the executable alone, not on the number of threads.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::process::{End, TemporaryFolder, run as execute};
use crate::shrink::shrink;

use super::judge::{Judge, Truth, fortified};
use super::program::{Sample, sample};
use super::scenes::Kinds;

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The executable.
    pub wayproof: PathBuf,
    /// How many programs.
    pub count: u64,
    /// Seed of the first program; the others follow.
    pub first_seed: u64,
    /// What the programs are about.
    pub kinds: Kinds,
    /// Seconds for one verdict.
    pub limit: u64,
    /// Programs at a time.
    pub jobs: usize,
    /// So many candidates are tried to make a program with a finding smaller.
    pub reduction: usize,
}

/// What `wayproof check` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No execution reaches the error.
    Safe,
    /// One does.
    Unsafe,
    /// No verdict, with the reason.
    Unknown(String),
    /// It failed, with its message.
    Crash(String),
}

/// How a program is given to the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Configuration {
    /// The engine; the default one if there is none.
    engine: Option<&'static str>,
    text: Text,
    judge: SecondJudge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    AsWritten,
    /// Preprocessed as in an optimised build with fortified functions.
    Fortified,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SecondJudge {
    Off,
    On,
}

/// The other engines, in turn.
const ENGINES: [&str; 4] = ["explicit", "impact", "cra", "gps-lite"];
/// One program in so many is given to another engine, too.
const OTHER_ENGINE: u64 = 5;
/// One program in so many is preprocessed with fortified functions.
const FORTIFIED: u64 = 16;
/// One program in so many is executed by the tool's own second judge.
const SECOND_JUDGE: u64 = 8;

impl Configuration {
    /// The configurations for a seed, that of the default engine first.
    fn all(seed: u64) -> Vec<Configuration> {
        let text = if seed % FORTIFIED == 3 { Text::Fortified } else { Text::AsWritten };
        let judge = if seed % SECOND_JUDGE == 1 { SecondJudge::On } else { SecondJudge::Off };
        let mut all = vec![Configuration { engine: None, text, judge }];
        if seed % OTHER_ENGINE == 2 {
            let engine = ENGINES[(seed / OTHER_ENGINE) as usize % ENGINES.len()];
            all.push(Configuration { engine: Some(engine), text: Text::AsWritten, judge: SecondJudge::Off });
        }
        all
    }

    /// The words for people.
    fn name(self) -> String {
        let mut name = self.engine.unwrap_or("default engine").to_owned();
        if self.text == Text::Fortified {
            name.push_str(", fortified");
        }
        if self.judge == SecondJudge::On {
            name.push_str(", with execution");
        }
        name
    }
}

/// A wrong verdict or a crash.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Seed of the program.
    pub seed: u64,
    /// Engine and options.
    pub configuration: String,
    /// What the program does.
    pub truth: Truth,
    /// What the tool says.
    pub answer: Answer,
    /// The program, smaller if that was asked for.
    pub text: String,
}

/// Programs and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Programs.
    pub programs: u64,
    /// With a right verdict.
    pub right: u64,
    /// Without a verdict.
    pub unknown: u64,
    /// With a wrong verdict, or a crash.
    pub wrong: u64,
}

impl Counts {
    /// How many of 100 have a verdict.
    pub fn decided(&self) -> f64 {
        (self.right + self.wrong) as f64 * 100.0 / self.programs.max(1) as f64
    }

    fn add(&mut self, outcome: Outcome) {
        self.programs += 1;
        match outcome {
            Outcome::Right => self.right += 1,
            Outcome::Unknown => self.unknown += 1,
            Outcome::Wrong => self.wrong += 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Right,
    Unknown,
    Wrong,
}

/// What became of all programs.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Verdicts of the default engine, over all programs.
    pub total: Counts,
    /// Programs by truth: safe, unsafe, either.
    pub truths: [u64; 3],
    /// Programs without truth, with the reason. They are defects of the generator.
    pub not_judged: Vec<(u64, String)>,
    /// Verdicts by configuration.
    pub configurations: BTreeMap<String, Counts>,
    /// Verdicts of the default engine by the functions that programs call.
    pub functions: BTreeMap<String, Counts>,
    /// How often each reason for no verdict was given by the default engine.
    pub reasons: BTreeMap<String, u64>,
    /// Seeds of right verdicts `unsafe` that the tool's own second judge did not confirm.
    pub not_confirmed: Vec<u64>,
    /// Wrong verdicts and crashes, by seed.
    pub findings: Vec<Finding>,
}

/// Checks programs. `progress` gets the number of programs started and what became of those that are done, one call at a time;
/// findings are only ever added at the end.
pub fn run(settings: &Settings, judge: &Judge, progress: &(dyn Fn(u64, &Summary) + Sync)) -> Summary {
    let next = AtomicU64::new(0);
    let shared = Mutex::new(Summary::default());
    thread::scope(|scope| {
        for _ in 0..settings.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= settings.count {
                        return;
                    }
                    let seed = settings.first_seed.wrapping_add(index);
                    let result = examine(seed, settings, judge);
                    let mut summary = shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    summary.add(seed, result);
                    progress(index + 1, &summary);
                }
            });
        }
    });
    let mut summary = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    summary.findings.sort_by_key(|finding| finding.seed);
    summary.not_judged.sort();
    summary.not_confirmed.sort_unstable();
    summary
}

/// What the tool says about one program, configuration by configuration.
struct Examined {
    sample: Sample,
    answers: Vec<(Configuration, Reply)>,
    findings: Vec<Finding>,
}

/// An answer, and whether the tool's own second judge disagrees with it.
struct Reply {
    answer: Answer,
    confirmation: Confirmation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Confirmation {
    NotDenied,
    Denied,
}

fn examine(seed: u64, settings: &Settings, judge: &Judge) -> Result<Examined, String> {
    let sample = sample(seed, &settings.kinds, judge)?;
    let mut answers = Vec::new();
    let mut findings = Vec::new();
    for configuration in Configuration::all(seed) {
        if configuration.text == Text::Fortified {
            sample.check_fortified(judge)?;
        }
        let reply = ask(&sample.text, configuration, settings)?;
        if outcome(&reply.answer, sample.truth) == Outcome::Wrong {
            let text = smaller(&sample, &reply.answer, configuration, settings, judge);
            findings.push(Finding {
                seed,
                configuration: configuration.name(),
                truth: sample.truth,
                answer: reply.answer.clone(),
                text,
            });
        }
        answers.push((configuration, reply));
    }
    Ok(Examined { sample, answers, findings })
}

fn outcome(answer: &Answer, truth: Truth) -> Outcome {
    match (answer, truth) {
        (Answer::Unknown(_), _) => Outcome::Unknown,
        (Answer::Safe, Truth::Safe | Truth::Open) | (Answer::Unsafe, Truth::Unsafe | Truth::Open) => {
            Outcome::Right
        }
        _ => Outcome::Wrong,
    }
}

/// The tool's answer about a text. The error says why it could not be asked.
fn ask(text: &str, configuration: Configuration, settings: &Settings) -> Result<Reply, String> {
    let folder = TemporaryFolder::new().map_err(|error| error.to_string())?;
    let text = match configuration.text {
        Text::AsWritten => text.to_owned(),
        Text::Fortified => fortified(text)?,
    };
    let file = folder.write("program.c", text).map_err(|error| error.to_string())?;
    let mut command = Command::new(&settings.wayproof);
    command.arg("check").arg(&file).args(["--no-settings", "--timeout", &settings.limit.to_string()]);
    command.current_dir(folder.path());
    if configuration.judge == SecondJudge::Off {
        command.arg("--no-exec");
    }
    if let Some(engine) = configuration.engine {
        command.args(["--engine", engine]);
    }
    // The tool keeps its own limit; this one is for the case that it does not.
    let limit = Duration::from_secs(settings.limit * 4 + 60);
    let execution = execute(&mut command, limit)
        .map_err(|error| format!("{} cannot be started: {error}", settings.wayproof.display()))?;
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let answer = match execution.end {
        End::Code(0) => Answer::Safe,
        End::Code(10) => Answer::Unsafe,
        End::Code(5) => Answer::Unknown(first(&execution.stdout)),
        End::Code(2) => Answer::Unknown(first(&execution.stderr)),
        end => Answer::Crash(format!("{end:?} {}", first(&execution.stderr))),
    };
    let denied = execution.stdout.contains("NOT confirmed");
    let confirmation = if denied { Confirmation::Denied } else { Confirmation::NotDenied };
    Ok(Reply { answer, confirmation })
}

/// A smaller program with the same wrong answer: fewer scenes, then fewer lines.
fn smaller(
    sample: &Sample,
    answer: &Answer,
    configuration: Configuration,
    settings: &Settings,
    judge: &Judge,
) -> String {
    if settings.reduction == 0 {
        return sample.text.clone();
    }
    let is_same = |left: &Answer, right: &Answer| {
        left == right || matches!((left, right), (Answer::Crash(_), Answer::Crash(_)))
    };
    let is_wrong = |text: &str| {
        // The tool is asked first, because that is cheaper.
        ask(text, configuration, settings).is_ok_and(|reply| is_same(&reply.answer, answer))
            && judge
                .truth(text, &sample.program)
                .is_some_and(|truth| outcome(answer, truth) == Outcome::Wrong)
    };
    let alone = (0..sample.program.scene_count()).map(|scene| sample.program.text(&[scene]));
    let start = alone.into_iter().find(|text| is_wrong(text)).unwrap_or_else(|| sample.text.clone());
    shrink(&start, settings.reduction, is_wrong)
}

impl Summary {
    fn add(&mut self, seed: u64, result: Result<Examined, String>) {
        let examined = match result {
            Ok(examined) => examined,
            Err(reason) => return self.not_judged.push((seed, reason)),
        };
        let truth = examined.sample.truth;
        self.truths[match truth {
            Truth::Safe => 0,
            Truth::Unsafe => 1,
            Truth::Open => 2,
        }] += 1;
        for (configuration, reply) in &examined.answers {
            let outcome = outcome(&reply.answer, truth);
            self.configurations.entry(configuration.name()).or_default().add(outcome);
            if outcome == Outcome::Right && reply.confirmation == Confirmation::Denied {
                self.not_confirmed.push(seed);
            }
            if configuration.engine.is_some() {
                continue;
            }
            self.total.add(outcome);
            for function in examined.sample.functions() {
                self.functions.entry(function).or_default().add(outcome);
            }
            if let Answer::Unknown(reason) = &reply.answer {
                *self.reasons.entry(general(reason)).or_default() += 1;
            }
        }
        self.findings.extend(examined.findings);
    }
}

/// A reason without its place and without numbers.
fn general(reason: &str) -> String {
    let is_place = |word: &str| word.contains(".c:") || word.contains(".h:");
    let words: Vec<&str> = reason.split(' ').collect();
    let mut kept: Vec<&str> = words.into_iter().filter(|word| !is_place(word)).collect();
    while kept.last().is_some_and(|word| *word == "at") {
        kept.pop();
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_follow_from_answer_and_truth() {
        assert_eq!(outcome(&Answer::Safe, Truth::Unsafe), Outcome::Wrong);
        assert_eq!(outcome(&Answer::Unsafe, Truth::Safe), Outcome::Wrong);
        assert_eq!(outcome(&Answer::Unsafe, Truth::Open), Outcome::Right);
        assert_eq!(outcome(&Answer::Crash(String::new()), Truth::Open), Outcome::Wrong);
    }

    #[test]
    fn reasons_lose_their_places() {
        assert_eq!(general("UNKNOWN: `f` writes nothing at a.c:3:41"), "UNKNOWN: `f` writes nothing");
    }
}
