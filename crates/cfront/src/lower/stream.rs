//! Standard input: what the models read, and what else changes it.

use std::sync::Arc;

use cfa::{BinaryOp, Expr, ExprId, Freedom, Op, Place, Source, Ty};

use crate::hir::{self, ExprKind, FunctionId, PlaceKind, VariableId};
use crate::library;
use crate::lower::call::{Argument, Site};
use crate::lower::function::Body;
use crate::lower::graph::Graph;
use crate::lower::overlap::OVERLAP;
use crate::lower::storage::Slot;
use crate::lower::{Lowered, build};

/// Functions that may change which bytes the models of standard input read next.
const STREAM_CHANGERS: [&str; 101] = [
    "_IO_free_backup_area",
    "_IO_seekoff",
    "_IO_seekpos",
    "_IO_sgetn",
    "__fgets_alias",
    "__fgets_chk_warn",
    "__fgets_unlocked_alias",
    "__fgets_unlocked_chk",
    "__fgets_unlocked_chk_warn",
    "__fgetws_alias",
    "__fgetws_chk",
    "__fgetws_chk_warn",
    "__fgetws_unlocked_alias",
    "__fgetws_unlocked_chk",
    "__fgetws_unlocked_chk_warn",
    "__fpurge",
    "__fread_alias",
    "__fread_chk",
    "__fread_chk_warn",
    "__fread_unlocked_alias",
    "__fread_unlocked_chk",
    "__fread_unlocked_chk_warn",
    "__gets_alias",
    "__gets_chk",
    "__gets_warn",
    "__isoc23_fscanf",
    "__isoc23_fwscanf",
    "__isoc23_scanf",
    "__isoc23_wscanf",
    "__isoc99_fwscanf",
    "__isoc99_wscanf",
    "__pread64_alias",
    "__pread64_chk",
    "__pread64_chk_warn",
    "__pread_alias",
    "__pread_chk",
    "__pread_chk_warn",
    "__read_alias",
    "__read_chk",
    "__read_chk_warn",
    "__recv_alias",
    "__recv_chk",
    "__recv_chk_warn",
    "__recvfrom_alias",
    "__recvfrom_chk",
    "__recvfrom_chk_warn",
    "__uflow",
    "__underflow",
    "clearerr_unlocked",
    "close",
    "copy_file_range",
    "dup2",
    "dup3",
    "fclose",
    "fcloseall",
    "fdopen",
    "fgetgrent",
    "fgetgrent_r",
    "fgetpwent",
    "fgetpwent_r",
    "fgetspent",
    "fgetspent_r",
    "fgetwc",
    "fgetwc_unlocked",
    "fgetws",
    "fgetws_unlocked",
    "freopen",
    "freopen64",
    "fseek",
    "fseeko",
    "fseeko64",
    "fsetpos",
    "fsetpos64",
    "fwscanf",
    "getmntent",
    "getmntent_r",
    "getpass",
    "getw",
    "getwc",
    "getwc_unlocked",
    "getwchar",
    "getwchar_unlocked",
    "lseek",
    "lseek64",
    "popen",
    "posix_spawn",
    "posix_spawnp",
    "pread",
    "pread64",
    "read",
    "readv",
    "recv",
    "recvfrom",
    "rewind",
    "sendfile",
    "sendfile64",
    "splice",
    "system",
    "tcflush",
    "vwscanf",
    "wscanf",
];

/// The same for functions that change nothing unless they are given that stream; the number of the argument, from 1.
const CHANGERS_OF_ONE_STREAM: [(&str, usize); 4] =
    [("fflush", 1), ("fflush_unlocked", 1), ("fwide", 1), ("ungetwc", 2)];

impl Body<'_, '_> {
    /// A call of a function that may change what is read from standard input.
    pub(super) fn may_change_input(&mut self, name: &str, args: &[Argument], site: &Site) -> Lowered<()> {
        let stream = CHANGERS_OF_ONE_STREAM.iter().find(|(changer, _)| *changer == name);
        if stream.is_none() && STREAM_CHANGERS.binary_search(&name).is_err() || !self.reads_standard_input() {
            return Ok(());
        }
        let Some((_, number)) = stream else {
            self.cap(name, "it may change what is read from standard input", site);
            return Ok(());
        };
        match args.get(number - 1) {
            Some(Argument::Scalar(stream)) => self.change_stream(name, *stream, site),
            _ => Ok(()),
        }
    }

