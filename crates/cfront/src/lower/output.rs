//! Calls that write to standard output: operations of the program, which may fail if somebody looks at their result.
//!
//! The operation writes no memory. `%n` does, so a format that has it, or that may have it, caps `safe`; so do other conversions that
//! the operation does not know.

use std::sync::Arc;

use base::Region;
use cfa::{ApproximationKind, BinaryOp, Expr, ExprId, Freedom, Op, OutputFunction, Place, Source, Ty, VarId};

use crate::lower::call::{Returned, Sink, Site};
use crate::lower::described_call::Fallible;
use crate::lower::function::Body;
use crate::lower::{Lowered, build};

/// The errors that POSIX lists for `fputc`: EINTR, EIO, ENXIO, EBADF, EAGAIN, ENOMEM, EFBIG, ENOSPC, EPIPE.
const WRITE_ERRORS: [i128; 9] = [4, 5, 6, 9, 11, 12, 27, 28, 32];

impl Body<'_, '_> {
    /// A function that writes to standard output; if somebody looks at its result, the output may have failed.
    pub(super) fn output(
        &mut self,
        function: OutputFunction,
        args: Vec<ExprId>,
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Returned> {
        if function == OutputFunction::Printf {
            self.cap_format(&args, site.origin.region);
        }
        let int = Ty::signed(32);
        let is_used = self.ctx.hir.types.scalar(site.ty) == Some(int) && !matches!(sink, Sink::Drop);
        let result: Option<VarId> = is_used.then(|| self.temporary(int));
        let op = Op::Output { function, args, result: result.map(Place::Var) };
        self.graph.emit(op, site.origin);
        let errno = self.errno()?;
        let Some(result) = result else {
            if errno.is_some() && self.names_errno() {
                let what = "`errno` is not changed by output whose success is not checked";
                self.ctx.approximate(ApproximationKind::Assumption, what, Region::NOWHERE);
            }
            return Ok(Returned::Nothing);
        };
        let name: Arc<str> = match function {
            OutputFunction::Printf => "printf",
            OutputFunction::Puts => "puts",
            OutputFunction::Putchar => "putchar",
        }
        .into();
        let calls = Fallible { name: &name, ty: int, failure: -1, site };
        let written = |body: &mut Self| body.read_var(result);
        let fail = |body: &mut Self| {
            // Writing nothing does not fail.
            if function == OutputFunction::Printf {
                let (count, zero) = (body.read_var(result), body.exprs().int(int, 0));
                let cond = build::compare(body.exprs(), BinaryOp::Ne, count, zero);
                body.graph.emit(Op::Assume { cond }, site.origin);
            }
            if let Some(place) = errno {
                body.fail_to_write(&name, place, site);
            }
        };
        Ok(Returned::Scalar(self.unless_it_fails(&calls, written, fail)))
    }

    /// Sets `errno` to the number of an error that POSIX lists for writing to a stream. Each of them occurs on some run.
    fn fail_to_write(&mut self, name: &Arc<str>, errno: Place, site: &Site) {
        let int = Ty::signed(32);
        let number = self.temporary(int);
        let source = Source::Library { function: name.clone(), freedom: Freedom::World };
        self.graph.emit(Op::Havoc { place: Place::Var(number), source, at: site.origin.region }, site.origin);
        let value = self.read_var(number);
        let mut cond = None;
        for error in WRITE_ERRORS {
            let error = self.exprs().int(int, error);
            let is_error = build::compare(self.exprs(), BinaryOp::Eq, value, error);
            cond = Some(match cond {
                Some(cond) => build::or(self.exprs(), cond, is_error),
                None => is_error,
            });
        }
        if let Some(cond) = cond {
            self.graph.emit(Op::Assume { cond }, site.origin);
        }
        self.graph.emit(Op::Assign { place: errno, value }, site.origin);
    }

    /// Says what the operation leaves out of a call of `printf`.
    fn cap_format(&mut self, args: &[ExprId], at: Region) {
        let Some((format, rest)) = args.split_first() else { return };
        let what = match self.literal(*format) {
            Some(format) => match unknown_conversion(format) {
                Some(conversion) => format!("the conversion `%{conversion}` of `printf` is not followed"),
                None => return,
            },
            None if rest.iter().any(|arg| self.ctx.program.exprs.ty(*arg) == Ty::Ptr) => {
                "the format of `printf` is not known, and `%n` would write".to_owned()
            }
            None => return,
        };
        self.ctx.approximate(ApproximationKind::Under, what, at);
    }

    /// The string literal that a pointer leads to.
    pub(super) fn literal(&self, pointer: ExprId) -> Option<&[u8]> {
        let Expr::Address { var } = *self.ctx.program.exprs.get(pointer) else { return None };
        let (string, _) = self.ctx.strings.iter().find(|(_, known)| **known == var)?;
        Some(&self.ctx.hir.strings[*string].bytes)
    }
}

/// The first conversion that the operation does not know.
fn unknown_conversion(format: &[u8]) -> Option<String> {
    let end = format.iter().position(|byte| *byte == 0).unwrap_or(format.len());
    let mut rest = &format[..end];
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        rest = &rest[at + 1..];
        let is_end =
            |byte: &u8| byte.is_ascii_alphabetic() && !b"hlLqjzt".contains(byte) || b"%$".contains(byte);
        let end = rest.iter().position(is_end)?;
        let conversion = &rest[..=end];
        let is_wide = conversion.contains(&b'l') && b"cs".contains(&rest[end]);
        if is_wide || b"CSnm$".contains(&rest[end]) {
            return Some(String::from_utf8_lossy(conversion).into_owned());
        }
        rest = &rest[end + 1..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_that_are_not_known_are_found() {
        for (format, conversion) in [
            ("%d %n", "n"),
            ("%hhn", "hhn"),
            ("%%%m", "m"),
            ("%1$s", "1$"),
            ("%-5ls|", "-5ls"),
            ("%5lc", "5lc"),
        ] {
            assert_eq!(unknown_conversion(format.as_bytes()).as_deref(), Some(conversion), "{format}");
        }
        for format in ["", "n", "%%n", "%ld n", "100%", "%-5sn", "%d\0%n"] {
            assert_eq!(unknown_conversion(format.as_bytes()), None, "{format}");
        }
    }
}
