//! The reader of SMT-LIB 2 scripts in the logic HORN.
//!
//! Commands: `set-logic`, `set-info`, `set-option`, `declare-fun`, `declare-const`, `define-fun`, `assert`, `check-sat`, `get-model`, `exit`. Terms over
//! Bool, Int and arrays (see [`sort`]): the operators of the core theory and of linear integer arithmetic, `div` and `mod` by constants, `let`, `ite`, `select`, `store`, constant arrays,
//! `forall` where it is universal for the clause and `exists` under a negation. What is not supported is refused with its place.
//!
//! # Invariants
//! * I1: no input makes the reader panic, and the native stack does not grow with the depth of the input.
//! * I2: an assertion with n disjunctions around atoms becomes at most [`clause::CASE_LIMIT`] clauses, or is refused.

mod array;
mod clause;
mod lex;
mod operator;
mod sort;
mod term;

use ::term::{SymbolId, SymbolKind, TermId, Terms};
use base::IndexVec;
use rustc_hash::FxHashMap;

use crate::system::{Atom, PredicateId, Read, System};
use lex::{Kind, Token};
use sort::{OtherSort, Type, Typed};

/// A place in a text, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// The byte, from 0.
    pub offset: usize,
}

/// Why a text is not a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What is wrong; starts with `unsupported: ` if the text may be right.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl ReadError {
    fn new(text: &str, offset: usize, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place: lex::place(text, offset), message: message.into(), help: help.into() }
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.message)
    }
}

impl std::error::Error for ReadError {}

/// Reads a script. The terms of the system are made in `terms`.
pub fn read(terms: &mut Terms, text: &str) -> Result<System, ReadError> {
    let tokens = lex::tokens(text)?;
    let mut reader = Reader {
        text,
        tokens,
        at: 0,
        terms,
        system: System::new(),
        names: FxHashMap::default(),
        atoms: FxHashMap::default(),
        sorts: Vec::new(),
        types: IndexVec::new(),
        sides: Vec::new(),
        reads: Vec::new(),
        is_asked: false,
    };
    while reader.at < reader.tokens.len() {
        if !reader.command()? {
            break;
        }
    }
    Ok(reader.system)
}

/// What a name stands for.
#[derive(Clone, Debug)]
enum Meaning {
    /// An unknown relation.
    Predicate(PredicateId),
    /// A bound variable, or a name given by `let`.
    Term(Typed),
    /// A defined function.
    Macro(Macro),
}

/// Names that are bound, and their symbols with their types.
type Binders<'a> = (Vec<&'a str>, Vec<(SymbolId, Type)>);

/// A defined function: parameters and body.
#[derive(Clone, Debug)]
struct Macro {
    parameters: Vec<(SymbolId, Type)>,
    body: Typed,
}

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
    terms: &'a mut Terms,
    system: System,
    /// What each name stands for; the last one counts.
    names: FxHashMap<&'a str, Vec<Meaning>>,
    /// Atoms stand as boolean symbols in formulas until the clauses are made.
    atoms: FxHashMap<SymbolId, Atom>,
    /// Array sorts that are only passed on, as they are written.
    sorts: Vec<OtherSort>,
    /// The sorts of each predicate's arguments.
    types: IndexVec<PredicateId, Vec<Type>>,
    /// What must hold of symbols that the assertion does not bind itself.
    sides: Vec<TermId>,
    /// What the assertion reads from arrays of other sorts, with the numbers of these.
    reads: Vec<(usize, Read)>,
    /// Whether `check-sat` was read.
    is_asked: bool,
}

impl<'a> Reader<'a> {
    fn error(&self, index: usize, message: impl Into<String>, help: impl Into<String>) -> ReadError {
        let offset = self.tokens.get(index).map_or(self.text.len(), |token| token.start);
        ReadError::new(self.text, offset, message, help)
    }

    fn unsupported(&self, index: usize, what: impl std::fmt::Display, help: impl Into<String>) -> ReadError {
        self.error(index, format!("unsupported: {what}"), help)
    }

