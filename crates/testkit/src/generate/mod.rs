//! Random C programs without undefined behaviour, to compare an interpreter with a real compiler.
//!
//! A program needs no header and no preprocessing, terminates after a bounded number of steps, and prints
//! one checksum with `printf("%llu\n", checksum)`. What it prints is fixed by the C standard and by what gcc
//! documents (two's complement, wrapping narrowing conversions, arithmetic right shift, type punning
//! through unions, layout of bit-fields).
//!
//! # Invariants
//! * I1: every expression carries its exact C type and an interval that contains all its values. Signed
//!   arithmetic is written only where the interval of the result fits; otherwise the operands are narrowed
//!   or converted to unsigned, or a guarded helper function is called. The same intervals keep indices,
//!   shift counts and divisors in range.
//! * I2: unsequenced operands do not conflict (see `effects`), so the order of evaluation does not matter.
//! * I3: every variable is initialised when it is declared, every pointer always points to a live object.
//! * I4: every loop has a static bound on its iterations; `State::multiplier` times `State::cost` bounds the
//!   steps of the whole program.
//! * I5: the text is determined by the seed and the options.

mod call;
mod checksum;
mod control;
mod effects;
mod entry;
mod expression;
mod float;
mod function;
mod initializer;
mod integer;
mod jump;
mod literal;
mod memory;
mod operator;
mod place;
mod recursion;
mod scope;
mod statement;
mod text;
mod types;
mod value;

use std::collections::BTreeMap;

use crate::random::Random;
use function::Function;
use integer::Int;
use scope::{Scope, Storage, Variable};
use types::{Type, TypeTable};

/// Widths of the basic types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
    /// `long` and pointers have 64 bits.
    Lp64,
}

impl Model {
    /// The name used on command lines and in task definitions.
    pub fn name(self) -> &'static str {
        match self {
            Model::Ilp32 => "ILP32",
            Model::Lp64 => "LP64",
        }
    }

    /// The model of that name.
    pub fn parse(name: &str) -> Option<Model> {
        [Model::Ilp32, Model::Lp64].into_iter().find(|model| model.name() == name)
    }

    /// The flag that selects the model in gcc on x86.
    pub fn gcc_flag(self) -> &'static str {
        match self {
            Model::Ilp32 => "-m32",
            Model::Lp64 => "-m64",
        }
    }
}

/// How long a program should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Mostly 40 to 130 lines.
    Small,
    /// Mostly 80 to 250 lines.
    Medium,
    /// Mostly 150 to 400 lines.
    Large,
}

/// What kind of program to write.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Data model the program is meant for; it has no undefined behaviour in that model.
    pub model: Model,
    /// Also use `float` and `double`. Ignored for ILP32, where gcc may compute with excess precision.
    pub floats: bool,
    /// Length of the program.
    pub size: Size,
    /// Start some globals with the results of `__VERIFIER_nondet_*` calls.
    pub nondet: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { model: Model::Lp64, floats: false, size: Size::Medium, nondet: false }
    }
}

/// A generated program with values for its nondeterministic calls.
#[derive(Clone, Debug)]
pub struct Program {
    /// The C text.
    pub text: String,
    /// Values for the `__VERIFIER_nondet_*` calls in the order of execution; empty without `nondet`.
    pub inputs: Vec<i128>,
}

/// The text of a random program; the same arguments give the same program.
pub fn generate(seed: u64, options: &Options) -> String {
    generate_program(seed, options).text
}

/// A random program with inputs for its nondeterministic calls.
pub fn generate_program(seed: u64, options: &Options) -> Program {
    let mut options = *options;
    options.floats &= options.model == Model::Lp64;
    let mut generator = Generator {
        random: Random::new(seed),
        options,
        types: TypeTable::default(),
        scope: Scope::default(),
        functions: Vec::new(),
        tables: Vec::new(),
        output: Output::default(),
        state: State::default(),
        names: 0,
    };
    generator.scope.open();
    generator.define_types();
    generator.define_globals();
    generator.define_functions();
    generator.define_main();
    Program { text: generator.output.assemble(seed, options), inputs: generator.output.inputs }
}

/// A global array of functions with the same signature.
struct Table {
    name: String,
    length: usize,
    /// Index of one of its functions, which all share the signature.
    function: usize,
    cost: u64,
}

/// The program under construction.
struct Generator {
    random: Random,
    options: Options,
    types: TypeTable,
    scope: Scope,
    functions: Vec<Function>,
    tables: Vec<Table>,
    output: Output,
    state: State,
    names: usize,
}

