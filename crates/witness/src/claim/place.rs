//! What stands at the places that a witness names.

use crate::format::Location;
use crate::names::Function;
use crate::question::{Text, text_of};
use crate::syntax::{Call, Control, ControlKind, Range, Statement, Syntax};
use crate::weave::Edits;

use super::Problem;

pub(super) fn find_text<'a>(texts: &'a [Text], location: &Location) -> Result<(usize, &'a Text), Problem> {
    text_of(texts, location).ok_or_else(|| {
        Problem::Malformed(format!("`{}` does not name one of the input files", location.file))
    })
}

pub(super) fn nothing(what: &str, location: &Location) -> Problem {
    Problem::Malformed(format!("there is no {what} at {}", place(location)))
}

/// A place as people write it.
pub(super) fn place(location: &Location) -> String {
    let column = location.column.map_or(String::new(), |column| format!(":{column}"));
    format!("{}:{}{column}", location.file, location.line)
}

/// The candidates at a location: those at the place, or the leftmost one of the line if there is no column.
fn find<'a, T>(
    syntax: &Syntax,
    items: impl Iterator<Item = &'a T>,
    location: &Location,
    at: impl Fn(&T) -> u32,
) -> Option<&'a T> {
    let exactly = match location.column {
        Some(column) => Some(syntax.offset(location.line, column)?),
        None => None,
    };
    let mut here = items.filter(|item| match exactly {
        Some(offset) => at(item) == offset,
        None => syntax.position(at(item)).0 == location.line,
    });
    match exactly {
        Some(_) => here.next(),
        None => here.min_by_key(|item| at(item)),
    }
}

pub(super) fn find_control<'a>(
    syntax: &'a Syntax,
    location: &Location,
    fits: impl Fn(ControlKind) -> bool,
) -> Option<&'a Control> {
    find(syntax, syntax.controls.iter().filter(|control| fits(control.kind)), location, |control| control.at)
}

/// The call whose closing parenthesis is at a location.
pub(crate) fn find_call<'a>(syntax: &'a Syntax, location: &Location) -> Option<&'a Call> {
    find(syntax, syntax.calls.iter(), location, |call| call.close)
}

/// The function whose definition starts at a location. One that the witness names may also be meant by another place before its body.
pub(super) fn find_function<'a>(
    syntax: &'a Syntax,
    location: &Location,
    named: Option<&str>,
) -> Option<&'a Function> {
    let fits = |function: &&Function| named.is_none_or(|name| *function.name == *name);
    let starting = syntax.functions.iter().filter(fits).filter(|function| function.start.is_some());
    let found = find(syntax, starting, location, |function| function.start.unwrap_or_default());
    found.or_else(|| {
        let name = named?;
        let head = |function: &&Function| match (function.start, function.body) {
            (Some(start), Some(body)) => {
                let (from, to) = (syntax.position(start), syntax.position(body));
                let column = location.column.unwrap_or(u32::MAX);
                from <= (location.line, column) && (location.line, location.column.unwrap_or(0)) <= to
            }
            _ => false,
        };
        syntax.functions.iter().filter(|function| *function.name == *name).find(head)
    })
}

/// Of statements that start at one place the outermost one that is no block.
pub(super) fn find_statement(syntax: &Syntax, location: &Location) -> Option<Statement> {
    let is_block =
        |statement: &&Statement| syntax.source.text.get(statement.range.lo as usize) == Some(&b'{');
    let found = find(
        syntax,
        syntax.statements.iter().filter(|statement| !is_block(statement)),
        location,
        |statement| statement.range.lo,
    )?;
    let same = syntax.statements.iter().filter(|statement| statement.range.lo == found.range.lo);
    same.max_by_key(|statement| (statement.in_block, statement.range.hi)).copied()
}

/// Puts text where a statement starts. Jumps to its labels come there, too.
pub(super) fn before_statement(edits: &mut Edits, statement: Statement, text: &str) {
    if statement.in_block {
        edits.before(statement.body.lo, text);
    } else {
        edits.wrap(statement.body, format!("{{ {text}"), " }");
    }
}

/// The statement that violates.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The number of its text.
    pub text: usize,
    /// Where it stands there, without labels.
    pub range: Range,
    /// The line that is meant if the witness gives no column: whatever starts there.
    pub line: Option<u32>,
}

impl Target {
    /// The target at a location.
    pub(super) fn new(texts: &[Text], location: &Location) -> Result<Self, Problem> {
        let (text, found) = find_text(texts, location)?;
        let statement =
            find_statement(&found.syntax, location).ok_or_else(|| nothing("statement", location))?;
        let line = location.column.is_none().then_some(location.line);
        Ok(Self { text, range: statement.body, line })
    }

    /// Whether evaluating a range of a text belongs to the statement, and to no statement inside it.
    pub(crate) fn is_at(&self, texts: &[Text], text: usize, range: Range) -> bool {
        let syntax = &texts[text].syntax;
        let innermost = syntax.statement_around(range).map(|around| around.range.lo);
        text == self.text
            && innermost.is_some_and(|lo| {
                // Statements that a macro makes all start where its use does.
                lo == self.range.lo || self.line.is_some_and(|line| syntax.position(lo).0 == line)
            })
    }
}
