//! From the typed program to control-flow automata.
//!
//! # How C is lowered
//! * Every reachable function with a body becomes a procedure; `%start` initialises the statics and calls the entry function.
//!   Functions that are never called are left out.
//! * Variables whose address is never taken are split into scalars and arrays, the rest is memory: see [`storage`].
//! * Pure expressions stay expressions; side effects become operations in the order of the text, and what a later one might change is
//!   copied to a temporary `%t…` before. Of operands that C leaves unsequenced the left one is evaluated first.
//! * An element `a[i][j]` of a split array with several dimensions is one element of a flat array; its index is
//!   `ite(0 <= i && i < N && 0 <= j && j < M, i*M+j, -1)`, so that leaving any dimension is an access outside the array. The guard is left out
//!   where constants or the type's range prove it.
//! * A record that is a list of scalars ([`layout`] L2) is passed to and from procedures as these, any other by the address of a
//!   copy: the caller passes an address, the callee copies; the result goes to the address in a hidden first parameter.
//! * A variadic procedure has a last parameter that points to a block of slots made by the caller, one slot per argument. A `va_list` is a pointer to the
//!   next slot: see [`lists`].
//! * A `switch` leaves one location by one edge per case; the default edge carries the complement of all cases. Case edges have the role
//!   `Branch(true)`, the default edge `Branch(false)`.
//!
//! # Invariants
//! * W1: the result passes `Program::verify`.
//! * W2: what is not lowered exactly is an error with its place, or is in `Program::approximations`.
//! * W3: native recursion is bounded by the nesting of the text; chains of operators and `else if` are walked by loops.

mod access;
mod arbitrary;
mod arguments;
mod assign;
mod assume;
mod assumptions;
mod beyond;
mod build;
mod builtin;
mod call;
mod comparison;
mod condition;
mod constants;
mod contract;
mod control;
mod conversions;
mod demand;
mod described_call;
mod effects;
mod elements;
mod entry;
mod expr;
mod extern_call;
mod facts;
mod fill;
mod footprint;
mod function;
mod graph;
mod indices;
mod indirect;
mod init;
mod layout;
mod library_arguments;
mod lists;
mod order;
mod output;
mod overlap;
mod padding;
mod place;
mod pointer_targets;
mod position;
mod range;
mod record;
mod replaced;
mod scope;
mod start;
mod stmt;
mod storage;
mod stream;
mod targets;
mod unwritten;
mod usage;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use base::{Cause, Diagnostic, IndexVec, Region, SourceMap, Span, census};
use cfa::{
    Approximation, ApproximationKind, CheckKinds, ProcId, Procedure, Program, SignedOverflow, Spelled,
    Spelling, VarId,
};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::hir::{self, FunctionId, StringId, VariableId};
use crate::library::effects::Description;
use crate::library::{self, Known};
use crate::types::RecordId;

/// Where C starts a program.
const MAIN: &str = "main";

/// Rounds in which pointers are found that need more than one element.
const MAX_ROUNDS: usize = 3;

/// What lowering has to know beside the program.
#[derive(Clone, Debug)]
pub struct Options {
    /// What signed overflow means.
    pub signed_overflow: SignedOverflow,
    /// What else is a violation.
    pub checks: CheckKinds,
    /// What is known of arguments of library functions that are described by their effects.
    pub library_arguments: LibraryArguments,
    /// Functions whose call is the error.
    pub error_functions: Vec<String>,
    /// Where the program starts. If it is `main`, the program starts as C starts it: global variables have their initial values.
    pub entry: String,
    /// Whether a failing `assert` is the error; otherwise it ends the execution.
    pub assert_is_error: bool,
    /// What an entry function other than `main` starts with.
    pub start: StartOptions,
    /// What functions without body do, other than those of the C library.
    pub extern_functions: ExternFunctions,
}

/// What is known of the pointers that are passed to library functions that are described by their effects: the description does not say how they are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LibraryArguments {
    /// They are valid: an assumption.
    #[default]
    Assumed,
    /// They may be used in a wrong way, so that use of memory is not claimed to be safe.
    Unknown,
}

