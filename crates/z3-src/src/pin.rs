//! What is fetched: one wheel for each platform, pinned by hash.
//!
//! To move to another release, download the wheels with `pip download --no-deps --only-binary :all: --platform TAG`,
//! and write down the SHA-256 of each wheel and of the library in it.

use crate::error::Error;
use crate::version::Version;

/// The package that carries the library.
pub(crate) const PACKAGE: &str = "z3-solver";
/// The pinned release of the package.
pub(crate) const RELEASE: &str = "5.4.0.0";
/// The pinned version of Z3.
pub(crate) const VERSION: Version = Version { major: 5, minor: 4, patch: 0 };
/// The oldest Z3 that z3-sys supports.
pub(crate) const MINIMUM: Version = Version { major: 4, minor: 13, patch: 3 };

/// The wheel of one platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// pip's name of the platform.
    pub tag: &'static str,
    /// SHA-256 of the wheel, in hexadecimal.
    pub wheel_sha256: String,
    /// The library's path inside the wheel.
    pub member: &'static str,
    /// SHA-256 of the library, in hexadecimal.
    pub library_sha256: String,
    /// The name by which the linker finds the library.
    pub link_name: &'static str,
    /// The name by which the loader finds it.
    pub load_name: &'static str,
}

impl Pin {
    /// The pin of a target, by cargo's names of its operating system, architecture and environment.
    pub fn of_target(os: &str, arch: &str, environment: &str) -> Result<Self, Error> {
        let linux = |tag, wheel: &str, library: &str| Self {
            tag,
            wheel_sha256: wheel.to_owned(),
            member: "z3/lib/libz3.so",
            library_sha256: library.to_owned(),
            link_name: "libz3.so",
            load_name: "libz3.so.5.4",
        };
        let macos = |tag, wheel: &str, library: &str| Self {
            tag,
            wheel_sha256: wheel.to_owned(),
            member: "z3/lib/libz3.dylib",
            library_sha256: library.to_owned(),
            link_name: "libz3.dylib",
            load_name: "libz3.dylib",
        };
        match (os, arch, environment) {
            ("linux", "x86_64", "gnu") => Ok(linux(
                "manylinux_2_27_x86_64",
                "0549ffad554178a59480ba41b5279cfbb27053ed5a2da269ae1a48214d5db34b",
                "da9801be21405652344e42697e9e2e08e66e2c69d719dd2ea6e52eaeda3596eb",
            )),
            ("linux", "aarch64", "gnu") => Ok(linux(
                "manylinux_2_38_aarch64",
                "fffb36861d4da1f9584d0fd4a80dbf247fdfbebb04b5c31a90b460b14c86cab0",
                "44a58c337b4d7adb19da46e941f2ef9a1b951a7dfb71b22bb87b7e659f205a1a",
            )),
            ("macos", "x86_64", _) => Ok(macos(
                "macosx_13_0_x86_64",
                "407522390c4d11696b10d43c76d22d4e60b7f11d75d9defe6f064e073edd904f",
                "06c0cfc9b0e608b5d39e3e9f41cf7a07cc0cb94821ee8dd244094a8cae9136d9",
            )),
            ("macos", "aarch64", _) => Ok(macos(
                "macosx_13_0_arm64",
                "a1b36f0dd038c030d88711474c93b95e863c30a22e9def53ad5965c6092c92a7",
                "bb9b8dd08c99aa7a4eda0510e6f873eb2a804f9f982cce946b70b9efa178da22",
            )),
            _ => Err(Error::UnsupportedPlatform { target: [os, arch, environment].join("-") }),
        }
    }

    /// The wheel as a line of a requirements file.
    pub(crate) fn requirement(&self) -> String {
        format!("{PACKAGE}=={RELEASE} --hash=sha256:{}\n", self.wheel_sha256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_without_a_wheel_is_named() {
        let error = Pin::of_target("linux", "riscv64", "gnu").unwrap_err();
        assert!(error.to_string().contains("no prebuilt Z3 for linux-riscv64-gnu"), "{error}");
        assert!(Pin::of_target("linux", "x86_64", "musl").is_err());
    }
}
