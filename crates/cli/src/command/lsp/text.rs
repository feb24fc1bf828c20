//! Addresses of files and places in texts, as the protocol has them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The file of an address `file://…`.
pub(super) fn path(uri: &str) -> Option<PathBuf> {
    let encoded = uri.strip_prefix("file://")?.as_bytes();
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut at = 0;
    while at < encoded.len() {
        if encoded[at] == b'%' {
            let digits = std::str::from_utf8(encoded.get(at + 1..at + 3)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            bytes.push(encoded[at]);
            at += 1;
        }
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

/// The column of the protocol, in units of UTF-16 from 0, for one that counts characters from 1.
pub(super) fn column(line: &str, column: u64) -> u64 {
    let before = line.chars().take(usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX));
    before.map(|character| character.len_utf16() as u64).sum()
}

/// A function that a text defines.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Defined {
    /// Its name.
    pub(super) name: String,
    /// The line of its name, from 0.
    pub(super) line: u64,
}

/// The functions that a text seems to define: a name, parentheses and a brace outside of all braces. For buttons in an editor only, so macros need not be expanded.
pub(super) fn functions(text: &str) -> Vec<Defined> {
    let mut found = Vec::new();
    let (mut braces, mut parentheses, mut line) = (0_u64, 0_u64, 0_u64);
    // The last name outside of parentheses, and the one before the last parentheses.
    let mut name: Option<(String, u64)> = None;
    let mut called: Option<(String, u64)> = None;
    let mut characters = text.chars().peekable();
    let mut is_fresh_line = true;
    while let Some(character) = characters.next() {
        let was_fresh = std::mem::replace(&mut is_fresh_line, character == '\n');
        match character {
            '\n' => line += 1,
            ' ' | '\t' | '\r' => is_fresh_line = was_fresh,
            '#' if was_fresh => {
                line += rest_of_line(&mut characters);
                is_fresh_line = true;
            }
            '/' if characters.peek() == Some(&'/') => {
                line += rest_of_line(&mut characters);
                is_fresh_line = true;
            }
            '/' if characters.peek() == Some(&'*') => line += comment(&mut characters),
            '"' | '\'' => line += literal(&mut characters, character),
            '{' => {
                if braces == 0
                    && parentheses == 0
                    && let Some((name, line)) = called.take()
                {
                    found.push(Defined { name, line });
                }
                braces += 1;
            }
            '}' => braces = braces.saturating_sub(1),
            '(' if braces == 0 => {
                if parentheses == 0 {
                    called = name.take();
                }
                parentheses += 1;
            }
            ')' if braces == 0 => parentheses = parentheses.saturating_sub(1),
            ';' | '=' | ',' if braces == 0 && parentheses == 0 => {
                (name, called) = (None, None);
            }
            letter if braces == 0 && parentheses == 0 && (letter.is_alphabetic() || letter == '_') => {
                let mut word = String::from(letter);
                while let Some(next) = characters.next_if(|next| next.is_alphanumeric() || *next == '_') {
                    word.push(next);
                }
                name = Some((word, line));
            }
            _ => {}
        }
    }
    found
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips to the next line that a backslash does not continue; returns how many lines that were.
fn rest_of_line(characters: &mut Characters<'_>) -> u64 {
    let (mut lines, mut last) = (0, ' ');
    for character in characters.by_ref() {
        if character == '\n' {
            lines += 1;
            if last != '\\' {
                break;
            }
        }
        last = character;
    }
    lines
}

/// Skips a comment; returns how many lines it has.
fn comment(characters: &mut Characters<'_>) -> u64 {
    let (mut lines, mut last) = (0, ' ');
    characters.next();
    for character in characters.by_ref() {
        if character == '\n' {
            lines += 1;
        }
        if last == '*' && character == '/' {
            break;
        }
        last = character;
    }
    lines
}

/// Skips a literal; returns how many lines it has.
fn literal(characters: &mut Characters<'_>, quote: char) -> u64 {
    let mut lines = 0;
    while let Some(character) = characters.next() {
        match character {
            '\\' => lines += u64::from(characters.next() == Some('\n')),
            '\n' => return lines + 1,
            end if end == quote => break,
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_among_declarations_comments_and_literals() {
        let text = "#define F(x) \\\n  { x }\nint a[2] = { 1, 2 };\nstruct s { int x; };\nint f(int);\n/* int g(void) {\n} */\nstatic int\nh(int (*callback)(int))\n{ return '{'; }\nint main(void) { if (1) { } return f(\"}\"[0]); }\n";
        let found: Vec<(String, u64)> =
            functions(text).into_iter().map(|defined| (defined.name, defined.line)).collect();
        assert_eq!(found, [("h".to_owned(), 8), ("main".to_owned(), 10)]);
    }

    #[test]
    fn addresses_are_decoded_and_columns_are_those_of_utf_16() {
        assert_eq!(path("file:///a%20b/c.c"), Some(PathBuf::from("/a b/c.c")));
        assert_eq!(path("untitled:1"), None);
        assert_eq!(path("file:///a%2"), None);
        assert_eq!(column("x = \"\u{1f600}\"; y", 9), 9);
        assert_eq!(column("abc", 1), 0);
    }
}
