//! The text form of annotations and of bounded proofs, to be read back by a later run about the same program.
//!
//! One line for each thing: the logic, the nodes of all formulas (operands first), and the invariants with their facts and instances, which name
//! nodes by their numbers. Variables, expressions and operations are named by their numbers in the prepared program. Nothing that is read is trusted: it becomes
//! an [`Annotation`], and the check of annotations decides.
//!
//! # Invariants
//! * I1: reading never panics, and what is read satisfies F1 of formulas. Whether it fits a program is for its import to say.
//! * I2: reading what was written gives an equal annotation.

use std::collections::BTreeMap;
use std::fmt;
use std::str::{FromStr, SplitWhitespace};

use base::Idx;
use cfa::{EdgeId, ExprId, Loc, ProcId, VarId};
use encode::{LogicName, Rounding, Site};
use rustc_hash::FxHashMap;
use term::{Integer, SymbolKind};
use values::folds::{Coded, FoldOp};
use values::state::State;
use values::sums::{Bound, Count, Sum, Summand, Test};
use values::value::Value;

use crate::annotation::{Annotation, Instance, Invariant};
use crate::formula::{ChoiceKind, Chosen, Formula, FormulaNode, Free, Operator, Symbol};
use crate::vectors::{OpWord, SortWord, read_op, read_sort, read_width};
use crate::verdict::Bounded;

/// The nodes of several formulas in one list, each once.
#[derive(Default)]
struct Table {
    nodes: Vec<FormulaNode>,
    numbers: FxHashMap<FormulaNode, u32>,
    /// Where the nodes of a formula went, by their address and position.
    moved: FxHashMap<(usize, u32), u32>,
}

impl Table {
    fn node(&mut self, node: FormulaNode) -> u32 {
        if let Some(number) = self.numbers.get(&node) {
            return *number;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(node.clone());
        self.numbers.insert(node, number);
        number
    }

    fn symbol(&mut self, symbol: &Symbol) -> u32 {
        self.node(FormulaNode { operator: Operator::Symbol(symbol.clone()), operands: Box::default() })
    }

    fn formula(&mut self, formula: &Formula) -> u32 {
        let address = formula.nodes().as_ptr() as usize;
        if !self.moved.contains_key(&(address, formula.root())) {
            for position in formula.reachable() {
                let node = &formula.nodes()[position as usize];
                let operands = node.operands.iter().map(|operand| self.moved[&(address, *operand)]).collect();
                let number = self.node(FormulaNode { operator: node.operator.clone(), operands });
                self.moved.insert((address, position), number);
            }
        }
        self.moved[&(address, formula.root())]
    }
}

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::default();
        for invariant in self.invariants.values() {
            table.formula(&invariant.never);
            for (symbol, formula) in invariant.instances.iter().flatten() {
                table.symbol(symbol);
                table.formula(formula);
            }
        }
        writeln!(f, "logic {}", word_of(&LOGICS, &self.logic))?;
        for node in &table.nodes {
            write_node(f, node)?;
        }
        for ((proc, location), invariant) in &self.invariants {
            let reached = if invariant.facts.is_some() { "reached" } else { "never" };
            let never = table.formula(&invariant.never);
            writeln!(f, "invariant {} {} {reached} {never}", proc.index(), location.index())?;
            for (var, value) in invariant.facts.iter().flat_map(State::iter) {
                let (low, high) = (value.low(), value.high());
                writeln!(f, "known {} {low} {high} {} {}", var.index(), value.modulus(), value.residue())?;
            }
            for instance in &invariant.instances {
                f.write_str("instance")?;
                for (symbol, formula) in instance {
                    write!(f, " {} {}", table.symbol(symbol), table.formula(formula))?;
                }
                f.write_str("\n")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Bounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "logic {} iterations {}", word_of(&LOGICS, &self.logic), self.iterations)
    }
}

impl FromStr for Bounded {
    type Err = NotAnAnnotation;
    fn from_str(text: &str) -> Result<Self, NotAnAnnotation> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let ["logic", logic, "iterations", iterations] = words.as_slice() else {
            return Err(NotAnAnnotation);
        };
        let logic = meaning_of(&LOGICS, logic).ok_or(NotAnAnnotation)?;
        let iterations = iterations.parse().map_err(|_| NotAnAnnotation)?;
        Ok(Self { logic, iterations })
    }
}