/// What functions without body do, other than those of the C library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExternFunctions {
    /// They return any value and write nothing.
    #[default]
    Pure,
    /// They return any value and may change global variables and what their arguments point to.
    Havoc,
    /// Calling one is an error of kind unsupported.
    Error,
}

/// What holds when a function other than `main` is the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartOptions {
    /// The values of variables with static storage.
    pub globals: StartGlobals,
    /// Whether pointers may be null.
    pub pointers: StartPointers,
    /// How many elements a pointer leads to; more if it is a parameter that is declared as a longer array.
    pub elements: StartElements,
    /// Whether parameters may point to the same object.
    pub aliases: StartAliases,
    /// What is assumed of the parameters: comparisons as C writes them.
    pub assumptions: Vec<Condition>,
}

/// What is assumed at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Comparisons as C writes them.
    pub text: String,
    /// The clause of a contract comment that says so; options have no place.
    pub place: Option<Span>,
}

/// Whether parameters may point to the same object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartAliases {
    /// All point to distinct objects.
    Distinct,
    /// Those of the same type may be equal.
    Allowed,
}

/// How many elements a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartElements {
    /// So many.
    Count(u64),
    /// At least one; how many is an input.
    Any,
    /// One; if an access may be beyond it, at least one, and how many is an input.
    AsUsed,
}

impl StartElements {
    /// The number, one if it is an input.
    pub fn least(self) -> u64 {
        match self {
            Self::Count(count) => count,
            Self::Any | Self::AsUsed => 1,
        }
    }
}

/// The values of variables with static storage that are not `const`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartGlobals {
    /// Any: something ran before.
    Any,
    /// Those of the initialisers: nothing ran before.
    Initial,
}

/// What pointers lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPointers {
    /// An object of their own.
    Object,
    /// An object of their own, or nothing.
    Nullable,
}

impl Options {
    /// Whether the program starts as C starts it, in `main`: then [`Options::start`] says nothing.
    pub(crate) fn starts_in_main(&self) -> bool {
        self.entry == MAIN
    }
}

impl Default for StartOptions {
    fn default() -> Self {
        Self {
            globals: StartGlobals::Any,
            pointers: StartPointers::Object,
            elements: StartElements::AsUsed,
            aliases: StartAliases::Distinct,
            assumptions: Vec::new(),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            signed_overflow: SignedOverflow::Undefined,
            checks: CheckKinds::NONE,
            library_arguments: LibraryArguments::default(),
            error_functions: vec!["reach_error".into(), library::VERIFIER_ERROR.into()],
            entry: MAIN.into(),
            assert_is_error: true,
            start: StartOptions::default(),
            extern_functions: ExternFunctions::default(),
        }
    }
}

/// The result of a step of lowering.
type Lowered<T> = Result<T, Box<Diagnostic>>;

/// Lowers a typed program whose positions refer to `sources`.
pub fn lower(
    hir: &hir::Program,
    sources: Arc<SourceMap>,
    options: &Options,
) -> Result<Program, Box<Diagnostic>> {
    census::count(census::Step::ProgramLowered);
    let entry = find_entry(hir, options)?;
    let with_contract;
    let options = if options.starts_in_main() {
        options
    } else {
        let mut extended = options.clone();
        extended.start.assumptions.extend(contract::required(hir, entry, &sources)?);
        with_contract = extended;
        &with_contract
    };
    let extended = if options.starts_in_main() {
        None
    } else {
        demand::with_hooks(hir, entry, &|hir, roots| usage_of(hir, options, roots).0)
    };
    let (hir, hooks) = match &extended {
        Some((hir, hooks)) => (hir, hooks.clone()),
        None => (hir, demand::Hooks::default()),
    };
    let roots: Vec<FunctionId> = [entry].into_iter().chain(hooks.functions()).collect();
    let used = usage_of(hir, options, &roots).0.functions;
    if let Some(refused) = used.iter().find_map(|function| hir.functions[*function].refused.clone()) {
        return Err(refused);
    }
    let mut long = named_lengths(&options.start);
    for _ in 0..MAX_ROUNDS {
        let mut ctx = Context::new(hir, sources.clone(), options, entry, hooks.clone());
        ctx.long_pointers.clone_from(&long);
        let (program, short) = lowered(ctx, entry)?;
        let before = long.len();
        long.extend(short);
        if options.start.elements != StartElements::AsUsed || long.len() == before {
            return Ok(program);
        }
    }
    let mut ctx = Context::new(hir, sources, options, entry, hooks);
    ctx.long_pointers = long;
    lowered(ctx, entry).map(|(program, _)| program)
}

