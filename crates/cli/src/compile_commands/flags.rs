//! The words of a compiler's command line, and what they mean for the text.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cfa::{DataModel, SignedOverflow};
use cfront::preprocess;

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
    /// Options that nobody knows.
    pub(super) unknown: Vec<String>,
}

impl Flags {
    /// Adds them to the options of the preprocessor. They come before those of the command line.
    pub(crate) fn extend(&self, options: &mut preprocess::Options) {
        options.include_folders.splice(0..0, self.include_folders.iter().cloned());
        options.defines.splice(0..0, self.defines.iter().cloned());
        options.undefines.splice(0..0, self.undefines.iter().cloned());
        options.includes.splice(0..0, self.includes.iter().cloned());
        options.others.splice(0..0, self.others.iter().cloned());
    }
}

/// An option that cannot be followed.
pub(super) struct Refused {
    pub(super) message: String,
    pub(super) help: &'static str,
}

/// Options with a value that may be the next word.
const WITH_VALUE: [&str; 33] = [
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
    "-aux-info",
    "-z",
    "-u",
    "-e",
    "-std",
];
/// Options that the preprocessor takes with the name of a file or folder.
const PATHS: [&str; 6] = ["-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot", "--sysroot"];
/// Options that the preprocessor takes as they are.
const TAKEN: [&str; 7] =
    ["-ansi", "-pthread", "-nostdinc", "-undef", "-trigraphs", "-ffreestanding", "-fhosted"];
/// What changes the meaning of a program in a way that is not modelled.
const REFUSED: [&str; 15] = [
    "-funsigned-char",
    "-fno-signed-char",
    "-funsigned-bitfields",
    "-fno-signed-bitfields",
    "-fpack-struct",
    "-fshort-enums",
    "-fshort-wchar",
    "-ffast-math",
    "-Ofast",
    "-funsafe-math-optimizations",
    "-mms-bitfields",
    "-malign-double",
    "-m128bit-long-double",
    "-mlong-double-64",
    "-mx32",
];
/// How options start that change nothing that is checked: warnings, optimisation, code generation, output, linking.
const HARMLESS: [&str; 24] = [
    "-W",
    "-w",
    "-O",
    "-g",
    "-c",
    "-S",
    "-E",
    "-M",
    "-v",
    "-f",
    "-m",
    "-pedantic",
    "-pipe",
    "-save-temps",
    "-p",
    "-q",
    "-s",
    "-no-",
    "-nodefaultlibs",
    "-nostartfiles",
    "-nostdlib",
    "-r",
    "-static",
    "-shared",
];

/// Reads the words of a command. Names of files are relative to `directory`.
pub(super) fn read(words: &[String], directory: &Path) -> Result<Flags, Refused> {
    let mut flags = Flags::default();
    let mut rest = words.iter().map(String::as_str).skip(1).peekable();
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
        let option =
            WITH_VALUE.iter().filter(|option| word.starts_with(**option)).max_by_key(|option| option.len());
        match option {
            Some(option) if word == *option && *option != "-std" => {
                let Some(value) = rest.next() else {
                    return Err(Refused {
                        message: format!("the value of `{option}` is missing"),
                        help: "the command must be one that the compiler accepts",
                    });
                };
                flags.valued(option, value, directory)?;
            }
            // `-lm` and `-MFfile`, but `-target-x` and `-llvm-something` are nothing that we know.
            Some(option) if !flags.single(word)? => {
                let value = word[option.len()..].trim_start_matches('=');
                flags.valued(option, value, directory)?;
            }
            Some(_) => {}
            None => {
                if !flags.single(word)? {
                    flags.unknown.push(word.to_owned());
                }
            }
        }
    }
    Ok(flags)
}