const LOGICS: [(LogicName, &str); 2] = [(LogicName::Integers, "integers"), (LogicName::Bits, "bits")];
const CODES: [(Coded, &str); 7] = [
    (Coded::Elements, "elements"),
    (Coded::Element, "element"),
    (Coded::Fold(FoldOp::And), "and"),
    (Coded::Fold(FoldOp::Or), "or"),
    (Coded::Fold(FoldOp::Xor), "xor"),
    (Coded::Fold(FoldOp::Max), "max"),
    (Coded::Fold(FoldOp::Min), "min"),
];
const KINDS: [(SymbolKind, &str); 8] = [
    (SymbolKind::Variable, "variable"),
    (SymbolKind::Primed, "primed"),
    (SymbolKind::Skolem, "skolem"),
    (SymbolKind::Counter, "counter"),
    (SymbolKind::Wraps, "wraps"),
    (SymbolKind::Path, "path"),
    (SymbolKind::Address, "address"),
    (SymbolKind::Auxiliary, "auxiliary"),
];
/// Operators that are nothing but a word.
const PLAIN: [(Operator, &str); 13] = [
    (Operator::True, "true"),
    (Operator::False, "false"),
    (Operator::Not, "not"),
    (Operator::And, "and"),
    (Operator::Or, "or"),
    (Operator::AtMostZero, "le"),
    (Operator::IsZero, "zero"),
    (Operator::Same, "same"),
    (Operator::Product, "product"),
    (Operator::IfThenElse, "ite"),
    (Operator::Select, "select"),
    (Operator::Store, "store"),
    (Operator::ConstantArray, "everywhere"),
];

