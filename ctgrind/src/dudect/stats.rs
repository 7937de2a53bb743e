//! Welch's t-test on two classes of measurements, as dudect uses it (Reparaz, Balasch, Verbauwhede, 2017).

/// Which secret a measurement was made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Fixed,
    Random,
}

/// Shares of all measurements, the fastest, that are looked at: interrupts and other programs only add time, so what
/// they disturbed is in the rest.
const CROPS: [f64; 6] = [1.0, 0.99, 0.95, 0.9, 0.75, 0.5];
/// Measurements of a class without which a crop says nothing.
const FEWEST: usize = 10;

/// Mean and variance of a class.
#[derive(Clone, Copy, Debug)]
struct Moments {
    count: f64,
    mean: f64,
    variance: f64,
}

fn moments(values: &[f64]) -> Moments {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Moments { count, mean, variance }
}

/// The verdict on one operation.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The largest |t| over all crops.
    pub t: f64,
    /// Measurements of both classes together.
    pub count: usize,
    /// Mean of the faster half, in the unit of the measurements.
    pub mean: f64,
    /// The difference between the classes, relative to the mean, that would make |t| ten in the crop that sees best.
    pub resolution: f64,
}

/// Standard error of the difference of two means.
fn error(a: Moments, b: Moments) -> f64 {
    (a.variance / a.count + b.variance / b.count).sqrt()
}

/// Welch's t.
fn welch(a: Moments, b: Moments) -> f64 {
    let difference = (a.mean - b.mean).abs();
    // two constants that differ could not differ more
    if difference == 0.0 { 0.0 } else { difference / error(a, b) }
}

/// Judges measurements, given in any order.
pub fn judge(measurements: &[(Class, f64)]) -> Outcome {
    let mut sorted = measurements.to_vec();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
    let count = sorted.len();
    let mut outcome = Outcome { t: 0.0, count, mean: f64::NAN, resolution: f64::INFINITY };
    for crop in CROPS {
        let kept = &sorted[..(count as f64 * crop).ceil() as usize];
        let of = |class| kept.iter().filter(|(c, _)| *c == class).map(|(_, value)| *value).collect::<Vec<_>>();
        let (fixed, random) = (of(Class::Fixed), of(Class::Random));
        if fixed.len() < FEWEST || random.len() < FEWEST {
            // so unequal a mixture of the fastest is a finding by itself, if there were enough to mix
            if kept.len() >= 8 * FEWEST {
                outcome.t = f64::INFINITY;
            }
            continue;
        }
        let (fixed, random) = (moments(&fixed), moments(&random));
        outcome.t = outcome.t.max(welch(fixed, random));
        outcome.mean = f64::midpoint(fixed.mean, random.mean);
        outcome.resolution = outcome.resolution.min(10.0 * error(fixed, random) / outcome.mean);
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn t_of_a_worked_example() {
        let (a, b) = (moments(&[1.0, 2.0, 3.0, 4.0, 5.0]), moments(&[4.0, 6.0, 8.0]));
        assert!(close(a.mean, 3.0) && close(a.variance, 2.5) && close(b.variance, 4.0));
        // 3 / sqrt(2.5 / 5 + 4 / 3)
        assert!(close(welch(a, b), 3.0 / (0.5 + 4.0 / 3.0_f64).sqrt()));
        assert!(close(welch(a, a), 0.0));
    }

    /// Measurements of 1000 plus a period of small disturbances, the same for both classes but for `leak`.
    fn made(leak: f64, outlier: f64) -> Vec<(Class, f64)> {
        let value = |i: usize| 1000.0 + (i * 7919 % 101) as f64 / 10.0;
        let mut all: Vec<(Class, f64)> = (0..2000)
            .map(|i| if i % 2 == 0 { (Class::Fixed, value(i / 2)) } else { (Class::Random, value(i / 2) + leak) })
            .collect();
        all[0].1 += outlier;
        all
    }

    #[test]
    fn equal_classes_pass_and_a_leak_does_not() {
        assert!(judge(&made(0.0, 0.0)).t < 3.0);
        assert!(judge(&made(2.0, 0.0)).t > 10.0);
        assert!(judge(&made(-2.0, 0.0)).t > 10.0);
    }

    #[test]
    fn outliers_hide_nothing() {
        let all = made(2.0, 1e9);
        let whole = |class| moments(&all.iter().filter(|m| m.0 == class).map(|m| m.1).collect::<Vec<_>>());
        assert!(welch(whole(Class::Fixed), whole(Class::Random)) < 10.0, "without cropping it would");
        assert!(judge(&all).t > 10.0);
        assert!(judge(&made(0.0, 1e9)).t < 3.0);
    }

    #[test]
    fn classes_that_do_not_overlap_are_a_finding() {
        assert!(judge(&made(500.0, 0.0)).t.is_infinite());
        assert!(judge(&[(Class::Fixed, 1.0); 200]).t.is_infinite());
    }

    #[test]
    fn resolution_is_the_difference_that_is_found() {
        let blind = judge(&made(0.0, 0.0));
        let leak = blind.resolution * blind.mean;
        assert!(judge(&made(2.0 * leak, 0.0)).t > 10.0);
        assert!(judge(&made(0.2 * leak, 0.0)).t < 10.0);
    }
}
