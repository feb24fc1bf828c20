//! What is known about the C library.
//!
//! A library function is an operation of the program ([`Known`]), a model written in C (`models/*.c`, compiled together with the
//! user's program when it is needed), or unknown: then it returns an arbitrary value and writes nothing. A
//! definition in the user's program always wins. The functions of the models carry [`MODEL_PREFIX`], so that
//! whatever the user declares cannot contradict them.

use cfa::Freedom;

use crate::hir;

/// What the names of models start with.
pub const MODEL_PREFIX: &str = "__wayproof_";

/// The error function of old verification tasks.
pub const VERIFIER_ERROR: &str = "__VERIFIER_error";

/// A file of models.
#[derive(Clone, Copy, Debug)]
pub struct ModelFile {
    /// Its name, for positions.
    pub name: &'static str,
    /// Its text, without preprocessor directives.
    pub text: &'static str,
}

static FILES: &[ModelFile] = &[
    ModelFile { name: "models/string.c", text: include_str!("models/string.c") },
    ModelFile { name: "models/character.c", text: include_str!("models/character.c") },
    ModelFile { name: "models/number.c", text: include_str!("models/number.c") },
    ModelFile { name: "models/system.c", text: include_str!("models/system.c") },
    ModelFile { name: "models/input.c", text: include_str!("models/input.c") },
    ModelFile { name: "models/strtol.c", text: include_str!("models/strtol.c") },
    ModelFile { name: "models/sort.c", text: include_str!("models/sort.c") },
    ModelFile { name: "models/sort_r.c", text: include_str!("models/sort_r.c") },
    ModelFile { name: "models/search.c", text: include_str!("models/search.c") },
    ModelFile { name: "models/token.c", text: include_str!("models/token.c") },
    ModelFile { name: "models/format.c", text: include_str!("models/format.c") },
    ModelFile { name: "models/format_float.c", text: include_str!("models/format_float.c") },
    ModelFile { name: "models/decimal.c", text: include_str!("models/decimal.c") },
    ModelFile { name: "models/strtod.c", text: include_str!("models/strtod.c") },
    ModelFile { name: "models/stdin.c", text: include_str!("models/stdin.c") },
    ModelFile { name: "models/getline.c", text: include_str!("models/getline.c") },
    ModelFile { name: "models/scan.c", text: include_str!("models/scan.c") },
    ModelFile { name: "models/string_rare.c", text: include_str!("models/string_rare.c") },
    ModelFile { name: "models/checked.c", text: include_str!("models/checked.c") },
    ModelFile { name: "models/checked_format.c", text: include_str!("models/checked_format.c") },
    ModelFile { name: "models/divide.c", text: include_str!("models/divide.c") },
    ModelFile { name: "models/wide.c", text: include_str!("models/wide.c") },
    ModelFile { name: "models/multibyte.c", text: include_str!("models/multibyte.c") },
    ModelFile { name: "models/wide_character.c", text: include_str!("models/wide_character.c") },
    ModelFile { name: "models/real.c", text: include_str!("models/real.c") },
    ModelFile { name: "models/real_long.c", text: include_str!("models/real_long.c") },
];

/// The files of models that a program needs: those that define a function which the program declares but does not define, and those that
/// these files need in turn.
pub fn needed(program: &hir::Program) -> Vec<ModelFile> {
    let missing = program.functions.iter().filter(|function| function.body.is_none());
    let missing: Vec<&str> = missing.map(|function| plain_name(&function.name)).collect();
    let mut is_needed: Vec<bool> =
        FILES.iter().map(|file| missing.iter().any(|name| defines(file.text, name))).collect();
    let mut waiting: Vec<usize> = (0..FILES.len()).filter(|file| is_needed[*file]).collect();
    while let Some(file) = waiting.pop() {
        for (other, known) in is_needed.iter_mut().enumerate() {
            if !*known && mentioned(FILES[file].text).any(|name| defines(FILES[other].text, name)) {
                *known = true;
                waiting.push(other);
            }
        }
    }
    FILES.iter().zip(is_needed).filter_map(|(file, is_needed)| is_needed.then_some(*file)).collect()
}

/// Whether a file defines the model of a function. In models a definition starts at the first column, and only a declaration ends its line
/// with a semicolon.
fn defines(text: &str, name: &str) -> bool {
    let definitions = text.lines().filter(|line| !line.starts_with([' ', '}', '/']) && !line.ends_with(';'));
    definitions.filter_map(|line| mentioned(line).next()).any(|defined| defined == name)
}

/// The functions of models that a text names before a parenthesis, without their prefix.
fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(MODEL_PREFIX).filter_map(|(at, _)| {
        let rest = &text[at + MODEL_PREFIX.len()..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        rest[end..].starts_with('(').then(|| &rest[..end])
    })
}

/// The name of a library function behind a name of the compiler (`__builtin_strlen`).
pub fn plain_name(name: &str) -> &str {
    name.strip_prefix("__builtin_").unwrap_or(name)
}

