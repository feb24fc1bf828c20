//! The data file as a page of documentation: `docs/library.md`.

use std::fmt::Write as _;

use cfa::Freedom;

use super::effects::{
    self, Bound, Description, Effects, End, Entry, Errno, Extent, InitialValue, Outcome, Write,
};

/// What stands before the tables.
const HEAD: &str = "\
# What is assumed of the C library

<!-- Made from crates/cfront/src/library/effects.txt by a test: UPDATE_EXPECT=1 cargo test -p cfront --test library_page -->

A function that the program defines is the program's own. Every other function of the C library belongs to one of these classes; SOUNDNESS.md says
what that means for verdicts.

| class | what a call does here | `safe` | `unsafe` |
|---|---|---|---|
| *exact* | an operation or a model executes it as glibc does in the \"C\" locale; tests compare them on random arguments | yes | yes |
| *ranged* | a model chooses its value within the stated range, and is exact otherwise | yes | only if no value was chosen that the library computes |
| *effects* | what it may write becomes arbitrary, what it returns is arbitrary within the stated range | yes | only if no value was chosen that the library computes |
| *fails* | besides: the outside world may make it fail on any run | yes | yes, by its failure |
| *not modelled* | both verdicts are capped, with the reason | no | no |
| *refused* | the program is not supported, with the place of the call | no | no |

A function that a system header declares and that is not listed: if it takes no pointer, it returns any value and may set `errno`; otherwise it is *not
modelled*.
";

/// The page.
pub fn page() -> String {
    let mut text = HEAD.to_owned();
    let mut section = "";
    for entry in effects::entries() {
        if entry.section != section {
            section = entry.section;
            let title =
                if section == effects::VARIABLES { "Variables".to_owned() } else { format!("`{section}`") };
            let _ = write!(text, "\n## {title}\n\n| names | what is assumed |\n|---|---|\n");
        }
        let names: Vec<String> = entry.names.split_whitespace().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(text, "| {} | {} |", names.join(" "), assumption(entry));
    }
    text
}

fn assumption(entry: Entry) -> String {
    if entry.section == effects::VARIABLES {
        let name = entry.names.split_whitespace().next().unwrap_or_default();
        return match effects::variable(name) {
            Some(InitialValue::NotNull) => "not null at the start".to_owned(),
            Some(InitialValue::Number(number)) => format!("{number} at the start"),
            Some(InitialValue::Any) | None => "*not modelled*: functions of the library change it".to_owned(),
        };
    }
    match effects::parse(entry.clauses) {
        Ok(Description::Exact) => "*exact*".to_owned(),
        Ok(Description::Ranged(range)) => format!("*ranged*: {range}"),
        Ok(Description::Effects(effects)) => in_words(&effects),
        Ok(Description::Opaque(why)) => format!("*not modelled*: {why}"),
        Ok(Description::Refused(why)) => format!("*refused*: {why}"),
        Err(clause) => format!("*not modelled*: `{clause}` cannot be read"),
    }
}

fn in_words(effects: &Effects) -> String {
    if effects.end == End::Never {
        return "does not return".to_owned();
    }
    let mut parts = Vec::new();
    parts.push(match &effects.result {
        Outcome::Any => "returns any value".to_owned(),
        Outcome::Ranges(ranges) => {
            let ranges: Vec<String> = ranges.iter().map(|range| range_in_words(*range)).collect();
            format!("returns {}", ranges.join(" or "))
        }
        Outcome::Null => "returns null".to_owned(),
        Outcome::Argument(number) => format!("returns argument {number}"),
        Outcome::NullOrArgument(number) => format!("returns argument {number} or null"),
        Outcome::NotNull => "returns a pointer that is not null".to_owned(),
        Outcome::Into(number) => format!("returns a pointer into the object of argument {number}, or null"),
    });
    if effects.freedom == Freedom::World {
        parts.push("the outside world decides".to_owned());
    }
    if let Some(failure) = effects.failure {
        parts.push(format!("*fails* with {failure} on some runs"));
    }
    parts.extend(effects.writes.iter().map(|write| write_in_words(*write)));
    parts.extend(effects.optional.iter().map(|number| format!("argument {number} may be null")));
    if effects.errno == Errno::MayBeSet {
        parts.push("may set `errno`".to_owned());
    }
    parts.join("; ")
}

fn range_in_words((low, high): (Bound, Bound)) -> String {
    if low == high {
        bound_in_words(low)
    } else {
        format!("{} to {}", bound_in_words(low), bound_in_words(high))
    }
}

fn bound_in_words(bound: Bound) -> String {
    match bound {
        Bound::Min => "the least value".to_owned(),
        Bound::Max => "the largest value".to_owned(),
        Bound::Number(number) => number.to_string(),
        Bound::Argument(number) => format!("argument {number}"),
        Bound::Product(one, other) => format!("argument {one} times argument {other}"),
    }
}

fn write_in_words(write: Write) -> String {
    match write {
        Write::Argument(number, Extent::Object) => format!("may write what argument {number} points to"),
        Write::Argument(number, Extent::Count(count)) => {
            format!("may write as many elements behind argument {number} as argument {count} says")
        }
        Write::Argument(number, Extent::Bytes(bytes)) => {
            format!("may write {} bytes behind argument {number}", bound_in_words(bytes))
        }
        Write::Argument(number, Extent::All) => {
            format!("may write all of the object behind argument {number}")
        }
        Write::Rest => "may write all that the variable arguments point to".to_owned(),
        Write::RestByFormat => {
            "may write what the variable arguments point to if the format has `%n`".to_owned()
        }
    }
}
