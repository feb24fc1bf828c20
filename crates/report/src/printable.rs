//! Text that a terminal may be given.

use std::borrow::Cow;

/// Text without control characters other than line breaks and tabs.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_bad = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    if text.contains(is_bad) {
        Cow::Owned(text.chars().map(|c| if is_bad(c) { char::REPLACEMENT_CHARACTER } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}
