//! Maximum-weight perfect matching in a complete graph, by the blossom algorithm of Edmonds.
//!
//! A library is no substitute here. A bracket asks for hundreds of matchings, each a little different from the one before;
//! weights are several hundred bits wide; and the choice among equal matchings must not depend on the order of a hash map.
//! So the search starts from the matching and the duals that are there ([`Matching::set_row`], [`Matching::settle`]), grows
//! one tree at a time, and costs at most *n²* steps for each vertex that a change frees.
//!
//! Weights are doubled inside, so that duals are whole numbers: all vertices of a tree have duals of one parity.

mod blossom;
mod graph;
mod perfect;
mod search;
#[cfg(test)]
mod tests;
mod tree;
mod weight;

pub(crate) use graph::{Matching, NO_HINT};
pub(crate) use weight::{Field, Layout, Weight};
