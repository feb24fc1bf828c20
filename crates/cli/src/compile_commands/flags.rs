//! The words of a compiler's command line, and what they mean for the text.
//!
//! # Invariants
//! * F1: every word is understood, in a table of [`super::table`], or refused by name. Nothing is skipped.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cfa::{DataModel, SignedOverflow};
use cfront::preprocess;

use super::table::{self, Class};

/// What the build says about the text of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// `-m32` or `-m64`.
    pub(crate) data_model: Option<DataModel>,
    /// `-fwrapv`.
    pub(crate) signed_overflow: Option<SignedOverflow>,
    include_folders: Vec<PathBuf>,
    defines: Vec<String>,
    undefines: Vec<String>,
    includes: Vec<PathBuf>,
    /// Options that the preprocessor takes as they are.
    others: Vec<OsString>,
}

impl Flags {
    /// Adds them to the options of the preprocessor. They come before those of the command line.
    pub(crate) fn extend(&self, options: &mut preprocess::Options) {
        options.include_folders.splice(0..0, self.include_folders.iter().cloned());
        options.defines.splice(0..0, self.defines.iter().cloned());
        options.undefines.splice(0..0, self.undefines.iter().cloned());
        options.includes.splice(0..0, self.includes.iter().cloned());
        options.others.splice(0..0, self.others.iter().cloned());
        self.leave_out_fortification(options);
    }

    /// With optimisation the headers of the C library wrap functions in checks of undefined behaviour, if `_FORTIFY_SOURCE` is above 0; what a
    /// program does apart from that is the same, and the wrappers are not modelled.
    fn leave_out_fortification(&self, options: &mut preprocess::Options) {
        let is_optimised = |word: &OsString| {
            let word = word.to_string_lossy();
            word.starts_with("-O") && word != "-O0"
        };
        if !self.others.iter().any(is_optimised) {
            return;
        }
        let is_level = |define: &&mut String| define.split('=').next() == Some(FORTIFY);
        for define in options.defines.iter_mut().filter(is_level) {
            *define = format!("{FORTIFY}=0");
        }
        // Some compilers define it themselves.
        options.others.push(format!("-U{FORTIFY}").into());
    }
}

/// The macro that makes the C library check its callers.
const FORTIFY: &str = "_FORTIFY_SOURCE";

/// An option that cannot be followed.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) message: String,
    pub(super) help: &'static str,
}

impl Refused {
    fn changes(word: &str) -> Self {
        Self {
            message: format!("the option `{word}` changes the meaning of programs, and that is not modelled"),
            help: "build and check without this option; if the program does not depend on it, check the file without -p, \
                   with -I and -D",
        }
    }

    fn unknown(word: &str) -> Self {
        Self {
            message: format!("the option `{word}` is not known: it may change the meaning of the program"),
            help: "if it does not, remove it from a copy of the file and give that to -p, or check the C file without -p, with \
                   -I and -D",
        }
    }
}

/// Options with a value that may be the next word.
const WITH_VALUE: [&str; 31] = [
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "--sysroot",
    "-o",
    "-x",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-L",
    "-l",
    "-T",
    "-B",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "--param",
    "-arch",
    "-target",
    "--target",
    "-z",
    "-u",
    "-e",
];
/// Options that the preprocessor takes with the name of a file or folder.
const PATHS: [&str; 6] = ["-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot", "--sysroot"];

/// Reads the words of a command. Names of files are relative to `directory`.
pub(super) fn read(words: &[String], directory: &Path) -> Result<Flags, Refused> {
    let mut flags = Flags::default();
    let mut rest = words.iter().map(String::as_str).skip(1);
    while let Some(word) = rest.next() {
        if word == "--" {
            break;
        }
        if word.starts_with('@') {
            return Err(Refused {
                message: format!("the options in `{word}` are not read"),
                help: "let the build write commands without response files",
            });
        }
        // The compiler behind a wrapper, and the file itself.
        if !word.starts_with('-') || word == "-" {
            continue;
        }
        flags.word(word, &mut rest, directory)?;
    }
    Ok(flags)
}

