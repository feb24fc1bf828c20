//! Random C programs about memory, for laws about passes: pointers of all kinds, structs, unions, the heap, copies of bytes.
//!
//! A program reads inputs, computes a checksum with `mix`, and returns. It may have undefined behaviour, but not often: what may be null is tested before it is used, and indices
//! are mostly in range. Order of evaluation does not matter. Each program uses some of the [`Feature`]s only, so that one that spoils much (a pointer as a number) does not hide the rest.
//!
//! # Invariants
//! * I1: the text is determined by the seed.
//! * I2: every loop ends, and so does every recursion.

mod copy;
mod expression;
mod function;
mod heap;
mod place;
mod statement;
mod types;

use crate::random::Random;
use types::{Record, Type, declare};

/// What a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    /// Unions.
    Unions,
    /// Packed structs.
    Packed,
    /// Bit-fields.
    Bits,
    /// Floating-point members.
    Floats,
    /// `malloc` and the like.
    Heap,
    /// `realloc`.
    Resizing,
    /// Lists and trees.
    Lists,
    /// `free` while pointers are left.
    Freeing,
    /// Pointers as numbers.
    Numbers,
    /// From a member to its struct and back.
    Containers,
    /// `memcpy`, `memmove`, `memset`.
    Copies,
    /// Their lengths and addresses are variable.
    SymbolicCopies,
    /// Objects as bytes.
    Bytes,
    /// Pointers to functions.
    Functions,
    /// Recursion with pointers to locals of callers.
    Recursion,
    /// Arrays of variable length.
    Variable,
    /// String literals.
    Literals,
    /// Inputs of all widths.
    Widths,
    /// Statements in loops.
    Loops,
}

/// All features.
const FEATURES: [Feature; 19] = [
    Feature::Unions,
    Feature::Packed,
    Feature::Bits,
    Feature::Floats,
    Feature::Heap,
    Feature::Resizing,
    Feature::Lists,
    Feature::Freeing,
    Feature::Numbers,
    Feature::Containers,
    Feature::Copies,
    Feature::SymbolicCopies,
    Feature::Bytes,
    Feature::Functions,
    Feature::Recursion,
    Feature::Variable,
    Feature::Literals,
    Feature::Widths,
    Feature::Loops,
];

/// A variable.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Type,
    is_constant: bool,
}

/// A function that takes pointers.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    params: Vec<Type>,
}

struct Generator {
    random: Random,
    features: Vec<Feature>,
    records: Vec<Record>,
    globals: Vec<Variable>,
    locals: Vec<Variable>,
    functions: Vec<Function>,
    /// Functions of the type of [`Type::Function`].
    table_functions: Vec<String>,
    /// What must hold before the statement at hand.
    guards: Vec<String>,
    types: Vec<String>,
    definitions: Vec<String>,
    body: Vec<String>,
    indent: usize,
    names: usize,
    /// Loops around the statement at hand.
    loops: usize,
}

/// How long a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// A few statements: engines can decide it.
    Short,
    /// Some twenty statements.
    Long,
}

/// The program of a seed.
pub fn memory_program(seed: u64, length: Length) -> String {
    let mut random = Random::new(seed ^ 0x3E3E_0001);
    let share = 10 + random.below(60) as u32;
    let features = FEATURES.into_iter().filter(|_| random.chance(share)).collect();
    let mut generator = Generator {
        random,
        features,
        records: Vec::new(),
        globals: Vec::new(),
        locals: Vec::new(),
        functions: Vec::new(),
        table_functions: Vec::new(),
        guards: Vec::new(),
        types: Vec::new(),
        definitions: Vec::new(),
        body: Vec::new(),
        indent: 1,
        names: 0,
        loops: 0,
    };
    generator.define_records();
    generator.define_globals(length);
    generator.define_functions();
    generator.define_main(length);
    format!("{HEAD}{}\n{}\n", generator.types.join("\n"), generator.definitions.join("\n"))
}

const HEAD: &str = "extern void reach_error(void);
extern char __VERIFIER_nondet_char(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void); extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void); extern unsigned long __VERIFIER_nondet_ulong(void);
extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long); extern void free(void *);
extern void *memcpy(void *, const void *, unsigned long); extern void *memmove(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long); extern unsigned long strlen(const char *);
unsigned long long checksum;
static void mix(unsigned long long value) { checksum = checksum * 31 + value; }
static void *zeroed(unsigned long size) { void *p = malloc(size); memset(p, 0, size); return p; }
";

impl Generator {
    fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }
    fn line(&mut self, text: impl AsRef<str>) {
        self.body.push(format!("{}{}", "    ".repeat(self.indent), text.as_ref()));
    }
    /// Writes a statement under the conditions that its parts need.
    fn guarded(&mut self, text: &str) {
        let mut guards = std::mem::take(&mut self.guards);
        let mut seen = Vec::new();
        guards.retain(|guard| {
            let is_new = !seen.contains(guard);
            seen.push(guard.clone());
            is_new
        });
        if guards.is_empty() {
            return self.line(text);
        }
        self.line(format!("if ({}) {{ {text} }}", guards.join(" && ")));
    }

    fn define_globals(&mut self, length: Length) {
        let count = 1 + self.random.below(if length == Length::Short { 3 } else { 6 });
        for _ in 0..count {
            let ty = self.object_type(2);
            let name = self.fresh("g");
            self.definitions.push(format!("{};", declare(&self.records, &ty, &name)));
            self.globals.push(Variable { name, ty, is_constant: false });
        }
        if self.has(Feature::Literals) {
            let name = self.fresh("text");
            self.definitions.push(format!("const char *{name} = \"alpha\";"));
            let ty = Type::Number("char").pointer();
            self.globals.push(Variable { name, ty, is_constant: true });
        }
    }

    fn define_main(&mut self, length: Length) {
        self.body.clear();
        for _ in 0..=self.random.below(3) {
            let name = self.fresh("n");
            let input = self.input();
            let ty = self.integer_type();
            self.line(format!("{} = {input};", declare(&self.records, &ty, &name)));
            self.locals.push(Variable { name, ty, is_constant: false });
        }
        let (variables, statements) = match length {
            Length::Short => (self.random.below(3), 2 + self.random.below(5)),
            Length::Long => (1 + self.random.below(5), 6 + self.random.below(20)),
        };
        for _ in 0..variables {
            self.declare_local();
        }
        for _ in 0..statements {
            self.statement(2);
        }
        self.mix_all();
        self.line("return 0;");
        let body = std::mem::take(&mut self.body);
        self.definitions.push(format!("int main(void)\n{{\n{}\n}}", body.join("\n")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::{DataModel, SignedOverflow};

    #[test]
    fn programs_compile_in_both_data_models() {
        for seed in 0..150 {
            for length in [Length::Short, Length::Long] {
                let text = memory_program(seed, length);
                assert_eq!(text, memory_program(seed, length));
                for data_model in [DataModel::Lp64, DataModel::Ilp32] {
                    let dialect =
                        crate::verdicts::Dialect { data_model, signed_overflow: SignedOverflow::Wrap };
                    if let Err(message) = crate::verdicts::judge::compile(&text, dialect) {
                        panic!("seed {seed}: {message}\n{text}");
                    }
                }
            }
        }
    }
}
