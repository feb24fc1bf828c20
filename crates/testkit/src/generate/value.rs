//! Expressions as text with their exact C type, an interval of values and their effects.

use super::effects::Effects;
use super::integer::{Int, Range};

/// Precedence levels of C, higher binds tighter.
pub(super) mod level {
    pub(in super::super) const COMMA: u8 = 1;
    pub(in super::super) const ASSIGN: u8 = 2;
    pub(in super::super) const CONDITION: u8 = 3;
    pub(in super::super) const LOGICAL_OR: u8 = 4;
    pub(in super::super) const LOGICAL_AND: u8 = 5;
    pub(in super::super) const BIT_OR: u8 = 6;
    pub(in super::super) const BIT_XOR: u8 = 7;
    pub(in super::super) const BIT_AND: u8 = 8;
    pub(in super::super) const EQUALITY: u8 = 9;
    pub(in super::super) const RELATION: u8 = 10;
    pub(in super::super) const SHIFT: u8 = 11;
    pub(in super::super) const SUM: u8 = 12;
    pub(in super::super) const PRODUCT: u8 = 13;
    pub(in super::super) const UNARY: u8 = 14;
    pub(in super::super) const POSTFIX: u8 = 15;
}

/// Text with a precedence level.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) level: u8,
}

impl Text {
    pub(super) fn new(text: impl Into<String>, level: u8) -> Text {
        Text { text: text.into(), level }
    }

    /// The text, in parentheses if it binds less tightly than `level`.
    pub(super) fn at(&self, level: u8) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }

    /// The operand of a prefix operator; a space keeps `- -x` and `& &x` apart.
    pub(super) fn operand(&self) -> String {
        let text = self.at(level::UNARY);
        if text.starts_with(['-', '+', '&']) { format!(" {text}") } else { text }
    }
}

/// An integer expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) text: Text,
    pub(super) ty: Int,
    /// Every value the expression can have lies here.
    pub(super) range: Range,
    /// The value is known not to be zero even if the interval contains it.
    pub(super) nonzero: bool,
    /// A bit-field or qualified object: not for `sizeof`, `typeof` and `_Generic`.
    pub(super) opaque: bool,
    pub(super) effects: Effects,
}

impl Expr {
    pub(super) fn new(text: impl Into<String>, level: u8, ty: Int, range: Range) -> Expr {
        Expr {
            text: Text::new(text, level),
            ty,
            range,
            nonzero: false,
            opaque: false,
            effects: Effects::default(),
        }
    }

    pub(super) fn with(mut self, effects: Effects) -> Expr {
        self.effects = effects;
        self
    }

    pub(super) fn at(&self, level: u8) -> String {
        self.text.at(level)
    }

    pub(super) fn excludes_zero(&self) -> bool {
        self.nonzero || !self.range.contains(0)
    }
}
