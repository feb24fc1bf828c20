//! The arguments of `main`, which the harness passes by starting itself again.
//!
//! The names of the choices are those of the lowering: `argc - 1`, or `argc` if the program does not look at the strings, `strlen(argv[1])`, `argv[1][0]`,
//! whatever the program calls its parameters. The name of the program is fixed there.

use std::collections::BTreeMap;
use std::fmt::Write;

use cfa::Source;
use interp::Chosen;

use super::{Harness, NO_SETUP};

/// The name of the program, as executions have it.
const PROGRAM: &[u8] = b"program";
/// More arguments than this are not passed.
const MAX_ARGUMENTS: i128 = 10_000;

/// A part of the arguments.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// With the name of the program.
    Number,
    /// Without it.
    Others,
    Length(usize),
    Character(usize, usize),
}

impl Part {
    fn of(name: &str) -> Option<Self> {
        if let Some(inner) = name.strip_prefix("strlen(").and_then(|rest| rest.strip_suffix(')')) {
            let (_, [string]) = indices(inner)?;
            return Some(Self::Length(string));
        }
        if !name.contains('[') {
            return Some(if name.ends_with(" - 1") { Self::Others } else { Self::Number });
        }
        let (_, [string, position]) = indices(name)?;
        Some(Self::Character(string, position))
    }
}

/// A name and the constant indices that follow it.
fn indices<const N: usize>(text: &str) -> Option<(&str, [usize; N])> {
    let (name, rest) = text.split_once('[')?;
    let found: Option<Vec<usize>> =
        rest.strip_suffix(']')?.split("][").map(|index| index.parse().ok()).collect();
    Some((name, found?.try_into().ok()?))
}

impl Harness<'_> {
    /// All arguments, beginning with the name of the program; nothing if the program does not look at them, or why they cannot be passed.
    pub(super) fn arguments(&self) -> Result<Option<Vec<Vec<u8>>>, String> {
        let chosen: Vec<(&str, &Chosen)> = self.trace.choices.iter().filter_map(named).collect();
        if self.entry != "main" || chosen.is_empty() {
            return Ok(None);
        }
        let refused = || "a harness cannot pass these arguments to main".to_owned();
        let mut number = None;
        let mut strings: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for (name, chosen) in chosen {
            let value = chosen.value.as_int();
            match Part::of(name).ok_or_else(refused)? {
                Part::Number => number = Some(value),
                Part::Others => number = value.checked_add(1),
                Part::Length(string) => {
                    let length = usize::try_from(value).ok().filter(|length| *length < 1 << 16);
                    strings.insert(string, vec![b'a'; length.ok_or_else(refused)?]);
                }
                Part::Character(string, position) => {
                    let place = strings.get_mut(&string).and_then(|string| string.get_mut(position));
                    *place.ok_or_else(refused)? = chosen.value.bits as u8;
                }
            }
        }
        let number = number.filter(|number| (1..=MAX_ARGUMENTS).contains(number)).ok_or_else(refused)?;
        let number = usize::try_from(number).map_err(|_| refused())?;
        let others = (1..number).map(|position| strings.remove(&position).unwrap_or_default());
        let all: Vec<Vec<u8>> = [PROGRAM.to_vec()].into_iter().chain(others).collect();
        // Arguments that were chosen are there.
        if strings.is_empty() { Ok(Some(all)) } else { Err(refused()) }
    }

    /// What starts the program again with these arguments, unless it has them.
    pub(super) fn started_again(&self, arguments: &[Vec<u8>]) -> String {
        let mut list = String::new();
        for argument in arguments {
            list.push_str("(char []) { ");
            for byte in argument {
                let _ = write!(list, "{}, ", i32::from(*byte as i8));
            }
            list.push_str("0 }, ");
        }
        let execv = self.system("execv");
        format!(
            "extern int __harness_execv(const char *, char **) __asm__(\"{execv}\");\n\
             __attribute__((constructor)) static void __harness_start_again(int count, char **given) {{\n    \
             char *arguments[] = {{ {list}0 }};\n    \
             int is_same = count == {};\n    \
             for (int number = 0; is_same && number < count; number++)\n        \
             for (unsigned long at = 0; (is_same = given[number][at] == arguments[number][at]) && given[number][at]; at++) {{ }}\n    \
             if (is_same) return;\n    \
             __harness_execv(\"/proc/self/exe\", arguments);\n    \
             __harness_exit({NO_SETUP});\n}}\n",
            arguments.len()
        )
    }
}

fn named(chosen: &Chosen) -> Option<(&str, &Chosen)> {
    match &chosen.source {
        Source::Argument { name } => Some((name, chosen)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn names_of_choices_are_read() {
        assert_eq!(Part::of("argc"), Some(Part::Number));
        assert_eq!(Part::of("argc - 1"), Some(Part::Others));
        assert_eq!(Part::of("strlen(v[2])"), Some(Part::Length(2)));
        assert_eq!(Part::of("v[1][6]"), Some(Part::Character(1, 6)));
        assert_eq!(Part::of("v[x]"), None);
        assert_eq!(Part::of("v[1][2][3]"), None);
        assert_eq!(Part::of("strlen(v)"), None);
    }
}
