//! An error as it is printed: the same four parts everywhere.

use mnemon::Error;
use serde::Serialize;

/// `{"error":{"code","message","hint","retryable"}}`.
#[derive(Debug, Serialize)]
pub struct ErrorShape {
    error: Parts,
}

#[derive(Debug, Serialize)]
struct Parts {
    code: &'static str,
    /// The number that the BMAD sources give to the same failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<&'static str>,
    message: String,
    hint: String,
    retryable: bool,
}

impl ErrorShape {
    /// The code of what was typed and makes no sense.
    pub const USAGE: &'static str = "E_USAGE";
    /// The code of a bug of ours.
    pub const INTERNAL: &'static str = "E_INTERNAL";
    /// The code of a request whose sender is not known.
    pub const UNAUTHORIZED: &'static str = "E_UNAUTHORIZED";
    /// The code of a request that is more than a server takes.
    pub const LIMIT: &'static str = "E_LIMIT";

    /// The shape of an error of the library.
    pub fn of(error: &Error) -> Self {
        let code = error.code();
        Self {
            error: Parts {
                code: code.as_str(),
                number: code.bmad_number(),
                message: error.to_string(),
                hint: error.hint(),
                retryable: error.retryable(),
            },
        }
    }

    /// The shape of what an interface refuses before it asks the library.
    pub fn new(code: &'static str, message: String, hint: String) -> Self {
        Self {
            error: Parts {
                code,
                number: None,
                message,
                hint,
                retryable: false,
            },
        }
    }

    /// With whether a retry can help.
    #[must_use]
    pub fn retryable_if(mut self, retryable: bool) -> Self {
        self.error.retryable = retryable;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_has_the_four_parts_and_the_number_where_there_is_one() {
        let missing = Error::SessionNotFound {
            session: "s".into(),
        };
        let json = serde_json::to_value(ErrorShape::of(&missing)).unwrap();
        assert_eq!(json["error"]["code"], "E_SESSION_NOT_FOUND");
        assert_eq!(json["error"]["number"], "MEM_E005");
        assert_eq!(json["error"]["message"], "there is no session s");
        assert_eq!(json["error"]["retryable"], false);
        let locked = Error::LockTimeout {
            waited_ms: 5,
            holder: None,
        };
        let json = serde_json::to_value(ErrorShape::of(&locked)).unwrap();
        assert_eq!(json["error"]["retryable"], true);
        let unknown = Error::NotFound {
            reference: "x".into(),
        };
        let json = serde_json::to_value(ErrorShape::of(&unknown)).unwrap();
        assert_eq!(json["error"].get("number"), None);
    }
}
