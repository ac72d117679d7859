//! What a request is answered with.

use std::convert::Infallible;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use mnemon::Error;
use mnemon_wire::ErrorShape;
use serde::Serialize;
use tokio::sync::mpsc;

use super::status::{Refusal, status_of};

/// So many pieces of a long answer wait for a slow client.
const PIECES: usize = 16;

/// So much is gathered before it is handed on.
const PIECE_BYTES: usize = 64 << 10;

/// An answer before it is one of HTTP.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) content: Content,
}

/// Writes a long answer, piece by piece.
pub(crate) type Writing = Box<dyn FnOnce(&mut Pieces) -> io::Result<()> + Send>;

/// What is in an answer.
pub(crate) enum Content {
    /// All of it, of this media type.
    Whole(&'static str, Vec<u8>),
    /// It is written while it is sent, on a thread that may wait.
    Written(&'static str, Writing),
}

impl Reply {
    /// JSON, and that all went well.
    pub(crate) fn json(shape: &impl Serialize) -> Self {
        let text = serde_json::to_vec(shape).expect("answers have text keys");
        Self::of("application/json", text)
    }

    pub(crate) fn of(media: &'static str, bytes: Vec<u8>) -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            content: Content::Whole(media, bytes),
        }
    }

    pub(crate) fn written(media: &'static str, write: Writing) -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            content: Content::Written(media, write),
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The envelope of an error of the library.
    pub(crate) fn error(error: &Error) -> Self {
        let mut reply = Self::json(&ErrorShape::of(error));
        reply.status = status_of(error.code());
        if error.retryable() {
            reply.headers.push(("retry-after", "1".into()));
        }
        reply
    }

    /// The envelope of what the interface refuses.
    pub(crate) fn refusal(refusal: &Refusal) -> Self {
        let shape = ErrorShape::new(
            refusal.code,
            refusal.message.clone(),
            refusal.hint.to_owned(),
        );
        let mut reply = Self::json(&shape.retryable_if(refusal.is_retryable()));
        reply.status = refusal.status;
        reply.headers.clone_from(&refusal.headers);
        reply
    }

    /// The envelope of a bug of ours.
    pub(crate) fn bug(request: &str) -> Self {
        let message = format!("this is a bug in mnemon (request {request})");
        let hint = "Please report it; what was acknowledged before is safe.";
        let mut reply = Self::json(&ErrorShape::new(
            ErrorShape::INTERNAL,
            message,
            hint.to_owned(),
        ));
        reply.status = 500;
        reply
    }

    /// The answer as HTTP has it, and what is still to be written.
    pub(crate) fn into_response(self) -> (Response<Payload>, Option<Later>) {
        let (media, payload, later) = match self.content {
            Content::Whole(media, bytes) => (media, Payload::Whole(Some(bytes.into())), None),
            Content::Written(media, write) => {
                let (to, from) = mpsc::channel(PIECES);
                let is_whole = Arc::new(AtomicBool::new(false));
                let payload = Payload::Written(from, Arc::clone(&is_whole));
                (
                    media,
                    payload,
                    Some(Later {
                        write,
                        to,
                        is_whole,
                    }),
                )
            }
        };
        let mut response = Response::new(payload);
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        if self.status != 204 {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
        }
        for (name, value) in self.headers {
            // What can't stand in a header is left out, whatever it came from.
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        (response, later)
    }
}

/// The body of an answer.
pub(crate) enum Payload {
    Whole(Option<Bytes>),
    /// As long as it goes on; it has no end that could be missed.
    Pieces(mpsc::Receiver<Bytes>),
    /// With an end: pieces that stop before it is reached are told as cut.
    Written(mpsc::Receiver<Bytes>, Arc<AtomicBool>),
    Foreign(BoxBody<Bytes, Infallible>),
}

/// A long answer that could not be written to its end; the client sees that it is cut.
#[derive(Debug)]
pub(crate) struct Cut;

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the answer could not be written to its end")
    }
}

impl std::error::Error for Cut {}

impl Body for Payload {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        match &mut *self {
            Self::Whole(bytes) => {
                let bytes = bytes.take().filter(|bytes| !bytes.is_empty());
                Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
            }
            Self::Pieces(pieces) => pieces
                .poll_recv(context)
                .map(|piece| piece.map(|piece| Ok(Frame::data(piece)))),
            Self::Written(pieces, is_whole) => pieces.poll_recv(context).map(|piece| match piece {
                Some(piece) => Some(Ok(Frame::data(piece))),
                None if is_whole.load(Ordering::Acquire) => None,
                None => Some(Err(Cut)),
            }),
            Self::Foreign(body) => Pin::new(body)
                .poll_frame(context)
                .map(|frame| frame.map(|frame| frame.map_err(|never| match never {}))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.as_ref().is_none_or(Bytes::is_empty),
            Self::Pieces(_) | Self::Written(..) => false,
            Self::Foreign(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Self::Pieces(_) | Self::Written(..) => SizeHint::default(),
            Self::Foreign(body) => body.size_hint(),
        }
    }
}

/// The rest of a long answer.
pub(crate) struct Later {
    write: Writing,
    to: mpsc::Sender<Bytes>,
    is_whole: Arc<AtomicBool>,
}

impl Later {
    /// Writes it, on a thread that may wait so long for a client that takes nothing; whether it
    /// came to its end.
    pub(crate) fn write(self, unread: Duration) -> bool {
        let mut pieces = Pieces {
            to: self.to,
            gathered: Vec::new(),
            unread,
        };
        let written = (self.write)(&mut pieces);
        let is_whole = written.and_then(|()| pieces.flush()).is_ok();
        self.is_whole.store(is_whole, Ordering::Release);
        is_whole
    }
}

/// Where a long answer is written, by a thread that may wait for the client.
pub(crate) struct Pieces {
    to: mpsc::Sender<Bytes>,
    gathered: Vec<u8>,
    /// A client that takes nothing for so long is gone.
    unread: Duration,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // However much comes at once: what waits for a client is bounded.
        let bytes = &bytes[..bytes.len().min(PIECE_BYTES - self.gathered.len())];
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() == PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let piece = std::mem::take(&mut self.gathered);
        // A client that does not read must not hold a thread that others wait for.
        let sent = tokio::runtime::Handle::current().block_on(tokio::time::timeout(
            self.unread,
            self.to.send(piece.into()),
        ));
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}
