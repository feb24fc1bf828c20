//! Types of the library functions that gcc knows without a declaration.

use std::collections::BTreeMap;

use base::Span;

use super::Checked;
use super::context::{Checker, unsupported};
use super::linkage::External;
use crate::ast::Ident;
use crate::hir::{Function, FunctionId};
use crate::library;
use crate::types::{FunctionType, IntKind, Type, TypeId};

/// A signature, one letter per type, the result first: `v` void, `i` int, `u` unsigned, `l` long, `q` long long, `z` size_t, `f` float,
/// `d` double, `D` long double, `p` any pointer to an object that is no text, `c` pointer to char, `.` variadic.
fn signature(name: &str) -> Option<&'static str> {
    Some(match name {
        "malloc" => "pz",
        "calloc" | "aligned_alloc" => "pzz",
        "realloc" => "ppz",
        "free" => "vp",
        "alloca" => "pz",
        "abort" => "v",
        "exit" | "_exit" | "_Exit" => "vi",
        "memcpy" | "memmove" | "mempcpy" => "pppz",
        "memset" => "ppiz",
        "memcmp" | "bcmp" => "ippz",
        "memchr" => "ppiz",
        "bzero" => "vpz",
        "strlen" => "zc",
        "strnlen" => "zcz",
        "strcpy" | "strcat" | "stpcpy" => "ccc",
        "strncpy" | "strncat" | "stpncpy" => "cccz",
        "strcmp" | "strcasecmp" => "icc",
        "strncmp" | "strncasecmp" => "iccz",
        "strchr" | "strrchr" | "index" | "rindex" => "cci",
        "strstr" | "strpbrk" => "ccc",
        "strspn" | "strcspn" => "zcc",
        "strdup" => "cc",
        "strndup" => "ccz",
        "printf" | "scanf" => "ic.",
        "fprintf" | "fscanf" => "ipc.",
        "sprintf" | "sscanf" => "icc.",
        "snprintf" => "iczc.",
        "puts" => "ic",
        "putchar" => "ii",
        "fputs" => "icp",
        "fputc" => "iip",
        "fwrite" => "zpzzp",
        "abs" | "isalnum" | "isalpha" | "isblank" | "iscntrl" | "isdigit" | "isgraph" | "islower"
        | "isprint" | "ispunct" | "isspace" | "isupper" | "isxdigit" | "tolower" | "toupper" | "isascii"
        | "toascii" => "ii",
        "labs" => "ll",
        "llabs" => "qq",
        "sqrt" | "floor" | "ceil" | "trunc" | "round" | "rint" | "nearbyint" | "exp" | "exp2" | "expm1"
        | "log" | "log2" | "log10" | "log1p" | "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh"
        | "cosh" | "tanh" | "cbrt" => "dd",
        "sqrtf" | "floorf" | "ceilf" | "truncf" | "roundf" | "rintf" | "nearbyintf" | "expf" | "exp2f"
        | "logf" | "log2f" | "log10f" | "sinf" | "cosf" | "tanf" | "asinf" | "acosf" | "atanf" | "fabsf"
        | "cbrtf" => "ff",
        "sqrtl" | "floorl" | "ceill" | "truncl" | "roundl" | "rintl" | "expl" | "logl" | "sinl" | "cosl"
        | "tanl" | "fabsl" => "DD",
        "fabs" => "dd",
        "pow" | "fmod" | "remainder" | "fmin" | "fmax" | "fdim" | "hypot" | "atan2" | "copysign"
        | "nextafter" => "ddd",
        "powf" | "fmodf" | "remainderf" | "fminf" | "fmaxf" | "fdimf" | "hypotf" | "atan2f" | "copysignf" => {
            "fff"
        }
        "powl" | "fmodl" | "fminl" | "fmaxl" | "copysignl" => "DDD",
        "lround" | "lrint" => "ld",
        "llround" | "llrint" => "qd",
        _ => return None,
    })
}

/// Whether gcc takes calls of this function for calls of the C library.
pub(crate) fn is_builtin(name: &str) -> bool {
    signature(name).is_some()
}

impl Checker<'_> {
    /// The type of a library function that needs no declaration.
    pub(super) fn library_type(&mut self, name: &str) -> Option<TypeId> {
        let signature = signature(name)?;
        let variadic = signature.ends_with('.');
        let mut types = Vec::new();
        for letter in signature.trim_end_matches('.').bytes() {
            types.push(self.letter_type(letter));
        }
        let result = types.remove(0);
        let function = FunctionType { result, params: types, variadic, prototype: true };
        Some(self.program.types.intern(Type::Function(function)))
    }
    fn letter_type(&mut self, letter: u8) -> TypeId {
        match letter {
            b'i' => self.basic.int,
            b'u' => self.basic.unsigned,
            b'l' => self.basic.long,
            b'q' => self.int_type(IntKind::LongLong),
            b'z' => self.basic.size,
            b'd' => self.basic.double,
            b'f' => self.program.types.intern(Type::Float(cfa::FloatKind::Single)),
            b'D' => self.program.types.intern(Type::Float(cfa::FloatKind::Extended)),
            b'p' => self.basic.void_pointer,
            b'c' => self.pointer(self.basic.char),
            _ => self.basic.void,
        }
    }
    /// The function that `__builtin_name` stands for.
    pub(super) fn library_builtin(&mut self, text: &str, span: Span) -> Option<FunctionId> {
        let name = text.strip_prefix("__builtin_")?;
        self.library_function(name, span)
    }
    /// A library function by its name, declared or not.
    pub(super) fn library_function(&mut self, name: &str, span: Span) -> Option<FunctionId> {
        if let Some(function) = self.builtins.get(name) {
            return Some(*function);
        }
        let ty = self.library_type(name)?;
        if let Some(interned) = self.interner.get(name) {
            return Some(self.external_function(Ident { name: interned, span }, ty));
        }
        let function = self.program.functions.push(Function {
            name: name.into(),
            ty,
            noreturn: matches!(name, "abort" | "exit" | "_exit" | "_Exit"),
            external: true,
            body: None,
            declared: span,
            implicit: None,
            refused: None,
        });
        self.builtins.insert(name.into(), function);
        Some(function)
    }
    /// Refuses an assembler label that links a declaration to a function with another name: one that the program defines, one
    /// of the C library, or one that a second declaration names too.
    pub(super) fn check_asm_labels(&mut self) -> Checked<()> {
        let mut names_of_symbols = BTreeMap::new();
        for (ident, symbol) in &self.asm_labels {
            let name = self.text(ident.name);
            let first = *names_of_symbols.entry(symbol).or_insert(name);
            if name == symbol {
                continue;
            }
            let is_defined = self.interner.get(symbol).is_some_and(|other| {
                let is_inline = matches!(self.externals.get(&other), Some(External::Function(function)) if self.gnu_inline.contains(function));
                self.is_defined_external(other) && !is_inline
            });
            // The names of one library function in different versions of a header contain each other (`sscanf`,
            // `__isoc99_sscanf`).
            let is_variant = library::is_known(name) && (symbol.contains(name) || name.contains(&**symbol));
            let is_library = library::is_known(symbol) && !is_variant;
            if is_defined || is_library || (first != name && !is_variant) {
                let construct = format!("`{name}` is declared as another name of the function `{symbol}`");
                return unsupported(construct, ident.span);
            }
        }
        Ok(())
    }
}
