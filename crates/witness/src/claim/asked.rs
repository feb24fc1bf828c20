//! A condition that somebody asks about, woven in as the check of an invariant.
//!
//! At a statement it is evaluated before the statement is executed, at a loop whenever the condition of the loop is. Of a `for`, what the loop itself declares is visible
//! then: nobody but us gives such a condition its meaning.

use crate::format::Location;
use crate::fresh::Fresh;
use crate::question::Text;
use crate::syntax::{Control, ControlKind, Syntax};
use crate::weave::Woven;

use super::place::{find_statement, find_text, place};
use super::{Checks, Kind, Problem, Site, check_expression};

/// When a condition is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before a statement is executed.
    Statement,
    /// Whenever the condition of a loop is evaluated.
    Loop,
}

/// Where a condition is asked about.
pub struct Spot {
    /// Line and column of the statement, or of the condition of the loop.
    pub place: (u32, u32),
    /// When it is evaluated.
    pub moment: Moment,
    /// The number of the text.
    pub(crate) text: usize,
    location: Location,
    key: (u32, Kind),
    site: Site<'static>,
}

impl Spot {
    /// What starts at a location: without a column, the first statement of the line.
    pub fn find(texts: &[Text], location: &Location) -> Result<Self, Problem> {
        let (number, text) = find_text(texts, location)?;
        let syntax = &text.syntax;
        let statement = find_statement(syntax, location);
        let is_repeated = |kind| matches!(kind, ControlKind::While | ControlKind::For);
        let control = match statement {
            Some(statement) => syntax
                .controls
                .iter()
                .find(|control| control.at == statement.body.lo && is_repeated(control.kind)),
            None => end_of_do(syntax, location.line),
        };
        let (at, moment, key, site) = match (control, statement) {
            (Some(control), _) => {
                let condition = control.condition;
                (condition.lo, Moment::Loop, (control.at, Kind::Loop), Site::Condition(condition))
            }
            (None, Some(statement)) => {
                let lo = statement.body.lo;
                (lo, Moment::Statement, (lo, Kind::Statement), Site::Statement(statement))
            }
            (None, None) => return Err(Problem::Malformed(no_statement(syntax, location))),
        };
        let place = syntax.position(at);
        Ok(Self { place, moment, text: number, location: location.clone(), key, site })
    }

    /// The texts with a check: it fails where the value is zero.
    pub(crate) fn weave(&self, texts: &[Text], value: &str, fresh: &Fresh) -> Result<Vec<Woven>, Problem> {
        let weave = |(number, text): (usize, &Text)| {
            let mut checks = Checks::default();
            if number == self.text {
                checks.push(self.key, self.site, &self.location, value.to_owned());
            }
            checks.weave(text, fresh)
        };
        texts.iter().enumerate().map(weave).collect()
    }

    /// Says why a condition may not be asked about here, by its text alone.
    pub(crate) fn check(&self, condition: &str) -> Result<(), Problem> {
        check_expression(condition, &self.location)
    }
}

/// The `do` whose condition stands in a line.
fn end_of_do(syntax: &Syntax, line: u32) -> Option<&Control> {
    let is_here = |control: &&Control| {
        control.kind == ControlKind::Do && syntax.position(control.condition.lo).0 == line
    };
    syntax.controls.iter().find(is_here)
}

/// That nothing starts at a location, and the lines around it where something does.
fn no_statement(syntax: &Syntax, location: &Location) -> String {
    let is_block = |lo: u32| syntax.source.text.get(lo as usize) == Some(&b'{');
    let starts = syntax.statements.iter().map(|statement| statement.range.lo).filter(|lo| !is_block(*lo));
    let lines: Vec<u32> = starts.map(|lo| syntax.position(lo).0).collect();
    let before = lines.iter().filter(|line| **line < location.line).max();
    let after = lines.iter().filter(|line| **line > location.line).min();
    let nearest: Vec<String> = before.into_iter().chain(after).map(ToString::to_string).collect();
    let hint = match (location.column, nearest.as_slice()) {
        (Some(_), _) | (None, []) => String::new(),
        (None, [one]) => format!("; the nearest one starts at line {one}"),
        (None, lines) => format!("; the nearest ones start at lines {}", lines.join(" and ")),
    };
    format!("no statement starts at {}{hint}", place(location))
}
