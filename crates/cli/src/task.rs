//! SV-COMP task definitions (`.yml`, format versions 0.1 to 2.1).

use std::path::{Path, PathBuf};

use base::{FileId, SourceFile, SourceMap, Span};
use cfa::DataModel;
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use crate::failure::Failure;
use crate::input;

/// What a task definition says, with paths resolved.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// The C files, at least one.
    pub(crate) inputs: Vec<PathBuf>,
    /// Sizes of types, if stated.
    pub(crate) data_model: Option<DataModel>,
    /// The properties in their order.
    pub(crate) properties: Vec<TaskProperty>,
}

/// One property of a task.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TaskProperty {
    /// Its file.
    pub(crate) file: PathBuf,
    /// Whether it holds, if stated.
    pub(crate) expected: Option<bool>,
}

/// The versions of the format that exist.
const VERSIONS: [&str; 4] = ["0.1", "1.0", "2.0", "2.1"];

/// The document as it is written. Unknown fields are for other tools.
#[derive(Deserialize)]
struct Document {
    format_version: Spanned<Text>,
    input_files: Spanned<OneOrMany>,
    #[serde(default)]
    properties: Vec<DocumentProperty>,
    options: Option<Options>,
}

#[derive(Deserialize)]
struct DocumentProperty {
    property_file: Spanned<String>,
    expected_verdict: Option<bool>,
}

#[derive(Deserialize)]
struct Options {
    data_model: Option<Spanned<String>>,
    language: Option<Spanned<String>>,
    witness_input_file: Option<String>,
}

/// `'2.0'` and `2.0` alike.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    String(String),
    Number(f64),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// Whether a file is meant to be a task definition.
pub(crate) fn is_task(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        extension.eq_ignore_ascii_case("yml") || extension.eq_ignore_ascii_case("yaml")
    })
}

/// Reads a task definition.
pub(crate) fn load(path: &Path) -> Result<Task, Failure> {
    let text = input::read(path)?;
    let reader = Reader { path, text: &text };
    let document: Document = serde_saphyr::from_slice(&text).map_err(|error| {
        // Only the first line is the message, the others are the library's own drawing of the place.
        let message = error.without_snippet().to_string();
        let message = message.lines().next().unwrap_or_default().to_owned();
        reader.error(
            error.location().unwrap_or(Location::UNKNOWN),
            &format!("not a task definition: {message}"),
            "a task definition is a YAML document with format_version, input_files and properties",
        )
    })?;
    reader.task(document)
}

/// The text that messages point into.
struct Reader<'a> {
    path: &'a Path,
    text: &'a [u8],
}

impl Reader<'_> {
    fn task(&self, document: Document) -> Result<Task, Failure> {
        let version = match &document.format_version.value {
            Text::String(text) => text.clone(),
            Text::Number(number) => format!("{number:.1}"),
        };
        if !VERSIONS.contains(&version.as_str()) {
            return Err(self.error(
                document.format_version.referenced,
                &format!("format version {version} of task definitions is not known"),
                &format!("the known versions are {}", VERSIONS.join(", ")),
            ));
        }
        let options = document.options.unwrap_or(Options {
            data_model: None,
            language: None,
            witness_input_file: None,
        });
        if let Some(language) = &options.language
            && language.value != "C"
        {
            let message = format!("the task is written in {}, not in C", language.value);
            return Err(self.error(language.referenced, &message, "only tasks in C can be checked"));
        }
        let data_model = options.data_model.map(|model| self.data_model(&model)).transpose()?;
        let inputs = self.inputs(document.input_files, options.witness_input_file.as_deref())?;
        let properties = document.properties.iter().map(|property| self.property(property));
        Ok(Task { inputs, data_model, properties: properties.collect::<Result<_, _>>()? })
    }

    fn data_model(&self, model: &Spanned<String>) -> Result<DataModel, Failure> {
        match model.value.as_str() {
            "ILP32" => Ok(DataModel::Ilp32),
            "LP64" => Ok(DataModel::Lp64),
            other => Err(self.error(
                model.referenced,
                &format!("the data model `{other}` is not known"),
                "the data models are ILP32 and LP64",
            )),
        }
    }

    /// The C files among the inputs.
    fn inputs(&self, files: Spanned<OneOrMany>, witness: Option<&str>) -> Result<Vec<PathBuf>, Failure> {
        let names = match files.value {
            OneOrMany::One(name) => vec![name],
            OneOrMany::Many(names) => names,
        };
        let at = files.referenced;
        let programs = names.iter().filter(|name| Some(name.as_str()) != witness);
        let paths: Vec<PathBuf> =
            programs.map(|name| self.existing(name, at, "input file")).collect::<Result<_, _>>()?;
        if paths.is_empty() {
            return Err(self.error(
                at,
                "the task has no input file",
                "input_files names the C file of the task",
            ));
        }
        Ok(paths)
    }

    fn property(&self, property: &DocumentProperty) -> Result<TaskProperty, Failure> {
        let at = property.property_file.referenced;
        let file = self.existing(&property.property_file.value, at, "property file")?;
        Ok(TaskProperty { file, expected: property.expected_verdict })
    }

    /// The path of a file that the task names relative to itself.
    fn existing(&self, name: &str, at: Location, what: &str) -> Result<PathBuf, Failure> {
        let path = self.path.parent().unwrap_or(Path::new("")).join(name);
        if path.exists() {
            return Ok(path);
        }
        Err(self.error(
            at,
            &format!("the {what} `{}` does not exist", path.display()),
            "the names in a task definition are relative to its own folder",
        ))
    }

    fn error(&self, at: Location, message: &str, help: &str) -> Failure {
        let mut sources = SourceMap::new();
        let name = self.path.display().to_string();
        let file = sources.add(SourceFile::new(name, self.text));
        let span = place(sources.file(file), file, at);
        Failure::usage_at(sources, span, message, help)
    }
}

