//! The parser of the text format: declarations, then the bodies of procedures.
//!
//! Declarations are read first, so that bodies may refer to procedures and variables in any order.

use std::sync::Arc;

use base::{FileId, Idx, IndexVec, Region, SourceFile, SourceMap};
use rustc_hash::FxHashMap;

use super::ParseError;
use super::lex::{Kind, Token, tokens, type_of_word};
use crate::program::{Approximation, ApproximationKind, Length, LocationInfo, LocationRole, Role, Storage};
use crate::verify::Complaint;
use crate::{
    CheckKind, CheckKinds, DataModel, Edge, ExprId, Loc, Origin, ProcId, Procedure, Program, SignedOverflow,
    Ty, Var, VarId,
};

/// Reads a program. `file` is only used to say where an error is.
pub fn parse(file: &str, text: &str) -> Result<Program, ParseError> {
    let tokens = tokens(file, text)?;
    let mut parser = Parser {
        file,
        tokens,
        position: 0,
        program: Program::new(DataModel::Lp64, SignedOverflow::Undefined, Arc::new(SourceMap::new())),
        vars: Vec::new(),
        procs: Vec::new(),
        globals: Scope::default(),
        proc_names: Scope::default(),
        locals: Scope::default(),
        locals_of: Vec::new(),
        lets: Vec::new(),
        nesting: 0,
    };
    parser.program()?;
    // What is checked while reading leaves only rules that concern the program as a whole.
    match parser.program.verify() {
        Ok(()) => Ok(parser.program),
        Err(defects) => {
            let message = defects.first().map(ToString::to_string).unwrap_or_default();
            parser.position = 0;
            parser.error(message)
        }
    }
}

/// Ids by name; several may share one.
pub(super) type Scope = FxHashMap<String, Vec<u32>>;

pub(super) struct Parser<'a> {
    file: &'a str,
    tokens: Vec<Token>,
    position: usize,
    pub(super) program: Program,
    vars: Vec<VarDeclaration>,
    procs: Vec<ProcDeclaration>,
    pub(super) globals: Scope,
    pub(super) proc_names: Scope,
    /// Of the procedure that is being read.
    pub(super) locals: Scope,
    locals_of: Vec<Vec<VarId>>,
    pub(super) lets: Vec<ExprId>,
    pub(super) nesting: usize,
}

struct VarDeclaration {
    id: Option<u32>,
    /// Position of the procedure among the declarations.
    owner: Option<usize>,
    var: Var,
    token: usize,
}

struct ProcDeclaration {
    id: Option<u32>,
    name: String,
    region: Region,
    params: Vec<Name>,
    results: Vec<Name>,
    body: usize,
    token: usize,
}

/// A name with the id that may follow it, and its token.
pub(super) struct Name {
    pub(super) text: String,
    pub(super) id: Option<u32>,
    pub(super) token: usize,
}

