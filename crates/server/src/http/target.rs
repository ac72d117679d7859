//! The path and the parameters of a request, decoded.

use super::status::Refusal;

/// The segments of a path, each decoded on its own, so that `S%2FDEC-001` is one.
pub(crate) fn segments(path: &str) -> Result<Vec<String>, Refusal> {
    let path = path.strip_prefix('/').unwrap_or(path);
    path.split('/').map(|part| decoded(part, false)).collect()
}

/// What stands behind the question mark, in its order.
pub(crate) fn parameters(query: &str) -> Result<Vec<(String, String)>, Refusal> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name, true)?, decoded(value, true)?))
        })
        .collect()
}

fn decoded(text: &str, plus_is_space: bool) -> Result<String, Refusal> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(rest.next()), digit(rest.next()));
                let byte = high.zip(low).map(|(high, low)| high * 16 + low);
                let byte = byte.and_then(|byte| u8::try_from(byte).ok());
                byte.ok_or_else(|| broken("a % that two hexadecimal digits do not follow"))?
            }
            b'+' if plus_is_space => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| broken("bytes that are not UTF-8"))
}

fn broken(what: &str) -> Refusal {
    let message = format!("the address has {what}");
    Refusal::misused(400, message, "Encode names and values as RFC 3986 says.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decoded_after_the_path_was_split() {
        let read = |path: &str| segments(path).unwrap();
        assert_eq!(
            read("/v1/memories/S%2FDEC-001"),
            ["v1", "memories", "S/DEC-001"]
        );
        assert_eq!(read("/v1/a+b/"), ["v1", "a+b", ""]);
        assert_eq!(read("/"), [""]);
        for path in ["/%", "/%4", "/%zz", "/%ff", "/%+1"] {
            assert_eq!(segments(path).unwrap_err().status, 400, "{path}");
        }
    }

    #[test]
    fn parameters_keep_their_order_and_may_come_again() {
        let read = parameters("tag=a&tag=b%26c&since=2+weeks&open&=x&&k=%C3%B6=1").unwrap();
        let pairs: Vec<(&str, &str)> = read.iter().map(|(n, v)| (&**n, &**v)).collect();
        assert_eq!(
            pairs,
            [
                ("tag", "a"),
                ("tag", "b&c"),
                ("since", "2 weeks"),
                ("open", ""),
                ("", "x"),
                ("k", "ö=1"),
            ]
        );
    }
}
