//! Questions to an SMT solver and their answers. The only crate that links a solver.

/// The version of the linked Z3, such as `5.4.0.0`.
pub fn z3_version() -> String {
    let text = z3::full_version();
    text.split_whitespace().find(|word| word.starts_with(char::is_numeric)).unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linked_solver_is_recent_enough() {
        let numbers: Vec<u32> = z3_version().split('.').map(|number| number.parse().unwrap()).collect();
        assert!(numbers >= vec![4, 13, 3], "{}", z3_version());
    }
}
