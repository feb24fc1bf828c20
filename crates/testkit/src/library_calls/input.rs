//! Calls that read standard input.

use super::{arguments, format};
use crate::random::Random;

/// The bytes of standard input.
pub(super) fn text(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..random.below(40) {
        bytes.extend(format::input_bytes(random));
    }
    bytes
}

/// Reads something, or meets the end.
pub(super) fn call(random: &mut Random) -> String {
    if random.chance(50) {
        return "    printf(\"getchar %d\\n\", getchar());\n".to_owned();
    }
    let format = arguments::literal(&format::scan_format(random));
    format!(
        "    static union {{ char bytes[64]; long double align; }} to[3];\n    memset(to, '?', sizeof to);\n    \
         int result = __isoc99_scanf({format}, to, to + 1, to + 2);\n    \
         printf(\"scanf %d %016llx\\n\", result, hash(to, sizeof to));\n"
    )
}
