//! Runs engines on programs with known verdicts, and collects what is wrong.
//!
//! # Invariants
//! * R1: every run of an engine has a thread of its own: the solver's context is per thread, and a crash ends only that run.
//! * R2: which engines see a program depends on its seed alone.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use base::Budget;
use certify::certify;
use cfa::Program;
use engine::{EngineSpec, Env, Executions, Part, Recorder};
use verdict::{Reason, Verdict};

use crate::Random;

use super::checked::{self, Compiled, Topic};
use super::judge::{Dialect, Known, compile, judge};
use super::reduce::reduce;
use super::syntax::Unit;
use super::variant::{TRANSFORMATIONS, transform};
use super::{Control, Programs, sample, verdict};

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the programs are made of.
    pub kind: Programs,
    /// How many programs.
    pub count: u64,
    /// Seed of the first program; the others follow.
    pub first_seed: u64,
    /// What one run of an engine may take.
    pub limit: Limit,
    /// How many configurations see a program, besides the first; which ones depends on the seed (R2).
    pub others: usize,
    /// How many variants of a program are run.
    pub variants: usize,
    /// Only the configuration of this name.
    pub only: Option<String>,
    /// Folder for programs with findings.
    pub store: Option<PathBuf>,
    /// How often the reduction of a finding may ask.
    pub reduction: usize,
}

/// What a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Wall-clock time: what is decided depends on the machine.
    Time(Duration),
    /// Steps of work: what is decided is the same everywhere.
    Ticks(u64),
}

impl Limit {
    pub(super) fn budget(self) -> Budget {
        match self {
            Self::Time(time) => Budget::unlimited().with_deadline(Instant::now().checked_add(time)),
            Self::Ticks(ticks) => Budget::ticks(ticks),
        }
    }
    /// After this time a run is taken for endless.
    pub(super) fn patience(self) -> Duration {
        match self {
            Self::Time(time) => time + GRACE,
            Self::Ticks(_) => GRACE,
        }
    }
}

/// An engine with what is switched off in it.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// For people.
    pub name: &'static str,
    engine: &'static str,
    without: &'static [Part],
    executions: Executions,
}

impl Configuration {
    /// An engine that works alone: if all executions were carried out before, it would have nothing to do.
    const fn alone(name: &'static str, engine: &'static str, without: &'static [Part]) -> Self {
        Self { name, engine, without, executions: Executions::Never }
    }

    pub(super) fn settings(&self) -> engine::Settings {
        let settings = engine::Settings::leaving_out(self.without.iter().copied());
        match self.executions {
            Executions::First => settings,
            Executions::Never => settings.without_executions(),
        }
    }

    pub(super) fn spec(&self) -> Option<&'static EngineSpec> {
        engines::find(self.engine)
    }
}

/// All configurations; the first sees every program.
pub const CONFIGURATIONS: [Configuration; 22] = [
    Configuration::alone("gps", "gps", &[]),
    Configuration::alone("gps --no-gas", "gps", &[Part::Gas]),
    Configuration::alone("gps --no-summaries", "gps", &[Part::Summaries]),
    Configuration::alone("gps --no-congruences", "gps", &[Part::Congruences]),
    Configuration::alone("gps --logic integers", "gps", &[Part::Bits]),
    Configuration::alone("gps-lite", "gps-lite", &[]),
    Configuration::alone("recmc", "recmc", &[]),
    Configuration::alone("impact", "impact", &[]),
    Configuration::alone("cra", "cra", &[]),
    Configuration::alone("path-invariants", "path-invariants", &[]),
    Configuration::alone("path-invariants --no-summaries", "path-invariants", &[Part::Summaries]),
    Configuration::alone("bself", "bself", &[]),
    Configuration::alone("bse", "bse", &[]),
    Configuration::alone("kind", "kind", &[]),
    Configuration::alone("kind --logic bits", "kind", &[Part::Integers]),
    Configuration::alone("bmc", "bmc", &[]),
    Configuration::alone("bmc --logic integers", "bmc", &[Part::Bits]),
    Configuration::alone("bmc --logic bits", "bmc", &[Part::Integers]),
    Configuration::alone("tracer", "tracer", &[]),
    Configuration::alone("tracer-sp", "tracer-sp", &[]),
    Configuration::alone("explicit", "explicit", &[]),
    Configuration { name: "executions, gps", engine: "gps", without: &[], executions: Executions::First },
];

/// What a run of an engine yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A certified verdict.
    Decided(Known),
    /// No verdict; the code of the reason.
    Unknown(&'static str),
    /// The evidence did not pass its check.
    NotCertified(String),
    /// A panic, or an invariant that an engine found broken.
    Crashed(String),
    /// It did not come back.
    Hanging,
}

/// Kinds of findings, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A certified verdict that is not the known one.
    Wrong,
    /// A crash.
    Crash,
    /// A run that ignored its limit.
    Hang,
    /// Evidence that failed its check.
    NotCertified,
    /// A variant whose known verdict differs: a defect of the generator.
    Variant,
    /// The interpreter and the compiled program do not agree about an execution.
    Judges,
}