/// The rest of the line from a YAML position on.
fn place(source: &SourceFile, file: FileId, at: Location) -> Span {
    let line = (at.line() as u32).clamp(1, source.line_count());
    let text = source.line_text(line);
    let skipped = (at.column() as usize).saturating_sub(1);
    let before: usize = String::from_utf8_lossy(text).chars().take(skipped).map(char::len_utf8).sum();
    let lo = source.line_start(line) + before.min(text.len()) as u32;
    let hi = source.line_start(line) + text.trim_ascii_end().len() as u32;
    Span { file, lo, hi: hi.max(lo) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for each test, removed at the end.
    struct Folder(PathBuf);
    impl Folder {
        fn new(name: &str, task: &str) -> Self {
            let path = std::env::temp_dir().join(format!("wayproof-task-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join("a.c"), "int main() {}").unwrap();
            std::fs::write(path.join("p.prp"), "").unwrap();
            std::fs::write(path.join("t.yml"), task).unwrap();
            Self(path)
        }
        fn load(&self) -> Result<Task, String> {
            load(&self.0.join("t.yml")).map_err(|failure| match failure {
                Failure::Input { diagnostics, sources, .. } => {
                    let region = sources.region(diagnostics[0].primary.as_ref().unwrap().span);
                    format!("{}:{}: {}", region.line, region.column, diagnostics[0].message)
                        .replace(&self.0.display().to_string(), "DIR")
                }
                Failure::Output(error) => error.to_string(),
            })
        }
    }
    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn versions_1_and_2_are_read() {
        let new = "format_version: '2.0'\ninput_files: 'a.c'\nproperties:\n  - property_file: p.prp\n    \
                   expected_verdict: false\noptions:\n  language: C\n  data_model: ILP32\n";
        let folder = Folder::new("new", new);
        let task = folder.load().unwrap();
        assert_eq!(task.inputs, [folder.0.join("a.c")]);
        assert_eq!(task.data_model, Some(DataModel::Ilp32));
        assert_eq!(task.properties, [TaskProperty { file: folder.0.join("p.prp"), expected: Some(false) }]);

        let old = "format_version: 1.0\ninput_files: [a.c]\nproperties:\n- property_file: p.prp\n";
        let task = Folder::new("old", old).load().unwrap();
        assert_eq!((task.data_model, task.properties[0].expected), (None, None));
    }

    #[test]
    fn a_witness_among_the_inputs_is_not_the_program() {
        let text = "format_version: '2.0'\ninput_files: [a.c, w.yml]\noptions: {witness_input_file: w.yml}\n";
        assert!(Folder::new("witness", text).load().is_ok());
    }

    #[test]
    fn errors_name_the_place() {
        let error = |name: &str, text: &str| Folder::new(name, text).load().unwrap_err();
        assert_eq!(
            error("missing", "format_version: '2.0'\ninput_files: 'b.c'\n"),
            "2:14: the input file `DIR/b.c` does not exist"
        );
        assert_eq!(
            error("version", "format_version: '7.0'\ninput_files: 'a.c'\n"),
            "1:17: format version 7.0 of task definitions is not known"
        );
        assert_eq!(
            error("model", "format_version: '2.0'\ninput_files: a.c\noptions: {data_model: LLP64}\n"),
            "3:23: the data model `LLP64` is not known"
        );
        assert_eq!(
            error("two", "format_version: '2.0'\ninput_files: [a.c, b.c]\n"),
            "2:14: the input file `DIR/b.c` does not exist"
        );
        assert_eq!(
            error("none", "format_version: '2.0'\ninput_files: []\n"),
            "2:14: the task has no input file"
        );
        assert!(error("field", "format_version: '2.0'\n").contains("input_files"));
        assert!(error("yaml", "format_version: [\n").contains("not a task definition"));
    }
}
