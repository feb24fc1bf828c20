//! What a witness claims, as a C program.
//!
//! # Correctness
//! At the place of each invariant the program may carry out a check: unless an arbitrary number is zero, it ends in the error if
//! the invariant is false, and ends there otherwise. An execution that carries out no check evaluates none of the expressions, so undefined behaviour
//! in them hides nothing of the program itself. That an invariant is undefined is an error, too: `crate::checks` adds that to the program that the front end makes.
//! A contract is checked at the entry and at the exits of its function: see `contract`.
//!
//! # Violation
//! A counter says how many segments have been passed. Each waypoint moves it on, or ends the execution if it is to be avoided. Which
//! error is the violation is not decided by the text: see `crate::aim`.
//!
//! # Invariants
//! * I1: the program does what the original does, except that executions end earlier, and what is added keeps its lines.
//! * I2: expressions of a witness are evaluated and do nothing else.
//! * I3: no name that is added is one of the program's ([`Fresh`]).

mod asked;
mod contract;
mod place;
mod violation;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::expression::{self, Expected, Tokens, Wrong};
use crate::format::{Claims, Contract, Invariant, InvariantKind, Location, Segment};
use crate::fresh::Fresh;
use crate::question::Text;
use crate::syntax::{Control, ControlKind, Range, Statement};
use crate::weave::{Edits, Woven};

pub use asked::{Moment, Spot};
use contract::{Exit, Promise};
pub use place::Target;
pub(crate) use place::find_call;
use place::{before_statement, find_control, find_function, find_statement, find_text, nothing, place};
pub(crate) use violation::integer;
pub use violation::{Reading, violation};

/// Why a witness does not become a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It speaks about what is not in the text, or contains what it must not.
    Malformed(String),
    /// No execution can do what it says.
    Refuted(String),
    /// It may be right, but is not understood.
    Unsupported(String),
}

/// Where a check is put.
#[derive(Clone, Copy)]
enum Site<'a> {
    Loop(&'a Control),
    /// The condition of a loop; what is said there may be about all that is visible there.
    Condition(Range),
    Statement(Statement),
    /// The start of the body of a function, by the place of that.
    Entry(u32),
    /// An exit of that function.
    Exit(u32, Exit),
}

/// Sites that may have the same place, in the order of checks there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Loop,
    Statement,
    Function,
}

/// Which expressions are woven.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    /// Those of the witness.
    Own,
    /// A number in the place of each.
    Plain,
}

/// What is checked at one place.
struct Check<'a> {
    site: Site<'a>,
    location: &'a Location,
    values: Vec<String>,
}

/// Places of a text and what is said there. A loop and a statement may start at one place.
#[derive(Default)]
struct Checks<'a> {
    checks: BTreeMap<(u32, Kind), Check<'a>>,
    /// Functions with contracts, by the start of the body.
    promises: BTreeMap<u32, Promise<'a>>,
}

impl<'a> Checks<'a> {
    fn add(&mut self, text: &'a Text, invariant: &'a Invariant) -> Result<(), Problem> {
        let (syntax, location) = (&text.syntax, &invariant.location);
        check_expression(&invariant.value, location)?;
        let (site, key) = match invariant.kind {
            InvariantKind::Loop => {
                let found = find_control(syntax, location, ControlKind::is_loop);
                let control = found.ok_or_else(|| nothing("loop", location))?;
                (Site::Loop(control), (control.at, Kind::Loop))
            }
            InvariantKind::Location => {
                let found = find_statement(syntax, location);
                let statement = found.ok_or_else(|| nothing("statement", location))?;
                (Site::Statement(statement), (statement.body.lo, Kind::Statement))
            }
        };
        self.push(key, site, location, invariant.value.clone());
        Ok(())
    }

