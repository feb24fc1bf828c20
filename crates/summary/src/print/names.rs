//! What symbols are called and what they stand for.
//!
//! # Invariants
//! * N1: within one reading different symbols have different names.

use std::collections::{BTreeMap, BTreeSet};

use base::Region;
use cfa::{Guess, Program, Source, Ty, VarId};
use encode::{Rounding, Site, Skolem};
use term::{Node, SymbolId, SymbolKind, TermId, Terms};
use values::state::type_range;

use crate::single_target::Summaries;
use graph::cut::{Graph, PointId};

/// What a symbol that is no variable stands for.
#[derive(Clone, Debug)]
enum Origin {
    /// A value that the program leaves open.
    Choice(Source, Region),
    /// A value that linear arithmetic does not express.
    Rounded(Rounding, Option<Region>),
    /// Which of several paths was taken.
    Path,
    /// How often the loop of a head iterates.
    Iterations(PointId),
    /// How often it does in one of its phases.
    Phase(PointId),
    /// The value of a variable after the loop of a head.
    After(PointId, VarId),
}

/// Where the symbols of a graph come from.
pub(super) struct Origins {
    by_symbol: BTreeMap<SymbolId, Origin>,
    /// Copies of symbols keep their names.
    by_name: BTreeMap<Box<str>, Origin>,
    types: BTreeMap<SymbolId, Ty>,
    types_by_name: BTreeMap<Box<str>, Ty>,
}

/// The names of the symbols of one reading.
pub(super) struct Glossary {
    pub(super) names: BTreeMap<SymbolId, String>,
    /// What the names of symbols other than variables mean.
    pub(super) meanings: Vec<(String, String)>,
}

impl Origins {
    pub(super) fn new(program: &Program, graph: &Graph, summaries: &Summaries, terms: &Terms) -> Self {
        let mut origins = Self {
            by_symbol: BTreeMap::new(),
            by_name: BTreeMap::new(),
            types: BTreeMap::new(),
            types_by_name: BTreeMap::new(),
        };
        for arc in &graph.arcs {
            for skolem in &arc.skolems {
                origins.add_skolem(program, graph, terms, skolem);
            }
        }
        // Outer loops repeat the symbols of inner ones, which come later in the order.
        for (head, star) in summaries.stars().iter().rev() {
            let star = star.pruning();
            for symbol in star.formula.symbols(terms) {
                if terms.symbol(symbol).kind == SymbolKind::Counter {
                    let is_all = matches!(terms.node(star.count), Node::Symbol(_));
                    let origin = if is_all { Origin::Iterations(*head) } else { Origin::Phase(*head) };
                    origins.add(terms, symbol, origin);
                }
            }
            for (variable, value) in &star.formula.update {
                let Some(var) = graph.vocabulary.var(*variable) else { continue };
                if let Node::Symbol(symbol) = *terms.node(*value)
                    && terms.symbol(symbol).kind == SymbolKind::Primed
                {
                    origins.by_symbol.entry(symbol).or_insert(Origin::After(*head, var));
                    origins.types.extend(program.vars[var].scalar().map(|ty| (symbol, ty)));
                }
            }
        }
        for (var, info) in program.vars.iter_enumerated() {
            if let (Some(symbol), Some(ty)) = (graph.vocabulary.symbol(var), info.scalar()) {
                origins.types.insert(symbol, ty);
            }
        }
        origins
    }

    fn add_skolem(&mut self, program: &Program, graph: &Graph, terms: &Terms, skolem: &Skolem) {
        let region = match skolem.site {
            Site::Operation { edge, .. } => Some(program.procs[graph.procedure].edges()[edge].origin.region),
            Site::Join { .. } => None,
        };
        let origin = match &skolem.origin {
            encode::Origin::Input(source, region) => Origin::Choice(source.clone(), *region),
            encode::Origin::Rounded(what) => Origin::Rounded(*what, region),
            encode::Origin::Path => Origin::Path,
        };
        self.add(terms, skolem.symbol, origin);
        let name = &terms.symbol(skolem.symbol).name;
        self.types_by_name.extend(skolem.ty.map(|ty| (name.clone(), ty)));
    }

    fn add(&mut self, terms: &Terms, symbol: SymbolId, origin: Origin) {
        self.by_name.entry(terms.symbol(symbol).name.clone()).or_insert_with(|| origin.clone());
        self.by_symbol.entry(symbol).or_insert(origin);
    }

