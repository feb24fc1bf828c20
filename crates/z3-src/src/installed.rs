//! An installed Z3, named by the user instead of the pinned one.
//!
//! `Z3_PREFIX` is the directory that holds `include/` and `lib/`; `Z3_LIBRARY_PATH_OVERRIDE` (z3-sys' own name) is
//! the directory of the library itself. `Z3_SYS_Z3_VERSION` says the version where no header does.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::pin::MINIMUM;
use crate::version::Version;

/// Where an installed Z3 is.
#[derive(Debug, PartialEq, Eq)]
pub struct Installed {
    /// The directory of its headers; need not exist if the user has said the version.
    pub include: PathBuf,
    /// The directory of its library.
    pub directory: PathBuf,
    /// The names of the shared library in that directory; none if there is only a static one.
    pub shared: Vec<String>,
}

/// The installed Z3 that the variables name, if they name one.
pub fn find(variable: &dyn Fn(&str) -> Option<OsString>, arch: &str) -> Result<Option<Installed>, Error> {
    let stated = variable("Z3_SYS_Z3_VERSION").and_then(|text| Version::parse(&text.to_string_lossy()));
    if let Some(prefix) = variable("Z3_PREFIX").map(PathBuf::from) {
        let places =
            ["lib".to_owned(), "lib64".to_owned(), format!("lib/{arch}-linux-gnu"), "bin".to_owned()];
        let include = prefix.join("include");
        let mut directories = places.iter().map(|place| prefix.join(place));
        let missing = || format!("libz3 in {}", prefix.join("lib").display());
        let found = directories.find_map(|directory| in_directory(&directory, &include));
        return checked("Z3_PREFIX", found, missing, stated).map(Some);
    }
    if let Some(directory) = variable("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from) {
        let include = directory.join("../include");
        let missing = || format!("libz3 in {}", directory.display());
        let found = in_directory(&directory, &include);
        return checked("Z3_LIBRARY_PATH_OVERRIDE", found, missing, stated).map(Some);
    }
    Ok(None)
}

fn in_directory(directory: &Path, include: &Path) -> Option<Installed> {
    let entries = fs::read_dir(directory).ok()?;
    let names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let is_shared = |name: &String| {
        let plain = name == "libz3.so" || name == "libz3.dylib";
        let versioned = name.starts_with("libz3.so.")
            || (name.starts_with("libz3.") && Path::new(name).extension().is_some_and(|end| end == "dylib"));
        plain || versioned
    };
    let mut shared: Vec<String> = names.iter().filter(|name| is_shared(name)).cloned().collect();
    shared.sort();
    let linkable = shared.iter().any(|name| name == "libz3.so" || name == "libz3.dylib");
    let is_static = names.iter().any(|name| name == "libz3.a");
    if !linkable {
        shared.clear();
    }
    (linkable || is_static).then(|| Installed {
        include: include.to_owned(),
        directory: directory.to_owned(),
        shared,
    })
}

fn checked(
    variable: &'static str,
    found: Option<Installed>,
    missing: impl Fn() -> String,
    stated: Option<Version>,
) -> Result<Installed, Error> {
    let found = found.ok_or_else(|| Error::NotInstalled { variable, missing: missing() })?;
    let header = found.include.join("z3_version.h");
    match stated.or_else(|| Version::of_header_file(&header)) {
        None => Err(Error::UnknownVersion { variable, header }),
        Some(version) if version < MINIMUM => Err(Error::TooOld { variable, found: version }),
        Some(_) => Ok(found),
    }
}
