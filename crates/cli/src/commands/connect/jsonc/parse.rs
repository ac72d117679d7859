//! Where each value of a text stands. Comments and commas behind the last
//! item are passed over; everything else must be JSON.

/// Deeper than any configuration, and no danger to the stack.
const DEPTH_MAX: usize = 64;

/// A value and the bytes that it takes.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) shape: Shape,
}

#[derive(Debug)]
pub(super) enum Shape {
    Object(Vec<Member>),
    List(Vec<Node>),
    Other,
}

/// A member; it begins with its name.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) start: usize,
    pub(super) name: String,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn member(&self, name: &str) -> Option<&Node> {
        match &self.shape {
            // Of two of one name the last counts for those who read it.
            Shape::Object(members) => members.iter().rfind(|it| it.name == name),
            _ => None,
        }
        .map(|member| &member.value)
    }
}

/// Fails with the line and what is wrong there.
pub(super) fn parse(text: &str) -> Result<Node, String> {
    let mut parser = Parser { text, at: 0 };
    if text.starts_with('\u{feff}') {
        parser.at = '\u{feff}'.len_utf8();
    }
    parser.skip()?;
    let start = parser.at;
    if parser.peek().is_none() {
        // As empty as `{}`, and filled in the same place.
        return Ok(Node {
            start,
            end: start,
            shape: Shape::Object(Vec::new()),
        });
    }
    let root = parser.value(0)?;
    parser.skip()?;
    match parser.peek() {
        None => Ok(root),
        Some(_) => Err(parser.wrong("there is something behind the end")),
    }
}

/// Where the comma stands between two values, comments passed over.
pub(super) fn comma(between: &str) -> Option<usize> {
    let mut parser = Parser {
        text: between,
        at: 0,
    };
    parser.skip().ok()?;
    (parser.peek() == Some(b',')).then_some(parser.at)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, what: &str) -> String {
        let before = self.text.as_bytes().iter().take(self.at);
        let line = before.filter(|byte| **byte == b'\n').count() + 1;
        format!("line {line}: {what}")
    }

    /// Passes over white space and comments.
    fn skip(&mut self) -> Result<(), String> {
        loop {
            let rest = &self.text[self.at..];
            let bare = rest.trim_start_matches([' ', '\t', '\n', '\r']);
            self.at += rest.len() - bare.len();
            if bare.starts_with("//") {
                self.at += bare.find('\n').unwrap_or(bare.len());
            } else if let Some(inside) = bare.strip_prefix("/*") {
                let end = inside.find("*/");
                let end = end.ok_or_else(|| self.wrong("a comment has no end"))?;
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, String> {
        if depth > DEPTH_MAX {
            return Err(self.wrong("it is nested too deep"));
        }
        let start = self.at;
        let shape = match self.peek() {
            Some(b'{') => Shape::Object(self.object(depth)?),
            Some(b'[') => Shape::List(self.list(depth)?),
            Some(b'"') => {
                self.string()?;
                Shape::Other
            }
            Some(_) => {
                self.word()?;
                Shape::Other
            }
            None => return Err(self.wrong("a value is missing")),
        };
        Ok(Node {
            start,
            end: self.at,
            shape,
        })
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member>, String> {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.closes(b'}') {
                return Ok(members);
            }
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a name in quotes is missing"));
            }
            let name = self.string()?;
            self.skip()?;
            if self.peek() != Some(b':') {
                return Err(self.wrong("a colon is missing"));
            }
            self.at += 1;
            self.skip()?;
            let value = self.value(depth + 1)?;
            members.push(Member { start, name, value });
            self.separator(b'}')?;
        }
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node>, String> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.closes(b']') {
                return Ok(items);
            }
            items.push(self.value(depth + 1)?);
            self.separator(b']')?;
        }
    }

    fn closes(&mut self, bracket: u8) -> bool {
        let closes = self.peek() == Some(bracket);
        self.at += usize::from(closes);
        closes
    }

    fn separator(&mut self, bracket: u8) -> Result<(), String> {
        self.skip()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(())
            }
            Some(found) if found == bracket => Ok(()),
            _ => Err(self.wrong("a comma or a bracket is missing")),
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'\\') => self.at += 2,
                Some(b'"') => {
                    self.at += 1;
                    break;
                }
                Some(b'\n') | None => return Err(self.wrong("a text has no end")),
                Some(_) => self.at += 1,
            }
        }
        let written = self.text.get(start..self.at);
        written
            .and_then(|text| serde_json::from_str(text).ok())
            .ok_or_else(|| self.wrong("a text is not JSON"))
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<(), String> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if serde_json::from_str::<serde_json::Value>(&rest[..end]).is_err() {
            return Err(self.wrong("this is no value"));
        }
        self.at += end;
        Ok(())
    }
}
