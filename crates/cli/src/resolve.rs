//! From the command line to what is to be verified: task definition, property file and options brought together.

use std::path::{Path, PathBuf};

use base::{SourceFile, SourceMap};
use cfa::{CheckKind, CheckKinds, DataModel, SignedOverflow};
use report::run::ErrorKind;

use crate::args::{CheckArg, Checked, SourceArgs, Unreachable};
use crate::compile_commands::{Database, Flags};
use crate::console::Console;
use crate::failure::Failure;
use crate::property::{self, Property, Specification};
use crate::{compile_commands, input, models, task};

/// What is to be verified, and how its text is read.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The C files, at least one.
    pub(crate) files: Vec<PathBuf>,
    /// Sizes of types.
    pub(crate) data_model: DataModel,
    /// What signed overflow means.
    pub(crate) signed_overflow: SignedOverflow,
    /// The function where execution starts.
    pub(crate) entry: String,
    /// What must hold.
    pub(crate) property: Property,
    /// What else is a violation: undefined behaviour and leaks, overflow apart.
    pub(crate) checks: CheckKinds,
    /// What the answer is about.
    pub(crate) answer: Answer,
    /// Whether the property comes from a file.
    has_property_file: bool,
    /// Whether the task says that the property holds.
    pub(crate) expected: Option<bool>,
    /// What the build says about each file; nothing if there is none.
    pub(crate) flags: Vec<Flags>,
    /// Functions whose bodies are those of models, with the files, which are the last ones of the program.
    pub(crate) models: Vec<(String, PathBuf)>,
}

/// What an answer is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The property: the first violation decides.
    Property,
    /// Every check by itself.
    Checks(Unreachable),
}

/// What is checked of a plain C file if nothing is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defaults {
    /// All but leaks.
    Checks,
    /// Assertions.
    Assertions,
}

/// The function whose call is the error if nothing else is said.
const ERROR_FUNCTION: &str = "reach_error";
/// Its name in tasks before 2021, whose property files were renamed and whose programs were not.
const OLD_ERROR_FUNCTION: &str = "__VERIFIER_error";

impl Request {
    /// Reads the task definition and the property file, if any.
    pub(crate) fn new(
        file: &Path,
        source: &SourceArgs,
        property_file: Option<&Path>,
        console: Console,
    ) -> Result<Self, Failure> {
        Self::with_files(&[file.to_owned()], source, property_file, Defaults::Assertions, console)
    }

    /// The same for several C files that together are the program.
    pub(crate) fn with_files(
        files: &[PathBuf],
        source: &SourceArgs,
        property_file: Option<&Path>,
        defaults: Defaults,
        console: Console,
    ) -> Result<Self, Failure> {
        let file = files.first().map_or(Path::new(""), PathBuf::as_path);
        let mut request = Self {
            files: vec![file.to_owned()],
            data_model: DataModel::Lp64,
            signed_overflow: SignedOverflow::Undefined,
            entry: "main".to_owned(),
            property: Property::UnreachCall { function: ERROR_FUNCTION.to_owned() },
            checks: CheckKinds::NONE,
            answer: Answer::Property,
            has_property_file: false,
            expected: None,
            flags: Vec::new(),
            models: Vec::new(),
        };
        let mut stated_model = None;
        let is_named = names_checks(source, property_file)?;
        let mut specification = property_file.map(load_property).transpose()?;
        if task::is_task(file) {
            let task = task::load(file)?;
            stated_model = task.data_model;
            specification = request.read_properties(&task, specification)?;
            request.files = task.inputs;
        }
        if files.len() > 1 {
            request.join(files)?;
        }
        let built_overflow = request.read_flags(source, &mut stated_model, console)?;
        request.choose_data_model(stated_model, source, console);
        if specification.is_some() && is_named {
            console.warn("the task definition says what is checked: --check has no effect");
        }
        if let Some(specification) = specification {
            request.entry = specification.entry;
            request.checks = specification.property.kinds();
            request.property = specification.property;
            request.has_property_file = true;
        } else {
            request.choose_checks(source, defaults);
        }
        request.choose_signed_overflow(source, built_overflow, console);
        if let Some(entry) = &source.entry {
            request.entry.clone_from(entry);
        }
        request.check_start(source, console)?;
        models::add(&mut request, source)?;
        Ok(request)
    }

