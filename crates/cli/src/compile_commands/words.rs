//! The words of a command line.

/// The words of a command, as a POSIX shell splits them; nothing if quotes do not match.
pub(super) fn split(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        other => word.push(other),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '\\' => match characters.next()? {
                            escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                            '\n' => {}
                            other => word.extend(['\\', other]),
                        },
                        other => word.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(characters.next()?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let words = split(r#"cc  -DA="\"x y\"" '-DB=a b' -I a\ b "" -DC='"'"#).unwrap();
        assert_eq!(words, ["cc", "-DA=\"x y\"", "-DB=a b", "-I", "a b", "", "-DC=\""]);
        assert_eq!(split("cc 'x"), None);
        assert_eq!(split("cc \"x\\"), None);
    }
}
