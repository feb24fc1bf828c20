//! Where the symbols of formulas come from that stand for no variable: what is chosen, and what was rounded up.

use std::fmt;

use base::Region;
use cfa::{EdgeId, Loc, Source, Ty};
use term::SymbolId;

/// Where a value is chosen, in the procedure at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// At an operation.
    Operation {
        /// The edge.
        edge: EdgeId,
        /// The number of the operation on it.
        op: usize,
    },
    /// Where paths meet.
    Join {
        /// The location.
        location: Loc,
        /// The number of the choice there.
        number: u32,
    },
}

/// Why a value is arbitrary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The program leaves it open: an execution with any value of the type exists.
    Input(Source, Region),
    /// It has one value, which the encoding does not express: an over-approximation.
    Rounded(Rounding),
    /// Which of several paths was taken, where no condition of the program tells.
    Path,
}

/// What the encoding over-approximates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rounding {
    /// A load from memory.
    Memory,
    /// The address of a local object.
    LocalAddress,
    /// The address of allocated memory.
    Allocation,
    /// The address of a global object or of a function, where it is compared: different ones may be equal.
    FixedAddress,
    /// What a call that stays does to globals.
    CallEffect,
    /// What a call that stays returns.
    CallResult,
    /// What an output function returns.
    OutputResult,
    /// Elements of an array that are copied or filled together.
    Elements,
    /// A product of variables that is followed as a symbol.
    FollowedProduct,
    /// A sum of elements that is followed as a symbol.
    Sum,
    /// The code of what is folded.
    Code,
    /// A product of two variables.
    Product,
    /// A quotient with a variable divisor.
    Quotient,
    /// A remainder with a variable divisor.
    Remainder,
    /// A bitwise operation on two variables.
    Bitwise,
    /// A shift by a variable.
    Shift,
    /// A floating-point constant.
    FloatConstant,
    /// A floating-point operation.
    FloatOperation,
    /// A conversion from or to floating point.
    FloatConversion,
    /// A floating-point comparison.
    FloatComparison,
}

impl Rounding {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::Memory,
        Self::LocalAddress,
        Self::Allocation,
        Self::FixedAddress,
        Self::CallEffect,
        Self::CallResult,
        Self::OutputResult,
        Self::Elements,
        Self::FollowedProduct,
        Self::Sum,
        Self::Code,
        Self::Product,
        Self::Quotient,
        Self::Remainder,
        Self::Bitwise,
        Self::Shift,
        Self::FloatConstant,
        Self::FloatOperation,
        Self::FloatConversion,
        Self::FloatComparison,
    ];
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "value in memory",
            Self::LocalAddress => "address of a local object",
            Self::Allocation => "address of allocated memory",
            Self::FixedAddress => "address of an object or function",
            Self::CallEffect => "effect of a call",
            Self::CallResult => "result of a call",
            Self::OutputResult => "result of an output function",
            Self::Elements => "elements that are copied or filled together",
            Self::FollowedProduct => "product of variables",
            Self::Sum => "sum of elements",
            Self::Code => "code of an element that is folded",
            Self::Product => "product of two variables",
            Self::Quotient => "quotient of a division by a variable",
            Self::Remainder => "remainder of a division by a variable",
            Self::Bitwise => "bitwise operation on two variables",
            Self::Shift => "shift by a variable",
            Self::FloatConstant => "floating-point constant",
            Self::FloatOperation => "floating-point operation",
            Self::FloatConversion => "floating-point conversion",
            Self::FloatComparison => "floating-point comparison",
        })
    }
}

/// A value that is chosen somehow: a Skolem constant of a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skolem {
    /// The symbol.
    pub symbol: SymbolId,
    /// Its machine type; `None` for arrays and for choices of paths.
    pub ty: Option<Ty>,
    /// Where it is chosen.
    pub site: Site,
    /// Why it is arbitrary.
    pub origin: Origin,
}

impl Skolem {
    /// Whether the program leaves the value open.
    pub fn is_input(&self) -> bool {
        matches!(self.origin, Origin::Input(..))
    }

    /// Whether the program leaves the value open, and it is a number that a test can choose.
    pub fn is_chosen_number(&self) -> bool {
        self.is_input() && self.ty.is_some()
    }

    /// What the value over-approximates.
    pub fn rounding(&self) -> Option<Rounding> {
        match self.origin {
            Origin::Rounded(rounding) => Some(rounding),
            // A pass has rounded it up; an execution of the program at hand may choose it all the same.
            Origin::Input(Source::Rounded, _) => Some(Rounding::Memory),
            Origin::Input(..) | Origin::Path => None,
        }
    }
}