impl Flags {
    fn word<'a>(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = &'a str>,
        directory: &Path,
    ) -> Result<(), Refused> {
        // What is known as one word comes first: `-undef` is no `-u`, `-shared` no `-s`.
        if self.single(word)? {
            return Ok(());
        }
        let option =
            WITH_VALUE.iter().filter(|option| word.starts_with(**option)).max_by_key(|option| option.len());
        let Some(option) = option else { return Err(Refused::unknown(word)) };
        let value = word[option.len()..].trim_start_matches('=');
        if !value.is_empty() {
            // `-lm` and `-MFfile`, but `-arch-x` is nothing that we know.
            if value.starts_with('-') || option.len() > 2 && !takes_joined(option, word) {
                return Err(Refused::unknown(word));
            }
            return self.valued(option, value, directory);
        }
        match rest.next() {
            Some(value) => self.valued(option, value, directory),
            None => Err(Refused {
                message: format!("the value of `{option}` is missing"),
                help: "the command must be one that the compiler accepts",
            }),
        }
    }

    /// An option of one word; whether it is known as such.
    fn single(&mut self, word: &str) -> Result<bool, Refused> {
        match word {
            "-m32" => self.data_model = Some(DataModel::Ilp32),
            "-m64" => self.data_model = Some(DataModel::Lp64),
            // Since gcc 8 the two are one.
            "-fwrapv" | "-fno-strict-overflow" => self.signed_overflow = Some(SignedOverflow::Wrap),
            "-fno-wrapv" | "-fstrict-overflow" => self.signed_overflow = None,
            _ if word.starts_with("-Wl,") => {
                if let Some(part) = word.split(',').skip(1).find(|part| !table::is_harmless_for_linker(part))
                {
                    return Err(Refused::unknown(&format!("-Wl,{part}")));
                }
            }
            // The assembler does not see the C text, and inline assembly is refused.
            _ if word.starts_with("-Wa,") => {}
            _ if word.starts_with("-Wp,") => return self.preprocessor(word),
            _ => match table::class(word) {
                Class::Passed => self.others.push(word.into()),
                Class::Harmless => {}
                Class::Refused => return Err(Refused::changes(word)),
                Class::Unknown => return Ok(false),
            },
        }
        Ok(true)
    }

    /// `-Wp,-MD,file` and `-Wp,-DX=1`: options for the preprocessor.
    fn preprocessor(&mut self, word: &str) -> Result<bool, Refused> {
        let mut parts = word.split(',').skip(1);
        while let Some(part) = parts.next() {
            match part {
                // For the preprocessor itself they have the name of the file as value.
                "-MD" | "-MMD" | "-MF" | "-MT" | "-MQ" => {
                    let _ = parts.next();
                }
                "-MP" | "-MG" => {}
                _ if part.len() > 2 && (part.starts_with("-D") || part.starts_with("-U")) => {
                    self.valued(&part[..2], &part[2..], Path::new(""))?;
                }
                _ => return Err(Refused::unknown(&format!("-Wp,{part}"))),
            }
        }
        Ok(true)
    }

    /// An option with its value.
    fn valued(&mut self, option: &str, value: &str, directory: &Path) -> Result<(), Refused> {
        let path = || directory.join(value);
        match option {
            "-I" => self.include_folders.push(path()),
            "-D" => {
                let name = value.split(['=', '(']).next().unwrap_or(value);
                self.undefines.retain(|undefined| undefined != name);
                self.defines.push(value.to_owned());
            }
            "-U" => {
                self.defines.retain(|define| define.split(['=', '(']).next() != Some(value));
                self.undefines.push(value.to_owned());
            }
            "-include" => self.includes.push(path()),
            "--sysroot" => self.others.push(format!("--sysroot={}", path().display()).into()),
            _ if PATHS.contains(&option) => self.others.extend([option.into(), path().into_os_string()]),
            // With a value of its own such an option would end in the middle.
            "-Xpreprocessor" if self.single(value)? => {}
            "-Xlinker" if table::is_harmless_for_linker(value) => {}
            // Another set of programs, another layout or start of the program, options that only clang's inner parts know.
            "-Xpreprocessor" | "-Xlinker" | "-Xclang" | "-B" | "-T" | "-e" => {
                return Err(Refused::unknown(&format!("{option} {value}")));
            }
            "-x" if value != "c" && value != "cpp-output" => {
                return Err(Refused {
                    message: format!("the option `-x {value}` says that the file is not in C"),
                    help: "only C files can be checked",
                });
            }
            "-target" | "--target" | "-arch" => match value {
                _ if value.starts_with("x86_64") => self.data_model = Some(DataModel::Lp64),
                _ if value.starts_with("i386") || value.starts_with("i686") => {
                    self.data_model = Some(DataModel::Ilp32);
                }
                _ => {
                    return Err(Refused {
                        message: format!("programs for `{value}` are not modelled"),
                        help: "the machines are x86-64 and i386",
                    });
                }
            },
            // Output, dependency files, parameters of the optimiser, libraries.
            _ => {}
        }
        Ok(())
    }
}

