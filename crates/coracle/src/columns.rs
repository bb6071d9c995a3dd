//! Tables: as wide as they need where nobody's screen is in the way, else cut to the screen.

use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::terminal;

/// Between two columns.
const GAP: usize = 2;
/// No column is cut below this.
const LEAST: usize = 6;
const BOLD: &str = "\x1b[1m";
const PLAIN: &str = "\x1b[0m";

/// How a table is laid out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Layout {
    /// The columns of the screen; `None` for no limit.
    pub(crate) width: Option<usize>,
    /// Whether the headers are bold.
    pub(crate) colour: bool,
}

impl Layout {
    /// That of standard output.
    pub(crate) fn of_output() -> Self {
        Self { width: terminal::width(), colour: terminal::has_colour() }
    }

    /// Writes a table. The rows are made twice, to measure and to print, so that they need not be held.
    ///
    /// Cells must be escaped already. An empty one is shown as `-`.
    pub(crate) fn write<const N: usize>(
        self,
        out: &mut impl Write,
        headers: [&str; N],
        rows: impl Iterator<Item = [String; N]> + Clone,
    ) -> io::Result<()> {
        let mut widths = headers.map(UnicodeWidthStr::width);
        for row in rows.clone() {
            for (width, cell) in widths.iter_mut().zip(&row) {
                *width = cell.width().max(*width).max(1);
            }
        }
        if let Some(limit) = self.width {
            fit(&mut widths, limit);
        }
        let (bold, plain) = if self.colour { (BOLD, PLAIN) } else { ("", "") };
        write_line(out, &headers, &widths, (bold, plain))?;
        for row in rows {
            write_line(out, &row, &widths, ("", ""))?;
        }
        Ok(())
    }
}

/// Takes from the widest column until all fit, or none can give any more.
fn fit(widths: &mut [usize], limit: usize) {
    let gaps = GAP * widths.len().saturating_sub(1);
    let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(limit);
    while excess > 0 {
        let Some(widest) = widths.iter_mut().max().filter(|width| **width > LEAST) else { return };
        *widest -= 1;
        excess -= 1;
    }
}

fn write_line(
    out: &mut impl Write,
    cells: &[impl AsRef<str>],
    widths: &[usize],
    (begin, end): (&str, &str),
) -> io::Result<()> {
    out.write_all(begin.as_bytes())?;
    let last = widths.len() - 1;
    for (index, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        let cell = Some(cell.as_ref()).filter(|cell| !cell.is_empty()).unwrap_or("-");
        let used = write_cell(out, cell, width)?;
        // Nothing after the last column: a line that ends in blanks wraps on some screens.
        if index < last {
            write!(out, "{:1$}", "", width - used + GAP)?;
        }
    }
    out.write_all(end.as_bytes())?;
    out.write_all(b"\n")
}

/// Writes what fits, with `…` in place of what does not; returns the columns used.
fn write_cell(out: &mut impl Write, cell: &str, width: usize) -> io::Result<usize> {
    let needed = cell.width();
    if needed <= width {
        out.write_all(cell.as_bytes())?;
        return Ok(needed);
    }
    let mut used = 0;
    for c in cell.chars() {
        let columns = c.width().unwrap_or(0);
        if used + columns + 1 > width {
            break;
        }
        write!(out, "{c}")?;
        used += columns;
    }
    out.write_all("…".as_bytes())?;
    Ok(used + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(width: Option<usize>, rows: &[[&str; 3]]) -> String {
        let rows = rows.iter().map(|row| row.map(str::to_owned));
        let mut out = Vec::new();
        let layout = Layout { width, colour: false };
        layout.write(&mut out, ["NAME", "VALUE", "N"], rows).expect("a vector takes every write");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn without_a_screen_every_cell_is_whole() {
        let long = "x".repeat(300);
        let text = table(None, &[["a", &long, "1"], ["bbbbbb", "", "22"]]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], format!("NAME    VALUE{}N", " ".repeat(297)));
        assert_eq!(lines[1], format!("a       {long}  1"));
        assert_eq!(lines[2], format!("bbbbbb  -{}22", " ".repeat(301)));
    }

    #[test]
    fn on_a_screen_the_widest_columns_are_cut_until_a_line_fits() {
        let text = table(Some(20), &[["abcdefghijkl", "0123456789", "7"], ["世界世界世界世界", "v", "8"]]);
        for line in text.lines() {
            assert!(line.width() <= 20, "{line}");
        }
        assert_eq!(text.lines().nth(1), Some("abcdefg…  012345…  7"));
        assert_eq!(text.lines().nth(2), Some("世界世…   v        8"));
    }

    #[test]
    fn a_screen_that_is_far_too_narrow_still_shows_something_of_each_cell() {
        let text = table(Some(1), &[["abcdefghijkl", "0123456789", "7"]]);
        assert_eq!(text.lines().nth(1), Some("abcde…  01234…  7"));
    }

    #[test]
    fn the_headers_are_bold_if_told_so() {
        let mut out = Vec::new();
        let rows = std::iter::once(["1".to_owned()]);
        Layout { width: None, colour: true }.write(&mut out, ["N"], rows).expect("written");
        assert_eq!(out, b"\x1b[1mN\x1b[0m\n1\n");
    }
}
