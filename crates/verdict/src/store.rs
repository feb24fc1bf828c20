//! Annotations as text, to be read back by a later run about the same program.
//!
//! One line for each thing: symbols, terms (subterms first), invariants, choices. Variables and operations are named by their numbers in the
//! prepared program; where they come from is taken from the program at hand, since lines move. Nothing that is read is trusted: it becomes
//! an [`Annotation`], and the check of annotations decides.
//!
//! # Invariants
//! * I1: reading never panics: numbers, sorts and orders are checked first.
//! * I2: what cannot be written (bit-vectors) makes no text at all.

use std::collections::BTreeMap;
use std::fmt::Write;

use base::Idx;
use cfa::{EdgeId, Loc, Op, Program, VarId};
use encode::{Origin, Rounding, Site, Skolem, Vocabulary};
use passes::Prepared;
use term::{Integer, Linear, Node, Sort, SymbolId, SymbolKind, TermId, Terms};
use values::state::State;
use values::value::Value;

use crate::annotation::{Annotation, Invariant};

/// The text of an annotation; nothing if it has no text (I2).
pub fn write(annotation: &Annotation) -> Option<String> {
    let terms = annotation.terms.borrow();
    let vocabulary = annotation.vocabulary.borrow();
    let invariants = annotation.invariants.values();
    let mut roots: Vec<TermId> = invariants.clone().map(|invariant| invariant.bad).collect();
    let instances = invariants.flat_map(|invariant| &invariant.instances).flatten();
    roots.extend(instances.clone().map(|(_, term)| *term));
    let mut writer =
        Writer { terms: &terms, vocabulary: &vocabulary, numbers: BTreeMap::new(), text: String::new() };
    let reachable = terms.reachable(&roots);
    let mut symbols: Vec<SymbolId> = reachable
        .iter()
        .filter_map(|term| match terms.node(*term) {
            Node::Symbol(symbol) => Some(*symbol),
            _ => None,
        })
        .collect();
    symbols.extend(instances.map(|(symbol, _)| *symbol));
    symbols.extend(annotation.choices.values().flatten().map(|skolem| skolem.symbol));
    symbols.sort_unstable();
    symbols.dedup();
    for symbol in symbols {
        writer.symbol(symbol);
    }
    for (number, term) in reachable.into_iter().enumerate() {
        writer.term(term)?;
        writer.numbers.insert(term, number);
    }
    for (location, invariant) in &annotation.invariants {
        writer.invariant(*location, invariant);
    }
    for (location, skolems) in &annotation.choices {
        for skolem in skolems {
            writer.choice(*location, skolem);
        }
    }
    Some(writer.text)
}

struct Writer<'a> {
    terms: &'a Terms,
    vocabulary: &'a Vocabulary,
    numbers: BTreeMap<TermId, usize>,
    text: String,
}

/// Writing to a string cannot fail.
macro_rules! put {
    ($writer:expr, $($arg:tt)*) => {{ let _ = write!($writer.text, $($arg)*); }};
}

