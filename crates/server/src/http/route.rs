//! A route: one row of the table from which requests are dispatched, the
//! `OpenAPI` document is made, and the tests of who may do what are driven.

use mnemon::Result;
use mnemon::caller::Operation;

use super::asked::Asked;
use super::reply::Reply;

/// How something is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Look.
    Get,
    /// Do.
    Post,
    /// Put in the place of what is there.
    Put,
    /// Change.
    Patch,
    /// Take away.
    Delete,
}

impl Method {
    /// As it stands in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// What a route takes as its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Nothing.
    None,
    /// A JSON object of this schema.
    Json(&'static str),
    /// A JSON object of this schema, or nothing, which is an empty one.
    MaybeJson(&'static str),
    /// Bytes of any sort.
    Bytes,
}

/// What a route answers with when all went well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// JSON of this schema.
    Json(&'static str),
    /// Something else, of this media type.
    Media(&'static str),
}

/// A parameter behind the question mark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) sort: Sort,
    pub(crate) about: &'static str,
}

/// The ids of sessions, agents and tokens.
pub(crate) const ID: &str = "^[A-Za-z0-9_-]{1,64}$";

/// What a memory is called: its id, or its handle with or without its session.
pub(crate) const NAME: &str = "^([A-Za-z0-9_-]{1,64}/\
    (TURN|DEC|FIND|PREF|LEARN|FACT|EVENT|PROC|STATE|ART)-0{0,8}[1-9][0-9]{0,8}\
    |[A-Za-z0-9_-]{1,64})$";

/// Why something is done.
pub(crate) const REASON: &str = r"\S";

/// What a parameter can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Text,
    /// A text of this pattern.
    Matching(&'static str),
    Flag,
    /// A whole number from 0 to this.
    Count(u64),
    Share,
    OneOf(&'static [&'static str]),
}

/// Who does it.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// The engine, on a thread that may wait.
    Engine(fn(&Asked<'_>) -> Result<Reply>),
    /// The server: that it lives.
    Health,
    /// The server: what it offers.
    OpenApi,
    /// The server: how it does.
    Metrics,
    /// The server: what happens, as it happens.
    Events,
    /// The server: the Model Context Protocol.
    Mcp,
}

/// What becomes of a request that comes again under the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// It changes nothing, or the same once more: no key is needed.
    Harmless,
    /// It takes a key; done again after a crash it meets what is there.
    Meets,
    /// It takes no key, because its answer can't be given twice.
    Never,
    /// It takes a key; after a crash nobody knows whether it was done, and it is not done again.
    Unknown,
}

/// One row.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) method: Method,
    /// With the names of its parts in braces: `/v1/memories/{id}`.
    pub(crate) path: &'static str,
    /// What it does: the first decides which role is needed.
    pub(crate) does: &'static [Operation],
    /// One line.
    pub(crate) about: &'static str,
    pub(crate) body: Body,
    pub(crate) parameters: &'static [Parameter],
    /// Whether it also takes the filters of a list as parameters.
    pub(crate) filters: bool,
    pub(crate) answers: Answers,
    pub(crate) status: u16,
    /// Whether it may take longer than other requests.
    pub(crate) is_long: bool,
    pub(crate) again: Again,
    pub(crate) run: Run,
}

impl Route {
    const fn new(
        method: Method,
        path: &'static str,
        does: &'static [Operation],
        about: &'static str,
        run: Run,
    ) -> Self {
        Self {
            method,
            path,
            does,
            about,
            body: Body::None,
            parameters: &[],
            filters: false,
            answers: Answers::Json("Object"),
            status: 200,
            is_long: false,
            again: Again::Harmless,
            run,
        }
    }

    pub(crate) const fn get(
        path: &'static str,
        does: &'static [Operation],
        about: &'static str,
        run: fn(&Asked<'_>) -> Result<Reply>,
    ) -> Self {
        Self::new(Method::Get, path, does, about, Run::Engine(run))
    }

    pub(crate) const fn post(
        path: &'static str,
        does: &'static [Operation],
        about: &'static str,
        run: fn(&Asked<'_>) -> Result<Reply>,
    ) -> Self {
        Self::new(Method::Post, path, does, about, Run::Engine(run))
    }

    pub(crate) const fn put(
        path: &'static str,
        does: &'static [Operation],
        about: &'static str,
        run: fn(&Asked<'_>) -> Result<Reply>,
    ) -> Self {
        Self::new(Method::Put, path, does, about, Run::Engine(run))
    }

    pub(crate) const fn patch(
        path: &'static str,
        does: &'static [Operation],
        about: &'static str,
        run: fn(&Asked<'_>) -> Result<Reply>,
    ) -> Self {
        Self::new(Method::Patch, path, does, about, Run::Engine(run))
    }

    pub(crate) const fn delete(
        path: &'static str,
        does: &'static [Operation],
        about: &'static str,
        run: fn(&Asked<'_>) -> Result<Reply>,
    ) -> Self {
        Self::new(Method::Delete, path, does, about, Run::Engine(run))
    }

    /// Something that the server itself does.
    pub(crate) const fn own(
        method: Method,
        path: &'static str,
        does: &'static [Operation],
        about: &'static str,
        run: Run,
    ) -> Self {
        Self::new(method, path, does, about, run)
    }

    pub(crate) const fn takes(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    pub(crate) const fn with(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = parameters;
        self
    }

    pub(crate) const fn filtered(mut self) -> Self {
        self.filters = true;
        self
    }

    pub(crate) const fn answers(mut self, schema: &'static str) -> Self {
        self.answers = Answers::Json(schema);
        self
    }

    pub(crate) const fn media(mut self, media: &'static str) -> Self {
        self.answers = Answers::Media(media);
        self
    }

    pub(crate) const fn makes(mut self) -> Self {
        self.status = 201;
        self
    }

    pub(crate) const fn long(mut self) -> Self {
        self.is_long = true;
        self
    }

    pub(crate) const fn again(mut self, again: Again) -> Self {
        self.again = again;
        self
    }

    /// Whether everybody may ask, with a token or without.
    pub(crate) fn is_public(&self) -> bool {
        matches!(self.run, Run::Health)
    }

    /// The parts of a path that this route names, if it is its path.
    pub(crate) fn parts(&self, segments: &[String]) -> Option<Vec<(&'static str, String)>> {
        let own = self.path.split('/').skip(1);
        if own.clone().count() != segments.len() {
            return None;
        }
        let mut parts = Vec::new();
        for (own, given) in own.zip(segments) {
            match own.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
                Some(_) if given.is_empty() => return None,
                Some(name) => parts.push((name, given.clone())),
                None if own == given => {}
                None => return None,
            }
        }
        Some(parts)
    }
}

/// What belongs to a request of that method and path.
pub(crate) enum Matched {
    Route(&'static Route, Vec<(&'static str, String)>),
    /// The path is there, and takes other methods.
    Methods(Vec<&'static str>),
    Nothing,
}

/// Finds the route of a request.
pub(crate) fn find(routes: &'static [Route], method: &str, segments: &[String]) -> Matched {
    let mut methods = Vec::new();
    for route in routes {
        let Some(parts) = route.parts(segments) else {
            continue;
        };
        if route.method.as_str() == method {
            return Matched::Route(route, parts);
        }
        methods.push(route.method.as_str());
    }
    if methods.is_empty() {
        Matched::Nothing
    } else {
        Matched::Methods(methods)
    }
}
