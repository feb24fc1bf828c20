//! Several files as one text: what one of them declares for itself must not meet what another declares.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use crate::question::Text;

/// The names of a unit that must be replaced, since another one has them, too.
pub(super) fn collisions(units: &[Text], number: usize) -> BTreeSet<Arc<str>> {
    let others: Vec<_> = units.iter().enumerate().filter(|(other, _)| *other != number).collect();
    let internal = units[number].syntax.names.internal.iter();
    internal
        .filter(|name| others.iter().any(|(_, unit)| unit.syntax.names.all.contains(*name)))
        .cloned()
        .collect()
}

/// What stands before and after the text of a unit.
pub(super) fn frame(units: &[Text], number: usize) -> (String, String) {
    let unit = &units[number];
    let (mut before, mut after) = (String::new(), String::new());
    let _ = writeln!(before, "\n/* {} */", unit.name().replace("*/", "* /"));
    for define in &unit.options.defines {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        let _ = writeln!(before, "#define {name} {value}");
        let _ = writeln!(after, "#undef {}", name.split('(').next().unwrap_or(name));
    }
    for name in &unit.options.undefines {
        let _ = writeln!(before, "#undef {name}");
    }
    for name in collisions(units, number) {
        let _ = writeln!(before, "#define {name} {name}__{number}");
        let _ = writeln!(after, "#undef {name}");
    }
    for include in &unit.options.includes {
        let path = std::path::absolute(include).unwrap_or_else(|_| include.clone());
        let _ = writeln!(before, "#include \"{}\"", path.display());
    }
    for name in macros(&unit.syntax.source.text) {
        let _ = writeln!(after, "#undef {name}");
    }
    let _ = writeln!(before, "#line 1 \"{}\"", unit.name().replace('\\', "\\\\").replace('"', "\\\""));
    (before, after)
}

/// The macros that a text defines itself.
fn macros(text: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(text);
    let names = text.lines().filter_map(|line| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let name: String =
            directive.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        (!name.is_empty() && directive.starts_with([' ', '\t'])).then_some(name)
    });
    names.collect()
}