/// What the statement generator knows about the place it writes to.
#[derive(Default)]
struct State {
    /// The function has no effects: it sees no globals and calls only its like.
    pure: bool,
    /// Expressions may have side effects here.
    effects: bool,
    /// Only constant expressions are allowed here.
    constant: bool,
    /// Upper bound of how often the current statement runs in one call of the function.
    multiplier: u64,
    /// Upper bound of the steps of the function so far.
    cost: u64,
    /// What `cost` should not exceed.
    limit: u64,
    /// Nesting of array indices.
    indices: u32,
    /// Nesting of control statements.
    nesting: u32,
    /// What `break` and `continue` may be used for.
    loops: LoopState,
    /// Labels behind the current statement in an enclosing block.
    exits: Vec<String>,
    /// Return type of the function, if it returns an integer.
    result: Option<(Int, integer::Range)>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum LoopState {
    #[default]
    Outside,
    /// `break` is fine, `continue` would skip the step of the loop.
    BreakOnly,
    Both,
}

/// The parts of the program text.
#[derive(Default)]
struct Output {
    types: Vec<String>,
    globals: Vec<String>,
    prototypes: Vec<String>,
    tables: Vec<String>,
    helpers: BTreeMap<String, String>,
    functions: Vec<String>,
    body: Vec<String>,
    indent: usize,
    inputs: Vec<i128>,
    nondet: BTreeMap<&'static str, String>,
}

const PRELUDE: &str = "\
int printf(const char *, ...);
typedef __typeof__(sizeof(int)) size_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
size_t strlen(const char *);
int strcmp(const char *, const char *);
static unsigned long long checksum = 14695981039346656037ULL;
static void mix(unsigned long long value)
{
    checksum = (checksum ^ value) * 1099511628211ULL;
    checksum ^= checksum >> 29;
}
";

impl Output {
    /// Adds a line to the function body under construction.
    fn line(&mut self, text: impl AsRef<str>) {
        self.body.push(format!("{}{}", "    ".repeat(self.indent), text.as_ref()));
    }

    fn assemble(&self, seed: u64, options: Options) -> String {
        let mut text = format!("// seed {seed}, {}\n{PRELUDE}", options.model.name());
        let helpers: Vec<String> = self.helpers.values().cloned().collect();
        let nondet: Vec<String> = self.nondet.values().cloned().collect();
        for part in
            [&nondet, &self.types, &self.globals, &helpers, &self.prototypes, &self.tables, &self.functions]
        {
            for line in part {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }
}

impl Generator {
    /// Number of items by program size.
    fn sized(&mut self, small: usize, medium: usize, large: usize) -> usize {
        let most = match self.options.size {
            Size::Small => small,
            Size::Medium => medium,
            Size::Large => large,
        };
        most / 2 + self.random.below(most - most / 2 + 1)
    }

    fn define_globals(&mut self) {
        for _ in 0..self.sized(3, 6, 9) {
            self.define_global();
        }
        if self.random.chance(50) {
            self.define_string();
        }
    }

    fn define_global(&mut self) {
        let ty = self.object_type();
        let name = self.fresh("g");
        let mut variable = Variable::new(name, ty.clone(), Storage::Static);
        variable.range = self.maybe_range(&ty);
        variable.qualifier = self.maybe_qualifier(&ty);
        self.define_static(variable);
    }

    /// Writes the definition of a global and makes it visible.
    fn define_static(&mut self, variable: Variable) {
        let declaration = self.declare(&variable.ty, &variable.name);
        let outer = std::mem::replace(&mut self.scope.globals_only, true);
        let initializer = self.constant_initializer(&variable.ty, variable.range);
        self.scope.globals_only = outer;
        let qualifier = variable.qualifier.prefix();
        let storage = if self.random.chance(80) { "static " } else { "" };
        let line = match initializer {
            Some(value) => format!("{storage}{qualifier}{declaration} = {value};"),
            None => format!("{storage}{qualifier}{declaration};"),
        };
        self.output.globals.push(line);
        self.scope.add_global(variable);
    }

    /// The name of a global of the type for pointers to point to; nothing hides its name.
    fn anchor(&mut self, ty: &Type) -> String {
        let anchors = self.scope.variables.iter().filter(|variable| variable.name.starts_with("anchor"));
        if let Some(found) = anchors.into_iter().find(|variable| variable.ty == *ty) {
            return found.name.clone();
        }
        let name = self.fresh("anchor");
        self.define_static(Variable::new(name.clone(), ty.clone(), Storage::Static));
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_gives_same_program() {
        let options = Options { floats: true, nondet: true, ..Options::default() };
        for seed in 0..20 {
            assert_eq!(generate(seed, &options), generate(seed, &options));
            assert_ne!(generate(seed, &options), generate(seed + 1, &options));
        }
    }

    #[test]
    fn sizes_are_kept_on_average() {
        for (size, low, high) in [(Size::Small, 50, 110), (Size::Medium, 110, 200), (Size::Large, 180, 320)] {
            let options = Options { size, ..Options::default() };
            let lines: usize = (0..40).map(|seed| generate(seed, &options).lines().count()).sum();
            assert!((low..=high).contains(&(lines / 40)), "{size:?}: {}", lines / 40);
        }
    }
}
