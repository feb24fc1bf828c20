//! Suggestions: the known name that is nearest to an unknown one.

use base::Diagnostic;

/// Longest name that is compared.
const MAX_LENGTH: usize = 64;
/// How many names are compared at most.
const MAX_NAMES: usize = 20_000;

/// The diagnostic with the nearest of the names as advice, if one is near.
pub(super) fn with_suggestion<'n>(
    diagnostic: Diagnostic,
    wanted: &str,
    names: impl Iterator<Item = &'n str>,
) -> Diagnostic {
    let allowed = match wanted.len() {
        0..=1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    let nearest = names
        .take(MAX_NAMES)
        .filter(|name| {
            !name.is_empty() && name.len() <= MAX_LENGTH && name.len().abs_diff(wanted.len()) <= allowed
        })
        .map(|name| (distance(wanted, name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((_, name)) => diagnostic.with_help(format!("did you mean `{name}`?")),
        None => diagnostic,
    }
}

/// Number of insertions, deletions, replacements and swaps of neighbours between two texts.
fn distance(left: &str, right: &str) -> usize {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let replaced = above[column] + usize::from(a != b);
            let mut best = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *a == right[column - 1] && left[row - 1] == *b {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("count", "count"), 0);
        assert_eq!(distance("conut", "count"), 1);
        assert_eq!(distance("cont", "count"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
