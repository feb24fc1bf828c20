//! What the variables of a prepared program are called at a place of the source.

use std::collections::BTreeMap;

use base::Region;
use cfa::{Loc, Program, Ty, Var, VarId};
use encode::Vocabulary;
use passes::Prepared;
use term::SymbolId;

use super::express::Words;

/// The variables that have a name at one place.
pub(super) struct Names {
    names: BTreeMap<VarId, Name>,
}

#[derive(Clone)]
struct Name {
    text: String,
    /// The variable of the given program.
    source: VarId,
    /// Visible where the place starts, not only inside.
    is_visible: bool,
}

impl Names {
    /// The names at a location of the entry procedure; nothing if it has no place in the source.
    pub(super) fn new(program: &Program, task: &Prepared<'_>, location: Loc) -> Option<Self> {
        let entry = task.program().entry;
        let origin = task.back().location(entry, location)?;
        let place = program.procs[origin.proc].locations[origin.location].region;
        if place.is_nowhere() {
            return None;
        }
        let mut names = BTreeMap::new();
        for var in task.program().vars.ids() {
            let Some(source) = task.back().var(var) else { continue };
            let info = &program.vars[source.var];
            let is_mine = match info.owner {
                None => true,
                Some(owner) => owner == origin.proc && source.context == origin.context,
            };
            let is_integer = matches!(info.scalar(), Some(Ty::Int { width: 1..=64, .. }));
            if !is_mine || !is_integer || !is_plain(&info.name) || info.c_type.is_empty() {
                continue;
            }
            let is_visible = starts_in(info.scope, place);
            // The variable of a `for` is declared in the loop, before its condition.
            let is_inside = place.contains(info.scope);
            if (is_visible || is_inside) && !is_shadowed(program, source.var, info, place) {
                names.insert(var, Name { text: info.name.to_string(), source: source.var, is_visible });
            }
        }
        Some(Self { names })
    }

    /// The names of all variables of a program.
    #[cfg(test)]
    pub(super) fn of_all(program: &Program) -> Self {
        let name = |(var, info): (VarId, &Var)| {
            (var, Name { text: info.name.to_string(), source: var, is_visible: true })
        };
        Self { names: program.vars.iter_enumerated().map(name).collect() }
    }

    /// Whether a symbol is a variable with a name, or a product of such.
    pub(super) fn can_say(&self, vocabulary: &Vocabulary, symbol: SymbolId) -> bool {
        let vars = factors(vocabulary, symbol);
        !vars.is_empty() && vars.iter().all(|var| self.names.contains_key(var))
    }

    pub(super) fn text(&self, var: VarId) -> Option<&str> {
        self.names.get(&var).map(|name| name.text.as_str())
    }

    /// The variable of the given program that a variable is.
    pub(super) fn source(&self, var: VarId) -> Option<VarId> {
        self.names.get(&var).map(|name| name.source)
    }

    /// The variable that stands here for one of the given program.
    pub(super) fn var_of(&self, source: VarId) -> Option<VarId> {
        self.names.iter().find(|(_, name)| name.source == source).map(|(var, _)| *var)
    }

    /// Whether all of the variables are visible where the place starts.
    pub(super) fn are_visible(&self, vars: &[VarId]) -> bool {
        vars.iter().all(|var| self.names.get(var).is_some_and(|name| name.is_visible))
    }

    /// The names that are visible where the place starts.
    pub(super) fn visible(&self) -> Self {
        let visible = self.names.iter().filter(|(_, name)| name.is_visible);
        Self { names: visible.map(|(var, name)| (*var, name.clone())).collect() }
    }
}

/// Names and the symbols that they are for.
pub(super) struct Named<'a> {
    pub(super) names: &'a Names,
    pub(super) vocabulary: &'a Vocabulary,
}

impl Words for Named<'_> {
    fn factors(&self, symbol: SymbolId) -> Option<Vec<(VarId, String)>> {
        let vars = factors(self.vocabulary, symbol);
        let named = vars.into_iter().map(|var| Some((var, self.names.text(var)?.to_owned())));
        named.collect::<Option<Vec<_>>>().filter(|factors| !factors.is_empty())
    }
}

/// The variables that a symbol is the product of: one, if it is a variable; none if it stands for something else.
pub(super) fn factors(vocabulary: &Vocabulary, symbol: SymbolId) -> Vec<VarId> {
    match vocabulary.var(symbol) {
        Some(var) => vec![var],
        None => vocabulary.factors(symbol).map(<[VarId]>::to_vec).unwrap_or_default(),
    }
}

/// A name, or a path of members.
pub(crate) fn is_plain(name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && word.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
    };
    name.split('.').all(is_word)
}

/// Whether a place starts inside a scope.
pub(crate) fn starts_in(scope: Region, place: Region) -> bool {
    let start = Region { end_line: place.line, end_column: place.column, ..place };
    !scope.is_nowhere() && scope.contains(start)
}

/// Whether another variable has the name at the place.
pub(crate) fn is_shadowed(program: &Program, var: VarId, info: &Var, place: Region) -> bool {
    let word = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let mine = word(&info.name);
    program.vars.iter_enumerated().any(|(other, theirs)| {
        other != var
            && word(&theirs.name) == mine
            && theirs.declared != info.declared
            && info.scope.contains(theirs.scope)
            && (starts_in(theirs.scope, place) || place.contains(theirs.scope))
    })
}