/// Whether the value of a long option may follow it without a blank.
fn takes_joined(option: &str, word: &str) -> bool {
    let is_long = option.starts_with("--") || matches!(option, "-target" | "-arch");
    if is_long { word[option.len()..].starts_with('=') } else { !option.starts_with("-X") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile_commands::words::split;

    fn flags(command: &str) -> Result<Flags, String> {
        read(&split(command).unwrap(), Path::new("/b")).map_err(|refused| refused.message)
    }

    #[test]
    fn what_changes_the_text_is_taken() {
        let found = flags(
            "ccache gcc -Iinc -I /abs -DX=1 -D Y -UX -isystem sys -include pre.h -std=c99 -m32 -fwrapv -O2 -Wall -g3 \
             -fPIC -MD -MF x.d -mavx2 -o x.o -Wp,-MMD,y.d,-DZ -fno-builtin-printf -Wl,--as-needed,-rpath,/x -c x.c",
        )
        .unwrap();
        assert_eq!(found.include_folders, [PathBuf::from("/b/inc"), PathBuf::from("/abs")]);
        assert_eq!(found.defines, ["Y", "Z"]);
        assert_eq!(found.undefines, ["X"]);
        assert_eq!(found.includes, [PathBuf::from("/b/pre.h")]);
        let others = ["-isystem", "/b/sys", "-std=c99", "-O2", "-fPIC", "-mavx2"];
        assert_eq!(found.others, others.map(OsString::from));
        assert_eq!(found.data_model, Some(DataModel::Ilp32));
        assert_eq!(found.signed_overflow, Some(SignedOverflow::Wrap));
    }

    #[test]
    fn what_changes_the_meaning_is_refused_by_name() {
        for option in [
            "-funsigned-char",
            "-fsingle-precision-constant",
            "-mfpmath=387",
            "-mlong-double-128",
            "-ffinite-math-only",
            "-Ofast",
            "-fexec-charset=IBM1047",
            "-fpack-struct=1",
            "-std=c2x",
            "-ftrivial-auto-var-init=zero",
            "-fsanitize=float-divide-by-zero",
            "-ffp-contract=fast",
            "-finstrument-functions",
            "-mno-sse",
        ] {
            let message = flags(&format!("cc {option} a.c")).unwrap_err();
            assert!(message.contains(&format!("`{option}` changes the meaning")), "{message}");
        }
        assert!(flags("cc -target arm-none-eabi a.c").unwrap_err().contains("`arm-none-eabi`"));
        assert!(flags("cc -x c++ a.c").unwrap_err().contains("`-x c++`"));
        assert!(flags("cc @args a.c").unwrap_err().contains("`@args`"));
        assert!(flags("cc a.c -D").unwrap_err().contains("the value of `-D` is missing"));
    }

    #[test]
    fn what_nobody_knows_is_refused_by_name() {
        for (option, name) in [
            ("-quux", "-quux"),
            ("--frobnicate=3", "--frobnicate=3"),
            ("-fnew-semantics", "-fnew-semantics"),
            ("-mnew-machine", "-mnew-machine"),
            ("-Wl,--as-needed,--wrap=f", "-Wl,--wrap=f"),
            ("-Wp,-fquux", "-Wp,-fquux"),
            ("-Xlinker --wrap=f", "-Xlinker --wrap=f"),
            ("-Xclang -fquux", "-Xclang -fquux"),
            ("-B tools", "-B tools"),
            ("-Ttext=0", "-T text=0"),
        ] {
            let message = flags(&format!("cc {option} a.c")).unwrap_err();
            assert!(message.contains(&format!("`{name}` is not known")), "{message}");
        }
    }

    #[test]
    fn what_changes_nothing_that_is_checked_is_harmless() {
        let command = "cc -Wall -Werror=format -g -ggdb3 -gdwarf-4 -pipe -fno-strict-aliasing -fvisibility=hidden -flto=auto \
                       -ffunction-sections -fdata-sections -fdiagnostics-color=always -fno-common -fstack-clash-protection \
                       -mno-red-zone -fsigned-char --param max-inline-insns=3 -Lx -lm -static -rdynamic -fno-builtin a.c";
        assert_eq!(flags(command).unwrap(), Flags::default());
    }
}