    /// Whether the program reads standard input by a model.
    fn reads_standard_input(&self) -> bool {
        let is_read =
            |function: &FunctionId| &*self.ctx.hir.functions[*function].name == "__wayproof_world_stdin";
        self.ctx.usage.functions.iter().any(is_read)
    }

    /// The value of the variable `stdin`; null if the program does not mention it, so that no stream is equal to it.
    pub(super) fn stdin(&mut self) -> Lowered<ExprId> {
        let hir = self.ctx.hir;
        let is_stdin = |variable: &VariableId| {
            let declared = &hir.variables[*variable];
            declared.is_extern && &*declared.name == cfa::STDIN
        };
        let null = build::address(self.exprs(), 0);
        let Some(variable) = hir.statics.iter().copied().find(is_stdin) else { return Ok(null) };
        if !self.ctx.usage.variables[variable].referenced
            || hir.types.scalar(hir.variables[variable].ty) != Some(Ty::Ptr)
        {
            return Ok(null);
        }
        Ok(match self.ctx.slot(variable)? {
            Slot::Object(var) => {
                let addr = self.object_address(var);
                self.exprs().add(Expr::Load { addr, ty: Ty::Ptr })
            }
            Slot::Split(parts) => parts.first().map_or(null, |part| self.exprs().var(part.var, Ty::Ptr)),
            Slot::Pointer(_) => null,
        })
    }

    /// Nothing is known of what follows if a function changes the stream that the models read.
    fn change_stream(&mut self, name: &str, stream: ExprId, site: &Site) -> Lowered<()> {
        let stream = self.convert_scalar(Ty::Ptr, stream);
        let stdin = self.stdin()?;
        let is_constant = |expr| build::constant(&self.ctx.program.exprs, expr).is_some();
        if self.is_for_output(stream) || is_constant(stream) || is_constant(stdin) {
            return Ok(());
        }
        let cond = build::compare(self.exprs(), BinaryOp::Eq, stream, stdin);
        let otherwise = build::not(self.exprs(), cond);
        if let Some(here) = self.graph.location() {
            self.graph.set(Graph::step(here, Op::Assume { cond }, site.origin));
            self.leave_open(name, site);
            self.graph.set(Graph::step(here, Op::Assume { cond: otherwise }, site.origin));
        }
        Ok(())
    }

    /// Whether a stream is the value of `stdout` or `stderr`, to which the program assigns nothing.
    fn is_for_output(&self, stream: ExprId) -> bool {
        let exprs = &self.ctx.program.exprs;
        let var = match *exprs.get(stream) {
            Expr::Var { var, .. } => Some(var),
            Expr::Load { addr, .. } => match *exprs.get(addr) {
                Expr::Address { var } => Some(var),
                _ => None,
            },
            _ => None,
        };
        let hir = self.ctx.hir;
        let Some(variable) = var.and_then(|var| self.ctx.variable_of.get(&var)) else { return false };
        let declared = &hir.variables[*variable];
        let may_change = |expr: &hir::Expr| match expr.kind {
            ExprKind::Assign { place, .. } | ExprKind::AddressOf(place) => {
                matches!(hir.places[place].kind, PlaceKind::Variable(changed) if changed == *variable)
            }
            _ => false,
        };
        declared.is_extern
            && matches!(&*declared.name, "stdout" | "stderr")
            && !hir.exprs.iter().any(may_change)
    }

    /// Nothing is known of an execution that gets here: it may reach the error, and nobody says that it does. So it ends in the error if the
    /// library decides so.
    pub(super) fn leave_open(&mut self, name: &str, site: &Site) {
        let function = name.trim_start_matches(library::UNSUPPORTED_PREFIX);
        let function: Arc<str> = match function.rsplit_once('_') {
            Some((function, "overlap")) => format!("{function}{OVERLAP}").into(),
            Some((function, "allocation")) => format!("{function} (with the program's own malloc)").into(),
            _ => function.into(),
        };
        let open = self.temporary(Ty::BOOL);
        let source = Source::Library { function, freedom: Freedom::Determined };
        let op = Op::Havoc { place: Place::Var(open), source, at: site.origin.region };
        self.graph.emit(op, site.origin);
        let value = self.read_var(open);
        let cond = build::not(self.exprs(), value);
        self.graph.emit(Op::Assume { cond }, site.origin);
        self.graph.fail(site.origin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_described() {
        assert!(STREAM_CHANGERS.is_sorted());
        let names = STREAM_CHANGERS.iter().chain(CHANGERS_OF_ONE_STREAM.iter().map(|(name, _)| name));
        for name in names {
            assert!(library::effects::describe(name).is_some(), "{name}");
        }
    }
}
