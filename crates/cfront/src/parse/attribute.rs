//! `__attribute__((…))`: an attribute has an effect, is in the list of those without one, or is refused by name.
//!
//! # Invariants
//! * A1: an attribute that is in no list is an error with its place, except in system headers: they are the same for all
//!   programs, and what of them matters is in the lists.

use base::Diagnostic;

use super::{Parsed, Parser};
use crate::ast::{AlignasArgument, Attribute, AttributeKind};
use crate::lex::{Failure, Name, Token, TokenKind, literal};

/// Attributes of [`HARMLESS`] by which a function promises something to the optimiser.
const PROMISES: &str =
    "alloc_align assume_aligned const malloc nonnull pure reproducible returns_nonnull unsequenced";

/// Attributes for the optimiser, messages, the linker, the calling convention and other tools. None of them changes what a program
/// without undefined behaviour does.
const HARMLESS: &str = "abi_tag access alloc_align alloc_size always_inline analyzer_noreturn annotate artificial assume_aligned \
     availability btf_decl_tag btf_type_tag cdecl cf_check cold common const counted_by deprecated designated_init \
     disable_tail_calls dllexport dllimport enum_extensibility error externally_visible fallthrough fastcall fd_arg fd_arg_read \
     fd_arg_write flag_enum flatten force_align_arg_pointer format format_arg function_return gcc_struct hot \
     indirect_branch indirect_return leaf lto_visibility_public malloc may_alias maybe_unused minsize ms_abi ms_hook_prologue \
     musttail no_address_safety_analysis no_caller_saved_registers no_icf no_instrument_function \
     no_profile_instrument_function no_reorder no_sanitize no_sanitize_address no_sanitize_coverage no_sanitize_memory \
     no_sanitize_thread no_sanitize_undefined no_split_stack no_stack_limit no_stack_protector nocf_check noclone nocommon \
     nodebug nodiscard noinline noipa nonnull nonstring noplt not_tail_called nothrow null_terminated_string_arg optnone \
     patchable_function_entry preserve_all preserve_most pure regparm reproducible require_constant_initialization retain \
     returns_nonnull returns_twice selectany sentinel simd speculative_load_hardening sseregparm stack_protect stdcall \
     strict_flex_array symver sysv_abi tainted_args thiscall tls_model unavailable uninitialized unsequenced unused used visibility \
     warn_if_not_aligned warn_unused_result warning zero_call_used_regs";

/// Attributes that are refused in system headers, too.
const REFUSED: &str = "address_space alias cleanup constructor destructor ext_vector_type ifunc init_priority ms_struct naked optimize \
     overloadable scalar_storage_order weakref";

/// Instructions that a function may be compiled to without another meaning. Fused multiplications and additions are none of them.
const INSTRUCTIONS: &str = "adx aes avx avx2 bmi bmi2 crc32 gfni lzcnt movbe mmx pclmul popcnt rdrnd rdseed sha sse sse2 sse3 sse4 sse4.1 \
     sse4.2 sse4a ssse3 vaes vpclmulqdq";

/// How the names of sections start whose contents the start-up code of a program calls.
const RUN_SECTIONS: [&str; 5] = [".init_array", ".preinit_array", ".fini_array", ".ctors", ".dtors"];