/// How calls of a function without body are rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Goes on only if the argument is not zero.
    Assume,
    /// Ends the execution; the error if failing assertions are.
    AssertFail,
    /// Ends the execution.
    Abort,
    /// Ends the execution with a status.
    Exit,
    /// A nondeterministic input.
    Input,
    /// In models: an arbitrary value in the name of a library function.
    Arbitrary(Freedom),
    /// `malloc(size)`
    Malloc,
    /// `aligned_alloc(alignment, size)`
    AlignedAlloc,
    /// `calloc(count, size)`
    Calloc,
    /// `realloc(old, size)`
    Realloc,
    /// `free(pointer)`
    Free,
    /// `alloca(size)`
    Alloca,
    /// `memcpy(to, from, length)` and `memmove`
    Copy,
    /// `mempcpy(to, from, length)`
    CopyReturningEnd,
    /// `memset(to, byte, length)`
    Fill,
    /// `bzero(to, length)`
    Zero,
    /// `printf(format, ...)`
    Printf,
    /// `puts(text)`
    Puts,
    /// `putchar(character)`
    Putchar,
    /// `fabs(x)`
    FloatAbs,
    /// No effect that a verdict could depend on; the result is 0.
    Nothing,
    /// An arbitrary result that is not negative.
    NotNegative,
    /// Writes to memory of the caller in a way that is not modelled.
    WritesMemory,
    /// Not modelled at all: calling it is an error.
    Refused(&'static str),
    /// Any other function.
    Extern,
}

impl Known {
    /// Whether a call changes no variable and no memory that exists.
    pub(crate) fn writes_nothing(self) -> bool {
        !matches!(
            self,
            Self::Realloc
                | Self::Free
                | Self::Copy
                | Self::CopyReturningEnd
                | Self::Fill
                | Self::Zero
                | Self::WritesMemory
        )
    }
}

/// How models ask for an arbitrary value, and in the name of which function they do: `__wayproof_world_time()` is what the outside world
/// decides (any value may occur), `__wayproof_some_strxfrm()` what the library computes and the model does not.
pub(crate) fn arbitrary(name: &str) -> Option<(&str, Freedom)> {
    let name = name.strip_prefix(MODEL_PREFIX)?;
    let world = name.strip_prefix("world_").map(|function| (function, Freedom::World));
    world.or_else(|| name.strip_prefix("some_").map(|function| (function, Freedom::Determined)))
}

/// What is known about a function without body.
pub(crate) fn classify(name: &str) -> Known {
    if let Some((_, freedom)) = arbitrary(name) {
        return Known::Arbitrary(freedom);
    }
    if name.starts_with("__VERIFIER_nondet") {
        return Known::Input;
    }
    if name.starts_with("__VERIFIER_atomic_") {
        return Known::Nothing;
    }
    match plain_name(name) {
        "__VERIFIER_assume" | "__wayproof_assume" => Known::Assume,
        "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail" => Known::AssertFail,
        "abort" | "trap" => Known::Abort,
        "exit" | "_exit" | "_Exit" | "quick_exit" => Known::Exit,
        "malloc" => Known::Malloc,
        "aligned_alloc" | "memalign" => Known::AlignedAlloc,
        "valloc" | "pvalloc" => Known::Malloc,
        "calloc" => Known::Calloc,
        "realloc" => Known::Realloc,
        "free" | "cfree" => Known::Free,
        "alloca" => Known::Alloca,
        "memcpy" | "memmove" => Known::Copy,
        "mempcpy" | "__mempcpy" => Known::CopyReturningEnd,
        "memset" => Known::Fill,
        "bzero" => Known::Zero,
        "printf" => Known::Printf,
        "puts" => Known::Puts,
        "putchar" => Known::Putchar,
        "fabs" | "fabsf" | "fabsl" => Known::FloatAbs,
        "srand" | "srandom" | "fflush" | "perror" | "setbuf" => Known::Nothing,
        "rand" | "random" => Known::NotNegative,
        "sprintf" | "snprintf" | "vsprintf" | "vsnprintf" | "scanf" | "fscanf" | "sscanf"
        | "__isoc99_scanf" | "__isoc99_fscanf" | "__isoc99_sscanf" | "gets" | "fgets" | "fread" | "read"
        | "recv" | "recvfrom" | "getline" | "strerror_r" | "gethostname" | "getcwd" | "strftime"
        | "gettimeofday" | "clock_gettime" | "qsort" | "bsearch" | "strtok" | "strtok_r" | "frexp"
        | "modf" | "stat" | "fstat" | "wait" | "waitpid" | "pipe" => Known::WritesMemory,
        "pthread_create" | "thrd_create" => Known::Refused("threads"),
        "fork" | "vfork" | "clone" => Known::Refused("processes"),
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "longjmp" | "_longjmp" | "siglongjmp"
        | "__longjmp_chk" => Known::Refused("non-local jumps"),
        "signal" | "sigaction" | "bsd_signal" | "sysv_signal" => Known::Refused("signal handlers"),
        "atexit" | "at_quick_exit" | "on_exit" => Known::Refused("exit handlers"),
        "execl" | "execlp" | "execle" | "execv" | "execvp" | "execve" | "execvpe" => {
            Known::Refused("replacing the program")
        }
        "apply" | "apply_args" | "return" | "longjmp_chk" => Known::Refused("this builtin"),
        _ => Known::Extern,
    }
}
