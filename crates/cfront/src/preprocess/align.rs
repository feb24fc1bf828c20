//! Aligning the tokens that the user wrote in a line with those that preprocessing made of it.
//!
//! The written tokens fall into pieces: plain ones, each of which yields itself, and uses of macros, each of which yields
//! any number of tokens. That is matching with wildcards; where several matches exist, a use of a macro takes the fewest
//! tokens, but at least one, whose brackets balance.
//!
//! # Invariants
//! * I1: a plain piece is only ever matched with an equal token, and the order of pieces is kept.

/// One piece of what the user wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<K> {
    /// A token that stands for itself.
    Plain(K),
    /// A use of a macro.
    Macro,
}

/// How a token counts for balance: opening brackets 1, closing ones -1.
pub(super) trait Balance {
    /// 1, -1 or 0.
    fn balance(&self) -> i32;
}

/// Whether pieces may be left over at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// The output ends with the last piece.
    Forbidden,
    /// The output may end within the pieces: a use of a macro goes on in the next line.
    Allowed,
}

/// The largest table of pieces by tokens that is worth its time.
const MAX_TABLE: usize = 1 << 22;

/// For each output token the piece from which it comes; `None` if the output cannot come from these pieces.
///
pub(super) fn align<K: PartialEq + Balance>(
    pieces: &[Piece<K>],
    output: &[K],
    rest: Rest,
) -> Option<Vec<usize>> {
    let width = output.len() + 1;
    if (pieces.len() + 1).saturating_mul(width) > MAX_TABLE {
        return None;
    }
    // matches[p * width + o]: pieces from p on can yield the tokens from o on.
    let mut matches = vec![false; (pieces.len() + 1) * width];
    for piece in (0..=pieces.len()).rev() {
        for at in (0..width).rev() {
            let done = at == output.len() && (rest == Rest::Allowed || piece == pieces.len());
            let row = piece * width;
            matches[row + at] = done
                || match pieces.get(piece) {
                    None => false,
                    Some(Piece::Plain(token)) => {
                        output.get(at) == Some(token) && matches[row + width + at + 1]
                    }
                    Some(Piece::Macro) => {
                        matches[row + width + at] || (at < output.len() && matches[row + at + 1])
                    }
                };
        }
    }
    if !matches[0] {
        return None;
    }
    let mut owners = Vec::with_capacity(output.len());
    for (piece, content) in pieces.iter().enumerate() {
        let start = owners.len();
        let count = match content {
            Piece::Plain(_) if start == output.len() => break,
            Piece::Plain(_) => 1,
            Piece::Macro => {
                macro_length(&output[start..], |count| matches[(piece + 1) * width + start + count])
            }
        };
        owners.extend(std::iter::repeat_n(piece, count));
    }
    Some(owners)
}

/// How many tokens a use of a macro takes: the fewest balanced ones, if any, after which the rest `fits`, else the fewest.
fn macro_length<K: Balance>(output: &[K], fits: impl Fn(usize) -> bool) -> usize {
    let mut balance = 0;
    let mut lowest = 0;
    let mut fewest = None;
    for count in 0..=output.len() {
        if fits(count) {
            if count > 0 && balance == 0 && lowest == 0 {
                return count;
            }
            fewest = fewest.or(Some(count));
        }
        if let Some(token) = output.get(count) {
            balance += token.balance();
            lowest = lowest.min(balance);
        }
    }
    fewest.unwrap_or(output.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Balance for char {
        fn balance(&self) -> i32 {
            match self {
                '(' => 1,
                ')' => -1,
                _ => 0,
            }
        }
    }

    /// Pieces as letters, `M` a macro; the result as one digit for each token.
    fn check(pieces: &str, output: &str, rest: Rest, expected: Option<&str>) {
        let pieces: Vec<Piece<char>> = pieces
            .chars()
            .map(|letter| if letter == 'M' { Piece::Macro } else { Piece::Plain(letter) })
            .collect();
        let output: Vec<char> = output.chars().collect();
        let owners = align(&pieces, &output, rest)
            .map(|owners| owners.iter().map(ToString::to_string).collect::<String>());
        assert_eq!(owners.as_deref(), expected);
    }

    #[test]
    fn plain_tokens_match_themselves() {
        check("x=1;", "x=1;", Rest::Forbidden, Some("0123"));
        check("x=1;", "x=2;", Rest::Forbidden, None);
        check("x=1;", "x=", Rest::Forbidden, None);
        check("x=1;", "x=", Rest::Allowed, Some("01"));
    }

    #[test]
    fn macros_take_balanced_tokens() {
        check("x=M+M;", "x=((1)+(2))+((1)+(2));", Rest::Forbidden, Some("0122222222234444444445"));
        check("M;", ";", Rest::Forbidden, Some("1"));
        check("MM;", "a;b;", Rest::Forbidden, Some("0112"));
        check("M)", "()))", Rest::Forbidden, Some("0001"));
    }
}
