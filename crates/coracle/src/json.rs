//! JSON that a terminal can be given, whatever the strings in it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::escape::is_hidden;

/// Writes `value` on one line. A parser reads the same value as from any other writer.
pub(crate) fn write(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Safe))?;
    out.write_all(b"\n")
}

/// Compact, and hidden characters are written as `\u` escapes: above U+FFFF as a pair of surrogates (RFC 8259, 7).
struct Safe;

impl Formatter for Safe {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_hidden) {
            let (plain, hidden) = rest.split_at(at);
            out.write_all(plain.as_bytes())?;
            let mut characters = hidden.chars();
            for unit in characters.next().into_iter().flat_map(units) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = characters.as_str();
        }
        out.write_all(rest.as_bytes())
    }
}

fn units(c: char) -> impl Iterator<Item = u16> {
    let mut buffer = [0; 2];
    let len = c.encode_utf16(&mut buffer).len();
    buffer.into_iter().take(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_come_back() {
        let text = "a\n\x1b[31m\u{7f}\u{9b}\u{202e}\u{200b}\u{e0041}\"\\ü世";
        let mut out = Vec::new();
        write(&mut out, &text).expect("a vector takes every write");
        let written = String::from_utf8(out).expect("UTF-8");
        let expected = "\"a\\n\\u001b[31m\\u007f\\u009b\\u202e\\u200b\\udb40\\udc41\\\"\\\\ü世\"\n";
        assert_eq!(written, expected);
        assert_eq!(serde_json::from_str::<String>(&written).expect("JSON"), text);
    }
}
