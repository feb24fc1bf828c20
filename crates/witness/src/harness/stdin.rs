//! Standard input: the bytes that a trace chooses, as a pipe that the program finds open.

use std::fmt::Write;

use cfa::Source;
use verdict::Trace;

use super::{Harness, NO_SETUP};

/// More bytes than this may not fit into a pipe.
const MAX_BYTES: usize = 60_000;

/// The bytes of standard input; nothing if the trace chooses none.
pub(super) fn bytes(trace: &Trace) -> Result<Option<Vec<u8>>, String> {
    let chosen = trace.choices.iter().filter(
        |chosen| matches!(&chosen.source, Source::Library { function, .. } if **function == *cfa::STDIN),
    );
    let mut bytes = None;
    let mut has_ended = false;
    for value in chosen.map(|chosen| chosen.value.as_int()) {
        let bytes = bytes.get_or_insert_with(Vec::new);
        match u8::try_from(value) {
            Ok(_) if has_ended => {
                return Err("the counterexample reads more bytes after the end of standard input".to_owned());
            }
            Ok(byte) => bytes.push(byte),
            Err(_) => has_ended = true,
        }
        if bytes.len() > MAX_BYTES {
            return Err(format!("the counterexample reads more than {MAX_BYTES} bytes of standard input"));
        }
    }
    Ok(bytes)
}

impl Harness<'_> {
    /// What gives the program its standard input before it starts.
    pub(super) fn standard_input(&self, bytes: &[u8]) -> String {
        let mut list = String::new();
        for byte in bytes {
            let _ = write!(list, "{byte}, ");
        }
        let [pipe, dup2, close] = ["pipe", "dup2", "close"].map(|name| self.system(name));
        let count = bytes.len();
        format!(
            "extern int __harness_pipe(int *) __asm__(\"{pipe}\");\n\
             extern int __harness_dup2(int, int) __asm__(\"{dup2}\");\n\
             extern int __harness_close(int) __asm__(\"{close}\");\n\
             static const unsigned char __harness_bytes[] = {{ {list}0 }};\n\
             __attribute__((constructor)) static void __harness_open_stdin(void) {{\n    \
             int ends[2];\n    \
             if (__harness_pipe(ends) != 0 || __harness_write(ends[1], __harness_bytes, {count}) != {count}\n        \
             || __harness_dup2(ends[0], 0) != 0) __harness_exit({NO_SETUP});\n    \
             if (ends[0] != 0) __harness_close(ends[0]);\n    \
             __harness_close(ends[1]);\n}}\n"
        )
    }
}