/// The pointers whose lengths conditions speak of.
fn named_lengths(start: &StartOptions) -> BTreeSet<String> {
    if start.elements != StartElements::AsUsed {
        return BTreeSet::new();
    }
    let lengths = start.assumptions.iter().flat_map(|condition| condition.text.split("len(").skip(1));
    lengths.filter_map(|rest| Some(rest.split_once(')')?.0.trim().to_owned())).collect()
}

/// The program, and the pointers that lead to one element at the start, although an access may be beyond it.
fn lowered(mut ctx: Context<'_>, entry: FunctionId) -> Lowered<(Program, Vec<String>)> {
    ctx.allot_procedures();
    for position in 0..ctx.usage.functions.len() {
        let function = ctx.usage.functions[position];
        if ctx.procs.contains_key(&function) {
            ctx.lower_function(function)?;
        }
    }
    ctx.lower_start(entry)?;
    overlap::decide(&mut ctx.program, &ctx.indices, &ctx.start_objects);
    let short = ctx.record_assumptions();
    ctx.program.approximations = ctx.approximations.into_iter().collect();
    ctx.program.checks = ctx.options.checks;
    ctx.hir.types.spell_members(&mut ctx.spelling);
    ctx.program.spelling = Arc::new(ctx.spelling);
    Ok((ctx.program, short))
}

/// Some of the functions that are defined, for messages. Names that C reserves are those of headers and models.
fn defined(hir: &hir::Program) -> Option<String> {
    const MOST: usize = 8;
    let is_users = |function: &&hir::Function| function.body.is_some() && !function.name.starts_with('_');
    let names: Vec<&str> = hir.functions.iter().filter(is_users).map(|function| &*function.name).collect();
    let shown = names.iter().take(MOST).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
    (!names.is_empty()).then(|| shown + &more)
}

/// The function where execution starts.
fn find_entry(hir: &hir::Program, options: &Options) -> Lowered<FunctionId> {
    let is_entry = |function: &hir::Function| *function.name == *options.entry && function.body.is_some();
    let mut found = hir.functions.iter_enumerated().filter(|(_, function)| is_entry(function));
    let Some((entry, first)) = found.next() else {
        let diagnostic = Diagnostic::global(format!("no definition of function `{}`", options.entry));
        let diagnostic = diagnostic.with_cause(Cause::MissingEntry);
        return Err(Box::new(match defined(hir) {
            Some(names) => diagnostic.with_help(format!(
                "name the function where execution starts with --entry FUNCTION; defined are {names}"
            )),
            None => diagnostic.with_help("the file defines no function; is it the right one?"),
        }));
    };
    let Some((_, second)) = found.next() else { return Ok(entry) };
    let message = format!("`{}`, where execution should start, is defined more than once", options.entry);
    let diagnostic = Diagnostic::error(message, first.declared)
        .with_secondary(second.declared, "another definition")
        .with_help("check the file of the one that is meant alone, or together with files that do not define the other");
    Err(Box::new(diagnostic.with_cause(Cause::Input)))
}

/// What a program uses if some functions are called, and the error functions.
fn usage_of(
    hir: &hir::Program,
    options: &Options,
    roots: &[FunctionId],
) -> (usage::Usage, FxHashSet<FunctionId>) {
    let resolved = resolve(hir);
    let is_error = |name: &str| options.error_functions.iter().any(|error| error == name);
    let functions = hir.functions.iter_enumerated();
    let opaque: FxHashSet<FunctionId> =
        functions.filter(|(_, function)| is_error(&function.name)).map(|(id, _)| id).collect();
    let usage =
        usage::Usage::of(hir, roots, &|function| resolved[function], &|function| opaque.contains(&function));
    (usage, opaque)
}

