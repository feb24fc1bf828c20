//! The script of certificates: its own tests, which are in Python.

use std::path::Path;
use std::process::Command;

#[test]
fn the_script_means_by_operations_what_compilers_mean() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificate/check_test.py");
    let output = Command::new("python3").arg("-B").arg(tests).output().expect("python3 should run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