/// Something that should not have happened.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Which program.
    pub seed: u64,
    /// What.
    pub kind: Kind,
    /// Which configuration.
    pub configuration: &'static str,
    /// The known verdict.
    pub known: Known,
    /// The answer.
    pub answer: Answer,
    /// The program, as small as it got.
    pub text: String,
}

/// Counts of one configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Runs.
    pub runs: u64,
    /// Of these, with the right verdict safe.
    pub safe: u64,
    /// Of these, with the right verdict unsafe.
    pub unsafe_: u64,
    /// Time of all runs.
    pub time: Duration,
}

/// Result of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Programs that are safe.
    pub safe: u64,
    /// Programs that are not.
    pub unsafe_: u64,
    /// Seeds without a program.
    pub skipped: u64,
    /// Variants that were run.
    pub variants: u64,
    /// By configuration.
    pub counts: BTreeMap<&'static str, Counts>,
    /// Executions of compiled programs.
    pub executed: u64,
    /// Programs that gcc refuses.
    pub refused: u64,
    /// By what was asked.
    pub questions: BTreeMap<&'static str, Counts>,
    /// Runs without verdict, by configuration and reason.
    pub unknown: BTreeMap<(&'static str, &'static str), u64>,
    /// What should not have happened.
    pub findings: Vec<Finding>,
}

/// A run that takes so much longer than its limit is taken for endless. Few ticks are over in a fraction of it, unless the machine is busy.
const GRACE: Duration = Duration::from_secs(180);
/// The stack of a run, as large as that of the program's main thread.
pub(super) const STACK: usize = 8 << 20;

/// Runs all programs. The error says what does not work.
pub fn run(settings: &Settings, progress: &mut dyn FnMut(u64, &Summary)) -> io::Result<Summary> {
    match settings.kind {
        Programs::Memory => {
            let compiled = Compiled::find().map_err(io::Error::other)?;
            checked::run(settings, Topic::Memory, Some(&compiled), progress)
        }
        Programs::Arrays => checked::run(settings, Topic::Arrays, None, progress),
        Programs::Control(kind) => run_units(settings, kind, progress),
    }
}

fn run_units(
    settings: &Settings,
    kind: Option<Control>,
    progress: &mut dyn FnMut(u64, &Summary),
) -> io::Result<Summary> {
    let mut summary = Summary::default();
    if let Some(folder) = &settings.store {
        fs::create_dir_all(folder)?;
    }
    for number in 0..settings.count {
        let seed = settings.first_seed.wrapping_add(number);
        let Some(sample) = sample(seed, kind) else {
            summary.skipped += 1;
            continue;
        };
        match sample.known {
            Known::Safe => summary.safe += 1,
            Known::Unsafe => summary.unsafe_ += 1,
        }
        let mut campaign = Campaign { settings, seed, known: sample.known, summary: &mut summary };
        campaign.program(&sample.unit, Version::Original)?;
        let mut random = Random::new(seed ^ 0x7A51);
        for _ in 0..settings.variants {
            let mut variant = sample.unit.clone();
            for _ in 0..random.between(1, 3) {
                variant = transform(&variant, random.pick::<&str>(&TRANSFORMATIONS), &mut random);
            }
            campaign.variant(&variant)?;
        }
        progress(number + 1, &summary);
    }
    Ok(summary)
}

/// Which form of a program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Original,
    Variant,
}

struct Campaign<'a> {
    settings: &'a Settings,
    seed: u64,
    known: Known,
    summary: &'a mut Summary,
}