    /// `main` starts as C says, whatever is said about other entries. An assumption that counts for nothing would mislead, as it is part of the question.
    fn check_start(&self, source: &SourceArgs, console: Console) -> Result<(), Failure> {
        if self.entry != "main" {
            return Ok(());
        }
        if let Some(condition) = source.assume.first() {
            return Err(Failure::usage(
                format!("--assume '{condition}' has no effect: execution starts in `main`"),
                "--assume is about the parameters of the function that --entry names; in the program, write `if (!(CONDITION)) return 0;`",
            ));
        }
        let unused = [
            ("--entry-globals", source.entry_globals.is_some()),
            ("--entry-pointers", source.entry_pointers.is_some()),
            ("--entry-elements", source.entry_elements.is_some()),
            ("--entry-aliases", source.entry_aliases.is_some()),
        ];
        for (option, _) in unused.iter().filter(|(_, is_given)| *is_given) {
            console.warn(format!("{option} has no effect: execution starts in `main`"));
        }
        Ok(())
    }

    /// The property of a task: the user's property file if there is one, otherwise the first supported one of the task. What the task expects of it
    /// is kept.
    fn read_properties(
        &mut self,
        task: &task::Task,
        wanted: Option<Specification>,
    ) -> Result<Option<Specification>, Failure> {
        let mut chosen: Option<(Specification, Option<bool>)> = None;
        for candidate in &task.properties {
            let stated = load_property(&candidate.file)?;
            match &wanted {
                // The task may know what to expect of the user's property.
                Some(wanted) if wanted.property == stated.property => {
                    self.expected = candidate.expected;
                }
                Some(_) => {}
                None if chosen.as_ref().is_none_or(|(best, _)| rank(&stated) < rank(best)) => {
                    chosen = Some((stated, candidate.expected));
                }
                None => {}
            }
        }
        let Some((stated, expected)) = chosen else { return Ok(wanted) };
        self.expected = expected;
        Ok(Some(stated))
    }

    /// Reads what `CC` and the build, if there is one, say about the files: the machine, and the meaning of overflow.
    fn read_flags(
        &mut self,
        source: &SourceArgs,
        model: &mut Option<DataModel>,
        console: Console,
    ) -> Result<Option<SignedOverflow>, Failure> {
        let environment = compile_commands::environment()?;
        let (mut built, mut overflow) = (None, None);
        if let Some(path) = &source.compile_commands {
            let database = Database::load(path)?;
            let flags = self.files.iter().map(|file| database.flags(file, console));
            self.flags = flags.collect::<Result<_, _>>()?;
            (built, overflow) = compile_commands::common(&self.files, &self.flags)?;
        }
        *model = model.or(built).or(environment.data_model);
        Ok(overflow.or(environment.signed_overflow))
    }

    /// C files that together are the program.
    fn join(&mut self, files: &[PathBuf]) -> Result<(), Failure> {
        if let Some(definition) = files.iter().find(|file| task::is_task(file)) {
            let message = format!("`{}` is a task definition, not a part of a program", definition.display());
            return Err(Failure::usage(message, "--program takes C files"));
        }
        self.files = files.to_vec();
        Ok(())
    }

    /// The functions whose call is the error.
    pub(crate) fn error_functions(&self) -> Vec<String> {
        match &self.property {
            Property::UnreachCall { function } if function == ERROR_FUNCTION => {
                vec![function.clone(), OLD_ERROR_FUNCTION.to_owned()]
            }
            Property::UnreachCall { function } => vec![function.clone()],
            Property::NoOverflow | Property::Memory { .. } | Property::Unsupported { .. } => Vec::new(),
        }
    }

    /// Whether the error is what it is for every task: nothing was said about it, or what competitions say.
    pub(crate) fn is_standard_property(&self) -> bool {
        match &self.property {
            Property::UnreachCall { function } => {
                !self.has_property_file || [ERROR_FUNCTION, OLD_ERROR_FUNCTION].contains(&function.as_str())
            }
            Property::NoOverflow | Property::Memory { .. } | Property::Unsupported { .. } => true,
        }
    }

    /// A property about a function that the program does not know holds by mistake.
    pub(crate) fn check_property(&self, sources: &SourceMap) -> Result<(), Failure> {
        let Property::UnreachCall { function } = &self.property else { return Ok(()) };
        if self.is_standard_property() || property::occurs(function, &self.files, sources) {
            return Ok(());
        }
        let known = if self.files.len() == 1 { "file does" } else { "files do" };
        Err(Failure::usage(
            format!("the property is about calls of `{function}`, and the program has no such function"),
            format!("check the spelling of the name in the property; the {known} not mention it"),
        ))
    }

