//! The models of the C library do what glibc does, on random calls.

use testkit::require::Requirement;
use testkit::{Model, library_calls};

#[test]
fn models_agree_with_glibc() {
    match library_calls::compare(2_000, 20_260, Model::Lp64) {
        Ok(summary) => {
            assert!(summary.mismatches.is_empty(), "{:#?}", summary.mismatches);
            assert!(summary.refused.len() < 5, "{:#?}", summary.refused);
        }
        Err(reason) => Requirement::Gcc.skip(&reason.to_string()),
    }
}
