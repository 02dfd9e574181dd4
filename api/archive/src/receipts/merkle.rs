//! The Merkle tree of RFC 9162, section 2.1, over a growing list of leaves: its root at every size, proofs of inclusion and
//! of consistency.
//!
//! The caller stores the nodes. Only complete nodes are stored, and these never change: the last leaf below a node completes
//! it.

use quipu_referee::sha256::digests;
use sha2::{Digest, Sha256};

/// SHA-256 of a leaf or a node.
pub type Hash = [u8; 32];

/// The root of the empty tree.
pub fn empty() -> Hash {
    Sha256::digest([]).into()
}

/// The hash of a leaf.
pub fn leaf(bytes: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(bytes).finalize().into()
}

/// The hash of an inner node.
pub fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// Index of the leaf that completes a node, given by its level and its number on that level. Leaves are on level 0.
pub fn completed_by(level: u32, number: u64) -> u64 {
    ((number + 1) << level) - 1
}

/// The hashes of leaves, computed in one batch.
pub fn leaves(texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<Hash> {
    let texts = texts.into_iter().map(|text| [&[0][..], text.as_ref()].concat());
    hash_batch(&texts.collect::<Vec<_>>())
}

fn hash_batch(texts: &[impl AsRef<[u8]>]) -> Vec<Hash> {
    digests(&texts.iter().map(AsRef::as_ref).collect::<Vec<_>>())
}

/// The nodes that new leaves complete: for each leaf by level, beginning with the leaf. `first` is the index of the first
/// leaf; `stored` returns nodes that were complete before. The nodes of a level are hashed in one batch.
///
/// # Errors
/// Those of `stored`.
pub fn append<E>(
    first: u64,
    leaves: &[Hash],
    mut stored: impl FnMut(u32, u64) -> Result<Hash, E>,
) -> Result<Vec<Vec<Hash>>, E> {
    let mut made: Vec<_> = leaves.iter().map(|leaf| vec![*leaf]).collect();
    let end = first + leaves.len() as u64;
    for level in 0.. {
        // Nodes of the next level that these leaves complete.
        let numbers = first >> (level + 1)..end >> (level + 1);
        if numbers.is_empty() {
            break;
        }
        let mut below = |number| match completed_by(level, number).checked_sub(first) {
            Some(own) => Ok(made[usize::try_from(own).unwrap_or(usize::MAX)][level as usize]),
            None => stored(level, number),
        };
        let pairs = numbers.clone().map(|number| Ok([&[1][..], &below(2 * number)?, &below(2 * number + 1)?].concat()));
        let nodes = hash_batch(&pairs.collect::<Result<Vec<_>, E>>()?);
        for (number, node) in numbers.zip(nodes) {
            let own = completed_by(level + 1, number) - first;
            made[usize::try_from(own).unwrap_or(usize::MAX)].push(node);
        }
    }
    Ok(made)
}

/// The tree over the first `size` leaves. `stored` returns complete nodes by level and number.
pub struct Tree<N> {
    /// Number of leaves.
    pub size: u64,
    /// The stored nodes.
    pub stored: N,
}

impl<E, N: Fn(u32, u64) -> Result<Hash, E>> Tree<N> {
    /// The root hash.
    ///
    /// # Errors
    /// Those of `stored`.
    pub fn root(&self) -> Result<Hash, E> {
        if self.size == 0 { Ok(empty()) } else { self.node_over(0, self.size) }
    }

    /// The inclusion proof of the leaf at an index (RFC 9162, 2.1.3.1), which must be less than `size`.
    ///
    /// # Errors
    /// Those of `stored`.
    pub fn inclusion(&self, index: u64) -> Result<Vec<Hash>, E> {
        let (mut begin, mut end) = (0, self.size);
        let mut path = Vec::new();
        while end - begin > 1 {
            let middle = begin + half(end - begin);
            if index < middle {
                path.push(self.node_over(middle, end)?);
                end = middle;
            } else {
                path.push(self.node_over(begin, middle)?);
                begin = middle;
            }
        }
        path.reverse();
        Ok(path)
    }

    /// The consistency proof from the tree over the first `from` leaves (RFC 9162, 2.1.4.1), which must be at most `size`. It
    /// is empty for `from` 0, because every tree continues the empty one.
    ///
    /// # Errors
    /// Those of `stored`.
    pub fn consistency(&self, from: u64) -> Result<Vec<Hash>, E> {
        let mut path = Vec::new();
        if from == 0 {
            return Ok(path);
        }
        let (mut begin, mut end) = (0, self.size);
        while end != from {
            let middle = begin + half(end - begin);
            if from <= middle {
                path.push(self.node_over(middle, end)?);
                end = middle;
            } else {
                path.push(self.node_over(begin, middle)?);
                begin = middle;
            }
        }
        // The smaller tree's root is this node if the node is all of it.
        if begin > 0 {
            path.push(self.node_over(begin, end)?);
        }
        path.reverse();
        Ok(path)
    }

    /// The node over the leaves from `begin` to `end`. A node of that width must begin at `begin`.
    fn node_over(&self, begin: u64, end: u64) -> Result<Hash, E> {
        let width = end - begin;
        if width.is_power_of_two() {
            let level = width.trailing_zeros();
            return (self.stored)(level, begin >> level);
        }
        let middle = begin + half(width);
        Ok(node(&self.node_over(begin, middle)?, &self.node_over(middle, end)?))
    }
}

/// A tree that grows leaf by leaf, and has only the nodes that its root needs.
#[derive(Clone, Debug, Default)]
pub struct GrowingTree {
    size: u64,
    /// For each level its last left node.
    left: Vec<Hash>,
}

impl GrowingTree {
    /// Number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf. Returns the nodes that it completes by level, beginning with the leaf.
    pub fn push(&mut self, leaf: Hash) -> Vec<Hash> {
        let mut last = leaf;
        let mut made = vec![leaf];
        let top = self.size.trailing_ones() as usize;
        for left in &self.left[..top] {
            last = node(left, &last);
            made.push(last);
        }
        self.left.resize(self.left.len().max(top + 1), last);
        self.left[top] = last;
        self.size += 1;
        made
    }

    /// The root hash.
    pub fn root(&self) -> Hash {
        let levels = (0..).zip(&self.left).filter(|(level, _)| self.size >> level & 1 == 1).map(|(_, left)| *left);
        levels.reduce(|right, left| node(&left, &right)).unwrap_or_else(empty)
    }
}

/// The largest power of two below a number greater than 1.
fn half(width: u64) -> u64 {
    1 << (width - 1).ilog2()
}

/// True if a proof shows that a leaf is in the tree with this root (RFC 9162, 2.1.3.2).
pub fn is_included(leaf: Hash, index: u64, size: u64, path: &[Hash], root: &Hash) -> bool {
    if index >= size {
        return false;
    }
    let (mut first, mut last, mut hash) = (index, size - 1, leaf);
    for step in path {
        if last == 0 {
            return false;
        }
        if first & 1 == 1 || first == last {
            hash = node(step, &hash);
            (first, last) = skip_missing_siblings(first, last);
        } else {
            hash = node(&hash, step);
        }
        (first, last) = (first >> 1, last >> 1);
    }
    last == 0 && hash == *root
}

/// True if a proof shows that one tree continues another, given by sizes and roots (RFC 9162, 2.1.4.2).
pub fn is_consistent(from: (u64, &Hash), to: (u64, &Hash), path: &[Hash]) -> bool {
    let ((from, from_root), (to, to_root)) = (from, to);
    if from == to {
        return path.is_empty() && from_root == to_root;
    }
    if from == 0 || from > to {
        return from == 0 && path.is_empty() && *from_root == empty();
    }
    let own = from.is_power_of_two().then_some(from_root);
    let mut steps = own.into_iter().chain(path);
    let (mut first, mut last) = (from - 1, to - 1);
    let shift = first.trailing_ones();
    (first, last) = (first >> shift, last >> shift);
    let Some(start) = steps.next() else { return false };
    let (mut old, mut new) = (*start, *start);
    for step in steps {
        if last == 0 {
            return false;
        }
        if first & 1 == 1 || first == last {
            (old, new) = (node(step, &old), node(step, &new));
            (first, last) = skip_missing_siblings(first, last);
        } else {
            new = node(&new, step);
        }
        (first, last) = (first >> 1, last >> 1);
    }
    last == 0 && old == *from_root && new == *to_root
}

/// Skips the levels on which the last node has no sibling.
fn skip_missing_siblings(first: u64, last: u64) -> (u64, u64) {
    let shift = if first == 0 { 0 } else { first.trailing_zeros() };
    (first >> shift, last >> shift)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use quipu_referee::report::hex;

    use super::*;

    /// Leaves of the tests of Certificate Transparency.
    const LEAVES: [&[u8]; 8] = [
        b"",
        b"\x00",
        b"\x10",
        b"\x20\x21",
        b"\x30\x31",
        b"\x40\x41\x42\x43",
        b"\x50\x51\x52\x53\x54\x55\x56\x57",
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
    ];
    /// Roots over the first of them.
    const ROOTS: [&str; 8] = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];
    /// Sizes that are tested one by one.
    const SIZES: u64 = 70;

    /// The definitions of RFC 9162, literally.
    mod plain {
        use super::{Hash, leaf, node};

        fn split(length: usize) -> usize {
            let mut k = 1;
            while k * 2 < length {
                k *= 2;
            }
            k
        }

        pub(super) fn root(leaves: &[Vec<u8>]) -> Hash {
            match leaves {
                [] => super::empty(),
                [only] => leaf(only),
                _ => {
                    let (left, right) = leaves.split_at(split(leaves.len()));
                    node(&root(left), &root(right))
                }
            }
        }

        pub(super) fn path(m: usize, leaves: &[Vec<u8>]) -> Vec<Hash> {
            if leaves.len() == 1 {
                return Vec::new();
            }
            let k = split(leaves.len());
            let (left, right) = leaves.split_at(k);
            let (mut path, last) =
                if m < k { (self::path(m, left), root(right)) } else { (self::path(m - k, right), root(left)) };
            path.push(last);
            path
        }

        pub(super) fn proof(m: usize, leaves: &[Vec<u8>], is_whole: bool) -> Vec<Hash> {
            if m == leaves.len() {
                return if is_whole { Vec::new() } else { vec![root(leaves)] };
            }
            let k = split(leaves.len());
            let (left, right) = leaves.split_at(k);
            let (mut proof, last) = if m <= k {
                (self::proof(m, left, is_whole), root(right))
            } else {
                (self::proof(m - k, right, false), root(left))
            };
            proof.push(last);
            proof
        }
    }

    /// Rows as in the archive: the nodes that each leaf completes.
    fn rows(leaves: &[Vec<u8>]) -> Vec<Vec<Hash>> {
        rows_by(leaves, &[1])
    }

    /// The same rows, with leaves appended in batches of these sizes.
    fn rows_by(leaves: &[Vec<u8>], many: &[usize]) -> Vec<Vec<Hash>> {
        let mut rows: Vec<Vec<Hash>> = Vec::new();
        for many in many.iter().cycle() {
            let come: Vec<_> = leaves[rows.len()..].iter().take(*many).collect();
            if come.is_empty() {
                break;
            }
            let Ok(made) = append(rows.len() as u64, &super::leaves(come), |level, number| at(&rows, level, number));
            rows.extend(made);
        }
        rows
    }

    #[test]
    fn leaves_that_come_together_are_as_if_one_by_one() {
        let all = leaves(SIZES);
        let one_by_one = rows(&all);
        for many in [&[2][..], &[3], &[7, 1], &[16, 5, 1], &[all.len()]] {
            assert_eq!(rows_by(&all, many), one_by_one, "{many:?}");
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "what is stored elsewhere may not be there")]
    fn at(rows: &[Vec<Hash>], level: u32, number: u64) -> Result<Hash, Infallible> {
        let row = usize::try_from(completed_by(level, number)).expect("few");
        Ok(rows[row][level as usize])
    }

    fn leaves(count: u64) -> Vec<Vec<u8>> {
        (0..count).map(|leaf| leaf.to_string().into_bytes()).collect()
    }

    #[test]
    fn roots_of_certificate_transparency() {
        let leaves: Vec<_> = LEAVES.iter().map(|leaf| leaf.to_vec()).collect();
        let rows = rows(&leaves);
        assert_eq!(hex(&empty()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        for (size, root) in (1..).zip(ROOTS) {
            let tree = Tree { size, stored: |level, number| at(&rows, level, number) };
            assert_eq!(tree.root().map(|root| hex(&root)), Ok(root.to_owned()), "{size}");
        }
    }

    #[test]
    fn one_that_grows() {
        let all = leaves(SIZES);
        let (mut growing, rows) = (GrowingTree::default(), rows(&all));
        for (row, bytes) in rows.iter().zip(&all) {
            let size = usize::try_from(growing.size()).expect("few");
            assert_eq!(growing.root(), plain::root(&all[..size]), "{size}");
            assert_eq!(growing.push(leaf(bytes)), *row, "{size}");
        }
        assert_eq!((growing.size(), growing.root()), (SIZES, plain::root(&all)));
    }

    /// A hash with one flipped bit.
    fn turned(hash: &Hash) -> Hash {
        let mut hash = *hash;
        hash[7] ^= 4;
        hash
    }

    /// Wrong proofs that are close to a right one.
    fn almost(path: &[Hash]) -> Vec<Vec<Hash>> {
        let mut all: Vec<Vec<Hash>> = Vec::new();
        for step in 0..path.len() {
            let mut other = path.to_vec();
            other[step] = turned(&other[step]);
            all.push(other);
            let mut other = path.to_vec();
            other.remove(step);
            all.push(other);
        }
        all.push([path, &[[0; 32]]].concat());
        all.push([&[[0; 32]], path].concat());
        all
    }

    #[test]
    fn every_leaf_of_every_size_is_shown_to_be_in() {
        let all = leaves(SIZES);
        let rows = rows(&all);
        for size in 0..=SIZES {
            let tree = Tree { size, stored: |level, number| at(&rows, level, number) };
            let own = &all[..usize::try_from(size).expect("few")];
            let Ok(root) = tree.root();
            assert_eq!(root, plain::root(own), "{size}");
            for (index, bytes) in (0..size).zip(own) {
                let Ok(path) = tree.inclusion(index);
                assert_eq!(path, plain::path(usize::try_from(index).expect("few"), own), "{index} of {size}");
                let leaf = leaf(bytes);
                assert!(is_included(leaf, index, size, &path, &root), "{index} of {size}");
                for other in almost(&path) {
                    assert!(!is_included(leaf, index, size, &other, &root), "{index} of {size}");
                }
                assert!(!is_included(turned(&leaf), index, size, &path, &root));
                assert!(!is_included(leaf, index, size, &path, &turned(&root)));
                for elsewhere in (0..SIZES).filter(|elsewhere| *elsewhere != index) {
                    assert!(!is_included(leaf, elsewhere, size, &path, &root), "{index} as {elsewhere} of {size}");
                }
            }
        }
    }

    #[test]
    fn every_size_is_shown_to_begin_as_every_smaller_one() {
        let all = leaves(SIZES);
        let rows = rows(&all);
        for to in 0..=SIZES {
            let tree = Tree { size: to, stored: |level, number| at(&rows, level, number) };
            let own = &all[..usize::try_from(to).expect("few")];
            let to_root = plain::root(own);
            for from in 0..=to {
                let short = usize::try_from(from).expect("few");
                let from_root = plain::root(&own[..short]);
                let Ok(path) = tree.consistency(from);
                if from > 0 {
                    assert_eq!(path, plain::proof(short, own, true), "{from} of {to}");
                }
                let holds = |path: &[Hash]| is_consistent((from, &from_root), (to, &to_root), path);
                assert!(holds(&path), "{from} of {to}");
                for other in almost(&path) {
                    assert!(!holds(&other), "{from} of {to}");
                }
                assert!(!is_consistent((from, &turned(&from_root)), (to, &to_root), &path), "{from} of {to}");
                if from > 0 {
                    assert!(!is_consistent((from, &from_root), (to, &turned(&to_root)), &path), "{from} of {to}");
                }
                if from < to {
                    assert!(!is_consistent((to, &to_root), (from, &from_root), &path), "{to} of {from}");
                }
            }
        }
    }

    /// A tree of the maximal size accepts every index.
    #[test]
    fn large_numbers() {
        let stored = |level: u32, number: u64| -> Result<Hash, Infallible> {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&completed_by(level, number).to_be_bytes());
            hash[8] = u8::try_from(level).expect("a level");
            Ok(hash)
        };
        let size = i64::MAX.unsigned_abs();
        let tree = Tree { size, stored };
        let (Ok(root), Ok(path)) = (tree.root(), tree.inclusion(size - 1));
        let Ok(leaf) = stored(0, size - 1);
        assert!(is_included(leaf, size - 1, size, &path, &root));
        assert!(!is_included(leaf, u64::MAX, u64::MAX, &path, &root));
    }
}
