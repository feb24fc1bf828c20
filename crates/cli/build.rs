//! Lets the executable find Z3's library: a copy lies beside it, and it looks there first.
//!
//! The pair can be moved together; `lib/` beside the executable's directory is searched too, for packagers. The last place is the one that the build took the library from (the user's cache, or
//! an installed Z3): there `cargo install`, which copies the executable alone, still finds it when the clone is gone.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Set by the build script of z3-sys, through crates/z3-src.
    println!("cargo:rerun-if-env-changed=DEP_Z3_LIBDIR");
    let Some(libraries) = env::var_os("DEP_Z3_LIBDIR").map(PathBuf::from) else { return };
    println!("cargo:rerun-if-changed={}", libraries.display());
    let origin = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos") => "@executable_path",
        Ok(_) | Err(_) => "$ORIGIN",
    };
    let mut places = vec![origin.to_owned(), format!("{origin}/../lib"), libraries.display().to_string()];
    println!("cargo:rerun-if-env-changed=DEP_Z3_ORIGIN");
    places.extend(env::var("DEP_Z3_ORIGIN"));
    for place in places {
        println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{place}");
    }
    if let Err(error) = copy_beside_executable(&libraries) {
        println!("cargo::error=cannot put Z3's library beside the executable: {error}");
    }
}

/// The executable's directory is three levels above `OUT_DIR` (`PROFILE/build/PACKAGE-HASH/out`).
fn copy_beside_executable(libraries: &Path) -> std::io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let Some(directory) = out.ancestors().nth(3) else { return Ok(()) };
    for entry in fs::read_dir(libraries)? {
        let entry = entry?;
        let name = entry.file_name();
        // `libz3.so` is for the linker; the loader asks for the versioned name, except on macOS.
        if name == "libz3.so" || !name.to_string_lossy().starts_with("libz3.") || name == "libz3.a" {
            continue;
        }
        let target = directory.join(&name);
        // A link cannot replace a file; if there is none, so much the better.
        let _ = fs::remove_file(&target);
        fs::hard_link(entry.path(), &target).or_else(|_| fs::copy(entry.path(), &target).map(drop))?;
    }
    Ok(())
}