    /// What was asked, for reports.
    pub(crate) fn task(&self, engine: &str, key: String) -> report::Task {
        let error = match &self.property {
            Property::NoOverflow => ErrorKind::Overflow,
            Property::Memory { .. } => ErrorKind::Memory,
            _ if self.answer != Answer::Property => ErrorKind::Checks(self.error_functions()),
            Property::UnreachCall { .. } | Property::Unsupported { .. } if self.assert_is_error() => {
                ErrorKind::CallsAndAssertions(self.error_functions())
            }
            Property::UnreachCall { .. } | Property::Unsupported { .. } => {
                ErrorKind::Calls(self.error_functions())
            }
        };
        report::Task {
            files: self.files.iter().map(|file| file.display().to_string()).collect(),
            property: self.property.name(),
            error,
            entry: self.entry.clone(),
            data_model: self.data_model,
            signed_overflow: self.signed_overflow,
            expected: self.expected,
            engine: engine.to_owned(),
            key,
        }
    }

    /// Whether nobody has said what is checked.
    pub(crate) fn is_open(&self) -> bool {
        !self.has_property_file && self.checks.is_empty() && self.signed_overflow != SignedOverflow::Error
    }

    /// Whether a failing `assert` is the error; a property file speaks of calls only.
    pub(crate) fn assert_is_error(&self) -> bool {
        !self.has_property_file
    }

    fn choose_data_model(&mut self, stated: Option<DataModel>, source: &SourceArgs, console: Console) {
        let wanted = source.data_model.map(DataModel::from);
        if let (Some(wanted), Some(stated)) = (wanted, stated)
            && wanted != stated
        {
            console.warn(format!(
                "the task says data model {stated}, the command line says {wanted}: {wanted} is used"
            ));
        }
        self.data_model = wanted.or(stated).unwrap_or(self.data_model);
    }

    /// What is checked besides assertions, where no property says it.
    fn choose_checks(&mut self, source: &SourceArgs, defaults: Defaults) {
        self.expected = None;
        let checked = match (source.checks.as_slice(), defaults) {
            ([], Defaults::Assertions) => None,
            ([], Defaults::Checks) => Some(Checked::by_default()),
            (names, _) => Checked::of(names),
        };
        if let Some(checked) = checked {
            self.checks = checked.kinds;
            self.answer = Answer::Checks(checked.unreachable);
        }
    }

    /// The meaning of overflow: what the command line says, what the build says, or that it is checked. What is named on the command line is checked in any case.
    fn choose_signed_overflow(
        &mut self,
        source: &SourceArgs,
        built: Option<SignedOverflow>,
        console: Console,
    ) {
        let is_checked = self.checks.remove(CheckKind::SignedOverflow);
        self.checks.remove(CheckKind::Assertion);
        let is_named = self.property == Property::NoOverflow
            || !self.has_property_file && source.checks.contains(&CheckArg::Overflow);
        let wanted = source.signed_overflow.map(SignedOverflow::from);
        if is_named {
            self.signed_overflow = SignedOverflow::Error;
            if wanted.is_some_and(|wanted| wanted != SignedOverflow::Error) {
                let what = if self.property == Property::NoOverflow {
                    "the property is no-overflow"
                } else {
                    "overflow is checked"
                };
                console.warn(format!("{what}: --signed-overflow has no effect"));
            }
            return;
        }
        let by_default = if is_checked { SignedOverflow::Error } else { SignedOverflow::Undefined };
        self.signed_overflow = wanted.or(built).unwrap_or(by_default);
    }
}

/// Whether the command line names what is checked; an error if it contradicts itself.
fn names_checks(source: &SourceArgs, property_file: Option<&Path>) -> Result<bool, Failure> {
    let is_named =
        !source.checks.is_empty() && !source.from_settings.as_ref().is_some_and(|settings| settings.checks);
    if property_file.is_some() && is_named {
        return Err(Failure::usage(
            "both --property and --check say what is checked",
            "--check is for people: a list of what must not happen; --property takes a file of SV-COMP",
        ));
    }
    if source.checks.len() > 1 && source.checks.contains(&CheckArg::None) {
        return Err(Failure::usage(
            "--check says `none` and names what is checked",
            "`none` is for assertions alone; leave it out to check what is named",
        ));
    }
    Ok(is_named)
}

/// Of several properties of a task the supported ones come first.
fn rank(specification: &Specification) -> u8 {
    match specification.property {
        Property::UnreachCall { .. } => 0,
        Property::NoOverflow => 1,
        Property::Memory { .. } => 2,
        Property::Unsupported { .. } => 3,
    }
}

fn load_property(path: &Path) -> Result<Specification, Failure> {
    let text = input::read(path)?;
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new(path.display().to_string(), text.as_slice()));
    property::parse(&text, file).map_err(|error| {
        let help = format!("a property file has lines of the form `{}`", property::FORM);
        Failure::usage_at(sources, error.span, &error.message, &help)
    })
}