impl Writer<'_> {
    fn symbol(&mut self, symbol: SymbolId) {
        let known = self.terms.symbol(symbol);
        if let Some(var) = self.vocabulary.var(symbol) {
            put!(self, "variable {} {}\n", symbol.index(), var.index());
        } else if let Some(expr) = self.vocabulary.address_of(symbol) {
            put!(self, "address {} {} {}\n", symbol.index(), expr.index(), known.name);
        } else if let Some(factors) = self.vocabulary.factors(symbol) {
            put!(self, "multiplied {}", symbol.index());
            for factor in factors {
                put!(self, " {}", factor.index());
            }
            put!(self, "\n");
        } else {
            let kind = match known.kind {
                SymbolKind::Counter => "counter",
                SymbolKind::Wraps => "wraps",
                SymbolKind::Path => "path",
                _ => "skolem",
            };
            let sort = match known.sort {
                Sort::Array => "array",
                Sort::Bool => "bool",
                Sort::Int | Sort::BitVec(_) => "int",
            };
            put!(self, "{kind} {} {sort} {}\n", symbol.index(), known.name);
        }
    }

    fn term(&mut self, term: TermId) -> Option<()> {
        let of = |term: &TermId| self.numbers.get(term).copied();
        let list = |terms: &[TermId]| {
            let numbers: Option<Vec<String>> = terms.iter().map(|term| Some(of(term)?.to_string())).collect();
            numbers.map(|numbers| numbers.join(" "))
        };
        let line = match self.terms.node(term) {
            Node::True => "true".to_owned(),
            Node::False => "false".to_owned(),
            Node::Symbol(symbol) => format!("symbol {}", symbol.index()),
            Node::Not(a) => format!("not {}", of(a)?),
            Node::And(items) => format!("and {}", list(items)?),
            Node::Or(items) => format!("or {}", list(items)?),
            Node::Le(a) => format!("le {}", of(a)?),
            Node::Zero(a) => format!("zero {}", of(a)?),
            Node::Divides(divisor, a) => format!("divides {divisor} {}", of(a)?),
            Node::Same(a, b) => format!("same {} {}", of(a)?, of(b)?),
            Node::Number(number) => format!("number {number}"),
            Node::Linear(form) => {
                let mut line = format!("sum {}", form.constant_part());
                for (term, coefficient) in form.terms() {
                    let _ = write!(line, " {coefficient} {}", of(term)?);
                }
                line
            }
            Node::Product(items) => format!("product {}", list(items)?),
            Node::Div(a, divisor) => format!("div {divisor} {}", of(a)?),
            Node::Mod(a, divisor) => format!("mod {divisor} {}", of(a)?),
            Node::Ite(a, b, c) => format!("ite {} {} {}", of(a)?, of(b)?, of(c)?),
            Node::Select(a, b) => format!("select {} {}", of(a)?, of(b)?),
            Node::Store(a, b, c) => format!("store {} {} {}", of(a)?, of(b)?, of(c)?),
            Node::ConstArray(a) => format!("everywhere {}", of(a)?),
            Node::BvNumber(..) | Node::Bv(..) => return None,
        };
        put!(self, "term {line}\n");
        Some(())
    }

    fn invariant(&mut self, location: Loc, invariant: &Invariant) {
        let reached = if invariant.known.is_some() { "reached" } else { "never" };
        put!(self, "invariant {} {reached} {}\n", location.index(), self.numbers[&invariant.bad]);
        for (var, value) in invariant.known.iter().flat_map(State::iter) {
            let (low, high) = (value.low(), value.high());
            put!(self, "known {} {low} {high} {} {}\n", var.index(), value.modulus(), value.residue());
        }
        for instance in &invariant.instances {
            put!(self, "instance");
            for (symbol, term) in instance {
                put!(self, " {} {}", symbol.index(), self.numbers[term]);
            }
            self.text.push('\n');
        }
    }

    fn choice(&mut self, location: Loc, skolem: &Skolem) {
        let what = match skolem.origin {
            Origin::Input(..) => "input".to_owned(),
            Origin::Rounded(what) => format!("rounded {what}"),
            Origin::Path => "path".to_owned(),
        };
        let site = match skolem.site {
            Site::Operation { edge, op } => format!("operation {} {op}", edge.index()),
            Site::Join { location, number } => format!("join {} {number}", location.index()),
        };
        put!(self, "chosen {} {} {site} {what}\n", location.index(), skolem.symbol.index());
    }
}

/// An annotation of a program from its text; nothing if the text does not fit.
pub fn read(text: &str, task: &Prepared<'_>) -> Option<Annotation> {
    let program = task.program();
    let mut terms = Terms::new();
    let vocabulary = Vocabulary::new(program, &mut terms);
    let mut reader = Reader {
        program,
        terms,
        vocabulary,
        symbols: BTreeMap::new(),
        numbers: Vec::new(),
        invariants: BTreeMap::new(),
        last: None,
        choices: BTreeMap::new(),
    };
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        reader.line(word, rest)?;
    }
    Some(Annotation::new(reader.terms, reader.vocabulary, reader.invariants, reader.choices))
}

struct Reader<'a> {
    program: &'a Program,
    terms: Terms,
    vocabulary: Vocabulary,
    symbols: BTreeMap<usize, SymbolId>,
    numbers: Vec<TermId>,
    invariants: BTreeMap<Loc, Invariant>,
    /// The invariant that is being read.
    last: Option<Loc>,
    choices: BTreeMap<Loc, Vec<Skolem>>,
}

/// The next word as a number.
fn number<T: std::str::FromStr>(words: &mut std::str::SplitWhitespace<'_>) -> Option<T> {
    words.next()?.parse().ok()
}