    /// Says that a new symbol stands for a variable after a loop.
    pub(super) fn add_after(&mut self, program: &Program, symbol: SymbolId, head: PointId, var: VarId) {
        self.by_symbol.insert(symbol, Origin::After(head, var));
        self.types.extend(program.vars[var].scalar().map(|ty| (symbol, ty)));
    }

    /// Says that a new symbol stands for the number of iterations of a loop.
    pub(super) fn add_iterations(&mut self, symbol: SymbolId, head: PointId) {
        self.by_symbol.insert(symbol, Origin::Iterations(head));
    }

    /// Whether a symbol is a value that the program leaves open: a reader wants to see those.
    pub(super) fn is_choice(&self, terms: &Terms, symbol: SymbolId) -> bool {
        matches!(self.of(terms, symbol), Some(Origin::Choice(..)))
    }

    fn of(&self, terms: &Terms, symbol: SymbolId) -> Option<&Origin> {
        let info = terms.symbol(symbol);
        let by_name = || match info.kind {
            SymbolKind::Skolem | SymbolKind::Counter | SymbolKind::Path => self.by_name.get(&info.name),
            SymbolKind::Variable
            | SymbolKind::Primed
            | SymbolKind::Wraps
            | SymbolKind::Address
            | SymbolKind::Auxiliary => None,
        };
        self.by_symbol.get(&symbol).or_else(by_name)
    }

    /// That symbols have values of their types.
    pub(super) fn typing(&self, terms: &mut Terms, symbols: &[SymbolId]) -> TermId {
        let mut conjuncts = Vec::new();
        for symbol in symbols.iter().copied() {
            let by_name = || match terms.symbol(symbol) {
                info if info.kind == SymbolKind::Skolem => self.types_by_name.get(&info.name),
                _ => None,
            };
            let ty = self.types.get(&symbol).or_else(by_name);
            let Some(range) = ty.and_then(|ty| type_range(*ty)) else { continue };
            let (value, low, high) =
                (terms.of_symbol(symbol), terms.number(range.low()), terms.number(range.high()));
            conjuncts.push(terms.le(low, value));
            conjuncts.push(terms.le(value, high));
        }
        terms.and(conjuncts)
    }

    /// Names for the symbols of a formula. What the values after the loop of `own` are needs no words.
    pub(super) fn names(
        &self,
        program: &Program,
        graph: &Graph,
        terms: &Terms,
        formula: TermId,
        own: Option<PointId>,
    ) -> Glossary {
        let symbols = terms.symbols_of(formula);
        let kind = |symbol: SymbolId| terms.symbol(symbol).kind;
        let (variables, mut others): (Vec<SymbolId>, Vec<SymbolId>) =
            symbols.into_iter().partition(|symbol| kind(*symbol) == SymbolKind::Variable);
        let mut glossary = Glossary { names: BTreeMap::new(), meanings: Vec::new() };
        let mut taken = BTreeSet::new();
        for symbol in variables {
            let name = terms.symbol(symbol).name.to_string();
            taken.insert(name.clone());
            glossary.names.insert(symbol, name);
        }
        let is_count = |symbol: &&SymbolId| matches!(self.of(terms, **symbol), Some(Origin::Iterations(_)));
        let counters =
            if others.iter().filter(is_count).count() > 1 { Counters::Several } else { Counters::One };
        let is_own = |symbol: SymbolId| matches!(self.of(terms, symbol), Some(Origin::After(head, _)) if Some(*head) == own);
        others.sort_by_key(|symbol| (!is_own(*symbol), *symbol));
        for symbol in others {
            let origin = self.of(terms, symbol);
            let wish = Wish::of(program, terms, symbol, origin, counters);
            let name = wish.name(&taken);
            taken.insert(name.clone());
            if !is_own(symbol) {
                glossary.meanings.push((name.clone(), meaning(program, graph, terms, symbol, origin)));
            }
            glossary.names.insert(symbol, name);
        }
        glossary
    }
}

/// How many numbers of iterations occur in a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counters {
    /// At most one.
    One,
    /// More.
    Several,
}

/// The name that a symbol would like to have, and how to go on if it is taken.
enum Wish {
    /// Itself, then with `#2`, `#3`, …
    Plain(String),
    /// With a number, from 1 on.
    Numbered(String),
    /// With one prime or more.
    Primed(String),
}

