//! What a workload named, made safe for a terminal and for whoever reads lines.
//!
//! A label or an image is the workload's own choice. A newline in it would forge a line of output, an escape sequence
//! would drive the terminal, and a bidirectional override would show text that is not there.

use std::borrow::Cow;
use std::fmt::Write;

/// The value with every hidden character as `\n`, `\r`, `\t` or `\u{…}`, and each backslash doubled: no two values
/// have the same form.
pub(crate) fn value(text: &str) -> Cow<'_, str> {
    escape(text, |c| c == '\\' || is_hidden(c))
}

/// A message with every hidden character escaped. Backslashes stay: messages quote their values themselves.
pub(crate) fn message(text: &str) -> Cow<'_, str> {
    escape(text, is_hidden)
}

/// Whether a character is invisible, moves others about, or is no printable one at all: control, format and
/// bidirectional characters, line separators, spaces but the plain one, private use, unassigned, combining marks.
pub(crate) fn is_hidden(c: char) -> bool {
    match c {
        ' '..='~' => false,
        // Letters and a symbol by category, yet blank: Hangul fillers, and the braille pattern without a dot.
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}' => true,
        // The standard library escapes exactly what is not printable, and marks that would join what is before them.
        _ => c.escape_debug().len() > 1,
    }
}

fn escape(text: &str, must: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&must) else { return Cow::Borrowed(text) };
    let mut escaped = String::with_capacity(text.len() + 8);
    escaped.push_str(&text[..first]);
    for c in text[first..].chars() {
        match c {
            c if !must(c) => escaped.push(c),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            '\\' => escaped.push_str("\\\\"),
            c => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_not_copied() {
        for text in ["", "app.kubernetes.io/name:cart", "a'b\"c", "Grüße, 世界", "~"] {
            assert!(matches!(value(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn what_drives_a_terminal_or_forges_a_line_is_escaped() {
        let table = [
            ("a\nk8s:ns:kube-system", "a\\nk8s:ns:kube-system"),
            ("\r\t\0", "\\r\\t\\u{0}"),
            ("\x1b[2J\x07", "\\u{1b}[2J\\u{7}"),
            ("\u{7f}\u{85}\u{9b}31m", "\\u{7f}\\u{85}\\u{9b}31m"),
            ("\u{202e}gnp\u{2066}\u{200f}\u{61c}", "\\u{202e}gnp\\u{2066}\\u{200f}\\u{61c}"),
            ("a\u{200b}b\u{feff}c\u{ad}d\u{a0}e", "a\\u{200b}b\\u{feff}c\\u{ad}d\\u{a0}e"),
            ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
            ("e\u{301}\u{fe0f}", "e\\u{301}\\u{fe0f}"),
            ("\u{e0041}\u{e000}\u{10ffff}\u{378}", "\\u{e0041}\\u{e000}\\u{10ffff}\\u{378}"),
            ("\u{3164}\u{2800}", "\\u{3164}\\u{2800}"),
        ];
        for (text, escaped) in table {
            assert_eq!(value(text), escaped, "{text:?}");
        }
    }

    #[test]
    fn a_value_that_looks_escaped_differs_from_one_that_was() {
        assert_eq!(value("\\n"), "\\\\n");
        assert_ne!(value("\\n"), value("\n"));
        assert_ne!(value("\\u{1b}"), value("\u{1b}"));
        assert_eq!(message("\\u{1b} \u{1b}"), "\\u{1b} \\u{1b}");
    }
}