impl Reader<'_> {
    fn line(&mut self, word: &str, rest: &str) -> Option<()> {
        let mut words = rest.split_whitespace();
        match word {
            "variable" | "address" | "multiplied" | "counter" | "wraps" | "path" | "skolem" => {
                self.symbol(word, &mut words)
            }
            "term" => {
                let term = self.term(words.next()?, &mut words)?;
                self.numbers.push(term);
                Some(())
            }
            "invariant" => self.invariant(&mut words),
            "known" => self.known(&mut words),
            "instance" => self.instance(&mut words),
            "chosen" => self.chosen(&mut words),
            _ => None,
        }
    }

    fn symbol(&mut self, kind: &str, words: &mut std::str::SplitWhitespace<'_>) -> Option<()> {
        let key = number(words)?;
        let symbol = match kind {
            "variable" => {
                let var: usize = number(words)?;
                (var < self.program.vars.len()).then(|| self.vocabulary.symbol(VarId::new(var))).flatten()?
            }
            "address" => {
                let expr: usize = number(words)?;
                (expr < self.program.exprs.len()).then_some(())?;
                let name = words.collect::<Vec<_>>().join(" ");
                let name = name.strip_prefix('&').unwrap_or(&name).to_owned();
                self.vocabulary.declare_address(&mut self.terms, cfa::ExprId::new(expr), &name)
            }
            "multiplied" => {
                let factors: Option<Vec<VarId>> =
                    words.map(|word| word.parse().ok().map(VarId::new)).collect();
                self.vocabulary.product(&factors?)?
            }
            _ => {
                let sort = match words.next()? {
                    "array" => Sort::Array,
                    "bool" => Sort::Bool,
                    "int" => Sort::Int,
                    _ => return None,
                };
                let kind = match kind {
                    "counter" => SymbolKind::Counter,
                    "wraps" => SymbolKind::Wraps,
                    "path" => SymbolKind::Path,
                    _ => SymbolKind::Skolem,
                };
                self.terms.declare(words.collect::<Vec<_>>().join(" "), sort, kind)
            }
        };
        self.symbols.insert(key, symbol).is_none().then_some(())
    }

    /// The next word as a term of a sort (I1).
    fn operand(&self, words: &mut std::str::SplitWhitespace<'_>, sort: Sort) -> Option<TermId> {
        let term = *self.numbers.get(number::<usize>(words)?)?;
        (self.terms.sort(term) == sort).then_some(term)
    }

    fn operands(&self, words: &mut std::str::SplitWhitespace<'_>, sort: Sort) -> Option<Vec<TermId>> {
        let mut found = Vec::new();
        while words.clone().next().is_some() {
            found.push(self.operand(words, sort)?);
        }
        Some(found)
    }

    fn divisor(words: &mut std::str::SplitWhitespace<'_>) -> Option<Integer> {
        let divisor: Integer = number(words)?;
        (divisor > Integer::from(1)).then_some(divisor)
    }

    fn term(&mut self, word: &str, words: &mut std::str::SplitWhitespace<'_>) -> Option<TermId> {
        use Sort::{Array, Bool, Int};
        Some(match word {
            "true" => Terms::TRUE,
            "false" => Terms::FALSE,
            "symbol" => {
                let symbol = *self.symbols.get(&number(words)?)?;
                self.terms.of_symbol(symbol)
            }
            "not" => {
                let term = self.operand(words, Bool)?;
                self.terms.not(term)
            }
            "and" => {
                let items = self.operands(words, Bool)?;
                self.terms.and(items)
            }
            "or" => {
                let items = self.operands(words, Bool)?;
                self.terms.or(items)
            }
            "le" | "zero" => {
                let term = self.operand(words, Int)?;
                let form = self.terms.linear(term);
                if word == "le" { self.terms.le_zero(&form) } else { self.terms.eq_zero(&form) }
            }
            "divides" | "div" | "mod" => {
                let divisor = Self::divisor(words)?;
                let term = self.operand(words, Int)?;
                match word {
                    "divides" => self.terms.divides(&divisor, term),
                    "div" => self.terms.div(term, &divisor),
                    _ => self.terms.modulo(term, &divisor),
                }
            }
            "same" => {
                let (a, b) = (self.operand(words, Array)?, self.operand(words, Array)?);
                self.terms.eq(a, b)
            }
            "number" => {
                let value: Integer = number(words)?;
                self.terms.number(value)
            }
            "sum" => {
                let constant: Integer = number(words)?;
                let mut products = Vec::new();
                while words.clone().next().is_some() {
                    let coefficient: Integer = number(words)?;
                    products.push((self.operand(words, Int)?, coefficient));
                }
                self.sum(products, constant)
            }
            "product" => {
                let items = self.operands(words, Int)?;
                items.into_iter().reduce(|product, item| self.terms.mul(product, item))?
            }
            "ite" => {
                let condition = self.operand(words, Bool)?;
                let yes = *self.numbers.get(number::<usize>(words)?)?;
                let no = self.operand(words, self.terms.sort(yes))?;
                self.terms.ite(condition, yes, no)
            }
            "select" => {
                let (array, index) = (self.operand(words, Array)?, self.operand(words, Int)?);
                self.terms.select(array, index)
            }
            "store" => {
                let (array, index) = (self.operand(words, Array)?, self.operand(words, Int)?);
                let value = self.operand(words, Int)?;
                self.terms.store(array, index, value)
            }
            "everywhere" => {
                let value = self.operand(words, Int)?;
                self.terms.const_array(value)
            }
            _ => return None,
        })
    }

    /// Terms may be sums themselves by now, so they are added one by one.
    fn sum(&mut self, products: Vec<(TermId, Integer)>, constant: Integer) -> TermId {
        let mut sum = Linear::constant(constant);
        for (term, coefficient) in products {
            let form = self.terms.linear(term);
            sum = sum.add_scaled(&form, &coefficient);
        }
        self.terms.of_linear(&sum)
    }

    fn location(&self, words: &mut std::str::SplitWhitespace<'_>) -> Option<Loc> {
        let location: usize = number(words)?;
        let procedure = &self.program.procs[self.program.entry];
        (location < procedure.locations.len()).then(|| Loc::new(location))
    }

    fn invariant(&mut self, words: &mut std::str::SplitWhitespace<'_>) -> Option<()> {
        let location = self.location(words)?;
        let known = match words.next()? {
            "reached" => Some(State::new()),
            "never" => None,
            _ => return None,
        };
        let bad = self.operand(words, Sort::Bool)?;
        self.last = Some(location);
        self.invariants.insert(location, Invariant { known, bad, instances: Vec::new() });
        Some(())
    }

    fn known(&mut self, words: &mut std::str::SplitWhitespace<'_>) -> Option<()> {
        let var: usize = number(words)?;
        (var < self.program.vars.len()).then_some(())?;
        let (low, high): (i128, i128) = (number(words)?, number(words)?);
        let (modulus, residue): (i128, i128) = (number(words)?, number(words)?);
        (modulus >= 0).then_some(())?;
        let value = Value::new(low, high, modulus, residue)?;
        let state = self.invariants.get_mut(&self.last?)?.known.as_mut()?;
        state.claim(VarId::new(var), value);
        Some(())
    }

    fn instance(&mut self, words: &mut std::str::SplitWhitespace<'_>) -> Option<()> {
        let mut pairs = Vec::new();
        while words.clone().next().is_some() {
            let symbol = *self.symbols.get(&number(words)?)?;
            let sort = self.terms.symbol(symbol).sort;
            pairs.push((symbol, self.operand(words, sort)?));
        }
        self.invariants.get_mut(&self.last?)?.instances.push(pairs);
        Some(())
    }

    /// The source of a choice is that of the operation which stands there now.
    fn chosen(&mut self, words: &mut std::str::SplitWhitespace<'_>) -> Option<()> {
        let location = self.location(words)?;
        let symbol = *self.symbols.get(&number(words)?)?;
        let edges = self.program.procs[self.program.entry].edges();
        let site = match words.next()? {
            "operation" => Site::Operation { edge: EdgeId::new(number(words)?), op: number(words)? },
            "join" => Site::Join { location: self.location(words)?, number: number(words)? },
            _ => return None,
        };
        let origin = match words.next()? {
            "path" => Origin::Path,
            "rounded" => {
                let what = words.collect::<Vec<_>>().join(" ");
                Origin::Rounded(Rounding::ALL.into_iter().find(|rounding| rounding.to_string() == what)?)
            }
            "input" => {
                let Site::Operation { edge, op } = site else { return None };
                match edges.get(edge)?.ops.get(op)? {
                    Op::Havoc { source, at, .. } => Origin::Input(source.clone(), *at),
                    _ => return Some(()),
                }
            }
            _ => return None,
        };
        self.choices.entry(location).or_default().push(Skolem { symbol, ty: None, site, origin });
        Some(())
    }
}
