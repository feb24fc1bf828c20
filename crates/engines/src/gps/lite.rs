//! GPSLite: the search without covers.
//!
//! # Paper
//! [Gps25] §4, procedure `GPSLITE` (figure 4): a path tree whose leaves are dead ends or nodes of the frontier. The main loop is that of `GPS`; what is
//! missing is `TRYCOVER`. Dead ends are still interpolated: the labels are what the proof is checked by.

use graph::tree::NodeId;
use verdict::Reason;

use super::Search;
use super::try_cover::Cover;

/// Covers nothing.
pub(crate) struct NoCover;

impl Cover for NoCover {
    fn try_cover(&self, _: &mut Search<'_>, _: NodeId) -> Result<bool, Reason> {
        Ok(false)
    }

    fn close(&self, _: &mut Search<'_>, _: NodeId) -> Result<(), Reason> {
        Ok(())
    }
}
