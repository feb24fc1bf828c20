//! From bytes to tokens.

mod directive;
mod intern;
mod lexer;
pub mod literal;
mod pragma;
mod punctuator;
pub(crate) mod token;
mod word;

use base::Diagnostic;

pub use directive::needs_preprocessing;
pub(crate) use directive::{Definition, Notes, Policy, Shape};
pub use intern::{Interner, Name};
pub use lexer::Lexer;
pub use token::{Token, TokenKind};

/// Why a text could not be read: boxed, because success is what must be fast.
pub type Failure = Box<Diagnostic>;

/// The length of the line splice at a place: backslash, blanks (as gcc allows), line break. 0 if there is none.
pub(crate) fn splice_length(text: &[u8], position: usize) -> usize {
    if text.get(position) != Some(&b'\\') {
        return 0;
    }
    let blanks = text[position + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    if text.get(position + 1 + blanks) == Some(&b'\n') { blanks + 2 } else { 0 }
}
