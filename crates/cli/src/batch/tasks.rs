//! From the names on the command line to a list of tasks.
//!
//! A folder stands for all task definitions below it and for all C files that none of them names; `@LIST` stands for the
//! lines of a text file.
//!
//! # Invariants
//! * I1: the order is that of the command line, within a folder that of the names; no task is there twice.
//! * I2: links to folders are not followed, so that there is no endless folder.
//! * I3: a link that leads nowhere is a task if its name is that of one: its process says what is wrong.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use base::{SourceFile, SourceMap, Span};

use crate::failure::Failure;
use crate::{input, task};

/// One task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// A C file or a task definition.
    pub(super) path: PathBuf,
    /// Its name in reports and tables.
    pub(super) name: String,
}

/// The text file that `@LIST` names.
pub(super) fn list_file(path: &Path) -> Option<PathBuf> {
    path.to_str()?.strip_prefix('@').map(PathBuf::from)
}

/// All tasks that the names stand for.
pub(super) fn expand(paths: &[PathBuf]) -> Result<Vec<Task>, Failure> {
    let mut found = Found::default();
    for path in paths {
        match list_file(path) {
            Some(list) => found.list(&list)?,
            None => found.add(path).map_err(Missing::on_the_command_line)?,
        }
    }
    Ok(found.tasks)
}

#[derive(Default)]
struct Found {
    tasks: Vec<Task>,
    seen: HashSet<PathBuf>,
}

/// A name that stands for nothing.
struct Missing {
    message: String,
    help: &'static str,
}

impl Missing {
    fn on_the_command_line(self) -> Failure {
        Failure::usage(self.message, self.help)
    }
}

impl Found {
    fn add(&mut self, path: &Path) -> Result<(), Missing> {
        if path.is_dir() {
            return self.folder(path);
        }
        match fs::metadata(path) {
            Ok(_) => {
                self.push(path);
                Ok(())
            }
            Err(error) if fs::symlink_metadata(path).is_ok() => Err(Missing {
                message: format!("`{}` is a link that cannot be followed: {error}", path.display()),
                help: "correct the link; nothing was checked",
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(Missing {
                message: format!("`{}` does not exist", path.display()),
                help: "check the spelling; nothing was checked",
            }),
            Err(error) => Err(Missing {
                message: format!("`{}` cannot be read: {error}", path.display()),
                help: "check its permissions; nothing was checked",
            }),
        }
    }

    fn push(&mut self, path: &Path) {
        if self.seen.insert(path.to_owned()) {
            self.tasks.push(Task { path: path.to_owned(), name: path.display().to_string() });
        }
    }

    fn folder(&mut self, folder: &Path) -> Result<(), Missing> {
        let files = files_below(folder).map_err(|error| Missing {
            message: format!("cannot read the folder `{}`: {error}", folder.display()),
            help: "check its permissions; nothing was checked",
        })?;
        let (definitions, programs): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|path| task::is_task(path));
        let definitions: Vec<PathBuf> = definitions.into_iter().filter(|path| is_definition(path)).collect();
        let mut named = HashSet::new();
        for definition in &definitions {
            // A definition that cannot be used is a task all the same: its child says what is wrong.
            let inputs = task::load(definition).map(|task| task.inputs).unwrap_or_default();
            named.extend(inputs.iter().filter_map(|path| fs::canonicalize(path).ok()));
        }
        let is_named = |path: &PathBuf| fs::canonicalize(path).is_ok_and(|path| named.contains(&path));
        let mut all = definitions;
        all.extend(programs.into_iter().filter(|path| !is_named(path)));
        all.sort();
        if all.is_empty() {
            return Err(Missing {
                message: format!("there is no task in the folder `{}`", folder.display()),
                help: "tasks are .c and .i files, and task definitions (.yml)",
            });
        }
        for path in all {
            self.push(&path);
        }
        Ok(())
    }

    /// The lines of a text file; names are relative to its folder.
    fn list(&mut self, list: &Path) -> Result<(), Failure> {
        let text = input::read(list)?;
        let folder = list.parent().unwrap_or(Path::new(""));
        let before = self.tasks.len();
        let mut start = 0_usize;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let name = String::from_utf8_lossy(line.trim_ascii()).into_owned();
            if !name.is_empty() && !name.starts_with('#') {
                self.add(&folder.join(&name)).map_err(|missing| {
                    let mut sources = SourceMap::new();
                    let file = sources.add(SourceFile::new(list.display().to_string(), text.as_slice()));
                    let hi = start + line.trim_ascii_end().len();
                    let span = Span { file, lo: start as u32, hi: hi as u32 };
                    let help = "each line names a file or a folder, relative to the folder of the list";
                    Failure::usage_at(sources, span, &missing.message, help)
                })?;
            }
            start += line.len();
        }
        if self.tasks.len() == before && self.tasks.is_empty() {
            let message = format!("the list `{}` names no task", list.display());
            return Err(Failure::usage(message, "write one file or folder on each line"));
        }
        Ok(())
    }
}

