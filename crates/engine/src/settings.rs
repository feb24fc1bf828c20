//! What the user may leave out of an engine, for ablations.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZero;

/// A part of an engine that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The bound on the length of tests ([Gps25] §5.3).
    Gas,
    /// Path summaries; without them nothing guides the search.
    Summaries,
    /// Congruences in summaries of loops.
    Congruences,
    /// Facts that engines tell each other.
    Exchange,
    /// Reasoning about machine values as integers.
    Integers,
    /// Reasoning about machine values as bit-vectors.
    Bits,
}

impl Part {
    /// The option of the command line that leaves it out.
    pub fn option(self) -> &'static str {
        match self {
            Self::Gas => "--no-gas",
            Self::Summaries => "--no-summaries",
            Self::Congruences => "--no-congruences",
            Self::Exchange => "--no-exchange",
            Self::Integers => "--logic bits",
            Self::Bits => "--logic integers",
        }
    }
}

/// The parts that are left out, and how many threads there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    without: BTreeSet<Part>,
    executions: Executions,
    threads: NonZero<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { without: BTreeSet::new(), executions: Executions::First, threads: NonZero::<usize>::MIN }
    }
}

/// Whether the executions of a program are tried before an engine works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executions {
    /// They are, and in turn with the engine.
    #[default]
    First,
    /// Somebody else has tried them.
    Never,
}

impl Settings {
    /// Settings that leave out these parts.
    pub fn leaving_out(parts: impl IntoIterator<Item = Part>) -> Self {
        Self { without: parts.into_iter().collect(), ..Self::default() }
    }
    /// The same with so many threads. They change how long an engine takes, and nothing else.
    #[must_use]
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        Self { threads, ..self }
    }
    /// The same for an engine that has these parts only.
    #[must_use]
    pub fn limited_to(&self, parts: &[Part]) -> Self {
        let without = self.without.iter().copied().filter(|part| parts.contains(part)).collect();
        Self { without, ..self.clone() }
    }
    /// The same without one part more.
    #[must_use]
    pub fn also_without(&self, part: Part) -> Self {
        let without = self.without().chain([part]).collect();
        Self { without, ..self.clone() }
    }
    /// The same for an engine that works alone.
    #[must_use]
    pub fn without_executions(&self) -> Self {
        Self { executions: Executions::Never, ..self.clone() }
    }
    /// How many threads an engine may use.
    pub fn threads(&self) -> NonZero<usize> {
        self.threads
    }
    /// Whether executions are tried.
    pub fn executions(&self) -> Executions {
        self.executions
    }
    /// Whether a part is in use.
    pub fn has(&self, part: Part) -> bool {
        !self.without.contains(&part)
    }
    /// What is left out.
    pub fn without(&self) -> impl Iterator<Item = Part> {
        self.without.iter().copied()
    }
}

/// An engine does not have what it should leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// The engine.
    pub engine: &'static str,
    /// What should be left out.
    pub part: Part,
    /// What the engine can leave out.
    pub parts: &'static [Part],
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the engine `{}` does not take the option `{}`", self.engine, self.part.option())
    }
}

impl SettingsError {
    /// What the engine does take, for people.
    pub fn help(&self) -> String {
        let options: Vec<String> = self.parts.iter().map(|part| format!("`{}`", part.option())).collect();
        if options.is_empty() {
            format!("the engine `{}` has no such options", self.engine)
        } else {
            format!("it takes {}", options.join(", "))
        }
    }
}
