//! Input in which every letter is whole: a line with half of one would be no
//! JSON and passed over, and the client would wait for an answer in vain.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use mnemon_wire::halves::Mender;
use tokio::io::{AsyncRead, ReadBuf};

const CHUNK_BYTES: usize = 8 << 10;

/// A reader of JSON without halves of letters.
pub(super) struct Mended<R> {
    input: R,
    mender: Mender,
    /// How much of what is mended was handed out.
    handed: usize,
}

impl<R> Mended<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            mender: Mender::default(),
            handed: 0,
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Mended<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.handed == this.mender.mended.len() {
            this.mender.mended.clear();
            this.handed = 0;
            let mut chunk = [0; CHUNK_BYTES];
            let mut chunk = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut this.input).poll_read(context, &mut chunk))?;
            if chunk.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            this.mender.take(chunk.filled());
        }
        let rest = &this.mender.mended[this.handed..];
        let length = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..length]);
        this.handed += length;
        Poll::Ready(Ok(()))
    }
}