// Tokens.
impl Parser<'_> {
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        self.error_at(self.position, message)
    }
    pub(super) fn error_at<T>(&self, token: usize, message: impl Into<String>) -> Result<T, ParseError> {
        let token = &self.tokens[token.min(self.tokens.len() - 1)];
        let (line, column) = (token.line, token.column);
        Err(ParseError { file: self.file.to_owned(), line, column, message: message.into() })
    }
    /// Turns a broken rule into an error at a token.
    pub(super) fn check<T>(&self, token: usize, result: Result<T, Complaint>) -> Result<T, ParseError> {
        result.or_else(|(_, message)| self.error_at(token, message))
    }
    pub(super) fn position(&self) -> usize {
        self.position
    }
    pub(super) fn peek(&self) -> &Kind {
        &self.tokens[self.position].kind
    }
    pub(super) fn peek_after(&self, count: usize) -> &Token {
        &self.tokens[(self.position + count).min(self.tokens.len() - 1)]
    }
    pub(super) fn advance(&mut self) {
        // The last token is the end, which is never passed.
        self.position = (self.position + 1).min(self.tokens.len() - 1);
    }
    pub(super) fn at_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Kind::Symbol(found) if *found == symbol)
    }
    pub(super) fn accept(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }
    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.accept(symbol) { Ok(()) } else { self.error(format!("`{symbol}` should stand here")) }
    }
    pub(super) fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Name { text, quoted: false, id: None } if text == word)
    }
    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }
    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.accept_word(word) { Ok(()) } else { self.error(format!("`{word}` should stand here")) }
    }
    pub(super) fn name(&mut self, what: &str) -> Result<Name, ParseError> {
        let Kind::Name { text, id, .. } = self.peek() else {
            return self.error(format!("{what} should stand here"));
        };
        let name = Name { text: text.clone(), id: *id, token: self.position };
        self.advance();
        Ok(name)
    }
    /// A word of a fixed list, as its position in the list.
    pub(super) fn choice<T: Copy>(&mut self, choices: &[(&str, T)]) -> Result<T, ParseError> {
        for (word, value) in choices {
            if self.accept_word(word) {
                return Ok(*value);
            }
        }
        let words: Vec<_> = choices.iter().map(|(word, _)| format!("`{word}`")).collect();
        self.error(format!("{} should stand here", words.join(" or ")))
    }
    pub(super) fn text(&mut self) -> Result<String, ParseError> {
        let bytes = self.bytes()?;
        String::from_utf8(bytes).or_else(|_| self.error_at(self.position - 1, "this text should be UTF-8"))
    }
    pub(super) fn bytes(&mut self) -> Result<Vec<u8>, ParseError> {
        let Kind::Text(bytes) = self.peek() else { return self.error("a quoted text should stand here") };
        let bytes = bytes.clone();
        self.advance();
        Ok(bytes)
    }
    pub(super) fn natural(&mut self) -> Result<u64, ParseError> {
        let number = match self.peek() {
            Kind::Number { text, ty: None } => text.parse().ok(),
            _ => None,
        };
        let Some(number) = number else { return self.error("a number below 2^64 should stand here") };
        self.advance();
        Ok(number)
    }
    /// A region, if one stands here; its file must be declared.
    pub(super) fn region(&mut self) -> Result<Option<Region>, ParseError> {
        let Kind::Region(region) = *self.peek() else { return Ok(None) };
        if !region.is_nowhere() && self.program.sources.get(region.file).is_none() {
            return self.error(format!("file {} is not declared", region.file));
        }
        self.advance();
        Ok(Some(region))
    }
    fn optional_region(&mut self) -> Result<Region, ParseError> {
        Ok(self.region()?.unwrap_or(Region::NOWHERE))
    }
    pub(super) fn ty(&mut self) -> Result<Ty, ParseError> {
        let ty = match self.peek() {
            Kind::Name { text, quoted: false, id: None } => type_of_word(text),
            _ => None,
        };
        let Some(ty) = ty else { return self.error("a type should stand here") };
        self.advance();
        Ok(ty)
    }
    /// An id such as `v3` before a name, if there is one.
    fn declared_id(&mut self, prefix: char) -> Option<u32> {
        let Kind::Name { text, quoted: false, id: None } = self.peek() else { return None };
        let id = text.strip_prefix(prefix)?.parse().ok()?;
        // `v3 : i32` declares a variable named v3.
        if !matches!(self.peek_after(1).kind, Kind::Name { .. } | Kind::Text(_)) {
            return None;
        }
        self.advance();
        Some(id)
    }
}

