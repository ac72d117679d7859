//! Which status an error has: one table for the codes of the library, and what
//! the interface itself refuses before it asks the library.

use mnemon::Code;
use mnemon_wire::ErrorShape;

/// The status of a code; docs/errors.md has the same.
pub fn status_of(code: Code) -> u16 {
    match code {
        Code::InvalidFormat | Code::InvalidQuery => 400,
        Code::License => 402,
        Code::Forbidden => 403,
        Code::SessionNotFound | Code::NotFound => 404,
        Code::ConcurrentMod | Code::SessionArchived | Code::Crypto => 409,
        Code::SizeLimit | Code::Quota => 413,
        Code::SchemaInvalid => 422,
        Code::Embedding => 502,
        Code::LockTimeout => 503,
        Code::QueryTimeout => 504,
        Code::StorageFull => 507,
        // What is not known yet is ours to explain.
        _ => 500,
    }
}

/// Why the interface refuses a request.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: &'static str,
    /// Further headers, such as the methods that would do.
    pub(crate) headers: Vec<(&'static str, String)>,
}

impl Refusal {
    pub(crate) fn new(
        status: u16,
        code: &'static str,
        message: impl Into<String>,
        hint: &'static str,
    ) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            hint,
            headers: Vec::new(),
        }
    }

    /// What was sent is no request of this interface.
    pub(crate) fn misused(status: u16, message: impl Into<String>, hint: &'static str) -> Self {
        Self::new(status, ErrorShape::USAGE, message, hint)
    }

    /// Nobody knows who asks.
    pub(crate) fn unauthorized(message: &str) -> Self {
        let hint = "Send `Authorization: Bearer TOKEN`; `mnemon token new` makes one.";
        Self::new(401, ErrorShape::UNAUTHORIZED, message, hint)
            .with("www-authenticate", "Bearer realm=\"mnemon\"".into())
    }

    /// It is more than the server takes.
    pub(crate) fn limit(status: u16, message: impl Into<String>, hint: &'static str) -> Self {
        Self::new(status, ErrorShape::LIMIT, message, hint)
    }

    pub(crate) fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Whether the same request can succeed later.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(self.status, 408 | 429 | 503 | 504)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_status_and_those_that_a_retry_helps_are_not_the_clients_fault() {
        for code in Code::ALL {
            let status = status_of(code);
            assert!((400..=599).contains(&status), "{code}");
        }
        assert_eq!(status_of(Code::LockTimeout), 503);
        let ours = [
            Code::StorageIo,
            Code::StorageCorrupt,
            Code::SessionCorrupt,
            Code::CompactionFailed,
        ];
        for code in Code::ALL {
            assert_eq!(status_of(code) == 500, ours.contains(&code), "{code}");
        }
    }
}
