//! The configuration of Codex: TOML whose comments and order stay.

use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::entry::{Entry, NAME};

const SERVERS: &str = "mcp_servers";

/// With the entry in the list of servers.
pub(super) fn set(text: &str, entry: &Entry) -> Result<String, String> {
    let mut document = parse(text)?;
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut servers = Table::new();
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let Some(servers) = servers.as_table_like_mut() else {
        return Err(format!("{SERVERS} is no table"));
    };
    let arguments: Array = entry.arguments().into_iter().collect();
    if servers.get(NAME).is_none() {
        servers.insert(NAME, Item::Table(Table::new()));
    }
    let Some(own) = servers.get_mut(NAME).and_then(Item::as_table_like_mut) else {
        return Err(format!("{SERVERS}.{NAME} is no table"));
    };
    let is_same = own.get("command").and_then(Item::as_str) == Some(&entry.program)
        && own
            .get("args")
            .and_then(Item::as_array)
            .map(ToString::to_string)
            == Some(arguments.to_string());
    if !is_same {
        own.insert("command", value(&entry.program));
        own.insert("args", value(arguments));
    }
    Ok(written(text, &document))
}

/// Without the entry; nothing if it is not there.
pub(super) fn remove(text: &str) -> Result<Option<String>, String> {
    let mut document = parse(text)?;
    let servers = document.get_mut(SERVERS).and_then(Item::as_table_like_mut);
    let removed = servers.and_then(|servers| servers.remove(NAME));
    Ok(removed.map(|_| written(text, &document)))
}

/// The entry that is there, if it is one of ours.
pub(super) fn present(text: &str) -> Option<Entry> {
    let document = parse(text).ok()?;
    let own = document.get(SERVERS)?.get(NAME)?;
    let arguments = own.get("args")?.as_array()?.iter();
    let mut options: Vec<String> = arguments
        .map(|it| it.as_str().map(str::to_owned))
        .collect::<Option<_>>()?;
    if options.is_empty() {
        return None;
    }
    options.remove(0);
    Some(Entry {
        program: own.get("command")?.as_str()?.to_owned(),
        options,
        session: None,
    })
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error
            .span()
            .map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        format!("line {line}: {}", error.message())
    })
}

/// With the line ends of the file.
fn written(text: &str, document: &DocumentMut) -> String {
    let fresh = document.to_string();
    if text.contains("\r\n") {
        fresh.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            program: "/bin/mnemon".into(),
            options: Vec::new(),
            session: None,
        }
    }

    #[test]
    fn comments_and_order_stay() {
        let before =
            "# mine\nmodel = \"x\" # fast\n\n[mcp_servers.other] # theirs\ncommand = 'y'\n";
        let after = set(before, &entry()).unwrap();
        assert_eq!(
            after,
            format!(
                "{before}\n[mcp_servers.mnemon]\ncommand = \"/bin/mnemon\"\nargs = [\"mcp\"]\n"
            )
        );
        assert_eq!(set(&after, &entry()).unwrap(), after);
        assert_eq!(remove(&after).unwrap().unwrap(), before);
        assert_eq!(remove(before).unwrap(), None);
        assert_eq!(present(&after), Some(entry()));
    }

    #[test]
    fn what_is_no_toml_is_refused_with_its_line() {
        let problem = set("a = 1\nb = \n", &entry()).unwrap_err();
        assert!(problem.starts_with("line 2: "), "{problem}");
        assert_eq!(
            set("mcp_servers = 1\n", &entry()).unwrap_err(),
            "mcp_servers is no table"
        );
    }
}
