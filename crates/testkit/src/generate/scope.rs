//! Variables of the generated program and what is visible where.
//!
//! # Invariants
//! * I1: a local variable that is not `Addressable` is accessed only by its name.
//! * I2: a pointer variable points to a live object: its target's `depth` is at most its own.
//! * I3: a frozen variable is not written before it is thawed, so its interval may be refined meanwhile.

use super::Generator;
use super::effects::{Effects, Root, VarId};
use super::integer::Range;
use super::types::Type;

/// Where a variable lives and who can reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// Accessed by name alone (I1).
    Local,
    /// Automatic storage, pointers to it may exist.
    Addressable,
    /// Global or static local, may be reached from other functions.
    Static,
    /// An array parameter: the name stands for an object of the caller.
    Alias,
}

/// Qualifier of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Qualifier {
    None,
    Const,
    Volatile,
}

impl Qualifier {
    /// The qualifier as it is written in front of a declaration.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Qualifier::None => "",
            Qualifier::Const => "const ",
            Qualifier::Volatile => "volatile ",
        }
    }
}

/// What a place is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Read,
    Write,
}

/// A variable of the program.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) ty: Type,
    /// Interval all (element) values stay in, if narrower than the type.
    pub(super) range: Option<Range>,
    pub(super) storage: Storage,
    pub(super) qualifier: Qualifier,
    /// 0 for static storage, 1 for parameters and the outermost block of a function, and so on.
    pub(super) depth: usize,
    /// How many regions forbid to write it (I3).
    pub(super) frozen: u32,
    /// How many inner declarations hide its name.
    hidden: u32,
}

impl Variable {
    pub(super) fn new(name: String, ty: Type, storage: Storage) -> Variable {
        Variable {
            name,
            ty,
            range: None,
            storage,
            qualifier: Qualifier::None,
            depth: 0,
            frozen: 0,
            hidden: 0,
        }
    }
}

/// The table of variables with the stack of open blocks.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) variables: Vec<Variable>,
    blocks: Vec<Vec<VarId>>,
    /// A global is being defined: names of open blocks cannot be used.
    pub(super) globals_only: bool,
}

impl Scope {
    /// Opens a block (the first one is the file scope).
    pub(super) fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    /// Closes the innermost block; names hidden by it appear again.
    pub(super) fn close(&mut self) {
        let Some(block) = self.blocks.pop() else { return };
        for id in block {
            let name = self.variables[id].name.clone();
            for outer in self.blocks.iter().flatten() {
                let variable = &mut self.variables[*outer];
                if variable.name == name {
                    variable.hidden -= 1;
                }
            }
        }
    }

    /// How many blocks are open inside the file scope.
    pub(super) fn depth(&self) -> usize {
        self.blocks.len().saturating_sub(1)
    }

    /// Adds a variable to the innermost block; it hides others of the same name.
    pub(super) fn add(&mut self, mut variable: Variable) -> VarId {
        variable.depth = if variable.storage == Storage::Static { 0 } else { self.depth() };
        for outer in self.blocks.iter().flatten() {
            let other = &mut self.variables[*outer];
            if other.name == variable.name {
                other.hidden += 1;
            }
        }
        let id = self.variables.len();
        self.variables.push(variable);
        if let Some(block) = self.blocks.last_mut() {
            block.push(id);
        }
        id
    }

    /// Adds a global, whatever block is open.
    pub(super) fn add_global(&mut self, variable: Variable) -> VarId {
        let id = self.variables.len();
        self.variables.push(variable);
        self.blocks[0].push(id);
        id
    }

    /// Makes a variable invisible while its initialiser is written.
    pub(super) fn conceal(&mut self, id: VarId) {
        self.variables[id].hidden += 1;
    }

    /// Ends what [`Scope::conceal`] began.
    pub(super) fn reveal(&mut self, id: VarId) {
        self.variables[id].hidden -= 1;
    }

    /// Variables whose name refers to them here.
    pub(super) fn visible(&self) -> Vec<VarId> {
        let blocks = if self.globals_only { &self.blocks[..1] } else { &self.blocks[..] };
        blocks.iter().flatten().copied().filter(|&id| self.variables[id].hidden == 0).collect()
    }

    /// Visible variables declared in outer blocks but not in the innermost one, to be shadowed.
    pub(super) fn outer_names(&self) -> Vec<String> {
        let innermost = self.blocks.last().map_or(&[][..], Vec::as_slice);
        let declared = |name: &str| innermost.iter().any(|&id| self.variables[id].name == name);
        self.visible()
            .into_iter()
            .map(|id| self.variables[id].name.clone())
            .filter(|name| !declared(name))
            .collect()
    }

    /// The root of accesses to the variable.
    pub(super) fn root(&self, id: VarId) -> Root {
        match self.variables[id].storage {
            Storage::Alias => Root::Indirect,
            storage => Root::Variable { id, shared: storage != Storage::Local },
        }
    }

    /// Effects of reading the variable; a volatile read counts as a write too.
    pub(super) fn reading(&self, id: VarId) -> Effects {
        let effects = Effects::read(self.root(id));
        match self.variables[id].qualifier {
            Qualifier::Volatile => effects.join(&Effects::write(self.root(id))),
            Qualifier::None | Qualifier::Const => effects,
        }
    }

    /// Runs with a narrower interval for a frozen variable (I3).
    pub(super) fn freeze(&mut self, id: VarId, range: Range) -> Option<Range> {
        self.variables[id].frozen += 1;
        self.variables[id].range.replace(range)
    }

    /// Ends what [`Scope::freeze`] began, which returned `before`.
    pub(super) fn thaw(&mut self, id: VarId, before: Option<Range>) {
        self.variables[id].frozen -= 1;
        self.variables[id].range = before;
    }
}

impl Generator {
    /// Visible variables that satisfy `accept`; functions without effects see no static storage.
    pub(super) fn visible(&self, accept: impl Fn(&Variable) -> bool) -> Vec<VarId> {
        let mut ids = self.scope.visible();
        ids.retain(|&id| {
            let variable = &self.scope.variables[id];
            !(self.state.pure && variable.storage == Storage::Static) && accept(variable)
        });
        ids
    }

    /// A name no other entity of the program has.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::integer::Int;

    fn variable(name: &str) -> Variable {
        Variable::new(name.to_owned(), Type::Int(Int::Int), Storage::Local)
    }

    #[test]
    fn inner_names_hide_outer_ones_until_the_block_ends() {
        let mut scope = Scope::default();
        scope.open();
        scope.open();
        let outer = scope.add(variable("x"));
        scope.open();
        assert_eq!(scope.outer_names(), ["x"]);
        let inner = scope.add(variable("x"));
        assert_eq!(scope.visible(), [inner]);
        scope.close();
        assert_eq!(scope.visible(), [outer]);
    }
}
