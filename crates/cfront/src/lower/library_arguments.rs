//! Whether the pointers among the arguments of a described function are valid by their form.
//!
//! The description says what is written, and not how arguments are used otherwise. So that a call is proper is assumed (checks), or caps the verdict (property files),
//! unless the form of every argument shows it.
//!
//! # Invariants
//! * A1: an argument counts as valid only if an object is named whose size is at least what the function may access.
//! * A2: what may be a string is valid only if it is a literal. Numbers of elements that are not constants show nothing.

use cfa::{ApproximationKind, CheckKind, Expr, ExprId, Storage, Ty, VarId};

use crate::hir::FunctionId;
use crate::library::effects::{Bound, Effects, Extent, Write};
use crate::lower::call::{Argument, Site};
use crate::lower::function::Body;
use crate::lower::{LibraryArguments, build};
use crate::types::TypeId;

/// The arguments of a call and what is known of their uses.
struct Uses<'a> {
    effects: &'a Effects,
    params: &'a [TypeId],
    /// The arguments, by position; records have none.
    args: &'a [Option<ExprId>],
}

impl Body<'_, '_> {
    /// Records what is assumed of the arguments of a described function, or that nothing is known about its use of them.
    pub(super) fn note_arguments(
        &mut self,
        (function, name): (FunctionId, &str),
        effects: &Effects,
        args: &[Argument],
        site: &Site,
    ) {
        let hir = self.ctx.hir;
        let params = hir.types.function(hir.functions[function].ty).map_or(&[][..], |ty| &ty.params[..]);
        let scalar = |arg: &Argument| match arg {
            Argument::Scalar(value) => Some(*value),
            Argument::Record(..) => None,
        };
        let args: Vec<Option<ExprId>> = args.iter().map(scalar).collect();
        let uses = Uses { effects, params, args: &args };
        let checks = self.ctx.options.checks;
        let is_checked = CheckKind::ALL.into_iter().any(|kind| kind.is_access() && checks.contains(kind));
        let mut numbers = 1..=args.len();
        if is_checked && (numbers.any(|number| self.is_open(&uses, number)) || self.may_lack_arguments(&uses))
        {
            let (assumed, open) = (
                format!("the arguments of `{name}` are valid"),
                format!("how `{name}` uses its arguments is not known"),
            );
            self.note_use(assumed, open, site);
        }
        let is_written = |write: &Write| match *write {
            Write::Argument(number, _) => self.may_get_first_value(&uses, number),
            Write::Rest | Write::RestByFormat => {
                (params.len() + 1..=args.len()).any(|number| self.may_get_first_value(&uses, number))
            }
        };
        if checks.contains(CheckKind::Uninitialised) && effects.writes.iter().any(is_written) {
            let (assumed, open) = (
                format!("what the arguments of `{name}` point to is initialised after the call"),
                format!("`{name}` may fail and leave memory without value"),
            );
            self.note_use(assumed, open, site);
        }
    }

    fn note_use(&mut self, assumed: String, open: String, site: &Site) {
        let (kind, what) = match self.ctx.options.library_arguments {
            LibraryArguments::Assumed => (ApproximationKind::Assumption, assumed),
            LibraryArguments::Unknown => (ApproximationKind::Under, open),
        };
        self.ctx.approximate(kind, what, site.origin.region);
    }

    /// Whether an argument is a pointer of which its form does not say that it is valid.
    fn is_open(&self, uses: &Uses<'_>, number: usize) -> bool {
        let exprs = &self.ctx.program.exprs;
        let Some(value) = uses.args[number - 1].filter(|value| exprs.ty(*value) == Ty::Ptr) else {
            return false;
        };
        match *exprs.get(value) {
            Expr::Const { bits, .. } => bits != 0 || !uses.effects.optional.contains(&number),
            Expr::Address { var } => self.is_too_small(uses, number, var) != Some(false),
            _ => true,
        }
    }

    /// Whether an object has fewer bytes than may be accessed by an argument; `None` if that is not known (A1).
    fn is_too_small(&self, uses: &Uses<'_>, number: usize, var: VarId) -> Option<bool> {
        let Storage::Object { size, read_only, .. } = self.ctx.program.vars[var].storage else { return None };
        let types = &self.ctx.hir.types;
        let pointee = types.pointee(*uses.params.get(number - 1)?)?;
        // What the pointers in it lead to is not looked at.
        if types.contains_pointer(pointee) {
            return None;
        }
        let mut is_written = false;
        let mut needed = 0;
        for write in &uses.effects.writes {
            if let Write::Argument(written, extent) = *write
                && written == number
            {
                is_written = true;
                needed = self.written_bytes(uses, pointee, extent)?.max(needed);
            }
        }
        if is_written {
            return Some(read_only || size < needed);
        }
        if types.scalar(pointee).is_some_and(|ty| ty.is_int() && types.size_of(pointee) == Some(1)) {
            let is_literal = self.ctx.strings.values().any(|literal| *literal == var);
            return (is_literal && !self.is_size(uses, number + 1)).then_some(false);
        }
        self.read_bytes(uses, number, pointee).map(|needed| size < needed)
    }

