//! Tests that drive the real binary, and tests of the repository's text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod annotate;
mod ask;
mod bad_input;
mod basis;
mod batch;
mod bundle;
mod cache;
mod census;
mod checks;
mod commands;
mod contract_cache;
mod contracts;
mod entry;
mod events;
mod findings;
mod functions;
mod guide;
mod harness;
mod horn;
mod hostile;
mod html;
mod library;
mod lsp;
mod meaning;
mod messages;
mod models;
mod once_wrong;
mod processes;
mod profile;
mod programs;
mod projects;
mod protect;
mod queries;
mod recursion;
mod resume;
mod rounds;
mod selftest;
mod settings;
mod stale;
mod summarize;
mod support;
mod tidy;
mod trace;
mod witness;