impl Campaign<'_> {
    fn variant(&mut self, unit: &Unit) -> io::Result<()> {
        self.summary.variants += 1;
        match verdict(unit, Dialect::of(self.seed)) {
            Some(known) if known == self.known => self.program(unit, Version::Variant),
            // It became too long for the judge.
            None => Ok(()),
            Some(known) => {
                let finding = Finding {
                    seed: self.seed,
                    kind: Kind::Variant,
                    configuration: "judge",
                    known: self.known,
                    answer: Answer::Decided(known),
                    text: unit.print().text,
                };
                self.record(finding)
            }
        }
    }

    /// Runs the configurations whose turn it is. A variant is seen by two of them.
    fn program(&mut self, unit: &Unit, version: Version) -> io::Result<()> {
        let text = unit.print().text;
        if let Some(folder) = &self.settings.store {
            // For whoever looks for the cause of an abort.
            fs::write(folder.join(format!("in-flight-{}.c", self.settings.first_seed)), &text)?;
        }
        let Ok(program) = compile(&text, Dialect::of(self.seed)) else { return Ok(()) };
        let program = Arc::new(program);
        for configuration in self.configurations(version) {
            let start = Instant::now();
            let answer = solve(&program, configuration, self.settings.limit);
            self.count(configuration, &answer, start.elapsed());
            if let Some(kind) = finding(&answer, self.known) {
                let text = self.reduced(unit, configuration, kind);
                let (seed, known) = (self.seed, self.known);
                self.record(Finding { seed, kind, configuration: configuration.name, known, answer, text })?;
            }
        }
        Ok(())
    }

    /// R2.
    fn configurations(&self, version: Version) -> Vec<Configuration> {
        if let Some(name) = &self.settings.only {
            return CONFIGURATIONS
                .iter()
                .filter(|configuration| configuration.name == name)
                .copied()
                .collect();
        }
        let rest = CONFIGURATIONS.len() - 1;
        let (others, shift) = match version {
            Version::Original => (self.settings.others.min(rest), 0),
            Version::Variant => (self.settings.others.min(1), 1),
        };
        let turn = self.seed as usize * 3 + shift;
        let mut chosen = vec![CONFIGURATIONS[0]];
        chosen.extend((0..others).map(|index| CONFIGURATIONS[1 + (turn + index) % rest]));
        chosen
    }

    fn count(&mut self, configuration: Configuration, answer: &Answer, time: Duration) {
        let counts = self.summary.counts.entry(configuration.name).or_default();
        counts.runs += 1;
        counts.time += time;
        match answer {
            Answer::Decided(Known::Safe) if self.known == Known::Safe => counts.safe += 1,
            Answer::Decided(Known::Unsafe) if self.known == Known::Unsafe => counts.unsafe_ += 1,
            Answer::Unknown(code) => {
                *self.summary.unknown.entry((configuration.name, code)).or_default() += 1;
            }
            _ => {}
        }
    }

    fn reduced(&self, unit: &Unit, configuration: Configuration, kind: Kind) -> String {
        let limit = self.settings.limit;
        let small = reduce(unit, self.settings.reduction, &mut |unit| {
            let printed = unit.print();
            let Ok(program) = compile(&printed.text, Dialect::of(self.seed)) else { return false };
            let Some(known) = judge(&printed, &program) else { return false };
            finding(&solve(&Arc::new(program), configuration, limit), known) == Some(kind)
        });
        small.print().text
    }

    fn record(&mut self, finding: Finding) -> io::Result<()> {
        if let Some(folder) = &self.settings.store {
            let name =
                format!("{:?}-{}-{}.c", finding.kind, finding.seed, finding.configuration.replace(' ', "_"));
            let Finding { known, answer, configuration, text, .. } = &finding;
            let comment = format!(
                "// {configuration}, {:?}: known {}, got {answer:?}\n",
                Dialect::of(finding.seed),
                known.word()
            );
            fs::write(folder.join(name), format!("{comment}{text}"))?;
        }
        self.summary.findings.push(finding);
        Ok(())
    }
}

/// What is wrong with an answer.
fn finding(answer: &Answer, known: Known) -> Option<Kind> {
    match answer {
        Answer::Decided(verdict) => (*verdict != known).then_some(Kind::Wrong),
        Answer::Unknown(_) => None,
        Answer::NotCertified(_) => Some(Kind::NotCertified),
        Answer::Crashed(_) => Some(Kind::Crash),
        Answer::Hanging => Some(Kind::Hang),
    }
}

/// Runs one engine on a program, in a thread of its own (R1), and certifies what it says.
pub fn solve(program: &Arc<Program>, configuration: Configuration, limit: Limit) -> Answer {
    let (sender, receiver) = mpsc::channel();
    let program = Arc::clone(program);
    let thread = thread::Builder::new().name("verdicts".to_owned()).stack_size(STACK).spawn(move || {
        let answer = panic::catch_unwind(AssertUnwindSafe(|| decide(&program, configuration, limit)));
        let answer = answer.unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let message = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("panic");
            Answer::Crashed(message.to_owned())
        });
        // Nobody waits any more after a hang.
        let _ = sender.send(answer);
    });
    match thread {
        Err(error) => Answer::Crashed(error.to_string()),
        Ok(_) => receiver.recv_timeout(limit.patience()).unwrap_or(Answer::Hanging),
    }
}

fn decide(program: &Program, configuration: Configuration, limit: Limit) -> Answer {
    let Some(spec) = configuration.spec() else {
        return Answer::Crashed(format!("there is no engine {}", configuration.engine));
    };
    let recorder = Recorder::default();
    let mut env = Env::new(limit.budget(), &recorder);
    let task = passes::Prepared::of(program);
    let engine = match spec.create(&configuration.settings()) {
        Ok(engine) => engine,
        Err(error) => return Answer::Crashed(error.to_string()),
    };
    let verdict = engine.solve(&task, &mut env);
    match certify(&task, verdict, &mut env.logic.budget).verdict() {
        Verdict::Safe(_) => Answer::Decided(Known::Safe),
        Verdict::Unsafe(_) => Answer::Decided(Known::Unsafe),
        Verdict::Unknown(Reason::NotCertified { why }) => Answer::NotCertified(why.clone()),
        Verdict::Unknown(Reason::Crashed { message }) => Answer::Crashed(message.clone()),
        Verdict::Unknown(reason) => Answer::Unknown(reason.code()),
    }
}
