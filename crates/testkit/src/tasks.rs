//! The corpus of verification tasks: SV-COMP task definitions (format 2.0) below a folder.
//!
//! # Invariants
//! * I1: tasks come sorted by suite and name, whatever order the file system has.
//! * I2: the bench folder is only read; a missing one skips the tests that ask for it, see [`crate::require`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::generate::Model;
use crate::require::required_bench_folder;

/// A property of a task with its expected verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The property file as the definition names it.
    pub file: PathBuf,
    /// The expected verdict, if the definition has one.
    pub expected: Option<bool>,
}

impl Property {
    /// The name of the property, such as `unreach-call`.
    pub fn name(&self) -> String {
        self.file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// A task definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The program files as the definition names them.
    pub input_files: Vec<PathBuf>,
    /// All properties.
    pub properties: Vec<Property>,
    /// The data model; ILP32 where the definition is silent.
    pub model: Model,
}

/// A verification task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Name of the definition without its extension.
    pub name: String,
    /// Name of the folder the definition is in.
    pub suite: String,
    /// The definition file.
    pub definition: PathBuf,
    /// The program.
    pub file: PathBuf,
    /// Expected verdict of unreach-call: true if the error cannot be reached.
    pub expected: Option<bool>,
    /// The data model of the program.
    pub model: Model,
}

/// Parses a task definition; the error names the line.
pub fn parse(text: &str) -> Result<Definition, String> {
    let mut definition = Definition { input_files: vec![], properties: vec![], model: Model::Ilp32 };
    let mut section = String::new();
    for (index, full) in text.lines().enumerate() {
        let error = |what: &str| Err(format!("line {}: {what}: {full}", index + 1));
        let line = without_comment(full).trim_end();
        let mut content = line.trim_start();
        if content.is_empty() || content == "---" {
            continue;
        }
        let top = line.len() == content.len() && !content.starts_with('-');
        let item = content.strip_prefix('-').map(str::trim_start);
        content = item.unwrap_or(content);
        let (key, value) = match split_key(content) {
            Some((key, value)) => (key, value),
            None if item.is_some() => ("", content),
            None => return error("neither a key nor a list item"),
        };
        if top {
            key.clone_into(&mut section);
        }
        match (section.as_str(), key) {
            ("input_files", "input_files" | "") => definition.input_files.extend(values(value)),
            ("properties", "property_file") => {
                let file = PathBuf::from(unquoted(value));
                definition.properties.push(Property { file, expected: None });
            }
            ("properties", "expected_verdict") => match (definition.properties.last_mut(), value) {
                (Some(property), "true" | "false") => property.expected = Some(value == "true"),
                (None, _) => return error("a verdict without a property"),
                (Some(_), _) => return error("a verdict should be true or false"),
            },
            ("options", "data_model") => match Model::parse(&unquoted(value)) {
                Some(model) => definition.model = model,
                None => return error("unknown data model"),
            },
            _ => {}
        }
    }
    if definition.input_files.is_empty() { Err("input_files is missing".to_owned()) } else { Ok(definition) }
}

/// `key: value`, where the value may be empty.
fn split_key(content: &str) -> Option<(&str, &str)> {
    let (key, value) = content.split_once(':')?;
    let word = !key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (word && (value.is_empty() || value.starts_with(' '))).then(|| (key, value.trim()))
}

/// A scalar or a list in brackets.
fn values(text: &str) -> Vec<PathBuf> {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    inner.split(',').map(unquoted).filter(|item| !item.is_empty()).map(PathBuf::from).collect()
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner.to_owned();
        }
    }
    text.to_owned()
}

/// The line up to a `#` that begins a comment.
fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with('#') {
        return "";
    }
    line.split_once(" #").map_or(line, |(before, _)| before)
}

/// All tasks of the bench folder, for a test that needs them; none if there is no such folder (I2).
pub fn bench_tasks() -> Option<io::Result<Vec<Task>>> {
    required_bench_folder().map(|folder| tasks_below(&folder))
}

/// All tasks below a folder, one for each input file of each definition.
pub fn tasks_below(folder: &Path) -> io::Result<Vec<Task>> {
    let mut tasks = Vec::new();
    for path in files_below(folder)? {
        if path.extension().is_none_or(|extension| extension != "yml") {
            continue;
        }
        let invalid =
            |what: String| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {what}", path.display()));
        let definition = parse(&fs::read_to_string(&path)?).map_err(invalid)?;
        let parent = path.parent().unwrap_or(folder);
        let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let expected = definition
            .properties
            .iter()
            .find(|property| property.name() == "unreach-call")
            .and_then(|property| property.expected);
        for file in &definition.input_files {
            tasks.push(Task {
                name: text(path.file_stem()),
                suite: text(parent.file_name()),
                definition: path.clone(),
                file: parent.join(file),
                expected,
                model: definition.model,
            });
        }
    }
    tasks.sort_by(|left, right| (&left.suite, &left.name).cmp(&(&right.suite, &right.name)));
    Ok(tasks)
}

/// All files below a folder, sorted; symbolic links to folders are not followed.
pub fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::require::bench_folder;

    #[test]
    fn definition_is_read_with_all_its_forms() {
        let text = "format_version: '2.0'\n# comment\ninput_files:\n  - 'a.c'\n  - \"b.i\" # second\nproperties:\n  \
                    - property_file: ../properties/no-overflow.prp\n  - property_file: ../properties/unreach-call.prp\n    \
                    expected_verdict: false\noptions:\n  language: C\n  data_model: LP64\n";
        let definition = parse(text).unwrap();
        assert_eq!(definition.input_files, [PathBuf::from("a.c"), PathBuf::from("b.i")]);
        assert_eq!(definition.properties.len(), 2);
        assert_eq!(definition.properties[0].expected, None);
        assert_eq!(
            (definition.properties[1].name().as_str(), definition.properties[1].expected),
            ("unreach-call", Some(false))
        );
        assert_eq!(definition.model, Model::Lp64);
        let short = parse("input_files: ['x.c', y.c]\n").unwrap();
        assert_eq!(short.input_files, [PathBuf::from("x.c"), PathBuf::from("y.c")]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        assert_eq!(parse("format_version: '2.0'\n").unwrap_err(), "input_files is missing");
        assert!(parse("input_files: a.c\nwhat is this\n").unwrap_err().starts_with("line 2"));
        let verdict =
            "input_files: a.c\nproperties:\n  - property_file: p.prp\n    expected_verdict: maybe\n";
        assert!(parse(verdict).unwrap_err().contains("true or false"));
        assert!(
            parse("input_files: a.c\noptions:\n  data_model: LLP64\n").unwrap_err().contains("data model")
        );
    }

    #[test]
    fn every_task_of_the_bench_folder_has_its_file() {
        let Some(tasks) = bench_tasks() else { return };
        let tasks = tasks.unwrap();
        assert!(tasks.iter().all(|task| task.file.is_file() && task.expected.is_some()));
        assert!(
            tasks.windows(2).all(|pair| (&pair[0].suite, &pair[0].name) <= (&pair[1].suite, &pair[1].name))
        );
        let definitions = files_below(&bench_folder().unwrap()).unwrap();
        let count =
            definitions.iter().filter(|file| file.extension().is_some_and(|found| found == "yml")).count();
        assert_eq!(tasks.len(), count);
    }
}
