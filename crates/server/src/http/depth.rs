//! JSON before it is parsed: that it is text, and how deep it is nested.

use mnemon::{Error, Result};

/// The text of a body, nested no deeper than this.
pub(crate) fn text(body: &[u8], max: usize) -> Result<&str> {
    let text = std::str::from_utf8(body).map_err(|error| Error::Unparsable {
        what: "JSON",
        input: String::new(),
        problem: format!("not UTF-8 from byte {} on", error.valid_up_to()),
    })?;
    check(text, max)?;
    Ok(text)
}

/// Refuses what is nested deeper than this; what is no JSON at all, the parser says.
fn check(text: &str, max: usize) -> Result<()> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > max {
            return Err(Error::Unparsable {
                what: "JSON",
                input: String::new(),
                problem: format!("it is nested deeper than {max}"),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_texts_do_not_count() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(check(&nested(4), 4).is_ok());
        assert!(check(&nested(5), 4).is_err());
        assert!(check(r#"["[[[[[[", "\"[[[[[", {"\\": [[]]}]"#, 4).is_ok());
        assert!(check(r#"["\\", [[[[]]]]]"#, 4).is_err());
        assert!(check("[][][][][][]", 1).is_ok());
        // A request of brackets alone is refused without being read to its end.
        assert!(check(&"[".repeat(1 << 20), 64).is_err());
    }
}
