//! What a verdict rests on.

use std::collections::BTreeSet;

use base::Region;
use cfa::hazard::{Hazard, hazards};
use cfa::{Approximation, ApproximationKind, DataModel, Program, SignedOverflow};

/// Everything that a verdict takes for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// Sizes of types.
    pub data_model: DataModel,
    /// What signed overflow means.
    pub signed_overflow: SignedOverflow,
    /// Undefined behaviour at which executions may end without a violation; nothing if the verdict does not depend on where they end.
    pub undefined: BTreeSet<Hazard>,
    /// The rest, in the order of the source; nothing twice.
    pub assumptions: Vec<Assumption>,
}

/// One entry of a ledger.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assumption {
    /// One sentence.
    pub what: String,
    /// In which direction it deviates from the source.
    pub kind: ApproximationKind,
    /// Where; may be nowhere.
    pub region: Region,
}

impl Ledger {
    /// What every verdict about a program rests on.
    pub fn new(program: &Program) -> Self {
        let mut assumptions: Vec<Assumption> = program.approximations.iter().map(Assumption::from).collect();
        assumptions.sort_by(|a, b| (a.region, &a.what, a.kind).cmp(&(b.region, &b.what, b.kind)));
        assumptions.dedup();
        if !program.excused.is_empty() {
            let what = "an execution is not considered beyond a violation that is reported".to_owned();
            assumptions.push(Assumption {
                what,
                kind: ApproximationKind::Assumption,
                region: Region::NOWHERE,
            });
        }
        Self {
            data_model: program.data_model,
            signed_overflow: program.signed_overflow,
            undefined: BTreeSet::new(),
            assumptions,
        }
    }
    /// A verdict about all executions rests on where they end.
    pub fn add_undefined(&mut self, program: &Program) {
        self.undefined = hazards(program).undefined;
    }
    /// Adds what one verdict rests on.
    pub fn add(&mut self, what: String, region: Region) {
        let assumption = Assumption { what, kind: ApproximationKind::Assumption, region };
        if !self.assumptions.contains(&assumption) {
            self.assumptions.push(assumption);
        }
    }
}

impl From<&Approximation> for Assumption {
    fn from(approximation: &Approximation) -> Self {
        Self { what: approximation.what.clone(), kind: approximation.kind, region: approximation.region }
    }
}
