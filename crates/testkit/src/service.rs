//! An embedding service on loopback: real HTTP, vectors that a test chooses,
//! and faults that it scripts.
//!
//! Each connection is one exchange. Faults are used up one by one; after them
//! everything is answered as it should be. It stops when it is dropped.

mod exchange;

use std::collections::VecDeque;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use mnemon::embed::{BuiltIn, Embedder};

/// What goes wrong with one exchange.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It answers with this status, these headers and this body.
    Status(u16, &'static str, &'static str),
    /// It answers well, but with this body.
    Body(String),
    /// It reads the question and never answers.
    Hang,
    /// It hangs up in the middle of the answer.
    Truncate,
    /// The answer comes so slowly that it never ends.
    Dribble,
    /// Every vector has one number too many.
    LongVectors,
    /// The last vector is missing.
    MissingVector,
}

/// One question that came in.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The path of the call.
    pub path: String,
    /// The `authorization` header.
    pub authorization: Option<String>,
    /// The model that was asked for.
    pub model: String,
    /// The texts.
    pub input: Vec<String>,
}

/// What a text becomes.
pub type Numbers = dyn Fn(&str) -> Vec<f32> + Send + Sync;

/// A service that runs.
pub struct Service {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    numbers: Box<Numbers>,
    faults: Mutex<VecDeque<Fault>>,
    /// What is wrong with everything, once the faults are used up.
    always: Mutex<Option<Fault>>,
    /// A text that it does not take, alone or among others.
    refused: Mutex<Option<String>>,
    received: Mutex<Vec<Received>>,
    /// Connections that nobody is going to answer.
    hung: Mutex<Vec<TcpStream>>,
    stopped: AtomicBool,
}

impl Service {
    /// A service whose vectors are made by `numbers`.
    pub fn start(numbers: impl Fn(&str) -> Vec<f32> + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0".parse().expect("an address"), numbers)
    }

    /// As [`Self::start`], at an address where nobody listens yet.
    pub fn start_at(
        address: SocketAddr,
        numbers: impl Fn(&str) -> Vec<f32> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared {
            numbers: Box::new(numbers),
            faults: Mutex::default(),
            always: Mutex::default(),
            refused: Mutex::default(),
            received: Mutex::default(),
            hung: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let for_accepting = shared.clone();
        Self {
            address,
            shared,
            accepting: Some(std::thread::spawn(move || {
                accept(&listener, &for_accepting);
            })),
        }
    }

    /// An address at which nobody listens.
    pub fn nobody() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("it is bound")
    }

    /// Where it is, as settings want it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next exchanges go wrong like this.
    pub fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        lock(&self.shared.faults).extend(faults);
    }

    /// From now on everything goes wrong like this, or nothing does.
    pub fn fail_always(&self, fault: Option<Fault>) {
        *lock(&self.shared.always) = fault;
    }

    /// From now on this text is refused, and whatever comes with it.
    pub fn refuse(&self, text: &str) {
        *lock(&self.shared.refused) = Some(text.to_owned());
    }

    /// Everything that came in so far.
    pub fn received(&self) -> Vec<Received> {
        lock(&self.shared.received).clone()
    }

    /// Every text that came in so far.
    pub fn texts(&self) -> Vec<String> {
        let received = self.received().into_iter();
        received.flat_map(|received| received.input).collect()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for the next connection.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        for stream in lock(&self.shared.hung).iter() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = shared.clone();
        std::thread::spawn(move || {
            // Whoever asked may hang up at any time.
            let _ = exchange::serve(stream, &shared);
        });
    }
}

impl Shared {
    fn fault_for(&self, received: &Received) -> Option<Fault> {
        let refused = lock(&self.refused);
        if (refused.as_ref()).is_some_and(|text| received.input.contains(text)) {
            return Some(Fault::Status(400, "", "{\"error\":\"no such text\"}"));
        }
        let next = lock(&self.faults).pop_front();
        next.or_else(|| lock(&self.always).clone())
    }
}

/// Numbers of any dimension that tell texts apart: those of the built-in model, folded.
pub fn folded(dimension: usize) -> impl Fn(&str) -> Vec<f32> + Send + Sync {
    move |text| {
        let mut numbers = vec![0.0; dimension];
        let found = BuiltIn::new().embed(&[text]).expect("it never fails");
        for vector in found.iter().flatten() {
            for (place, component) in vector.components().iter().enumerate() {
                numbers[place % dimension] += f32::from(*component);
            }
        }
        numbers
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