    fn kind(&self, index: usize) -> Option<Kind<'a>> {
        self.tokens.get(index).map(|token| token.kind)
    }

    fn open(&mut self, what: &str) -> Result<usize, ReadError> {
        match self.kind(self.at) {
            Some(Kind::Open(end)) => {
                self.at += 1;
                Ok(end)
            }
            _ => Err(self.error(
                self.at,
                format!("{what} should start here, with a parenthesis"),
                "see SMT-LIB 2.6",
            )),
        }
    }

    fn symbol(&mut self, what: &str) -> Result<&'a str, ReadError> {
        match self.kind(self.at) {
            Some(Kind::Symbol(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.error(self.at, format!("{what} should stand here"), "write a symbol")),
        }
    }

    fn close(&mut self, end: usize, what: &str) -> Result<(), ReadError> {
        if self.at != end {
            return Err(self.error(self.at, format!("{what} should end here"), "remove what follows"));
        }
        self.at += 1;
        Ok(())
    }

    /// Reads one command; false at the end of the script.
    fn command(&mut self) -> Result<bool, ReadError> {
        let end = self.open("a command")?;
        let name_at = self.at;
        match self.symbol("the name of a command")? {
            "exit" => return Ok(false),
            "set-logic" => self.set_logic(end)?,
            "set-info" | "set-option" | "get-model" | "get-info" | "echo" => self.at = end + 1,
            // The answer is about what stands before the question.
            name if self.is_asked => {
                let help = "write one script for each check-sat";
                return Err(self.unsupported(name_at, format_args!("command {name} after check-sat"), help));
            }
            "check-sat" => {
                self.is_asked = true;
                self.at = end + 1;
            }
            "declare-fun" => self.declare_fun(end)?,
            "declare-const" => self.declare_const(end)?,
            "define-fun" => self.define_fun(end)?,
            "assert" => {
                let start = self.at;
                let formula = self.term(term::Polarity::Positive)?;
                self.close(end, "the assertion")?;
                if formula.ty != Type::Bool {
                    return Err(self.error(start, "an assertion should be of sort Bool", "assert a formula"));
                }
                self.assert(formula.term, start)?;
            }
            other => {
                let help = "write the system with declare-fun, define-fun and assert";
                return Err(self.unsupported(name_at, format_args!("command {other}"), help));
            }
        }
        Ok(true)
    }

    fn set_logic(&mut self, end: usize) -> Result<(), ReadError> {
        let at = self.at;
        let logic = self.symbol("a logic")?;
        if logic != "HORN" {
            return Err(self.unsupported(
                at,
                format_args!("logic {logic}"),
                "Horn clauses start with (set-logic HORN)",
            ));
        }
        self.close(end, "the command")
    }

    fn declare_fun(&mut self, end: usize) -> Result<(), ReadError> {
        let name = self.new_name("the name of a predicate")?;
        let arguments = self.open("the sorts of the arguments")?;
        let mut sorts = Vec::new();
        while self.at < arguments {
            sorts.push(self.sort()?);
        }
        self.at = arguments + 1;
        self.declare(name, sorts, end)
    }

    fn declare_const(&mut self, end: usize) -> Result<(), ReadError> {
        let name = self.new_name("the name of a constant")?;
        self.declare(name, Vec::new(), end)
    }

    fn declare(&mut self, name: &'a str, types: Vec<Type>, end: usize) -> Result<(), ReadError> {
        let at = self.at;
        if self.sort()? != Type::Bool {
            let help = "bind the value by forall in each clause";
            return Err(self.unsupported(at, "a function whose result is not Bool", help));
        }
        self.close(end, "the declaration")?;
        let sorts: Vec<_> = types.iter().map(|ty| ty.sort()).collect();
        let predicate = self.system.declare(self.terms, name, &sorts);
        for (position, ty) in types.iter().enumerate() {
            if matches!(ty, Type::Booleans | Type::Other(_)) {
                let text = self.type_name(*ty).into();
                self.system.predicates[predicate].represented.insert(position, text);
            }
        }
        self.types.push(types);
        self.names.insert(name, vec![Meaning::Predicate(predicate)]);
        Ok(())
    }

    /// A name that is declared here; none is declared twice.
    fn new_name(&mut self, what: &'static str) -> Result<&'a str, ReadError> {
        let at = self.at;
        let name = self.symbol(what)?;
        match self.names.get(name) {
            Some(meanings) if !meanings.is_empty() => {
                Err(self.error(at, format!("{name} is declared twice"), "give one of the two another name"))
            }
            _ => Ok(name),
        }
    }

    fn define_fun(&mut self, end: usize) -> Result<(), ReadError> {
        let name = self.new_name("the name of a function")?;
        let (bound, parameters) = self.binders()?;
        let sort_at = self.at;
        let ty = self.sort()?;
        let atoms = self.atoms.len();
        let body_at = self.at;
        let body = self.term(term::Polarity::Neither)?;
        if self.atoms.len() > atoms {
            return Err(self.unsupported(
                body_at,
                "a predicate in a definition",
                "write it out in each clause",
            ));
        }
        if !self.sides.is_empty() || !self.reads.is_empty() {
            let help = "write it out in each clause";
            return Err(self.unsupported(body_at, "an array of this sort in a definition", help));
        }
        if body.ty != ty {
            return Err(self.error(sort_at, "the body has another sort", "correct the sort of the result"));
        }
        self.unbind(&bound);
        self.close(end, "the definition")?;
        self.names.insert(name, vec![Meaning::Macro(Macro { parameters, body })]);
        Ok(())
    }

    /// Reads `((x Int) …)` and binds the names.
    fn binders(&mut self) -> Result<Binders<'a>, ReadError> {
        let end = self.open("a list of variables")?;
        let (mut bound, mut symbols) = (Vec::new(), Vec::new());
        while self.at < end {
            let one = self.open("a variable with its sort")?;
            let name = self.symbol("a variable")?;
            let ty = self.sort()?;
            self.close(one, "the variable")?;
            let symbol = self.terms.declare(name, ty.sort(), SymbolKind::Variable);
            let term = self.terms.of_symbol(symbol);
            self.names.entry(name).or_default().push(Meaning::Term(Typed { term, ty }));
            bound.push(name);
            symbols.push((symbol, ty));
        }
        self.at = end + 1;
        Ok((bound, symbols))
    }

    fn unbind(&mut self, names: &[&'a str]) {
        for name in names {
            if let Some(meanings) = self.names.get_mut(name) {
                meanings.pop();
            }
        }
    }
}
