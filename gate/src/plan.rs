//! Which rows are measured, and how often.

use hashloom::{ml_dsa, slh_dsa};

use crate::record::{Key, Op, Planned, Scheme};

/// What was asked for on the command line.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only sets whose name contains this, whatever the case.
    pub set: Option<String>,
    /// Only this operation.
    pub op: Option<Op>,
    /// Fewer pairs.
    pub quick: bool,
    /// So many pairs instead.
    pub iters: Option<usize>,
}

impl Selection {
    /// The rows, set by set.
    pub fn plan(&self) -> Vec<Planned> {
        let wanted = self.set.as_deref().unwrap_or_default().to_lowercase();
        let hashes = slh_dsa::ParameterSet::ALL.iter().map(|set| (Scheme::SlhDsa, set.name()));
        let lattices = ml_dsa::ParameterSet::ALL.iter().map(|set| (Scheme::MlDsa, set.name()));
        hashes
            .chain(lattices)
            .filter(|(_, set)| set.to_lowercase().contains(&wanted))
            .flat_map(|row| [Op::Keygen, Op::Sign, Op::Verify].map(|op| (row, op)))
            .filter(|(_, op)| self.op.is_none_or(|only| only == *op))
            .map(|((scheme, set), op)| Planned {
                key: Key { scheme, set: set.to_owned(), op },
                pairs: self.iters.unwrap_or_else(|| budget(scheme, set, op, self.quick)),
            })
            .collect()
    }

    /// Whether this is the whole table.
    pub fn has_all_rows(&self) -> bool {
        self.plan().len() == Self::default().plan().len()
    }

    /// Whether this is the whole table, each row measured as often as the budget says, or more often.
    pub fn is_full(&self) -> bool {
        let full = Self::default().plan();
        self.has_all_rows() && self.plan().iter().zip(&full).all(|(have, want)| have.pairs >= want.pairs)
    }
}

/// Pairs for a row: sets of the small kind sign 20 to 100 times slower than those of the fast kind. ML-DSA's runs are 50
/// operations each, so that 40 of them are 2000 messages.
fn budget(scheme: Scheme, set: &str, op: Op, quick: bool) -> usize {
    match (set.ends_with('s'), op, quick) {
        _ if scheme == Scheme::MlDsa => [40, 6][usize::from(quick)],
        (false, Op::Keygen | Op::Sign, false) => 30,
        (true, Op::Keygen, false) | (false, Op::Keygen | Op::Sign, true) => 10,
        (true, Op::Sign, false) => 5,
        (_, Op::Verify, false) => 300,
        (true, Op::Keygen, true) => 3,
        (true, Op::Sign, true) => 2,
        (_, Op::Verify, true) => 40,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table_has_45_rows() {
        let plan = Selection::default().plan();
        assert_eq!(plan.len(), 45);
        assert!(Selection::default().is_full());
        let count = |pairs| plan.iter().filter(|row| row.pairs == pairs).count();
        assert_eq!((count(30), count(10), count(5), count(300), count(40)), (12, 6, 6, 12, 9));
    }

    #[test]
    fn a_selection_is_not_the_whole() {
        let rows = |set: &str, op| {
            let selection = Selection { set: Some(set.to_owned()), op, ..Selection::default() };
            assert!(!selection.has_all_rows() && !selection.is_full());
            selection.plan().len()
        };
        assert_eq!(rows("128F", None), 6);
        assert_eq!(rows("shake", Some(Op::Sign)), 6);
        assert_eq!(rows("SHA2-192s", Some(Op::Keygen)), 1);
        assert_eq!(rows("ml-dsa-65", None), 3);
        assert_eq!(rows("ML-DSA", Some(Op::Verify)), 3);
        assert_eq!(rows("512", None), 0);
    }

    #[test]
    fn fewer_pairs_are_not_full() {
        let full = |quick, iters| {
            let selection = Selection { quick, iters, ..Selection::default() };
            assert!(selection.has_all_rows());
            selection.is_full()
        };
        assert!(!full(true, None));
        assert!(!full(false, Some(299)));
        assert!(full(true, Some(300)));
    }
}