// Declarations.
impl Parser<'_> {
    fn program(&mut self) -> Result<(), ParseError> {
        self.expect_word("program")?;
        let model = self.choice(&[("LP64", DataModel::Lp64), ("ILP32", DataModel::Ilp32)])?;
        let (mut overflow, mut start, mut checks) = (SignedOverflow::Undefined, None, CheckKinds::NONE);
        loop {
            if self.accept_word("overflow") {
                self.expect("=")?;
                overflow = self.choice(&[
                    ("undefined", SignedOverflow::Undefined),
                    ("wrap", SignedOverflow::Wrap),
                    ("error", SignedOverflow::Error),
                ])?;
            } else if self.accept_word("start") {
                self.expect("=")?;
                start = Some(self.name("the name of the entry procedure")?);
            } else if self.accept_word("checks") {
                self.expect("=")?;
                checks = self.checks()?;
            } else {
                break;
            }
        }
        let files = self.files()?;
        self.program = Program::new(model, overflow, Arc::new(files));
        self.program.checks = checks;
        self.declarations()?;
        self.number_vars()?;
        self.number_procs()?;
        self.program.entry = match start {
            Some(name) => self.proc_of(&name)?,
            None => ProcId(0),
        };
        for index in 0..self.procs.len() {
            self.body(index)?;
        }
        Ok(())
    }

    /// The kinds of a list in quotes.
    fn checks(&mut self) -> Result<CheckKinds, ParseError> {
        let mut kinds = CheckKinds::NONE;
        for code in self.text()?.split_whitespace() {
            match CheckKind::of_code(code) {
                Some(CheckKind::Assertion | CheckKind::SignedOverflow) | None => {
                    let message = format!("`{code}` is no kind of violation that a program may list");
                    return self.error_at(self.position - 1, message);
                }
                Some(kind) => kinds.insert(kind),
            }
        }
        Ok(kinds)
    }

    fn files(&mut self) -> Result<SourceMap, ParseError> {
        let mut files = SourceMap::new();
        while self.at_word("file") {
            self.advance();
            if let Some(id) = self.declared_id('f')
                && FileId(id).index() != files.iter().count()
            {
                return self.error_at(self.position - 1, "files are numbered in order, from f0");
            }
            files.add(SourceFile::new(self.text()?, Vec::new()));
        }
        Ok(files)
    }

    fn declarations(&mut self) -> Result<(), ParseError> {
        loop {
            if self.accept_word("approximation") {
                let kind = self.choice(&[
                    ("assumption", ApproximationKind::Assumption),
                    ("model", ApproximationKind::Model),
                    ("over", ApproximationKind::Over),
                    ("under", ApproximationKind::Under),
                ])?;
                let what = self.text()?;
                let region = self.optional_region()?;
                self.program.approximations.push(Approximation { kind, what, region });
            } else if self.accept_word("global") {
                self.var_declaration(None)?;
            } else if self.accept_word("proc") {
                self.proc_declaration()?;
            } else if *self.peek() == Kind::End {
                break;
            } else {
                return self.error("`global`, `proc`, `approximation` or the end should stand here");
            }
        }
        if self.procs.is_empty() {
            return self.error("a program has at least one procedure");
        }
        Ok(())
    }

    fn var_declaration(&mut self, owner: Option<usize>) -> Result<(), ParseError> {
        let token = self.position;
        let id = self.declared_id('v');
        let name = self.name("the name of a variable")?;
        self.expect(":")?;
        let storage = if self.accept_word("object") {
            let size = self.natural()?;
            let align = if self.accept_word("align") { self.natural()? } else { 1 };
            Storage::Object { size, align, read_only: self.accept_word("readonly") }
        } else {
            let elem = self.ty()?;
            if self.accept("[") {
                let length = if self.at_symbol("]") {
                    Length::Dynamic
                } else if self.accept("*") {
                    Length::Unbounded
                } else {
                    Length::Fixed(self.natural()?)
                };
                self.expect("]")?;
                Storage::Array { elem, length }
            } else {
                Storage::Scalar(elem)
            }
        };
        let c_type = if matches!(self.peek(), Kind::Text(_)) { self.text()? } else { String::new() };
        let declared = self.optional_region()?;
        let scope = if self.accept_word("scope") { self.optional_region()? } else { Region::NOWHERE };
        // The owner's id is known only after all procedures have been numbered.
        let var =
            Var { name: name.text.into(), storage, owner: None, c_type: c_type.into(), declared, scope };
        self.vars.push(VarDeclaration { id, owner, var, token });
        Ok(())
    }

    fn proc_declaration(&mut self) -> Result<(), ParseError> {
        let token = self.position;
        let id = self.declared_id('p');
        let name = self.name("the name of a procedure")?;
        let params = self.name_list()?;
        let results = if self.accept("->") { self.name_list()? } else { Vec::new() };
        let region = self.optional_region()?;
        self.expect("{")?;
        let owner = self.procs.len();
        while self.at_word("local") {
            self.advance();
            self.var_declaration(Some(owner))?;
        }
        let body = self.position;
        self.procs.push(ProcDeclaration { id, name: name.text, region, params, results, body, token });
        let mut open = 1;
        while open > 0 {
            match self.peek() {
                Kind::Symbol("{") => open += 1,
                Kind::Symbol("}") => open -= 1,
                Kind::End => return self.error("the procedure is not closed by `}`"),
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }

    fn name_list(&mut self) -> Result<Vec<Name>, ParseError> {
        self.expect("(")?;
        let mut names = Vec::new();
        while !self.at_symbol(")") {
            names.push(self.name("the name of a variable")?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(names)
    }

    fn number_vars(&mut self) -> Result<(), ParseError> {
        let declared: Vec<_> = self.vars.iter().map(|var| (var.id, var.token)).collect();
        let ids = self.numbers(&declared, 'v')?;
        let owners: Vec<_> = self.procs.iter().map(|proc| (proc.id, proc.token)).collect();
        let proc_ids = self.numbers(&owners, 'p')?;
        let mut slots: Vec<Option<Var>> = vec![None; ids.len()];
        for (id, declaration) in ids.iter().zip(&self.vars) {
            let owner = declaration.owner.map(|owner| ProcId(proc_ids[owner]));
            if owner.is_none() {
                self.globals.entry(declaration.var.name.to_string()).or_default().push(*id);
            }
            slots[*id as usize] = Some(Var { owner, ..declaration.var.clone() });
        }
        self.program.vars = slots.into_iter().flatten().collect();
        self.locals_of = vec![Vec::new(); self.procs.len()];
        for (id, var) in self.program.vars.iter_enumerated() {
            if let Some(owner) = var.owner {
                self.locals_of[owner.index()].push(id);
            }
        }
        Ok(())
    }

    fn number_procs(&mut self) -> Result<(), ParseError> {
        let declared: Vec<_> = self.procs.iter().map(|proc| (proc.id, proc.token)).collect();
        let ids = self.numbers(&declared, 'p')?;
        let mut slots: Vec<Option<Procedure>> = vec![None; ids.len()];
        for (id, declaration) in ids.iter().zip(&mut self.procs) {
            declaration.id = Some(*id);
            self.proc_names.entry(declaration.name.clone()).or_default().push(*id);
            slots[*id as usize] = Some(Procedure::new(declaration.name.as_str(), declaration.region));
        }
        self.program.procs = slots.into_iter().flatten().collect::<IndexVec<_, _>>();
        for index in 0..self.procs.len() {
            let id = self.enter(index);
            let params = std::mem::take(&mut self.procs[index].params);
            let results = std::mem::take(&mut self.procs[index].results);
            let params = params.iter().map(|name| self.var_of(name)).collect::<Result<_, _>>()?;
            let results = results.iter().map(|name| self.var_of(name)).collect::<Result<_, _>>()?;
            self.program.procs[id].params = params;
            self.program.procs[id].results = results;
        }
        Ok(())
    }

    /// Dense ids: those that are written, and the free ones in order for the rest.
    fn numbers(&self, declared: &[(Option<u32>, usize)], prefix: char) -> Result<Vec<u32>, ParseError> {
        let mut taken = vec![false; declared.len()];
        for (id, token) in declared {
            if let Some(id) = id {
                match taken.get_mut(*id as usize) {
                    Some(flag) if !*flag => *flag = true,
                    Some(_) => return self.error_at(*token, format!("{prefix}{id} is declared twice")),
                    None => {
                        return self.error_at(
                            *token,
                            format!("{prefix}{id}, but there are only {} declarations", declared.len()),
                        );
                    }
                }
            }
        }
        let mut free = (0..declared.len() as u32).filter(|id| !taken[*id as usize]);
        Ok(declared.iter().filter_map(|(id, _)| id.or_else(|| free.next())).collect())
    }
}

// Bodies.
impl Parser<'_> {
    /// Makes the locals of the procedure at a position of the declarations visible.
    fn enter(&mut self, index: usize) -> ProcId {
        let id = ProcId(self.procs[index].id.unwrap_or_default());
        self.locals.clear();
        self.lets.clear();
        for var in &self.locals_of[id.index()] {
            self.locals.entry(self.program.vars[*var].name.to_string()).or_default().push(var.0);
        }
        id
    }

    fn body(&mut self, index: usize) -> Result<(), ParseError> {
        let id = self.enter(index);
        self.position = self.procs[index].body;
        loop {
            if self.accept_word("entry") {
                self.program.procs[id].entry = self.location(id)?;
            } else if self.accept_word("exit") {
                self.program.procs[id].exit = self.location(id)?;
            } else if self.accept_word("error") {
                self.program.procs[id].error = Some(self.location(id)?);
            } else if self.accept_word("loc") {
                self.location_info(id)?;
            } else if self.accept_word("let") {
                self.let_binding()?;
            } else if self.accept("}") {
                return Ok(());
            } else {
                self.edge(id)?;
            }
        }
    }

    /// A location, which is added to the procedure if need be.
    fn location(&mut self, proc: ProcId) -> Result<Loc, ParseError> {
        let number = match self.peek() {
            Kind::Name { text, quoted: false, id: None } => {
                text.strip_prefix('l').and_then(|digits| digits.parse::<u32>().ok())
            }
            _ => None,
        };
        let Some(number) = number else { return self.error("a location such as l0 should stand here") };
        // Every location is mentioned in the text: a larger number would only waste memory.
        if number as usize > self.tokens.len() {
            return self.error(format!("location l{number} is beyond the number of locations"));
        }
        self.advance();
        let procedure = &mut self.program.procs[proc];
        while procedure.locations.len() <= number as usize {
            procedure.add_location(LocationInfo { region: Region::NOWHERE, role: LocationRole::Plain });
        }
        Ok(Loc(number))
    }

    fn location_info(&mut self, proc: ProcId) -> Result<(), ParseError> {
        let location = self.location(proc)?;
        let role = if self.accept_word("loop") {
            LocationRole::LoopHead
        } else if self.accept_word("stmt") {
            LocationRole::Statement
        } else {
            LocationRole::Plain
        };
        let region = self.optional_region()?;
        self.program.procs[proc].locations[location] = LocationInfo { region, role };
        Ok(())
    }

    fn let_binding(&mut self) -> Result<(), ParseError> {
        let name = self.name("a name such as $0")?;
        if super::names::let_number(&name.text) != Some(self.lets.len() as u32) {
            return self.error_at(name.token, format!("the next name is ${}", self.lets.len()));
        }
        self.expect("=")?;
        let value = self.expr()?;
        self.lets.push(value);
        Ok(())
    }

    fn edge(&mut self, proc: ProcId) -> Result<(), ParseError> {
        let token = self.position;
        let source = self.location(proc)?;
        self.expect("->")?;
        let target = self.location(proc)?;
        let mut ops = Vec::new();
        if self.accept(":") {
            ops.push(self.op()?);
            while self.accept(";") {
                ops.push(self.op()?);
            }
        }
        let origin = match self.region()? {
            Some(region) => Origin { region, role: self.role()? },
            None => Origin::IMPLICIT,
        };
        let procedure = &mut self.program.procs[proc];
        if source == procedure.exit || Some(source) == procedure.error {
            return self.error_at(token, "nothing leaves the exit and the error location");
        }
        procedure.add_edge(Edge { source, target, ops, origin });
        Ok(())
    }

    fn role(&mut self) -> Result<Role, ParseError> {
        if self.accept_word("branch") {
            return self.choice(&[("true", Role::Branch(true)), ("false", Role::Branch(false))]);
        }
        self.choice(&[("stmt", Role::Statement), ("call", Role::Call), ("implicit", Role::Implicit)])
    }

    /// The variable of a name: a local, else a global.
    pub(super) fn var_of(&self, name: &Name) -> Result<VarId, ParseError> {
        if let Some(id) = name.id {
            return match self.program.vars.get(VarId(id)) {
                Some(var) if *var.name == *name.text => Ok(VarId(id)),
                Some(_) | None => self.error_at(name.token, format!("v{id} is not named {}", name.text)),
            };
        }
        let found = self.locals.get(&name.text).or_else(|| self.globals.get(&name.text));
        self.only(name, found, "variable").map(VarId)
    }

    pub(super) fn proc_of(&self, name: &Name) -> Result<ProcId, ParseError> {
        if let Some(id) = name.id {
            return match self.program.procs.get(ProcId(id)) {
                Some(proc) if *proc.name == *name.text => Ok(ProcId(id)),
                Some(_) | None => self.error_at(name.token, format!("p{id} is not named {}", name.text)),
            };
        }
        self.only(name, self.proc_names.get(&name.text), "procedure").map(ProcId)
    }

    fn only(&self, name: &Name, found: Option<&Vec<u32>>, what: &str) -> Result<u32, ParseError> {
        match found.map(Vec::as_slice) {
            Some([id]) => Ok(*id),
            Some(ids) if !ids.is_empty() => {
                let message = format!("several {what}s are named {0}: write {0}#{1}", name.text, ids[0]);
                self.error_at(name.token, message)
            }
            Some(_) | None => self.error_at(name.token, format!("no {what} is named {}", name.text)),
        }
    }
}