    /// How many bytes of a pointee are written at most.
    fn written_bytes(&self, uses: &Uses<'_>, pointee: TypeId, extent: Extent) -> Option<u64> {
        match extent {
            Extent::Object => self.ctx.hir.types.size_of(pointee),
            Extent::Count(count) => {
                self.number(uses, count)?.checked_mul(self.ctx.hir.types.size_of(pointee)?)
            }
            Extent::Bytes(Bound::Number(bytes)) => u64::try_from(bytes).ok(),
            Extent::Bytes(Bound::Argument(bytes)) => self.number(uses, bytes),
            Extent::Bytes(Bound::Product(one, other)) => {
                self.number(uses, one)?.checked_mul(self.number(uses, other)?)
            }
            Extent::Bytes(Bound::Min | Bound::Max) | Extent::All => None,
        }
    }

    /// How many bytes are read at most by an argument that is no string: those of one object, or what the next argument says.
    fn read_bytes(&self, uses: &Uses<'_>, number: usize, pointee: TypeId) -> Option<u64> {
        let types = &self.ctx.hir.types;
        let is_integer = |param: Option<&TypeId>| param.is_some_and(|param| types.is_integer(*param));
        let is_counted = is_integer(uses.params.get(number));
        if types.is_void(pointee) {
            let is_product = self.is_size(uses, number + 2);
            return if is_counted && !is_product { self.number(uses, number + 1) } else { None };
        }
        let size = types.size_of(pointee)?;
        if types.record(pointee).is_some() {
            return match (is_counted, self.is_size(uses, number - 1)) {
                (true, _) => self.number(uses, number + 1)?.checked_mul(size),
                (false, true) => None,
                (false, false) => Some(size),
            };
        }
        // It may be an array if there is a number beside it, and a string of wide characters (A2).
        let is_one = size > 4 && !uses.params.iter().any(|param| is_integer(Some(param)));
        is_one.then_some(size)
    }

    /// Whether a parameter is of the type `size_t`.
    fn is_size(&self, uses: &Uses<'_>, number: usize) -> bool {
        let param = number.checked_sub(1).and_then(|index| uses.params.get(index));
        let word = Ty::unsigned(self.ctx.program.data_model.pointer_width());
        param.is_some_and(|param| self.ctx.hir.types.scalar(*param) == Some(word))
    }

    /// The value of a constant argument.
    fn number(&self, uses: &Uses<'_>, number: usize) -> Option<u64> {
        let value = (*uses.args.get(number - 1)?)?;
        u64::try_from(build::constant(&self.ctx.program.exprs, value)?).ok()
    }

    /// Whether a format asks for arguments, which may be others than are there.
    fn may_lack_arguments(&self, uses: &Uses<'_>) -> bool {
        let is_formatted =
            uses.effects.writes.iter().any(|write| matches!(write, Write::Rest | Write::RestByFormat));
        if !is_formatted {
            return false;
        }
        let format = uses.params.len().checked_sub(1).and_then(|last| *uses.args.get(last)?);
        let Some(Expr::Address { var }) = format.map(|format| self.ctx.program.exprs.get(format)) else {
            return true;
        };
        let literal = self.ctx.strings.iter().find(|(_, known)| *known == var);
        literal.is_none_or(|(string, _)| self.ctx.hir.strings[*string].bytes.contains(&b'%'))
    }

    /// Whether an argument may lead to memory that has no value before the call.
    fn may_get_first_value(&self, uses: &Uses<'_>, number: usize) -> bool {
        let exprs = &self.ctx.program.exprs;
        let value = uses.args.get(number - 1).copied().flatten();
        value.filter(|value| exprs.ty(*value) == Ty::Ptr).is_some_and(|value| match *exprs.get(value) {
            Expr::Const { .. } => false,
            // Static storage is never without value.
            Expr::Address { var } => self.ctx.program.vars[var].owner.is_some(),
            _ => true,
        })
    }
}
