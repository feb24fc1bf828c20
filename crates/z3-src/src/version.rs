//! Versions of Z3 and where they are written.

use std::fmt;
use std::path::Path;

/// A version of Z3; ordered as versions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// First number.
    pub major: u32,
    /// Second number.
    pub minor: u32,
    /// Third number.
    pub patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Version {
    /// Reads `5.4.0`, also followed by anything that starts with a full stop.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.trim().split('.').map(|number| number.parse().ok());
        Some(Self { major: numbers.next()??, minor: numbers.next()??, patch: numbers.next()?? })
    }

    /// Reads the definitions of `z3_version.h`.
    pub(crate) fn of_header(text: &str) -> Option<Self> {
        let number = |name: &str| {
            text.lines().find_map(|line| {
                let mut words = line.split_whitespace();
                (words.next() == Some("#define") && words.next() == Some(name))
                    .then(|| words.next()?.parse().ok())?
            })
        };
        Some(Self {
            major: number("Z3_MAJOR_VERSION")?,
            minor: number("Z3_MINOR_VERSION")?,
            patch: number("Z3_BUILD_NUMBER")?,
        })
    }

    /// Reads a `z3_version.h`, if it is there.
    pub(crate) fn of_header_file(path: &Path) -> Option<Self> {
        Self::of_header(&std::fs::read_to_string(path).ok()?)
    }

    /// The text of a `z3_version.h`.
    pub(crate) fn header(self) -> String {
        format!(
            "#define Z3_MAJOR_VERSION   {}\n#define Z3_MINOR_VERSION   {}\n#define Z3_BUILD_NUMBER    {}\n",
            self.major, self.minor, self.patch
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_number_not_by_text() {
        let parse = |text| Version::parse(text).unwrap();
        assert!(parse("4.8.12") < parse("4.13.3"));
        assert!(parse("4.13.10") > parse("4.13.3"));
        assert_eq!(parse("5.4.0.0").to_string(), "5.4.0");
        assert_eq!(Version::parse("5.4"), None);
        assert_eq!(Version::parse("five"), None);
    }

    #[test]
    fn header_is_read_back() {
        let version = Version { major: 4, minor: 15, patch: 3 };
        assert_eq!(Version::of_header(&version.header()), Some(version));
        assert_eq!(Version::of_header("#define Z3_MAJOR_VERSION 4\n"), None);
    }
}
