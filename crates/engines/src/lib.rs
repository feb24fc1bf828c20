//! The engines, one folder or file for each, and the registry of them.
//!
//! A new engine is one folder and one line in [`ENGINES`].
//!
//! Knows no files and no flags.

mod cra;
mod explicit;
mod gps;
mod problem;
mod single;

use engine::EngineSpec;

/// All engines; the first is the default.
pub static ENGINES: &[EngineSpec] = &[
    EngineSpec {
        name: "gps",
        purpose: "runs tests that path summaries guide to the error; dead ends prove that there is none",
        create: |tuning| single::first(gps::create, tuning),
    },
    EngineSpec {
        name: "gps-lite",
        purpose: "gps without covering: dead ends by summaries alone",
        create: |tuning| single::first(gps::create_lite, tuning),
    },
    EngineSpec {
        name: "impact",
        purpose: "lazy abstraction with interpolants: no summaries, no tests",
        create: |tuning| single::first(gps::create_impact, tuning),
    },
    EngineSpec {
        name: "cra",
        purpose: "proves programs by the summary of all their paths",
        create: |tuning| single::first(cra::create, tuning),
    },
    EngineSpec {
        name: "explicit",
        purpose: "decides programs without nondeterminism by running them",
        create: explicit::create,
    },
];

/// The engine of a name.
pub fn find(name: &str) -> Option<&'static EngineSpec> {
    ENGINES.iter().find(|spec| spec.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (position, spec) in ENGINES.iter().enumerate() {
            assert!(ENGINES[..position].iter().all(|other| other.name != spec.name), "{}", spec.name);
            assert!(find(spec.name).is_some_and(|found| std::ptr::eq(found, spec)));
        }
    }
}
