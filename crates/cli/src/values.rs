//! Nondeterministic values as users write them.

use std::path::Path;

use base::{SourceFile, SourceMap, Span};
use interp::Choice;

use crate::failure::Failure;
use crate::input;

/// What a value may look like, for advice.
const FORMS: &str =
    "a value is a number such as 5, -3, 0x1f or 2.5, a character such as 'a', or true or false";

/// The values of `--input` options.
pub(crate) fn from_options(texts: &[String]) -> Result<Vec<Choice>, Failure> {
    let values = texts
        .iter()
        .map(|text| value(text).ok_or_else(|| Failure::usage(format!("`{text}` is not a value"), FORMS)));
    values.collect()
}

/// The values in a file, separated by blanks, commas or line breaks.
pub(crate) fn from_file(path: &Path) -> Result<Vec<Choice>, Failure> {
    let bytes = input::read(path)?;
    let is_separator = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
    let mut values = Vec::new();
    let mut start = 0;
    for word in bytes.split(is_separator) {
        let at = start;
        start += word.len() + 1;
        if word.is_empty() {
            continue;
        }
        let text = String::from_utf8_lossy(word);
        let Some(choice) = value(&text) else {
            let mut sources = SourceMap::new();
            let file = sources.add(SourceFile::new(path.display().to_string(), bytes.as_slice()));
            let span = Span { file, lo: at as u32, hi: (at + word.len()) as u32 };
            let shown: String = text.chars().take(40).collect();
            return Err(Failure::usage_at(sources, span, &format!("`{shown}` is not a value"), FORMS));
        };
        values.push(choice);
    }
    Ok(values)
}

/// One value; `None` if the text is none.
fn value(text: &str) -> Option<Choice> {
    match text {
        "true" => return Some(Choice::Int(1)),
        "false" | "NULL" => return Some(Choice::Int(0)),
        _ => {}
    }
    if let Some(character) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        let mut characters = character.chars();
        return match (characters.next(), characters.next()) {
            (Some(only), None) => Some(Choice::Int(i128::from(u32::from(only)))),
            _ => None,
        };
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    // What `check` prints is accepted: suffixes of unsigned and long constants and of floats.
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let whole = digits.trim_end_matches(['u', 'U', 'l', 'L']);
    let magnitude = match hexadecimal {
        Some(_) => u128::from_str_radix(&whole[2..], 16).ok(),
        None => whole.parse::<u128>().ok(),
    };
    if let Some(magnitude) = magnitude {
        let number = magnitude as i128;
        return Some(Choice::Int(if negative { number.wrapping_neg() } else { number }));
    }
    if hexadecimal.is_some() || !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return match digits {
            "inf" | "infinity" => {
                Some(Choice::Float(if negative { f64::NEG_INFINITY } else { f64::INFINITY }))
            }
            "nan" | "NaN" => Some(Choice::Float(f64::NAN)),
            _ => None,
        };
    }
    let number: f64 = digits.trim_end_matches(['f', 'F', 'l', 'L']).parse().ok()?;
    Some(Choice::Float(if negative { -number } else { number }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_all_kinds_are_read() {
        assert_eq!(value("-5"), Some(Choice::Int(-5)));
        assert_eq!(value("+7"), Some(Choice::Int(7)));
        assert_eq!(value("0x1F"), Some(Choice::Int(31)));
        assert_eq!(value("4294967295u"), Some(Choice::Int(4_294_967_295)));
        assert_eq!(value("18446744073709551615"), Some(Choice::Int(i128::from(u64::MAX))));
        assert_eq!(value("'a'"), Some(Choice::Int(97)));
        assert_eq!(value("true"), Some(Choice::Int(1)));
        assert_eq!(value("-2.5"), Some(Choice::Float(-2.5)));
        assert_eq!(value("1.5f"), Some(Choice::Float(1.5)));
        assert_eq!(value("1e3"), Some(Choice::Float(1000.0)));
        assert_eq!(value("-inf"), Some(Choice::Float(f64::NEG_INFINITY)));
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for text in ["", "five", "0x", "0xg", "--1", "1 2", "''", "'ab'", "u", "-", "1.2.3"] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