/// Which function a call really enters: the model in C of a library function that nobody defines.
fn resolve(hir: &hir::Program) -> IndexVec<FunctionId, FunctionId> {
    let models: FxHashMap<&str, FunctionId> = hir
        .functions
        .iter_enumerated()
        .filter(|(_, function)| function.body.is_some())
        .filter_map(|(id, function)| Some((function.name.strip_prefix(library::MODEL_PREFIX)?, id)))
        .collect();
    hir.functions
        .iter_enumerated()
        .map(|(id, function)| match function.body {
            Some(_) => id,
            None => models.get(library::plain_name(&function.name)).copied().unwrap_or(id),
        })
        .collect()
}

/// What is shared by the lowering of all functions.
struct Context<'a> {
    hir: &'a hir::Program,
    options: &'a Options,
    program: Program,
    usage: usage::Usage,
    conversions: conversions::Conversions,
    padding: padding::Padding,
    evaluations: effects::Evaluations,
    facts: facts::Facts,
    slots: IndexVec<VariableId, Option<storage::Slot>>,
    /// The variable of the source of which a variable of the program is a part.
    variable_of: FxHashMap<VarId, VariableId>,
    temporaries: FxHashSet<VarId>,
    procs: FxHashMap<FunctionId, ProcId>,
    strings: IndexMap<StringId, VarId, FxBuildHasher>,
    leaves: FxHashMap<RecordId, layout::Leaves>,
    resolved: IndexVec<FunctionId, FunctionId>,
    /// Error functions.
    opaque: FxHashSet<FunctionId>,
    approximations: BTreeSet<Approximation>,
    /// Expressions of which nothing but the sign matters.
    tested: FxHashSet<hir::ExprId>,
    /// The comparison functions of sorts, where they are known.
    comparisons: Vec<(Option<ProcId>, Region)>,
    /// The calls of the library that compare elements.
    compared: Vec<(elements::Comparison, Region)>,
    /// Pointers that lead to any number of elements when execution starts, by their C expressions.
    long_pointers: BTreeSet<String>,
    /// What pointers lead to that execution starts with.
    start_objects: Vec<beyond::StartObject>,
    /// The lengths of arrays that pointers lead to, by the pointers.
    start_lengths: Vec<(String, cfa::ExprId)>,
    /// What the program does with it.
    demand: demand::Demand,
    /// The functions that pointers may lead to that execution starts with.
    hooks: demand::Hooks,
    indices: indices::Indices,
    columns: RefCell<position::Columns>,
    /// Where what may go wrong stands, if anybody wants to know.
    spelling: Spelling,
}

