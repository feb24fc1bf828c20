//! Elements as variables, and rows of constant length.

use cfa::text::{parse, print};
use passes::{compact, rows, scalarise};

/// What remains of a program with an array `a` of two elements.
fn scalars(step: &str) -> String {
    let text = format!(
        r#"program LP64 start=main
        proc main() {{
          local a : i32[2]
          local i : i32
          l0 -> l2 : init a zero
          l2 -> l3 : havoc i input "nondet"
          l3 -> l4 : {step}
          l4 -> l5 : assume a[1:i32] == 7:i32
          error l5
        }}"#
    );
    let old = parse("old.cfa", &text).unwrap();
    let (new, _) = scalarise(&old);
    new.verify().unwrap();
    print(&compact(&new).0)
}

#[test]
fn elements_at_constant_indices_become_scalars() {
    let text = scalars("a[0:i32] := a[1:i32] + i");
    assert!(text.contains("a[1]") && !text.contains("i32[2]"), "{text}");
}

#[test]
fn an_array_with_a_variable_index_or_one_outside_stays() {
    for step in ["a[i] := 1:i32", "a[2:i32] := 1:i32", "i := a[i]"] {
        let text = scalars(step);
        assert!(text.contains("i32[2]"), "{step}: {text}");
    }
}

#[test]
fn an_array_of_which_an_element_is_read_before_it_is_written_stays() {
    let text = |first: &str| {
        format!(
            r#"program LP64 start=main
            proc main() {{
              local a : i32[2]
              local i : i32
              l0 -> l2 : havoc i input "nondet"
              l2 -> l3 : init a uninit
              l3 -> l4 : {first}
              l4 -> l2 : assume a[1:i32] == i
              l4 -> l1 : assume a[1:i32] != i
            }}"#
        )
    };
    for (first, stays) in [("a[1:i32] := i", false), ("a[0:i32] := i", true), ("a[1:i32] := a[1:i32]", true)]
    {
        let old = parse("old.cfa", &text(first)).unwrap();
        let (new, _) = scalarise(&old);
        new.verify().unwrap();
        let new = print(&compact(&new).0);
        assert_eq!(new.contains("i32[2]"), stays, "{first}: {new}");
    }
}

const COLUMN: &str = "(i64) (0:i32 <= j & (u64) j < length ? j : bounded(j, 0))";

/// What remains of a program with an array of rows that does something after it was allocated.
fn with_rows(step: &str) -> String {
    let text = format!(
        r#"program LP64 start=main
        proc main() {{
          local n : i32
          local length : u64
          local other : u64
          local a : i32[]
          local i : i32
          local j : i32
          l0 -> l2 : havoc n input "nondet"
          l2 -> l3 : length := (u64) n
          l3 -> l4 : assume length <= 9223372036854775807:u64
          l4 -> l5 : allocate a[length * length]
          l5 -> l6 : a[(i64) i * (i64) length + {COLUMN}] := 1:i32
          l6 -> l7 : {step}
          l7 -> l8 : assume a[(i64) i * (i64) length + {COLUMN}] == 7:i32
          error l8
        }}"#
    );
    let old = parse("old.cfa", &text).unwrap();
    let (new, _) = rows(&old);
    new.verify().unwrap();
    print(&compact(&new).0)
}

#[test]
fn rows_of_variable_length_get_a_constant_one() {
    let text = with_rows("i := i + 1:i32");
    assert!(text.contains("2147483648:i64") && !text.contains("(i64) length"), "{text}");
}

#[test]
fn rows_stay_where_subscripts_may_be_another_pair() {
    let unchecked = "i := a[(i64) i * (i64) length + (i64) j]";
    let of_other_length = format!("i := a[(i64) i * (i64) other + {}]", COLUMN.replace("length", "other"));
    let checked_against_other =
        format!("i := a[(i64) i * (i64) length + {}]", COLUMN.replace("length", "other"));
    let below_zero = "i := a[(i64) i * (i64) length + (i64) ((u64) j < length ? j : bounded(j, 0))]";
    let flat = "i := a[i]";
    let changed = "length := (u64) j";
    let again = "allocate a[length]";
    for step in [unchecked, &of_other_length, &checked_against_other, below_zero, flat, changed, again] {
        let text = with_rows(step);
        assert!(!text.contains("2147483648:i64"), "{step}: {text}");
    }
}
