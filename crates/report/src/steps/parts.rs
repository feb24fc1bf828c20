//! Parts of objects as C names them: `acc[0].balance`.
//!
//! The name of a type says which members it has (`cfa::Spelling`). What is found is a path for people; nothing depends on it.

use std::sync::Arc;

use cfa::Spelling;

/// Types may nest so deep.
const MAX_DEPTH: usize = 32;

/// What is looked for in an object.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// A scalar of so many bytes.
    Scalar(u64),
    /// A part of a type.
    Object(&'a str),
}

/// The part of an object of a type and a size at an offset: what follows the name of the object, and the type of the part.
pub(super) fn part(
    spelling: &Spelling,
    (c_type, size): (&str, u64),
    offset: u64,
    wanted: Wanted<'_>,
) -> Option<(String, Arc<str>)> {
    within(spelling, (c_type, size), offset, wanted, 0)
}

fn within(
    spelling: &Spelling,
    (c_type, size): (&str, u64),
    offset: u64,
    wanted: Wanted<'_>,
    depth: usize,
) -> Option<(String, Arc<str>)> {
    let array = element(c_type);
    let members = spelling.members(c_type);
    let is_found = match wanted {
        Wanted::Scalar(bytes) => size == bytes && array.is_none() && members.is_none(),
        Wanted::Object(name) => c_type == name,
    };
    if offset == 0 && is_found {
        return Some((String::new(), c_type.into()));
    }
    if depth == MAX_DEPTH {
        return None;
    }
    if let Some((elem, length)) = array {
        let each = size.checked_div(length).filter(|each| *each > 0 && each * length == size)?;
        let index = Some(offset / each).filter(|index| *index < length)?;
        let (rest, c_type) = within(spelling, (&elem, each), offset % each, wanted, depth + 1)?;
        return Some((format!("[{index}]{rest}"), c_type));
    }
    // Of a union, the first member with such a part.
    members?.iter().filter(|member| (member.offset..member.offset + member.size).contains(&offset)).find_map(
        |member| {
            let inner = (&*member.c_type, member.size);
            let (rest, c_type) = within(spelling, inner, offset - member.offset, wanted, depth + 1)?;
            let dot = if member.name.is_empty() { "" } else { "." };
            Some((format!("{dot}{}{rest}", member.name), c_type))
        },
    )
}

/// The type of the elements of an array type and their number; nothing for types with a declarator in parentheses, and for what has no fixed number.
fn element(c_type: &str) -> Option<(String, u64)> {
    let (base, rest) = c_type.split_once('[').filter(|_| !c_type.contains('('))?;
    let (length, inner) = rest.split_once(']')?;
    let length = length.parse().ok().filter(|length| *length > 0)?;
    let base = if inner.is_empty() { base.trim_end() } else { base };
    Some((format!("{base}{inner}"), length))
}

#[cfg(test)]
mod tests {
    use cfa::Member;

    use super::*;

    fn spelling() -> Spelling {
        let member = |name: &str, offset, size, c_type: &str| Member {
            name: name.into(),
            offset,
            size,
            c_type: c_type.into(),
        };
        let mut spelling = Spelling::default();
        let account =
            vec![member("id", 0, 4, "int"), member("limits", 4, 8, "int[2]"), member("", 16, 8, "union u")];
        spelling.add_members("struct account".to_owned(), account);
        let either = vec![member("bits", 0, 8, "long"), member("real", 0, 4, "float")];
        spelling.add_members("union u".to_owned(), either);
        spelling
    }

    #[test]
    fn scalars_are_found_in_arrays_and_structures() {
        let spelling = spelling();
        let find = |c_type, size, offset, bytes| {
            part(&spelling, (c_type, size), offset, Wanted::Scalar(bytes))
                .map(|(path, c_type)| format!("{path}: {c_type}"))
        };
        assert_eq!(find("struct account[3]", 72, 48, 4).as_deref(), Some("[2].id: int"));
        assert_eq!(find("struct account[3]", 72, 32, 4).as_deref(), Some("[1].limits[1]: int"));
        assert_eq!(find("struct account", 24, 16, 8).as_deref(), Some(".bits: long"));
        assert_eq!(find("struct account", 24, 16, 4).as_deref(), Some(".real: float"));
        assert_eq!(find("int[2][3]", 24, 20, 4).as_deref(), Some("[1][2]: int"));
        assert_eq!(find("char *[2]", 16, 8, 8).as_deref(), Some("[1]: char *"));
        assert_eq!(find("int (*)[3]", 8, 0, 8).as_deref(), Some(": int (*)[3]"));
        // Padding, the middle of a member, the end of the object, another size than the type says.
        for (c_type, size, offset, bytes) in [
            ("struct account", 24, 12, 4),
            ("struct account", 24, 1, 1),
            ("int[3]", 12, 12, 4),
            ("int[3]", 13, 4, 4),
            ("struct unknown", 8, 4, 4),
        ] {
            assert_eq!(find(c_type, size, offset, bytes), None, "{c_type} {offset}");
        }
    }

    #[test]
    fn objects_are_found_by_their_types() {
        let spelling = spelling();
        let find = |offset, name| part(&spelling, ("struct account[3]", 72), offset, Wanted::Object(name));
        assert_eq!(find(24, "struct account").map(|found| found.0).as_deref(), Some("[1]"));
        assert_eq!(find(24, "int").map(|found| found.0).as_deref(), Some("[1].id"));
        assert_eq!(find(28, "int[2]").map(|found| found.0).as_deref(), Some("[1].limits"));
        assert_eq!(find(25, "int"), None);
    }
}