    fn add_contract(&mut self, text: &'a Text, contract: &'a Contract, fresh: &Fresh) -> Result<(), Problem> {
        let location = &contract.location;
        let found = find_function(&text.syntax, location, contract.function.as_deref());
        let function = found.ok_or_else(|| nothing("function", location))?;
        let (body, exits) = contract::places(text, function)?;
        let promise = self.promises.entry(body).or_insert_with(|| Promise::new(function));
        let (requires, ensures) = promise.add(text, contract, fresh)?;
        check_expression(&requires, location)?;
        check_expression(&ensures, location)?;
        self.push((body, Kind::Function), Site::Entry(body), location, requires);
        for (at, exit) in exits {
            self.push((at, Kind::Function), Site::Exit(body, exit), location, ensures.clone());
        }
        Ok(())
    }

    fn push(&mut self, key: (u32, Kind), site: Site<'a>, location: &'a Location, value: String) {
        let new = || Check { site, location, values: Vec::new() };
        self.checks.entry(key).or_insert_with(new).values.push(value);
    }

    fn weave(&self, text: &Text, fresh: &Fresh) -> Result<Woven, Problem> {
        let woven = self.woven(text, fresh, Values::Own);
        if !self.checks.is_empty() {
            self.check_effects(text, &woven, fresh)?;
        }
        Ok(woven)
    }

    fn woven(&self, text: &Text, fresh: &Fresh, values: Values) -> Woven {
        let mut edits = Edits::new();
        if !self.checks.is_empty() {
            let Fresh { check, begin, stop, error, .. } = fresh;
            let prologue = format!("extern int {check}(void), {begin}(int), {stop}(void), {error}(void); ");
            edits.before(text.syntax.first_item, prologue);
        }
        let checks = || self.checks.values().enumerate();
        // Statements that are checked may be exits: what is put around them comes later.
        for (number, check) in checks() {
            let code = check.code(number, fresh, values);
            match check.site {
                Site::Entry(body) => edits.before(body, self.promises[&body].entry(&code, fresh)),
                Site::Exit(body, exit) => {
                    self.promises[&body].exit(&mut edits, exit, &code, &text.syntax.source.text, fresh);
                }
                Site::Loop(_) | Site::Condition(_) | Site::Statement(_) => {}
            }
        }
        for (number, check) in checks() {
            let code = check.code(number, fresh, values);
            match check.site {
                Site::Loop(control) => at_condition(&mut edits, control.condition, &code),
                Site::Condition(condition) => at_condition(&mut edits, condition, &code),
                Site::Statement(statement) => before_statement(&mut edits, statement, &format!("{code}; ")),
                Site::Entry(_) | Site::Exit(..) => {}
            }
        }
        edits.apply(&text.syntax.source.text)
    }

    /// I2: what the parser gets has the expressions where they should be, and its tree has exactly the effects that it should have.
    fn check_effects(&self, text: &Text, woven: &Woven, fresh: &Fresh) -> Result<(), Problem> {
        let no_expression = || Problem::Malformed("an expression is not one of C".to_owned());
        let plain = self.woven(text, fresh, Values::Plain);
        let (after, plain_after) = (text.after(woven), text.after(&plain));
        let (after, plain_after) = after.zip(plain_after).ok_or_else(no_expression)?;
        let tokens = Tokens::new(&woven.text, &after.parsed).ok_or_else(no_expression)?;
        let plain = Tokens::new(&plain.text, &plain_after.parsed).ok_or_else(no_expression)?;
        let expected = self.checks.values().enumerate().map(|(number, check)| {
            (number, Expected { values: check.values.len(), hidden: self.hidden(check.site) })
        });
        let expected: BTreeMap<usize, Expected> = expected.collect();
        expression::check_expanded(&tokens, &plain, fresh, &expected).map_err(|wrong| match wrong {
            Wrong::Broken(why) => {
                Problem::Malformed(format!("an expression may not be used: {why}"))
            }
            Wrong::Hidden { check, name } => {
                let check = self.checks.values().nth(check);
                let place = check.map_or_else(String::new, |check| place(check.location));
                Problem::Unsupported(match check.map(|check| check.site) {
                    Some(Site::Exit(..)) => format!(
                        "the contract at {place} speaks about `{name}`, which the function itself declares"
                    ),
                    _ => format!(
                        "the invariant at {place} speaks about `{name}`, which the `for` itself declares and which is not visible at its keyword"
                    ),
                })
            }
        })?;
        // The length of an array may have no meaning, and nothing would notice.
        if after.array_count != plain_after.array_count {
            return Err(Problem::Malformed("an expression has the type of an array".to_owned()));
        }
        // Each check calls four functions.
        let added: usize = self.promises.values().map(Promise::effect_count).sum();
        if after.effect_count != text.syntax.effect_count + 4 * self.checks.len() + added {
            return Err(Problem::Malformed(
                "an expression calls a function or has another effect".to_owned(),
            ));
        }
        Ok(())
    }

