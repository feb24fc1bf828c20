//! Evidence as files.