/// The word for something.
fn word_of<T: PartialEq>(words: &[(T, &'static str)], wanted: &T) -> &'static str {
    words.iter().find(|(item, _)| item == wanted).map_or("unknown", |(_, word)| word)
}

fn meaning_of<T: Clone>(words: &[(T, &str)], wanted: &str) -> Option<T> {
    words.iter().find(|(_, word)| *word == wanted).map(|(item, _)| item.clone())
}

fn write_node(f: &mut fmt::Formatter<'_>, node: &FormulaNode) -> fmt::Result {
    match &node.operator {
        Operator::Symbol(symbol) => write_symbol(f, symbol)?,
        Operator::Number(value) => write!(f, "number {value}")?,
        Operator::Divides(divisor) => write!(f, "divides {divisor}")?,
        Operator::Quotient(divisor) => write!(f, "div {divisor}")?,
        Operator::Remainder(divisor) => write!(f, "mod {divisor}")?,
        Operator::Sum { constant, coefficients } => {
            write!(f, "sum {constant} {}", coefficients.len())?;
            coefficients.iter().try_for_each(|coefficient| write!(f, " {coefficient}"))?;
        }
        Operator::Vector(width, value) => write!(f, "vector {width} {value}")?,
        Operator::OnVectors(op) => write!(f, "bits {}", OpWord(*op))?,
        plain => f.write_str(word_of(&PLAIN, plain))?,
    }
    node.operands.iter().try_for_each(|operand| write!(f, " {operand}"))?;
    f.write_str("\n")
}

fn write_symbol(f: &mut fmt::Formatter<'_>, symbol: &Symbol) -> fmt::Result {
    match symbol {
        Symbol::Variable(var) => write!(f, "variable {}", var.index()),
        Symbol::AtEntry(var) => write!(f, "entry {}", var.index()),
        Symbol::Product(factors) => {
            f.write_str("multiplied")?;
            factors.iter().try_for_each(|factor| write!(f, " {}", factor.index()))
        }
        Symbol::Sum(Sum { array, bound, of }) => {
            write!(f, "summed {} ", array.index())?;
            match bound {
                Bound::Variable(var) => write!(f, "variable {}", var.index())?,
                Bound::Number(number) => write!(f, "number {number}")?,
            }
            match of {
                Summand::Elements => Ok(()),
                Summand::Codes => f.write_str(" codes"),
                Summand::Counts(count) => write_count(f, count),
            }
        }
        Symbol::Code(var, Coded::Counts(count)) => {
            write!(f, "code {}", var.index())?;
            write_count(f, count)
        }
        Symbol::Code(var, coded) => write!(f, "code {} {}", var.index(), word_of(&CODES, coded)),
        Symbol::Address(expr) => write!(f, "address {}", expr.index()),
        Symbol::Chosen(Chosen { start: (proc, location), site, kind, number, sort }) => {
            write!(f, "chosen {} {} ", proc.index(), location.index())?;
            match site {
                Site::Operation { edge, op } => write!(f, "operation {} {op}", edge.index())?,
                Site::Join { location, number } => write!(f, "join {} {number}", location.index())?,
            }
            write!(f, " {number} {} ", SortWord(*sort))?;
            match kind {
                ChoiceKind::Open => f.write_str("open"),
                ChoiceKind::Rounded(what) => write!(f, "rounded {what}"),
                ChoiceKind::Path => f.write_str("path"),
            }
        }
        Symbol::Free(Free { number, sort, kind, name }) => {
            write!(f, "free {number} {} {} {name}", SortWord(*sort), word_of(&KINDS, kind))
        }
    }
}

/// The text is not that of an annotation or of a bounded proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnAnnotation;

impl FromStr for Annotation {
    type Err = NotAnAnnotation;
    fn from_str(text: &str) -> Result<Self, NotAnAnnotation> {
        read(text).ok_or(NotAnAnnotation)
    }
}

fn read(text: &str) -> Option<Annotation> {
    let mut lines = text.lines().peekable();
    let logic = meaning_of(&LOGICS, lines.next()?.strip_prefix("logic ")?)?;
    let mut nodes = Vec::new();
    while let Some(line) = lines.next_if(|line| !line.starts_with("invariant ")) {
        nodes.push(read_node(&mut line.split_whitespace())?);
    }
    // An operand that does not come before its node makes this nothing, and then every formula (I1).
    let first = Formula::new(nodes, 0);
    let mut reader = Reader { first, invariants: BTreeMap::new(), last: None };
    for line in lines {
        reader.line(&mut line.split_whitespace())?;
    }
    Some(Annotation { logic, invariants: reader.invariants })
}

type Words<'a> = SplitWhitespace<'a>;

/// The next word as a number.
fn number<T: FromStr>(words: &mut Words<'_>) -> Option<T> {
    words.next()?.parse().ok()
}

/// The next word as the number of something.
fn id<I: Idx>(words: &mut Words<'_>) -> Option<I> {
    Some(I::new(number::<u32>(words)? as usize))
}

/// All other words.
fn rest(words: &mut Words<'_>) -> Box<str> {
    words.collect::<Vec<_>>().join(" ").into()
}

fn read_node(words: &mut Words<'_>) -> Option<FormulaNode> {
    let operator = match words.next()? {
        word @ ("variable" | "entry" | "multiplied" | "summed" | "code" | "address" | "chosen" | "free") => {
            let operator = Operator::Symbol(read_symbol(word, words)?);
            let is_all = words.next().is_none();
            return is_all.then(|| FormulaNode { operator, operands: Box::default() });
        }
        "number" => Operator::Number(number(words)?),
        "divides" => Operator::Divides(number(words)?),
        "div" => Operator::Quotient(number(words)?),
        "mod" => Operator::Remainder(number(words)?),
        "sum" => {
            let (constant, count) = (number(words)?, number::<u32>(words)?);
            let coefficients: Option<Vec<Integer>> = (0..count).map(|_| number(words)).collect();
            Operator::Sum { constant, coefficients: coefficients?.into() }
        }
        "vector" => Operator::Vector(read_width(words.next()?)?, number(words)?),
        "bits" => Operator::OnVectors(read_op(words.next()?)?),
        word => meaning_of(&PLAIN, word)?,
    };
    let operands: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
    Some(FormulaNode { operator, operands: operands?.into() })
}

fn write_count(f: &mut fmt::Formatter<'_>, Count { test, yes, no }: &Count) -> fmt::Result {
    let (word, number) = match test {
        Test::AtMost(limit) => ("most", limit),
        Test::Is(value) => ("is", value),
        Test::Multiple(divisor) => ("multiple", divisor),
    };
    write!(f, " counts {word} {number} {yes} {no}")
}

fn read_count(words: &mut Words<'_>) -> Option<Count> {
    let of_number = match words.next()? {
        "most" => Test::AtMost,
        "is" => Test::Is,
        "multiple" => Test::Multiple,
        _ => return None,
    };
    Some(Count { test: of_number(number(words)?), yes: number(words)?, no: number(words)? })
}

fn read_symbol(word: &str, words: &mut Words<'_>) -> Option<Symbol> {
    Some(match word {
        "variable" => Symbol::Variable(id(words)?),
        "entry" => Symbol::AtEntry(id(words)?),
        "multiplied" => {
            let factors: Option<Vec<VarId>> = words.map(|word| word.parse().ok().map(VarId)).collect();
            Symbol::Product(factors?.into())
        }
        "code" => {
            let var = id(words)?;
            let coded = match words.next()? {
                "counts" => Coded::Counts(read_count(words)?),
                word => meaning_of(&CODES, word)?,
            };
            Symbol::Code(var, coded)
        }
        "summed" => {
            let array = id(words)?;
            let bound = match words.next()? {
                "variable" => Bound::Variable(id(words)?),
                "number" => Bound::Number(number(words)?),
                _ => return None,
            };
            let of = match words.next() {
                None => Summand::Elements,
                Some("codes") => Summand::Codes,
                Some("counts") => Summand::Counts(read_count(words)?),
                Some(_) => return None,
            };
            Symbol::Sum(Sum { array, bound, of })
        }
        "address" => Symbol::Address(id::<ExprId>(words)?),
        "chosen" => {
            let start = (id::<ProcId>(words)?, id::<Loc>(words)?);
            let site = match words.next()? {
                "operation" => Site::Operation { edge: id::<EdgeId>(words)?, op: number(words)? },
                "join" => Site::Join { location: id::<Loc>(words)?, number: number(words)? },
                _ => return None,
            };
            let (number, sort) = (number(words)?, read_sort(words.next()?)?);
            let kind = match words.next()? {
                "open" => ChoiceKind::Open,
                "rounded" => {
                    let what = rest(words);
                    let known = Rounding::ALL.into_iter().find(|known| *known.to_string() == *what);
                    ChoiceKind::Rounded(known?)
                }
                "path" => ChoiceKind::Path,
                _ => return None,
            };
            Symbol::Chosen(Chosen { start, site, kind, number, sort })
        }
        _ => {
            let (number, sort) = (number(words)?, read_sort(words.next()?)?);
            let kind = meaning_of(&KINDS, words.next()?)?;
            Symbol::Free(Free { number, sort, kind, name: rest(words) })
        }
    })
}

struct Reader {
    /// The formula of the first node, among whose nodes all others are; nothing if there are no nodes.
    first: Option<Formula>,
    invariants: BTreeMap<(ProcId, Loc), Invariant>,
    /// The invariant that is being read.
    last: Option<(ProcId, Loc)>,
}

impl Reader {
    fn line(&mut self, words: &mut Words<'_>) -> Option<()> {
        match words.next()? {
            "invariant" => self.invariant(words),
            "known" => self.known(words),
            "instance" => self.instance(words),
            _ => None,
        }
    }

    /// The next word as a formula.
    fn formula(&self, words: &mut Words<'_>) -> Option<Formula> {
        self.first.as_ref()?.at(number(words)?)
    }

    fn invariant(&mut self, words: &mut Words<'_>) -> Option<()> {
        let place = (id(words)?, id(words)?);
        let facts = match words.next()? {
            "reached" => Some(State::new()),
            "never" => None,
            _ => return None,
        };
        let never = self.formula(words)?;
        self.last = Some(place);
        let invariant = Invariant { facts, never, instances: Vec::new() };
        self.invariants.insert(place, invariant).is_none().then_some(())
    }

    fn known(&mut self, words: &mut Words<'_>) -> Option<()> {
        let var = id(words)?;
        let (low, high): (i128, i128) = (number(words)?, number(words)?);
        let (modulus, residue): (i128, i128) = (number(words)?, number(words)?);
        (modulus >= 0).then_some(())?;
        let value = Value::new(low, high, modulus, residue)?;
        self.invariants.get_mut(&self.last?)?.facts.as_mut()?.claim(var, value);
        Some(())
    }

    fn instance(&mut self, words: &mut Words<'_>) -> Option<()> {
        let mut instance = Instance::new();
        while words.clone().next().is_some() {
            let symbol = self.formula(words)?;
            let Operator::Symbol(symbol) = &symbol.nodes()[symbol.root() as usize].operator else {
                return None;
            };
            instance.insert(symbol.clone(), self.formula(words)?);
        }
        self.invariants.get_mut(&self.last?)?.instances.push(instance);
        Some(())
    }
}
