//! Makes a failing program smaller while it keeps failing (delta debugging over lines, blocks and
//! parentheses).
//!
//! # Paper
//! Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input. Deviation: chunks are removed,
//! never kept alone, and units of C's bracket structure are tried besides runs of lines.

/// A smaller text for which `fails` still holds; asks at most `budget` times.
pub fn shrink(text: &str, budget: usize, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut session = Session { best: text.to_owned(), left: budget, fails: &mut fails };
    loop {
        let before = session.best.len();
        session.blocks();
        session.chunks();
        session.parentheses();
        if session.best.len() >= before || session.left == 0 {
            return session.best;
        }
    }
}

struct Session<'a> {
    best: String,
    left: usize,
    fails: &'a mut dyn FnMut(&str) -> bool,
}

impl Session<'_> {
    /// Takes over the candidate if it is smaller and fails too.
    fn accept(&mut self, candidate: String) -> bool {
        if self.left == 0 || candidate.len() >= self.best.len() {
            return false;
        }
        self.left -= 1;
        let accepted = (self.fails)(&candidate);
        if accepted {
            self.best = candidate;
        }
        accepted
    }

    fn without_lines(&self, remove: impl Fn(usize) -> bool) -> String {
        let kept = self.best.lines().enumerate().filter(|&(index, _)| !remove(index));
        kept.flat_map(|(_, line)| [line, "\n"]).collect()
    }

    /// Removes braced blocks with their heads, or the braces alone.
    fn blocks(&mut self) {
        let mut index = 0;
        while index < self.best.lines().count() {
            if let Some(end) = block_end(&self.best, index) {
                let whole = self.without_lines(|line| (index..=end).contains(&line));
                if self.accept(whole) {
                    continue;
                }
                let unwrapped = self.without_lines(|line| line == index || line == end);
                if self.accept(unwrapped) {
                    continue;
                }
            }
            index += 1;
        }
    }

    /// Removes runs of lines, long ones first.
    fn chunks(&mut self) {
        let mut size = (self.best.lines().count() / 2).max(1);
        loop {
            let mut start = 0;
            while start < self.best.lines().count() {
                let candidate = self.without_lines(|line| (start..start + size).contains(&line));
                if !self.accept(candidate) {
                    start += size;
                }
            }
            if size == 1 {
                return;
            }
            size /= 2;
        }
    }

    /// Replaces what is in parentheses by a constant.
    fn parentheses(&mut self) {
        let mut position = 0;
        while let Some(found) = self.best[position..].find('(') {
            let open = position + found;
            position = open + 1;
            let Some(close) = matching(&self.best, open) else { continue };
            for constant in ["", "1", "0"] {
                let candidate = format!("{}{constant}{}", &self.best[..=open], &self.best[close..]);
                if self.accept(candidate) {
                    break;
                }
            }
        }
    }
}

/// The line that closes the block opened at the end of line `start`.
fn block_end(text: &str, start: usize) -> Option<usize> {
    let mut depth = 0_i64;
    for (index, line) in text.lines().enumerate().skip(start) {
        if index == start && !line.trim_end().ends_with('{') {
            return None;
        }
        depth += line.matches('{').count() as i64 - line.matches('}').count() as i64;
        if depth <= 0 && index > start {
            return Some(index);
        }
    }
    None
}

/// The position of the parenthesis that closes the one at `open`.
fn matching(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (offset, byte) in text[open..].bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(open + offset);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_is_needed_to_fail() {
        let text = "int a;\nvoid f(void) {\n    if (x) {\n        bug((1 + 2) * 3);\n        other();\n    }\n}\nint b;\n";
        let small = shrink(text, 1000, |candidate| candidate.contains("bug("));
        assert_eq!(small, "        bug();\n");
    }

    #[test]
    fn budget_bounds_the_questions() {
        let mut questions = 0;
        shrink(&"x\n".repeat(100), 10, |_| {
            questions += 1;
            false
        });
        assert_eq!(questions, 10);
    }
}
