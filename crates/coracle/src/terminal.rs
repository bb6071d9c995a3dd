//! What standard output is.

use std::io::{self, BufWriter, IsTerminal, StdoutLock};

use rustix::termios::tcgetwinsize;

/// Assumed of a terminal that does not tell.
const USUAL_WIDTH: usize = 80;

/// Standard output, buffered: a table of a thousand rows is not a thousand system calls.
pub(crate) fn output() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(8 * 1024, io::stdout().lock())
}

/// The columns that a line may fill; `None` unless standard output is a terminal.
pub(crate) fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let told =
        tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col)).filter(|&width| width > 0);
    let set = || std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|&width| width > 0);
    told.or_else(set).or(Some(USUAL_WIDTH))
}

/// Whether to colour: on a terminal, unless `NO_COLOR` is set to something (<https://no-color.org>).
pub(crate) fn has_colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    !refused && !is_dumb && io::stdout().is_terminal()
}
