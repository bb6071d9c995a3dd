//! Interleaved rounds, and what is told of them.

use std::time::{Duration, Instant};

use crate::HEAP;

/// One implementation of a task.
pub(crate) struct Contender<'a> {
    pub(crate) name: &'static str,
    /// Runs once and returns its answer, by which contenders are compared.
    pub(crate) run: Box<dyn FnMut() -> String + 'a>,
}

/// Runs all contenders and prints a table. The first one is the one that the others are compared with.
pub(crate) fn compare(
    title: &str,
    bytes: usize,
    rounds: usize,
    contenders: &mut [Contender<'_>],
) -> Result<(), String> {
    let peaks = agree(contenders)?;
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let start = Instant::now();
            std::hint::black_box((contender.run)());
            times.push(start.elapsed());
        }
    }
    println!("{title}, {bytes} bytes, {rounds} rounds");
    println!("  {:<44} {:>9} {:>8} {:>8} {:>22}", "", "ms", "MB/s", "peak kB", "speed, quartiles");
    let base = times[0].clone();
    for ((contender, times), peak) in contenders.iter().zip(&times).zip(peaks) {
        let ratios: Vec<f64> =
            base.iter().zip(times).map(|(base, time)| base.as_secs_f64() / time.as_secs_f64()).collect();
        let median = quantile(times.iter().map(Duration::as_secs_f64).collect(), 0.5);
        println!(
            "  {:<44} {:>9.2} {:>8.0} {:>8.0}   {:>5.2} x ({:.2} to {:.2})",
            contender.name,
            median * 1e3,
            bytes as f64 / median / 1e6,
            peak as f64 / 1e3,
            quantile(ratios.clone(), 0.5),
            quantile(ratios.clone(), 0.25),
            quantile(ratios, 0.75),
        );
    }
    println!();
    Ok(())
}

/// Runs each once: all must give the same answer. Returns the heap that each had at its peak, above the start.
fn agree(contenders: &mut [Contender<'_>]) -> Result<Vec<usize>, String> {
    let mut expected: Option<(&str, String)> = None;
    let mut peaks = Vec::new();
    for contender in contenders {
        let before = HEAP.current_usage();
        HEAP.reset_peak_usage();
        let answer = (contender.run)();
        peaks.push(HEAP.peak_usage().saturating_sub(before));
        match &expected {
            None => expected = Some((contender.name, answer)),
            Some((name, expected)) if *expected != answer => {
                return Err(format!(
                    "{name} answers {expected:?}, but {} answers {answer:?}",
                    contender.name
                ));
            }
            Some(_) => {}
        }
    }
    Ok(peaks)
}

fn quantile(mut values: Vec<f64>, at: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index into the values")]
    let index = ((values.len() - 1) as f64 * at).round() as usize;
    values[index]
}
