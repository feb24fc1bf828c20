//! Drop-in for the crate `z3-src`: gives z3-sys a prebuilt Z3 in seconds, instead of compiling one.
//!
//! The root Cargo.toml puts it in place by `[patch.crates-io]`; the build script of z3-sys calls [`build`]. The
//! library comes from an installation that the user names ([`installed`]), or from a wheel pinned by hash
//! ([`pin`], [`fetch`]) that is kept in a cache ([`cache`]). Why so: docs/decisions/001-z3-from-a-wheel.md.
//!
//! Knows no SMT and no other crate of the workspace.
//!
//! # Invariants
//! * I1: the library is put into `OUT_DIR`. Cargo lets test executables find shared libraries only in search paths
//!   inside the target directory.
//! * I2: whatever is missing ends the build with one sentence, not with a panic or a page of linker errors.

pub mod cache;
pub mod error;
pub mod fetch;
pub mod installed;
pub mod pin;
pub mod version;

mod sha256;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use error::Error;
use fetch::Fetcher;
use installed::Installed;
use pin::Pin;

/// The variables that decide which library is taken.
const VARIABLES: [&str; 6] = [
    "Z3_PREFIX",
    "Z3_LIBRARY_PATH_OVERRIDE",
    "Z3_SYS_Z3_VERSION",
    "WAYPROOF_CACHE",
    "XDG_CACHE_HOME",
    "HOME",
];

/// A provided Z3.
#[derive(Debug)]
pub struct Artifacts {
    include: PathBuf,
    library: PathBuf,
    linkage: &'static str,
    origin: PathBuf,
}

impl Artifacts {
    /// The directory of `z3_version.h`.
    pub fn include_dir(&self) -> &Path {
        &self.include
    }

    /// The directory of the library.
    pub fn lib_dir(&self) -> &Path {
        &self.library
    }

    /// Tells cargo how to link. Direct dependents of z3-sys see the library's directory as `DEP_Z3_LIBDIR`, and as `DEP_Z3_ORIGIN` the one that it was taken from, which outlives the clone.
    #[expect(clippy::print_stdout, reason = "cargo reads instructions from the output of a build script")]
    pub fn print_cargo_metadata(&self) {
        println!("cargo:rustc-link-search=native={}", self.library.display());
        println!("cargo:rustc-link-lib={}=z3", self.linkage);
        println!("cargo:libdir={}", self.library.display());
        let origin = if self.origin.is_dir() { Some(self.origin.as_path()) } else { self.origin.parent() };
        if let Some(origin) = origin {
            println!("cargo:origin={}", origin.display());
        }
        println!("cargo:rerun-if-changed={}", self.origin.display());
    }
}

/// Provides Z3 to the build script that calls it, or ends that script with one sentence.
#[expect(clippy::print_stdout, reason = "cargo reads instructions from the output of a build script")]
pub fn build() -> Artifacts {
    for variable in VARIABLES {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    match provide(&|name| env::var_os(name), &Fetcher::default()) {
        Ok(artifacts) => artifacts,
        Err(error) => {
            println!("cargo::error={error}");
            std::process::exit(1)
        }
    }
}

/// Provides Z3 to a build script whose environment is `variable`.
pub fn provide(variable: &dyn Fn(&str) -> Option<OsString>, fetcher: &Fetcher) -> Result<Artifacts, Error> {
    let text = |name| variable(name).map_or(String::new(), |value| value.to_string_lossy().into_owned());
    let arch = text("CARGO_CFG_TARGET_ARCH");
    let out = PathBuf::from(variable("OUT_DIR").unwrap_or_default());
    if let Some(installed) = installed::find(variable, &arch)? {
        return from_installed(&installed, &out);
    }
    let pin = Pin::of_target(&text("CARGO_CFG_TARGET_OS"), &arch, &text("CARGO_CFG_TARGET_ENV"))?;
    let origin = cache::library(&cache::root(variable)?, &pin, fetcher)?;
    let (include, library) = (out.join("include"), out.join("lib"));
    for name in [pin.load_name, pin.link_name] {
        stage(&origin, &library.join(name))?;
    }
    let header = include.join("z3_version.h");
    fs::create_dir_all(&include)
        .and_then(|()| fs::write(&header, pin::VERSION.header()))
        .map_err(|error| Error::file("write", &header, &error))?;
    Ok(Artifacts { include, library, linkage: "dylib", origin })
}

fn from_installed(installed: &Installed, out: &Path) -> Result<Artifacts, Error> {
    let origin = installed.directory.clone();
    let include = installed.include.clone();
    if installed.shared.is_empty() {
        return Ok(Artifacts { include, library: origin.clone(), linkage: "static", origin });
    }
    let library = out.join("lib");
    for name in &installed.shared {
        stage(&origin.join(name), &library.join(name))?;
    }
    Ok(Artifacts { include, library, linkage: "dylib", origin })
}

/// Puts a library into the target directory, as a hard link where the file system allows it.
fn stage(from: &Path, to: &Path) -> Result<(), Error> {
    let from = fs::canonicalize(from).map_err(|error| Error::file("read", from, &error))?;
    let parent = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|error| Error::file("create", parent, &error))?;
    // A link cannot replace a file; if there is none, so much the better.
    let _ = fs::remove_file(to);
    fs::hard_link(&from, to)
        .or_else(|_| fs::copy(&from, to).map(drop))
        .map_err(|error| Error::file("write", to, &error))
}
