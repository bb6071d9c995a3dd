//! What reading costs in memory. One test only: the allocator counts for the whole process.

use coracle_json::{Element, Elements, Flow, Keep, Limits};
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Reads so many elements of 20 kB each, of which little is kept, and returns the heap at its peak.
fn peak_of_reading(elements: usize, keep: Keep<'static>) -> usize {
    let element =
        format!(r#"{{"name":"n","ballast":[{}],"last":7}}"#, vec!["\"0123456789\""; 1600].join(","));
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let mut reader = Elements::with_limits(&["items"], keep, Limits::default());
    let mut count = 0;
    let mut sink = |_: Element<'_>| {
        count += 1;
        Flow::Continue
    };
    reader.push(br#"{"other":[],"items":["#, &mut sink).unwrap();
    for number in 0..elements {
        reader.push(if number == 0 { b" " } else { b"," }, &mut sink).unwrap();
        reader.push(element.as_bytes(), &mut sink).unwrap();
    }
    reader.push(b"]}", &mut sink).unwrap();
    reader.finish(&mut sink).unwrap();
    assert_eq!(count, elements);
    HEAP.peak_usage() - before
}

#[test]
fn a_document_of_any_size_is_read_in_the_same_memory() {
    static PART: Keep<'_> = Keep::Members(&[("name", Keep::Whole), ("last", Keep::Whole)]);
    for (keep, budget) in [(Keep::Whole, 64 << 10), (PART, 12 << 10)] {
        let peaks = [50, 1000].map(|elements| peak_of_reading(elements, keep));
        println!("{keep:?}: {peaks:?} bytes");
        // The test harness has a thread of its own, which keeps a line or two of text.
        assert!(peaks[0].abs_diff(peaks[1]) <= 1024, "the same for both: {peaks:?}");
        assert!(peaks[0] <= budget, "{peaks:?}");
    }
}