impl Parser<'_> {
    /// Any number of attribute specifiers, appended to `attributes`.
    #[inline]
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<()> {
        while self.at(TokenKind::Attribute) {
            self.nested(|parser| parser.attribute_specifier(attributes))?;
        }
        Ok(())
    }

    fn attribute_specifier(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<()> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "after `__attribute__`")?.span;
        let inner = self.expect(TokenKind::LeftParen, "after `__attribute__(`")?.span;
        loop {
            if self.token.kind.is_word() {
                attributes.extend(self.attribute()?);
            }
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect_close(TokenKind::RightParen, inner, "after attributes")?;
        self.expect_close(TokenKind::RightParen, open, "after attributes")?;
        Ok(())
    }

    /// One attribute; `None` if it does not matter.
    fn attribute(&mut self) -> Parsed<Option<Attribute>> {
        let token = self.bump();
        let name = bare(self.interner.text(Name(token.payload))).to_owned();
        let kind = match name.as_str() {
            "packed" => Some(AttributeKind::Packed),
            "noreturn" => Some(AttributeKind::Noreturn),
            "transparent_union" => Some(AttributeKind::TransparentUnion),
            "aligned" => Some(AttributeKind::Aligned(self.attribute_argument()?.map(AlignasArgument::Expr))),
            "vector_size" => self.attribute_argument()?.map(AttributeKind::VectorSize),
            "mode" => self.mode()?,
            // In the system's headers it only means that a program must not rely on the symbol.
            "weak" | "weak_import" => (!self.is_in_system_header()).then_some(AttributeKind::Weak),
            "gnu_inline" if self.is_in_system_header() => Some(AttributeKind::SystemInline),
            "gnu_inline" => Some(AttributeKind::GnuInline),
            "section" => self.section()?,
            "target" if !self.is_in_system_header() => self.target(&name, token)?,
            _ if is_in(PROMISES, &name) && !self.is_in_system_header() => {
                Some(AttributeKind::Promise(Name(token.payload)))
            }
            _ if is_in(HARMLESS, &name) => None,
            _ if !is_in(REFUSED, &name) && self.is_in_system_header() => None,
            _ => return Err(self.refused(&name, token)),
        };
        if self.at(TokenKind::LeftParen) {
            self.skip_parentheses()?;
        }
        Ok(kind.map(|kind| Attribute { kind, span: self.span_from(token.span) }))
    }

    /// A1.
    #[allow(clippy::unnecessary_box_returns)] // errors travel boxed
    fn refused(&self, name: &str, token: Token) -> Failure {
        let construct = format!("the attribute `{name}`, which may change the meaning of the program");
        let diagnostic = Diagnostic::unsupported(construct, self.span_from(token.span));
        Box::new(diagnostic.with_help("remove it if the program means the same without it"))
    }

    /// Whether the token at hand, a punctuator, stands in a system header.
    fn is_in_system_header(&self) -> bool {
        !self.token.kind.is_word() && self.tokens.is_system_at(self.token.payload as usize)
    }

    /// `("name")`: where a variable or function lies does not matter, unless it is called from there.
    fn section(&mut self) -> Parsed<Option<AttributeKind>> {
        let open = self.expect(TokenKind::LeftParen, "after attribute `section`")?.span;
        let section = self.strings();
        let is_run = matches!(section.as_str(), ".init" | ".fini")
            || RUN_SECTIONS.iter().any(|start| section.starts_with(start));
        if is_run || section.contains('\\') {
            let construct =
                format!("the section `{section}`, whose contents are executed before or after `main`");
            return Err(Box::new(Diagnostic::unsupported(construct, self.span_from(open))));
        }
        self.expect_close(TokenKind::RightParen, open, "after the name of a section")?;
        Ok(None)
    }

    /// `("avx2,bmi2")`: for which processor a function is compiled.
    fn target(&mut self, name: &str, token: Token) -> Parsed<Option<AttributeKind>> {
        let open = self.expect(TokenKind::LeftParen, "after attribute `target`")?.span;
        let target = self.strings();
        if !target.split(',').all(|part| is_in(INSTRUCTIONS, part.trim())) {
            return Err(self.refused(name, token));
        }
        self.expect_close(TokenKind::RightParen, open, "after the name of a target")?;
        Ok(None)
    }

    /// String literals, one after the other.
    fn strings(&mut self) -> String {
        let mut text = Vec::new();
        while self.at(TokenKind::String) {
            let literal = literal::spelling(&self.unit.text, self.token.payload as usize, TokenKind::String);
            text.extend(literal.into_iter().filter(|byte| *byte != b'"'));
            self.bump();
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// `(expression)`, if there is one.
    fn attribute_argument(&mut self) -> Parsed<Option<crate::ast::ExprId>> {
        if !self.at(TokenKind::LeftParen) {
            return Ok(None);
        }
        let open = self.bump().span;
        let argument = self.conditional()?;
        self.expect_close(TokenKind::RightParen, open, "after argument of attribute")?;
        Ok(Some(argument))
    }

    /// `(QI)`, `(__DI__)` …
    fn mode(&mut self) -> Parsed<Option<AttributeKind>> {
        let open = self.expect(TokenKind::LeftParen, "after attribute `mode`")?.span;
        let mode = self.expect_ident("machine mode")?;
        self.expect_close(TokenKind::RightParen, open, "after machine mode")?;
        let text = bare(self.interner.text(mode.name)).to_owned();
        Ok(Some(AttributeKind::Mode(self.interner.intern(&text))))
    }

    /// Skips balanced parentheses.
    fn skip_parentheses(&mut self) -> Parsed<()> {
        let open = self.token.span;
        let mut depth = 0_usize;
        loop {
            match self.token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                TokenKind::EndOfFile | TokenKind::Error => {
                    let failure = self.unexpected("`)` after arguments of attribute");
                    return Err(Box::new(failure.with_secondary(open, "to close this")));
                }
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|entry| entry == name)
}

/// `packed` of `__packed__`.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name)
}
