//! Whether a request was meant for this server, and may come from where it
//! comes from.
//!
//! A page on the web can make a browser ask a server on this machine: under a
//! name of its own that it points at this machine (so `Host` is compared with
//! the names that we have), or from its own origin (so `Origin` is too). Both
//! are looked at before anything else, with a token or without.

use std::net::{IpAddr, SocketAddr};

use hyper::Uri;
use hyper::header::{HOST, HeaderMap, HeaderValue, ORIGIN};

use super::status::Refusal;

/// Which names and origins are ours.
pub(crate) struct Guard {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Guard {
    pub(crate) fn new(hosts: &[String], origins: &[String]) -> Self {
        let small = |all: &[String]| all.iter().map(|it| it.to_ascii_lowercase()).collect();
        Self {
            hosts: small(hosts),
            origins: small(origins),
        }
    }

    /// Refuses what is not for us or not from us; gives the origin that is to be let read.
    pub(crate) fn check(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        reached: SocketAddr,
    ) -> Result<Option<String>, Refusal> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default().to_ascii_lowercase(),
            _ => return Err(foreign_host("no host, or several")),
        };
        let named = uri.authority().map(|it| it.as_str().to_ascii_lowercase());
        if !self.is_ours(&host, reached) || named.is_some_and(|named| named != host) {
            return Err(foreign_host(&host));
        }
        self.check_origin(&host, headers)
    }

    fn check_origin(&self, host: &str, headers: &HeaderMap) -> Result<Option<String>, Refusal> {
        let mut origins = headers.get_all(ORIGIN).iter();
        let origin = match (origins.next(), origins.next()) {
            (None, _) => {
                // Browsers say so of what comes without an origin, such as images and scripts.
                let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
                return match site {
                    None | Some(b"none" | b"same-origin") => Ok(None),
                    Some(_) => Err(foreign_origin("another site")),
                };
            }
            (Some(origin), None) => origin.to_str().unwrap_or_default().to_ascii_lowercase(),
            (Some(_), Some(_)) => return Err(foreign_origin("several origins")),
        };
        let is_own = origin.strip_prefix("http://") == Some(host);
        if is_own || self.origins.contains(&origin) {
            return Ok(Some(origin));
        }
        Err(foreign_origin(&origin))
    }

    /// Whether a name is one of ours, with whatever port.
    fn is_ours(&self, host: &str, reached: SocketAddr) -> bool {
        let Some((name, _)) = split_port(host) else {
            return false;
        };
        let address = name
            .strip_prefix('[')
            .and_then(|it| it.strip_suffix(']'))
            .unwrap_or(name)
            .parse::<IpAddr>();
        match address {
            // An address can't be pointed elsewhere: the one that was reached is ours.
            Ok(address) if address == reached.ip() => return true,
            Ok(address) if reached.ip().is_loopback() && address.is_loopback() => return true,
            _ => {}
        }
        let is_this_machine = name == "localhost" && reached.ip().is_loopback();
        let is_known = self.hosts.iter().any(|own| own == host || own == name);
        is_this_machine || is_known
    }
}

/// A host without its port, and the port; none if it is no host.
fn split_port(host: &str) -> Option<(&str, Option<u16>)> {
    let end = match host.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => host.find(':').unwrap_or(host.len()),
    };
    let (name, rest) = host.split_at(end);
    if name.is_empty() {
        return None;
    }
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Some((name, None)),
        None => None,
        Some(port) => {
            let digits = port.bytes().all(|byte| byte.is_ascii_digit());
            let port = port.parse().ok().filter(|_| digits)?;
            Some((name, Some(port)))
        }
    }
}

fn foreign_host(host: &str) -> Refusal {
    let shown: String = host.chars().take(60).collect();
    let message = format!("this server is not asked by the name {shown:?}");
    let hint = "Ask it by its address, or add the name to server.hosts.";
    Refusal::new(403, "E_FORBIDDEN", message, hint)
}

