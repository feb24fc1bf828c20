//! See Cargo.toml at the root.
