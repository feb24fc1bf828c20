//! A counterexample in the format of the competition on software testing: `metadata.xml` and one test case.

use std::fmt::Write;

use cfa::{Source, Ty};
use interp::Chosen;
use verdict::Trace;

/// What the metadata say.
pub struct Metadata<'a> {
    /// The version of this program.
    pub version: &'a str,
    /// The property as its file states it.
    pub specification: &'a str,
    /// The C files and their hashes.
    pub files: &'a [(String, String)],
    /// The function where execution starts.
    pub entry: &'a str,
    /// `32bit` or `64bit`.
    pub architecture: &'a str,
    /// When, in ISO 8601.
    pub time: &'a str,
}

/// `metadata.xml`.
pub fn metadata(data: &Metadata<'_>) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
         \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n<test-metadata>\n",
    );
    let producer = format!("Wayproof {}", data.version);
    let mut elements =
        vec![("sourcecodelang", "C"), ("producer", &*producer), ("specification", data.specification)];
    for (file, hash) in data.files {
        elements.extend([("programfile", file.as_str()), ("programhash", hash.as_str())]);
    }
    elements.extend([
        ("entryfunction", data.entry),
        ("architecture", data.architecture),
        ("creationtime", data.time),
    ]);
    for (name, value) in elements {
        let _ = writeln!(text, "  <{name}>{}</{name}>", escaped(value));
    }
    text + "</test-metadata>\n"
}

/// The test case of a trace. Values that no function returned are left out: the format has no place for them.
pub fn testcase(trace: &Trace) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n<testcase coversError=\"true\">\n",
    );
    for chosen in &trace.choices {
        if let Source::Input { function } | Source::Extern { function } = &chosen.source {
            let _ = writeln!(
                text,
                "  <input variable=\"{}\" type=\"{}\">{}</input>",
                escaped(function),
                c_type(function, chosen),
                escaped(&plain(chosen))
            );
        }
    }
    text + "</testcase>\n"
}

/// The value without suffix.
fn plain(chosen: &Chosen) -> String {
    match chosen.value.ty {
        Ty::Float(_) => chosen.value.to_string().trim_end_matches(['f', 'L']).to_owned(),
        Ty::Ptr if chosen.value.bits == 0 => "0".to_owned(),
        Ty::Int { .. } | Ty::Ptr => chosen.value.to_string(),
    }
}

/// The name of a type in C that has the values of the input; the function's name tells the usual ones.
fn c_type(function: &str, chosen: &Chosen) -> &'static str {
    match (function.strip_prefix("__VERIFIER_nondet_"), chosen.value.ty) {
        (Some("long"), _) => "long",
        (Some("ulong"), _) => "unsigned long",
        (Some("bool"), _) => "_Bool",
        (_, Ty::Int { width: 1, .. }) => "_Bool",
        (_, Ty::Int { width: 0..=8, signed: true }) => "char",
        (_, Ty::Int { width: 0..=8, signed: false }) => "unsigned char",
        (_, Ty::Int { width: 9..=16, signed: true }) => "short",
        (_, Ty::Int { width: 9..=16, signed: false }) => "unsigned short",
        (_, Ty::Int { width: 17..=32, signed: true }) => "int",
        (_, Ty::Int { width: 17..=32, signed: false }) => "unsigned int",
        (_, Ty::Int { signed: true, .. }) => "long long",
        (_, Ty::Int { signed: false, .. }) => "unsigned long long",
        (_, Ty::Float(cfa::FloatKind::Single)) => "float",
        (_, Ty::Float(cfa::FloatKind::Double)) => "double",
        (_, Ty::Float(_)) => "long double",
        (_, Ty::Ptr) => "void *",
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            control if control < ' ' && !matches!(control, '\t' | '\n') => escaped.push('?'),
            other => escaped.push(other),
        }
    }
    escaped
}
