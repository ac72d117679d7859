//! JSON with comments, changed in place: every byte that is not ours stays.
//!
//! `parse` finds where each value stands; a change then is a few insertions
//! and deletions in the text. Comments, commas behind the last member, tabs
//! and line ends of the file are kept as they are.

mod parse;

use parse::{Node, Shape};

/// A text that was parsed.
pub(super) struct Document<'a> {
    text: &'a str,
    root: Node,
}

impl<'a> Document<'a> {
    /// Fails with the line and what is wrong there. An empty text is an empty object.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let root = parse::parse(text)?;
        match root.shape {
            Shape::Object(_) => Ok(Self { text, root }),
            _ => Err("line 1: there is no object".into()),
        }
    }

    /// The value at a path, as it is written.
    pub(super) fn get(&self, path: &[&str]) -> Option<&'a str> {
        let node = self.node(path)?;
        Some(&self.text[node.start..node.end])
    }

    /// The items of a list, as they are written.
    pub(super) fn items(&self, path: &[&str]) -> Vec<&'a str> {
        match self.node(path).map(|node| &node.shape) {
            Some(Shape::List(items)) => {
                let items = items.iter();
                items.map(|it| &self.text[it.start..it.end]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// With a member set; objects on the way are made. Fails if something else is in the way.
    pub(super) fn set(&self, path: &[&str], value: &str) -> Result<String, String> {
        let (last, way) = path.split_last().expect("a path names a member");
        let Some(object) = self.node(way) else {
            let (outer, rest) = self.deepest(way)?;
            let member = nested(&path[path.len() - rest - 1..], value);
            return Ok(self.insert_member(outer, path[path.len() - rest - 2], &member));
        };
        let Shape::Object(members) = &object.shape else {
            return Err(format!("{} is no object", way.join(".")));
        };
        match members.iter().find(|member| member.name == *last) {
            None => Ok(self.insert_member(object, last, value)),
            Some(member) => {
                let is_one_line = !self.text[object.start..member.value.end].contains('\n');
                let fresh = if is_one_line {
                    one_line(value)
                } else {
                    self.rendered(value, self.indent_at(member.start))
                };
                Ok(self.spliced(&[(member.value.start, member.value.end, fresh)]))
            }
        }
    }

    /// With one more item in the list at the path, which is made if it is not there.
    pub(super) fn push(&self, path: &[&str], item: &str) -> Result<String, String> {
        match self.node(path) {
            None => self.set(path, &format!("[\n  {}\n]", item.replace('\n', "\n  "))),
            Some(node) => match &node.shape {
                Shape::List(items) => {
                    let ends = items
                        .iter()
                        .map(|it| (it.start, it.end))
                        .collect::<Vec<_>>();
                    Ok(self.insert_item(node, &ends, item))
                }
                _ => Err(format!("{} is no list", path.join("."))),
            },
        }
    }

    /// Without the member at the path; nothing if it is not there.
    pub(super) fn remove(&self, path: &[&str]) -> Option<String> {
        let (last, way) = path.split_last()?;
        let object = self.node(way)?;
        let Shape::Object(members) = &object.shape else {
            return None;
        };
        let place = members.iter().position(|member| member.name == *last)?;
        let spans: Vec<(usize, usize)> =
            members.iter().map(|it| (it.start, it.value.end)).collect();
        Some(self.without(object, &spans, place))
    }

    /// Without one item of the list at the path.
    pub(super) fn remove_item(&self, path: &[&str], place: usize) -> Option<String> {
        let list = self.node(path)?;
        let Shape::List(items) = &list.shape else {
            return None;
        };
        let spans: Vec<(usize, usize)> = items.iter().map(|it| (it.start, it.end)).collect();
        (place < spans.len()).then(|| self.without(list, &spans, place))
    }

    fn node(&self, path: &[&str]) -> Option<&Node> {
        path.iter()
            .try_fold(&self.root, |node, name| node.member(name))
    }

    /// The last object on the way that is there, and how many names behind it are not.
    fn deepest(&self, way: &[&str]) -> Result<(&Node, usize), String> {
        let mut node = &self.root;
        for (place, name) in way.iter().enumerate() {
            match (&node.shape, node.member(name)) {
                (Shape::Object(_), Some(next)) => node = next,
                (Shape::Object(_), None) => return Ok((node, way.len() - place - 1)),
                _ => return Err(format!("{} is no object", way[..place].join("."))),
            }
        }
        Ok((node, 0))
    }

    fn insert_member(&self, object: &Node, name: &str, value: &str) -> String {
        let spans: Vec<(usize, usize)> = match &object.shape {
            Shape::Object(members) => members.iter().map(|it| (it.start, it.value.end)).collect(),
            _ => Vec::new(),
        };
        let name = serde_json::Value::from(name);
        self.insert_item(object, &spans, &format!("{name}: {value}"))
    }

    /// Behind the last of the spans, or as the only one, on lines of its own
    /// unless all the others share one.
    fn insert_item(&self, outer: &Node, spans: &[(usize, usize)], item: &str) -> String {
        let close = outer.end.saturating_sub(1).max(outer.start);
        let inside = &self.text[outer.start..close];
        let unit = self.unit();
        let outer_indent = self.indent_at(outer.start);
        let Some((first, _)) = spans.first() else {
            let indent = format!("{outer_indent}{unit}");
            let fresh = self.rendered(item, &indent);
            let brackets = match outer.shape {
                Shape::List(_) => ("[", "]"),
                _ => ("{", "}"),
            };
            let kept = inside.get(1..).unwrap_or_default().trim_end();
            let newline = self.newline();
            let whole = format!(
                "{}{kept}{newline}{indent}{fresh}{newline}{outer_indent}{}",
                brackets.0, brackets.1
            );
            return self.spliced(&[(outer.start, outer.end, whole)]);
        };
        let last_end = spans[spans.len() - 1].1;
        let behind = &self.text[last_end..close];
        let comma = parse::comma(behind);
        // What a person wrote behind the last value stays behind it.
        let at = last_end + behind.trim_end().len();
        // Who ends the last one with a comma gets it behind ours too.
        let (separator, ending) = if comma.is_some() {
            ("", ",")
        } else {
            (",", "")
        };
        let is_one_line = !self.text[outer.start..*first].contains('\n');
        let fresh = if is_one_line {
            format!(" {}{ending}", one_line(item))
        } else {
            let (newline, indent) = (self.newline(), self.indent_at(*first));
            format!("{newline}{indent}{}{ending}", self.rendered(item, indent))
        };
        self.spliced(&[(last_end, last_end, separator.to_owned()), (at, at, fresh)])
    }

    fn without(&self, outer: &Node, spans: &[(usize, usize)], place: usize) -> String {
        let (start, end) = spans[place];
        let close = outer.end - 1;
        let before = self.text[..start].trim_end().len();
        let next = spans.get(place + 1).map_or(close, |(start, _)| *start);
        let comma = parse::comma(&self.text[end..next]).map(|at| end + at + 1);
        if let Some(comma) = comma {
            return self.spliced(&[(before, comma, String::new())]);
        }
        match place.checked_sub(1).map(|previous| spans[previous].1) {
            // The comma that led to it goes too.
            Some(previous) => {
                let comma = previous + parse::comma(&self.text[previous..start]).unwrap_or(0);
                self.spliced(&[
                    (comma, comma + 1, String::new()),
                    (before.max(comma + 1), end, String::new()),
                ])
            }
            None => {
                let is_bare = self.text[end..close].trim().is_empty() && before == outer.start + 1;
                let until = if is_bare { close } else { end };
                self.spliced(&[(before, until, String::new())])
            }
        }
    }

    /// With pieces replaced, given in the order in which they stand.
    fn spliced(&self, pieces: &[(usize, usize, String)]) -> String {
        let mut out = String::with_capacity(self.text.len() + 256);
        let mut at = 0;
        for (start, end, fresh) in pieces {
            out.push_str(&self.text[at..*start]);
            out.push_str(fresh);
            at = *end;
        }
        out.push_str(&self.text[at..]);
        out
    }

    /// The value with the indents and line ends of this file.
    fn rendered(&self, value: &str, indent: &str) -> String {
        let unit = self.unit();
        let mut lines = value.lines();
        let mut out = lines.next().unwrap_or_default().to_owned();
        for line in lines {
            let bare = line.trim_start_matches(' ');
            let depth = (line.len() - bare.len()) / 2;
            out.push_str(self.newline());
            out.push_str(indent);
            out.push_str(&unit.repeat(depth));
            out.push_str(bare);
        }
        out
    }

    /// The white space with which the line of this place begins.
    fn indent_at(&self, place: usize) -> &'a str {
        let line = self.text[..place].rfind('\n').map_or(0, |at| at + 1);
        let rest = &self.text[line..];
        let end = rest.find(|c| c != ' ' && c != '\t').unwrap_or(rest.len());
        &rest[..end]
    }

    /// By how much this file indents.
    fn unit(&self) -> &'a str {
        let mut lines = self.text.lines();
        let is_member = |line: &str| line.trim_start().starts_with('"');
        let indented = lines.find(|line| line.starts_with([' ', '\t']) && is_member(line));
        match indented {
            None => "  ",
            Some(line) => {
                let end = line.find(|c| c != ' ' && c != '\t').unwrap_or(0);
                &line[..end]
            }
        }
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }
}

/// A value within objects of these names, the outermost of which is left out.
fn nested(names: &[&str], value: &str) -> String {
    let mut text = value.to_owned();
    for name in names.iter().rev() {
        let inner = text.replace('\n', "\n  ");
        text = format!("{{\n  {}: {inner}\n}}", serde_json::Value::from(*name));
    }
    text
}

/// As short as it gets, for files that stand on one line.
fn one_line(item: &str) -> String {
    item.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
