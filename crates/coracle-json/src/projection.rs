//! Which parts of an element are kept.

/// What to keep of a value. A tree of these can be a `static`.
///
/// Arrays are looked through: what is said of a value holds for the objects of an array that stands in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep<'p> {
    /// The value, whole.
    Whole,
    /// Of an object only these members, the others are left out as if they were not there; a value that is no
    /// object is kept whole, so that whoever decodes it sees what it is. One of these members that stands twice in its
    /// object is an error, for the first 64 members of the list.
    Members(&'p [(&'p str, Keep<'p>)]),
}