fn foreign_origin(origin: &str) -> Refusal {
    let shown: String = origin.chars().take(60).collect();
    let message = format!("pages of {shown:?} may not ask this server");
    let hint = "Add the origin to server.origins if it is yours.";
    Refusal::new(403, "E_FORBIDDEN", message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(guard: &Guard, reached: &str, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        let reached = reached.parse().unwrap();
        let uri = Uri::from_static("/health");
        guard.check(&uri, &headers, reached).is_ok()
    }

    #[test]
    fn a_server_on_loopback_answers_to_the_names_of_this_machine_alone() {
        let guard = Guard::new(&["memory.example.com".into(), "m:1".into()], &[]);
        let ours = [
            "localhost",
            "LOCALHOST:7077",
            "127.0.0.1:7077",
            "127.0.0.2",
            "[::1]:7077",
            "memory.example.com",
            "memory.example.com:443",
            "m:1",
        ];
        for host in ours {
            assert!(check(&guard, "127.0.0.1:7077", host, None), "{host}");
        }
        let foreign = [
            "evil.example",
            "evil.example:7077",
            "localhost.evil.example",
            "evil.localhost",
            "localhost.",
            "localhost:",
            "localhost:x",
            "localhost:99999",
            "localhost:+7",
            "localhost@evil.example",
            "evil@localhost",
            "user:pw@localhost",
            "localhost/evil",
            "localhost?evil",
            "localhost#evil",
            "localhost evil",
            "127.0.0.1.nip.io",
            "127.0.0.1.evil.example",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "0.0.0.0",
            "0.0.0.0:7077",
            "10.0.0.7",
            "192.168.1.1:7077",
            "169.254.169.254",
            "[::ffff:127.0.0.1]",
            "[::]",
            "::1",
            "[::1",
            "[::1]evil",
            "[::1]:",
            "[fe80::1]",
            "m",
            "m:2",
            "memory.example.com.evil.example",
            "xmemory.example.com",
            "*",
            "",
            ":7077",
            "null",
        ];
        for host in foreign {
            assert!(!check(&guard, "127.0.0.1:7077", host, None), "{host}");
        }
        assert_eq!(ours.len() + foreign.len(), 50);
    }

    #[test]
    fn pages_ask_from_our_own_origin_and_from_those_that_are_listed() {
        let guard = Guard::new(&[], &["https://app.example.com".into()]);
        let host = "127.0.0.1:7077";
        for origin in [
            "http://127.0.0.1:7077",
            "https://app.example.com",
            "HTTPS://App.Example.com",
        ] {
            assert!(check(&guard, host, host, Some(origin)), "{origin}");
        }
        for origin in [
            "null",
            "",
            "*",
            "http://evil.example",
            "https://evil.example",
            "http://localhost:7077",
            "https://127.0.0.1:7077",
            "http://127.0.0.1",
            "http://127.0.0.1:70777",
            "http://127.0.0.1:7077.evil.example",
            "http://127.0.0.1:7077@evil.example",
            "http://app.example.com",
            "https://app.example.com:8443",
            "https://app.example.com.evil.example",
            "https://app.example.com/",
            "https://xapp.example.com",
            "https://evil.example#https://app.example.com",
            "file://",
            "chrome-extension://abcdef",
            "https://app.example.com https://evil.example",
        ] {
            assert!(!check(&guard, host, host, Some(origin)), "{origin}");
        }
    }

    #[test]
    fn two_hosts_two_origins_another_target_or_another_site_are_refused() {
        let guard = Guard::new(&[], &[]);
        let reached = "127.0.0.1:7077".parse().unwrap();
        let plain = Uri::from_static("/health");
        let headers = |all: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in all {
                headers.append(*name, HeaderValue::from_static(value));
            }
            headers
        };
        let none = guard.check(&plain, &headers(&[]), reached);
        assert_eq!(none.unwrap_err().status, 403);
        let two = headers(&[("host", "localhost"), ("host", "localhost")]);
        assert!(guard.check(&plain, &two, reached).is_err());
        let own = ("host", "localhost");
        let origin = ("origin", "http://localhost");
        assert!(
            guard
                .check(&plain, &headers(&[own, origin]), reached)
                .is_ok()
        );
        let two = headers(&[own, origin, origin]);
        assert!(guard.check(&plain, &two, reached).is_err());
        let elsewhere = Uri::from_static("http://evil.example/health");
        assert!(guard.check(&elsewhere, &headers(&[own]), reached).is_err());
        for (site, is_fine) in [
            ("none", true),
            ("same-origin", true),
            ("cross-site", false),
            ("same-site", false),
            ("", false),
        ] {
            let headers = headers(&[own, ("sec-fetch-site", site)]);
            let checked = guard.check(&plain, &headers, reached);
            assert_eq!(checked.is_ok(), is_fine, "{site}");
        }
    }
}
