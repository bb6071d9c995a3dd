//! Writes compact JSON the way Go's `encoding/json` does.

/// A buffer that knows where a comma is due. The last byte written tells: after `{`, `[` or `:` none is.
#[derive(Debug, Default)]
pub(super) struct Json(pub(super) Vec<u8>);

impl Json {
    fn separate(&mut self) {
        if self.0.last().is_some_and(|last| !matches!(last, b'{' | b'[' | b':' | b',')) {
            self.0.push(b',');
        }
    }

    fn key(&mut self, key: &str) {
        self.separate();
        quote(&mut self.0, key);
        self.0.push(b':');
    }

    /// A member with a string.
    pub(super) fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        quote(&mut self.0, value);
    }

    /// A member with a number.
    pub(super) fn number(&mut self, key: &str, value: impl Into<i64>) {
        self.key(key);
        self.0.extend_from_slice(value.into().to_string().as_bytes());
    }

    /// A member with true or false.
    pub(super) fn flag(&mut self, key: &str, value: bool) {
        self.key(key);
        self.0.extend_from_slice(if value { b"true" } else { b"false" });
    }

    /// A member with null.
    pub(super) fn null(&mut self, key: &str) {
        self.key(key);
        self.0.extend_from_slice(b"null");
    }

    /// A member with an empty object.
    pub(super) fn empty(&mut self, key: &str) {
        self.key(key);
        self.0.extend_from_slice(b"{}");
    }

    /// A member with an object.
    pub(super) fn object(&mut self, key: &str, members: impl FnOnce(&mut Self)) {
        self.key(key);
        self.item(members);
    }

    /// A member with an array.
    pub(super) fn array(&mut self, key: &str, items: impl FnOnce(&mut Self)) {
        self.key(key);
        self.0.push(b'[');
        items(self);
        self.0.push(b']');
    }

    /// A member with an array of strings.
    pub(super) fn texts<S: AsRef<str>>(&mut self, key: &str, values: impl IntoIterator<Item = S>) {
        self.array(key, |json| {
            for value in values {
                json.separate();
                quote(&mut json.0, value.as_ref());
            }
        });
    }

    /// An object as an item of an array, or as the whole document.
    pub(super) fn item(&mut self, members: impl FnOnce(&mut Self)) {
        self.separate();
        self.0.push(b'{');
        members(self);
        self.0.push(b'}');
    }
}

/// Whether a byte stands for itself in a string. Go also escapes `<`, `>` and `&`, so that the text may stand in HTML.
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = false;
        byte += 1;
    }
    let mut at = 0;
    while at < 5 {
        plain[b"\"\\<>&"[at] as usize] = false;
        at += 1;
    }
    plain
};

/// A string in quotes.
fn quote(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| !PLAIN[usize::from(byte)]) {
        out.extend_from_slice(&rest[..at]);
        escape(out, rest[at]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_go_escapes_them() {
        let mut json = Json::default();
        json.item(|json| json.text("a", "x<y && \"z\"\n\u{1}\u{8}é"));
        let expected = r#"{"a":"x\u003cy \u0026\u0026 \"z\"\n\u0001\bé"}"#;
        assert_eq!(String::from_utf8(json.0).unwrap(), expected);
    }

    #[test]
    fn commas_stand_between_members_and_items_only() {
        let mut json = Json::default();
        json.item(|json| {
            json.array("a", |json| {
                json.item(|json| json.empty("b"));
                json.item(|json| json.null("c"));
            });
            json.texts("d", ["", ","]);
            json.number("e", -1);
            json.flag("f", true);
        });
        let expected = r#"{"a":[{"b":{}},{"c":null}],"d":["",","],"e":-1,"f":true}"#;
        assert_eq!(String::from_utf8(json.0).unwrap(), expected);
    }
}