impl<'a> Context<'a> {
    fn new(
        hir: &'a hir::Program,
        sources: Arc<SourceMap>,
        options: &'a Options,
        entry: FunctionId,
        hooks: demand::Hooks,
    ) -> Self {
        let roots: Vec<FunctionId> = [entry].into_iter().chain(hooks.functions()).collect();
        let (mut usage, opaque) = usage_of(hir, options, &roots);
        let resolved = resolve(hir);
        usage.address_taken.extend(hooks.functions().map(|function| resolved[function]));
        let demand = if options.starts_in_main() {
            demand::Demand::default()
        } else {
            demand::Demand::new(hir, &usage)
        };
        let program = Program::new(hir.types.model, options.signed_overflow, sources);
        let conversions = conversions::Conversions::of(hir, &usage.exprs, &program);
        Self {
            hir,
            options,
            program,
            padding: padding::Padding::of(&hir.types, &usage.unions, &conversions),
            usage,
            evaluations: effects::Evaluations::new(options.signed_overflow, conversions.askew.clone()),
            conversions,
            facts: facts::Facts::default(),
            slots: IndexVec::filled(None, hir.variables.len()),
            variable_of: FxHashMap::default(),
            temporaries: FxHashSet::default(),
            procs: FxHashMap::default(),
            strings: IndexMap::default(),
            leaves: FxHashMap::default(),
            resolved,
            opaque,
            approximations: BTreeSet::new(),
            tested: comparison::tested(hir),
            comparisons: Vec::new(),
            compared: Vec::new(),
            long_pointers: BTreeSet::new(),
            start_objects: Vec::new(),
            start_lengths: Vec::new(),
            demand,
            hooks,
            indices: indices::Indices::default(),
            columns: RefCell::default(),
            spelling: Spelling::default(),
        }
    }
    /// Whether undefined behaviour of some kind is a violation.
    fn is_checked(&self) -> bool {
        self.options.signed_overflow == SignedOverflow::Error || !self.options.checks.is_empty()
    }
    /// Notes where something stands, if it may be checked.
    fn spell(&mut self, proc: ProcId, what: Spelled, span: Span) {
        if self.is_checked() {
            let region = self.region(span);
            self.spelling.add(proc, what, region);
        }
    }
    /// Procedures for all functions that are entered: those with a body, and stubs for others whose address is taken.
    fn allot_procedures(&mut self) {
        for function in &self.usage.functions {
            let declared = &self.hir.functions[*function];
            let has_body = declared.body.is_some() && !self.opaque.contains(function);
            if has_body || self.usage.address_taken.contains(function) {
                let span = declared.body.as_ref().map_or(declared.declared, |body| body.span);
                let region = self.region(span);
                let proc = self.program.procs.push(Procedure::new(declared.name.clone(), region));
                self.procs.insert(*function, proc);
            }
        }
    }
    /// Whether a declaration stands in a system header.
    fn is_of_the_system(&self, span: Span) -> bool {
        const FOLDERS: [&str; 5] =
            ["/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/include/", "/usr/local/lib/"];
        let Some(file) = self.program.sources.iter().find(|(id, _)| *id == span.file).map(|(_, file)| file)
        else {
            return false;
        };
        let presumed = file.presumed(file.line_of(span.lo)).map(|(name, _)| name);
        let name = presumed.as_deref().unwrap_or(&file.name);
        FOLDERS.iter().any(|folder| name.starts_with(folder))
    }
    fn region(&self, span: Span) -> Region {
        self.columns.borrow_mut().region(&self.program.sources, span)
    }
    /// The leaves of a record, whether or not it is moved as such.
    fn leaves(&mut self, record: RecordId) -> layout::Leaves {
        let types = &self.hir.types;
        self.leaves.entry(record).or_insert_with(|| layout::leaves(types, record)).clone()
    }
    /// The leaves of a record that is moved as a list of scalars.
    fn moved_leaves(&mut self, record: RecordId) -> layout::Leaves {
        if self.usage.memory_records.contains(&record) { None } else { self.leaves(record) }
    }
    /// Records what verdicts rest on, once.
    fn approximate(&mut self, kind: ApproximationKind, what: impl Into<String>, region: Region) {
        let what = what.into();
        if !self.approximations.iter().any(|known| known.kind == kind && known.what == what) {
            self.approximations.insert(Approximation { kind, what, region });
        }
    }
    fn evaluation(&mut self, expr: hir::ExprId) -> effects::Evaluation {
        let (hir, resolved, policy) = (self.hir, &self.resolved, self.options.extern_functions);
        self.evaluations.expr(hir, expr, &|function| writes_nothing(hir, resolved, function, policy))
    }
    fn fact(&mut self, expr: cfa::ExprId) -> facts::Fact {
        let (temporaries, vars) = (&self.temporaries, &self.program.vars);
        self.facts.get(&self.program.exprs, expr, self.program.signed_overflow, |var| {
            if temporaries.contains(&var) {
                facts::VarKind::Temporary
            } else if vars[var].owner.is_some() {
                facts::VarKind::Local
            } else {
                facts::VarKind::Global
            }
        })
    }
}

/// Whether calling a function changes no state: it has no body, and no model that writes.
fn writes_nothing(
    hir: &hir::Program,
    resolved: &IndexVec<FunctionId, FunctionId>,
    function: FunctionId,
    policy: ExternFunctions,
) -> bool {
    let declared = &hir.functions[resolved[function]];
    if declared.body.is_some() {
        return false;
    }
    // The data file is read only for programs that need it.
    let known = library::classify(&declared.name);
    if known != Known::Extern {
        return known.writes_nothing();
    }
    match library::effects::describe(library::plain_name(&declared.name)) {
        Some(Description::Effects(effects)) => effects.writes_nothing(),
        Some(_) => false,
        None => policy != ExternFunctions::Havoc,
    }
}