impl Flags {
    /// An option of one word; whether it is known as such.
    fn single(&mut self, word: &str) -> Result<bool, Refused> {
        if REFUSED.iter().any(|refused| word == *refused || word.starts_with(&format!("{refused}="))) {
            return Err(Refused {
                message: format!(
                    "the option `{word}` changes the meaning of programs, and that is not modelled"
                ),
                help: "check the file without -p, with -I and -D, if the program does not depend on it",
            });
        }
        match word {
            "-m32" => self.data_model = Some(DataModel::Ilp32),
            "-m64" => self.data_model = Some(DataModel::Lp64),
            // Since gcc 8 the two are one.
            "-fwrapv" | "-fno-strict-overflow" => self.signed_overflow = Some(SignedOverflow::Wrap),
            "-fno-wrapv" | "-fstrict-overflow" => self.signed_overflow = None,
            _ if TAKEN.contains(&word) || word.starts_with("-std=") => self.others.push(word.into()),
            _ if word.starts_with("-include") || word.starts_with("-imacros") => return Ok(false),
            _ if PATHS.iter().any(|option| word.starts_with(option)) => return Ok(false),
            _ if ["-MF", "-MT", "-MQ", "-MJ"].iter().any(|option| word.starts_with(option)) => {
                return Ok(false);
            }
            _ => return Ok(HARMLESS.iter().any(|start| word.starts_with(start))),
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
            "-Xpreprocessor" | "-Xclang" => self.unknown.push(format!("{option} {value}")),
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
            // Output and linking.
            _ => {}
        }
        Ok(())
    }
}

/// The words of a command, as a POSIX shell splits them; nothing if quotes do not match.
pub(super) fn split(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        other => word.push(other),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '\\' => match characters.next()? {
                            escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                            '\n' => {}
                            other => word.extend(['\\', other]),
                        },
                        other => word.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(characters.next()?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(command: &str) -> Result<Flags, String> {
        read(&split(command).unwrap(), Path::new("/b")).map_err(|refused| refused.message)
    }

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let words = split(r#"cc  -DA="\"x y\"" '-DB=a b' -I a\ b "" -DC='"'"#).unwrap();
        assert_eq!(words, ["cc", "-DA=\"x y\"", "-DB=a b", "-I", "a b", "", "-DC=\""]);
        assert_eq!(split("cc 'x"), None);
        assert_eq!(split("cc \"x\\"), None);
    }

    #[test]
    fn what_changes_the_text_is_taken() {
        let found = flags(
            "ccache gcc -Iinc -I /abs -DX=1 -D Y -UX -isystem sys -include pre.h -std=c99 -m32 -fwrapv -O2 -Wall -g3 \
             -fPIC -MD -MF x.d -o x.o -c x.c",
        )
        .unwrap();
        assert_eq!(found.include_folders, [PathBuf::from("/b/inc"), PathBuf::from("/abs")]);
        assert_eq!((found.defines, found.undefines), (vec!["Y".to_owned()], vec!["X".to_owned()]));
        assert_eq!(found.includes, [PathBuf::from("/b/pre.h")]);
        assert_eq!(found.others, ["-isystem", "/b/sys", "-std=c99"].map(OsString::from));
        assert_eq!(found.data_model, Some(DataModel::Ilp32));
        assert_eq!(found.signed_overflow, Some(SignedOverflow::Wrap));
        assert!(found.unknown.is_empty(), "{:?}", found.unknown);
    }

    #[test]
    fn what_changes_the_meaning_is_refused_and_the_rest_is_named() {
        assert!(
            flags("cc -funsigned-char a.c").unwrap_err().contains("`-funsigned-char` changes the meaning")
        );
        assert!(flags("cc -target arm-none-eabi a.c").unwrap_err().contains("`arm-none-eabi`"));
        assert!(flags("cc @args a.c").unwrap_err().contains("`@args`"));
        assert!(flags("cc a.c -D").unwrap_err().contains("the value of `-D` is missing"));
        assert_eq!(flags("cc -quux --frobnicate=3 a.c").unwrap().unknown, ["--frobnicate=3"]);
    }
}