impl Wish {
    fn of(
        program: &Program,
        terms: &Terms,
        symbol: SymbolId,
        origin: Option<&Origin>,
        counters: Counters,
    ) -> Self {
        match origin {
            Some(Origin::Choice(source, region)) => {
                let what = match source {
                    Source::Input { .. } => "input",
                    Source::Uninitialised => "uninitialised",
                    Source::Rounded => "rounded",
                    Source::Outside => "outside",
                    Source::Guess(_) => return Self::Numbered("guess".to_owned()),
                    Source::Extern { function } | Source::Library { function, .. } => function,
                    Source::Argument { name } | Source::Global { name } => {
                        return Self::Plain(name.to_string());
                    }
                };
                Self::Plain(format!("{what}@{}", region.line))
            }
            Some(Origin::Rounded(..)) => Self::Numbered("n".to_owned()),
            Some(Origin::Path) => Self::Numbered("path".to_owned()),
            Some(Origin::Phase(_)) => Self::Numbered("k".to_owned()),
            Some(Origin::Iterations(_)) => match counters {
                Counters::One => Self::Plain("k".to_owned()),
                Counters::Several => Self::Numbered("k".to_owned()),
            },
            Some(Origin::After(_, var)) => Self::Primed(program.vars[*var].name.to_string()),
            None => {
                let info = terms.symbol(symbol);
                match info.kind {
                    SymbolKind::Primed => Self::Primed(info.name.to_string()),
                    SymbolKind::Counter => Self::Numbered("k".to_owned()),
                    SymbolKind::Address => Self::Plain(info.name.to_string()),
                    SymbolKind::Path => Self::Numbered("path".to_owned()),
                    SymbolKind::Skolem | SymbolKind::Wraps | SymbolKind::Variable | SymbolKind::Auxiliary => {
                        Self::Numbered("n".to_owned())
                    }
                }
            }
        }
    }

    fn name(&self, taken: &BTreeSet<String>) -> String {
        let mut at = 1_usize;
        loop {
            let name = match self {
                Self::Plain(name) if at == 1 => name.clone(),
                Self::Plain(name) => format!("{name}#{at}"),
                Self::Numbered(name) => format!("{name}{at}"),
                Self::Primed(name) => {
                    format!("{name}{}", "'".repeat(at.min(3)))
                        + &if at > 3 { at.to_string() } else { String::new() }
                }
            };
            if !taken.contains(&name) {
                return name;
            }
            at += 1;
        }
    }
}

/// What is guessed, for people.
fn guessed(guess: Guess) -> &'static str {
    match guess {
        Guess::Fails => "whether the error is reached inside a call",
        Guess::Innermost => "in which procedure a recursion ends",
        Guess::Caller => "by which call a recursive procedure was called",
        Guess::Value => "a value with which a recursive procedure was called",
    }
}

fn meaning(
    program: &Program,
    graph: &Graph,
    terms: &Terms,
    symbol: SymbolId,
    origin: Option<&Origin>,
) -> String {
    let line = |head: &PointId| {
        let location = graph.points[*head].location;
        program.procs[graph.procedure].locations[location].region.line
    };
    match origin {
        Some(Origin::Choice(source, region)) => match source {
            Source::Input { function } | Source::Extern { function } | Source::Library { function, .. } => {
                format!("what {function}() returns in line {}", region.line)
            }
            Source::Rounded => "a value in memory".to_owned(),
            Source::Outside => "memory behind a pointer from outside".to_owned(),
            Source::Guess(guess) => guessed(*guess).to_owned(),
            Source::Uninitialised => format!("an uninitialised value of line {}", region.line),
            Source::Argument { .. } => "an argument of the program".to_owned(),
            Source::Global { .. } => "a global variable at the start".to_owned(),
        },
        Some(Origin::Rounded(what, Some(region))) => {
            format!("a value left open: {what}, line {}", region.line)
        }
        Some(Origin::Rounded(what, None)) => format!("a value left open: {what}"),
        Some(Origin::Path) => "which of two paths is taken".to_owned(),
        Some(Origin::Iterations(head)) => {
            format!("the number of iterations of the loop at line {}", line(head))
        }
        Some(Origin::Phase(head)) => {
            format!("the number of iterations in a phase of the loop at line {}", line(head))
        }
        Some(Origin::After(head, var)) => {
            format!("{} after the loop at line {}", program.vars[*var].name, line(head))
        }
        None => {
            let info = terms.symbol(symbol);
            match info.kind {
                SymbolKind::Primed => format!("an intermediate value of {}", info.name),
                SymbolKind::Counter => "the number of iterations of a loop".to_owned(),
                SymbolKind::Address => "an address".to_owned(),
                SymbolKind::Path => "which of two paths is taken".to_owned(),
                SymbolKind::Wraps => "how often a value wraps around".to_owned(),
                SymbolKind::Skolem | SymbolKind::Variable | SymbolKind::Auxiliary => "some value".to_owned(),
            }
        }
    }
}
