//! Compared with the best of all perfect matchings.

#![cfg(test)]

use std::ops::Add;

use super::*;
use crate::random::Random;

fn best(n: usize, weight: &dyn Fn(usize, usize) -> Weight<2>) -> Weight<2> {
    fn go(open: &[usize], weight: &dyn Fn(usize, usize) -> Weight<2>) -> Weight<2> {
        let Some((&first, rest)) = open.split_first() else { return Weight::ZERO };
        let tries = (0..rest.len()).map(|index| {
            let mut left = rest.to_vec();
            let second = left.remove(index);
            weight(first, second) + go(&left, weight)
        });
        tries.max().expect("an even number")
    }
    go(&(0..n).collect::<Vec<_>>(), weight)
}

fn total(matching: &Matching<2>) -> Weight<2> {
    let pairs = (0..matching.n).filter(|&vertex| matching.mate(vertex) > vertex);
    pairs.map(|vertex| matching.edge(vertex, matching.mate(vertex))).fold(Weight::ZERO, Add::add)
}

#[test]
fn matchings_are_of_greatest_weight_after_each_change() {
    let mut random = Random::new(1);
    for round in 0..400 {
        let n = 2 * (1 + random.below(5));
        let most = 1 + random.below(6);
        let draw = |random: &mut Random| Weight([random.below(most) as i128, random.below(4) as i128]);
        let mut weights = vec![Weight::ZERO; n * n];
        for one in 0..n {
            for two in one + 1..n {
                weights[one * n + two] = draw(&mut random);
                weights[two * n + one] = weights[one * n + two];
            }
        }
        let classes: Vec<_> = (0..n).map(|_| random.below(3)).collect();
        let hints: Vec<_> = (0..n).map(|_| random.below(n)).collect();
        let own: Vec<_> = (0..n).map(|_| Weight([random.below(2) as i128, 0])).collect();
        let mut matching = Matching::new(n, |one, two| weights[one * n + two], &classes, &own, &hints);
        assert_eq!(total(&matching), best(n, &|one, two| weights[one * n + two]), "round {round}");
        for change in 0..4 {
            let vertex = random.below(n);
            let row: Vec<_> = (0..n).map(|_| (random.below(3) > 0).then(|| draw(&mut random))).collect();
            for (other, weight) in row.iter().enumerate().filter(|(other, _)| *other != vertex) {
                if let Some(weight) = weight {
                    weights[vertex * n + other] = *weight;
                    weights[other * n + vertex] = *weight;
                }
            }
            matching.set_row(vertex, |other| row[other]);
            matching.settle();
            assert_eq!(total(&matching), best(n, &|one, two| weights[one * n + two]), "round {round}, change {change}");
        }
    }
}