/// C files and YAML files below a folder. What is hidden stays so.
fn files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if is_hidden {
                continue;
            }
            if entry.file_type()?.is_dir() {
                pending.push(path);
            } else if is_program(&path) || task::is_task(&path) {
                // I3.
                let is_task = fs::metadata(&path).map_or(true, |data| data.is_file());
                found.extend(is_task.then_some(path));
            }
        }
    }
    Ok(found)
}

fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

/// Whether a YAML file is a task definition; folders have other ones, too: witnesses, workflows.
fn is_definition(path: &Path) -> bool {
    let Ok(text) = input::read(path) else { return true };
    let has = |key: &[u8]| text.split(|byte| *byte == b'\n').any(|line| line.starts_with(key));
    has(b"input_files") && has(b"format_version")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);
    impl Folder {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let path = std::env::temp_dir().join(format!("wayproof-tasks-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            for (name, text) in files {
                let file = path.join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, text).unwrap();
            }
            Self(path)
        }
        /// The tasks that names in the folder stand for, or the first message.
        fn expand(&self, names: &[&str]) -> Vec<String> {
            let path = |name: &&str| match name.strip_prefix('@') {
                Some(list) => PathBuf::from(format!("@{}", self.0.join(list).display())),
                None => self.0.join(name),
            };
            let paths: Vec<PathBuf> = names.iter().map(path).collect();
            let shown = |text: &str| text.replace(&format!("{}/", self.0.display()), "");
            match expand(&paths) {
                Ok(tasks) => tasks.iter().map(|task| shown(&task.name)).collect(),
                Err(Failure::Input { diagnostics, .. }) => vec![shown(&diagnostics[0].message)],
                Err(Failure::Output(error)) => panic!("{error}"),
            }
        }
    }
    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const DEFINITION: &str = "format_version: '2.0'\ninput_files: 'a.c'\nproperties: []\n";

    #[test]
    fn a_folder_is_its_definitions_and_the_c_files_that_they_do_not_name() {
        let files = [
            ("b/t.yml", DEFINITION),
            ("b/a.c", ""),
            ("b/other.c", ""),
            ("a.c", ""),
            ("notes.txt", ""),
            ("witness.yml", "- entry_type: violation_sequence\n"),
            (".hidden/h.c", ""),
            ("deep/er/x.i", ""),
        ];
        let folder = Folder::new("folder", &files);
        assert_eq!(folder.expand(&["."]), ["./a.c", "./b/other.c", "./b/t.yml", "./deep/er/x.i"]);
    }

    #[test]
    fn a_list_names_files_and_folders_relative_to_itself() {
        let list = "# my tasks\n\nb/one.c\r\nb\n  a.c  \n";
        let folder = Folder::new("list", &[("l.txt", list), ("b/one.c", ""), ("b/two.c", ""), ("a.c", "")]);
        assert_eq!(folder.expand(&["@l.txt"]), ["b/one.c", "b/two.c", "a.c"]);
        assert_eq!(folder.expand(&["a.c", "@l.txt", "a.c"]), ["a.c", "b/one.c", "b/two.c"]);
    }

    #[test]
    fn names_that_stand_for_nothing_are_errors() {
        let files = [("l.txt", "a.c\nnone.c\n"), ("empty.txt", "#\n"), ("a.c", ""), ("e/readme", "")];
        let folder = Folder::new("missing", &files);
        assert_eq!(folder.expand(&["a.c", "b.c"]), ["`b.c` does not exist"]);
        assert_eq!(folder.expand(&["@l.txt"]), ["`none.c` does not exist"]);
        assert_eq!(folder.expand(&["@empty.txt"]), ["the list `empty.txt` names no task"]);
        assert_eq!(folder.expand(&["e"]), ["there is no task in the folder `e`"]);
    }

    #[test]
    fn a_folder_that_contains_itself_ends() {
        let folder = Folder::new("link", &[("a.c", "")]);
        std::os::unix::fs::symlink(&folder.0, folder.0.join("self")).unwrap();
        assert_eq!(folder.expand(&["."]), ["./a.c"]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_not_silently_missing() {
        let folder = Folder::new("loop", &[("a.c", ""), ("l.txt", "a.c\nself.c\n")]);
        for (name, target) in [("self.c", "self.c"), ("gone.i", "nothing.i"), ("t.yml", "t.yml")] {
            std::os::unix::fs::symlink(target, folder.0.join(name)).unwrap();
        }
        assert_eq!(folder.expand(&["."]), ["./a.c", "./gone.i", "./self.c", "./t.yml"]);
        let message =
            "`self.c` is a link that cannot be followed: Too many levels of symbolic links (os error 40)";
        assert_eq!(folder.expand(&["@l.txt"]), [message]);
        assert_eq!(folder.expand(&["self.c"]), [message]);
    }
}
