//! Numbers and the literals `true`, `false`, `null`: checked byte by byte, across blocks (RFC 8259, sections 3 and 6).

/// How far into a primitive the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Primitive {
    /// Before the first byte.
    Start,
    /// After `-`.
    Minus,
    /// After a leading `0`.
    Zero,
    /// In the integer part.
    Integer,
    /// After the decimal point.
    Point,
    /// In the fraction.
    Fraction,
    /// After `e` or `E`.
    Exponent,
    /// After the sign of the exponent.
    ExponentSign,
    /// In the digits of the exponent.
    ExponentDigits,
    /// In a literal, with what is still to come.
    Literal(&'static [u8]),
}

impl Primitive {
    /// The state after one more byte, or `None` if the byte does not fit.
    #[inline]
    pub(crate) fn next(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Start, b't') => Self::Literal(b"rue"),
            (Self::Start, b'f') => Self::Literal(b"alse"),
            (Self::Start, b'n') => Self::Literal(b"ull"),
            (Self::Literal([expected, rest @ ..]), byte) if *expected == byte => Self::Literal(rest),
            (Self::Start, b'-') => Self::Minus,
            (Self::Start | Self::Minus, b'0') => Self::Zero,
            (Self::Start | Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Self::Integer,
            (Self::Zero | Self::Integer, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::ExponentSign,
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigits, b'0'..=b'9') => Self::ExponentDigits,
            _ => return None,
        })
    }

    /// Whether these bytes are one of the primitives that most documents consist of: a literal or a short integer.
    #[inline(always)]
    pub(crate) fn is_common(bytes: &[u8]) -> bool {
        match bytes {
            b"true" | b"null" | b"false" | [b'0'..=b'9'] => true,
            [b'1'..=b'9', rest @ ..] => rest.len() < 8 && rest.iter().all(u8::is_ascii_digit),
            _ => false,
        }
    }

    /// Whether a primitive may end here.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::ExponentDigits | Self::Literal([]))
    }
}