    /// The names that do not mean at a site what they mean to the witness.
    fn hidden(&self, site: Site<'_>) -> Vec<Arc<str>> {
        match site {
            // An invariant may speak about the variables that are visible at the keyword of a `for`. Names that mean something else in the condition are not understood.
            Site::Loop(control) => control.declared.clone(),
            Site::Exit(body, _) => self.promises[&body].hidden(),
            Site::Condition(_) | Site::Statement(_) | Site::Entry(_) => Vec::new(),
        }
    }
}

impl Check<'_> {
    /// The check, as an expression.
    fn code(&self, number: usize, fresh: &Fresh, values: Values) -> String {
        let value = |own: &String| match values {
            Values::Own => format!("(({own}))"),
            Values::Plain => "((1))".to_owned(),
        };
        let values: Vec<String> = self.values.iter().map(value).collect();
        let Fresh { check, begin, stop, error, .. } = fresh;
        let values = values.join(" && ");
        format!("({check}() ? ({begin}({number}), {values} ? {stop}() : {error}()) : 0)")
    }
}

/// Puts a check where the condition of a loop is evaluated.
fn at_condition(edits: &mut Edits, condition: Range, code: &str) {
    if condition.lo == condition.hi {
        edits.wrap(condition, format!(" ({code}, 1)"), "");
    } else {
        edits.wrap(condition, format!("({code}, ("), "))");
    }
}

/// The texts with the claim of a witness of correctness.
pub fn correctness(texts: &[Text], claims: &Claims, fresh: &Fresh) -> Result<Vec<Woven>, Problem> {
    let mut checks: Vec<Checks<'_>> = texts.iter().map(|_| Checks::default()).collect();
    for invariant in &claims.invariants {
        let (number, text) = find_text(texts, &invariant.location)?;
        checks[number].add(text, invariant)?;
    }
    for contract in &claims.contracts {
        let (number, text) = find_text(texts, &contract.location)?;
        checks[number].add_contract(text, contract, fresh)?;
    }
    texts.iter().zip(&checks).map(|(text, checks)| checks.weave(text, fresh)).collect()
}

/// I3: what is added to a text is what the parser gets.
pub(crate) fn check_added(text: &Text, woven: &Woven, fresh: &Fresh) -> Result<(), Problem> {
    let changed = || Problem::Unsupported("a program whose macros change the inserted checks".to_owned());
    let parsed = text.after(woven).map(|after| after.parsed);
    // What cannot be parsed is reported with its reason by the front end.
    let Some(parsed) = parsed else { return Ok(()) };
    let saved = fresh.saved_in(&woven.text);
    let names: Vec<&str> = fresh.all().into_iter().chain(saved.iter().map(String::as_str)).collect();
    let got = Tokens::new(&woven.text, &parsed).ok_or_else(changed)?.count(&names);
    let written: Vec<usize> = names.iter().map(|name| occurrences(&woven.text, name.as_bytes())).collect();
    if got == written { Ok(()) } else { Err(changed()) }
}

/// How often a word occurs in a text.
fn occurrences(text: &[u8], word: &[u8]) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.split(|byte| !is_part(byte)).filter(|part| *part == word).count()
}

/// Where the target of a violation is, for people.
pub(crate) fn describe_target(segments: &[Segment]) -> String {
    segments.last().map_or_else(String::new, |segment| place(&segment.follow.location))
}

fn check_expression(value: &str, location: &Location) -> Result<(), Problem> {
    expression::check(value).map_err(|why| {
        Problem::Malformed(format!("the expression at {} may not be used: {why}", place(location)))
    })
}
