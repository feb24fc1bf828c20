//! Terms, read with a stack of open applications.

use term::{Integer, Sort, Substitution, SymbolKind, Terms};

use super::lex::Kind;
use super::operator::Operator;
use super::sort::{Type, Typed};
use super::{Macro, Meaning, ReadError, Reader};
use crate::system::Atom;

/// Whether a formula is asserted, denied, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polarity {
    Positive,
    Negative,
    Neither,
}

impl Polarity {
    fn flip(self) -> Self {
        match self {
            Self::Positive => Self::Negative,
            Self::Negative => Self::Positive,
            Self::Neither => Self::Neither,
        }
    }
}

/// What is open while its parts are read.
struct Frame<'a> {
    /// The index of the closing parenthesis.
    end: usize,
    /// Where it starts.
    start: usize,
    polarity: Polarity,
    form: Form<'a>,
    parts: Vec<Typed>,
}

enum Form<'a> {
    Apply(Operator),
    Predicate(crate::PredicateId),
    Macro(Macro),
    /// The names to be bound, while their values are read; the list ends at this index.
    Bindings(Vec<&'a str>, usize),
    /// The body of a `let` or a quantifier, and the names that end with it.
    Body(Vec<&'a str>),
    /// `(! term attributes)`.
    Annotated,
}

impl<'a> Reader<'a> {
    /// Reads a term.
    pub(super) fn term(&mut self, polarity: Polarity) -> Result<Typed, ReadError> {
        let mut frames: Vec<Frame<'a>> = Vec::new();
        loop {
            let done = if let Some(polarity) = self.next_polarity(frames.last(), polarity) {
                self.start(polarity, &mut frames)?
            } else {
                let frame = frames.pop().expect("only an open frame should end");
                self.finish(frame, &mut frames)?
            };
            let Some(value) = done else { continue };
            match frames.last_mut() {
                None => return Ok(value),
                Some(frame) => self.give(frame, value)?,
            }
        }
    }

    /// The polarity of the next part of the last frame; nothing if the frame has no more parts.
    fn next_polarity(&self, frame: Option<&Frame<'a>>, outermost: Polarity) -> Option<Polarity> {
        let Some(frame) = frame else { return Some(outermost) };
        match &frame.form {
            Form::Bindings(_, end) => (self.at < *end).then_some(Polarity::Neither),
            _ if self.at >= frame.end => None,
            Form::Body(_) | Form::Annotated => Some(frame.polarity),
            Form::Predicate(_) | Form::Macro(_) => Some(Polarity::Neither),
            Form::Apply(operator) => Some(match operator {
                Operator::Not => frame.polarity.flip(),
                Operator::And | Operator::Or => frame.polarity,
                Operator::Implies if self.is_last_part(frame.end) => frame.polarity,
                Operator::Implies => frame.polarity.flip(),
                _ => Polarity::Neither,
            }),
        }
    }

    fn is_last_part(&self, end: usize) -> bool {
        match self.kind(self.at) {
            Some(Kind::Open(close)) => close + 1 == end,
            _ => self.at + 1 == end,
        }
    }

    /// Reads a token that starts a term: a value, or a new frame.
    fn start(&mut self, polarity: Polarity, frames: &mut Vec<Frame<'a>>) -> Result<Option<Typed>, ReadError> {
        let start = self.at;
        match self.kind(start) {
            Some(Kind::Numeral(digits)) => {
                self.at += 1;
                let value: Integer = digits
                    .parse()
                    .map_err(|_| self.error(start, "this is not a number", "write decimal digits"))?;
                Ok(Some(Typed { term: self.terms.number(value), ty: Type::Int }))
            }
            Some(Kind::Symbol(name)) => {
                self.at += 1;
                self.named(start, name).map(Some)
            }
            Some(Kind::Open(end)) => {
                self.at += 1;
                let frame = self.head(start, end, polarity)?;
                frames.push(frame);
                Ok(None)
            }
            Some(Kind::Other(text)) => Err(self.unsupported(
                start,
                format_args!("constant {text}"),
                "only integers and booleans are supported",
            )),
            _ => Err(self.error(start, "a term should stand here", "write a term of sort Bool or Int")),
        }
    }

    fn named(&mut self, at: usize, name: &str) -> Result<Typed, ReadError> {
        match (self.names.get(name).and_then(|meanings| meanings.last()).cloned(), name) {
            (Some(Meaning::Term(term)), _) => Ok(term),
            (Some(Meaning::Macro(defined)), _) if defined.parameters.is_empty() => Ok(defined.body),
            (Some(Meaning::Predicate(predicate)), _) => self.atom(at, predicate, Vec::new()),
            (Some(Meaning::Macro(_)), _) => {
                Err(self.error(at, format!("{name} needs arguments"), "apply it to its arguments"))
            }
            (None, "true") => Ok(Typed::bool(Terms::TRUE)),
            (None, "false") => Ok(Typed::bool(Terms::FALSE)),
            (None, _) => {
                Err(self.error(at, format!("{name} is not declared"), "declare it, or bind it by forall"))
            }
        }
    }

    /// What follows an opening parenthesis, up to the first part.
    fn head(&mut self, start: usize, end: usize, polarity: Polarity) -> Result<Frame<'a>, ReadError> {
        let at = self.at;
        let Some(Kind::Symbol(name)) = self.kind(at) else {
            let help = "write an operator, a predicate, let, forall or exists";
            if let Some(form) = self.constant_array(at)? {
                return Ok(Frame { end, start, polarity, form, parts: Vec::new() });
            }
            return Err(match self.kind(at) {
                Some(Kind::Open(_)) => self.unsupported(at, "an indexed or qualified operator", help),
                _ => self.error(at, "an operator should stand here", help),
            });
        };
        self.at += 1;
        let form = match self.names.get(name).and_then(|meanings| meanings.last()).cloned() {
            Some(Meaning::Predicate(predicate)) => Form::Predicate(predicate),
            Some(Meaning::Macro(defined)) => Form::Macro(defined),
            Some(Meaning::Term(_)) => {
                return Err(self.error(
                    at,
                    format!("{name} is a variable and takes no arguments"),
                    "remove the parentheses",
                ));
            }
            None => match name {
                "let" => return self.let_head(start, end, polarity),
                "forall" | "exists" => return self.quantifier(start, end, polarity, name),
                "!" => Form::Annotated,
                _ => Form::Apply(Operator::of(name).ok_or_else(|| self.unknown_operator(at, name))?),
            },
        };
        Ok(Frame { end, start, polarity, form, parts: Vec::new() })
    }

    /// `(as const sort)` as an operator.
    fn constant_array(&mut self, at: usize) -> Result<Option<Form<'a>>, ReadError> {
        let (Some(Kind::Open(end)), Some(Kind::Symbol("as")), Some(Kind::Symbol("const"))) =
            (self.kind(at), self.kind(at + 1), self.kind(at + 2))
        else {
            return Ok(None);
        };
        self.at = at + 3;
        let ty = self.sort()?;
        self.close(end, "the sort of the constant array")?;
        Ok(Some(Form::Apply(Operator::Constant(ty))))
    }

    fn unknown_operator(&self, at: usize, name: &str) -> ReadError {
        let help =
            "supported are the operators of linear integer arithmetic, of arrays and of the core theory";
        match name {
            "to_real" | "to_int" | "/" | "is_int" | "as" | "_" | "match" => {
                self.unsupported(at, format_args!("operator {name}"), help)
            }
            _ => self.error(at, format!("{name} is neither declared nor an operator"), help),
        }
    }

    fn let_head(&mut self, start: usize, end: usize, polarity: Polarity) -> Result<Frame<'a>, ReadError> {
        let list = self.open("the bindings of let")?;
        let mut frame =
            Frame { end, start, polarity, form: Form::Bindings(Vec::new(), list), parts: Vec::new() };
        self.binding(&mut frame)?;
        Ok(frame)
    }

    /// Reads `(name` of the next binding, if there is one.
    fn binding(&mut self, frame: &mut Frame<'a>) -> Result<(), ReadError> {
        let Form::Bindings(names, list) = &mut frame.form else { return Ok(()) };
        if self.at < *list {
            self.open("a binding")?;
            let name = self.symbol("a name")?;
            names.push(name);
        }
        Ok(())
    }

    fn quantifier(
        &mut self,
        start: usize,
        end: usize,
        polarity: Polarity,
        name: &str,
    ) -> Result<Frame<'a>, ReadError> {
        let is_universal =
            matches!((name, polarity), ("forall", Polarity::Positive) | ("exists", Polarity::Negative));
        if !is_universal {
            let help = "the variables of a clause are bound by forall outside, or by exists under a negation";
            return Err(self.unsupported(start, format_args!("{name} in this place"), help));
        }
        let (bound, _) = self.binders()?;
        Ok(Frame { end, start, polarity, form: Form::Body(bound), parts: Vec::new() })
    }

    /// A part of a frame is complete.
    fn give(&mut self, frame: &mut Frame<'a>, value: Typed) -> Result<(), ReadError> {
        frame.parts.push(value);
        match &frame.form {
            Form::Bindings(..) => {
                if self.kind(self.at) != Some(Kind::Close) {
                    return Err(self.error(
                        self.at,
                        "the binding should end here",
                        "bind one term to each name",
                    ));
                }
                self.at += 1;
                self.binding(frame)
            }
            // Attributes of an annotation say nothing.
            Form::Annotated => {
                self.at = frame.end;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A frame has all its parts: its value, or the next stage of a `let`.
    fn finish(&mut self, frame: Frame<'a>, frames: &mut Vec<Frame<'a>>) -> Result<Option<Typed>, ReadError> {
        let Frame { end, start, polarity, form, parts } = frame;
        match form {
            Form::Bindings(names, list) => {
                for (name, value) in names.iter().zip(parts) {
                    self.names.entry(name).or_default().push(Meaning::Term(value));
                }
                self.at = list + 1;
                frames.push(Frame { end, start, polarity, form: Form::Body(names), parts: Vec::new() });
                Ok(None)
            }
            Form::Body(names) => {
                self.unbind(&names);
                self.at = end + 1;
                self.single(start, &parts).map(Some)
            }
            Form::Annotated => {
                self.at = end + 1;
                self.single(start, &parts).map(Some)
            }
            Form::Predicate(predicate) => {
                self.at = end + 1;
                self.atom(start, predicate, parts).map(Some)
            }
            Form::Macro(Macro { parameters, body }) => {
                self.at = end + 1;
                let types: Vec<Type> = parameters.iter().map(|(_, ty)| *ty).collect();
                self.check_sorts(start, &types, &parts)?;
                let pairs = parameters.into_iter().zip(parts).map(|((symbol, _), part)| (symbol, part.term));
                let term = Substitution::new(pairs).apply(self.terms, body.term);
                Ok(Some(Typed { term, ty: body.ty }))
            }
            Form::Apply(operator) => {
                self.at = end + 1;
                self.apply(operator, &parts)
                    .map(Some)
                    .map_err(|(message, help)| self.error(start, message, help))
            }
        }
    }

    fn single(&self, start: usize, parts: &[Typed]) -> Result<Typed, ReadError> {
        match parts {
            [one] => Ok(*one),
            _ => Err(self.error(start, "one term should be the body of this", "write exactly one term")),
        }
    }

    fn atom(
        &mut self,
        at: usize,
        predicate: crate::PredicateId,
        arguments: Vec<Typed>,
    ) -> Result<Typed, ReadError> {
        self.check_sorts(at, &self.types[predicate], &arguments)?;
        let arguments = arguments.into_iter().map(|argument| argument.term).collect();
        let symbol = self.terms.declare("atom", Sort::Bool, SymbolKind::Auxiliary);
        self.atoms.insert(symbol, Atom { predicate, arguments });
        Ok(Typed::bool(self.terms.of_symbol(symbol)))
    }

    fn check_sorts(&self, at: usize, sorts: &[Type], parts: &[Typed]) -> Result<(), ReadError> {
        if sorts.len() != parts.len() {
            let message = format!("{} arguments are given, {} are declared", parts.len(), sorts.len());
            return Err(self.error(at, message, "give as many arguments as are declared"));
        }
        let wrong = sorts.iter().zip(parts).position(|(sort, part)| *sort != part.ty);
        match wrong {
            None => Ok(()),
            Some(index) => {
                let message =
                    format!("argument {} should be of sort {}", index + 1, self.type_name(sorts[index]));
                Err(self.error(at, message, "give a term of the declared sort"))
            }
        }
    }
}
