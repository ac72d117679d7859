//! From who publishes to who listens, without either waiting for the other.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::{Event, Published};
use crate::caller::Sight;
use crate::memory::{AgentId, Space};
use crate::time::Time;

/// So many of the last events are kept for those who come back.
const KEPT: usize = 1024;

/// Whom an event may be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Everybody who reaches the space.
    Space(Space),
    /// These agents, and the user.
    Agents(Vec<String>),
    /// Everybody.
    All,
}

impl Audience {
    fn includes(&self, sight: &Sight) -> bool {
        let is_among = |me: &AgentId| match self {
            Self::Space(Space::Agent(owner)) => owner == me,
            Self::Space(_) | Self::All => true,
            Self::Agents(names) => names.iter().any(|name| name == me.as_str()),
        };
        match sight {
            Sight::Everything => true,
            Sight::Agent(me) => is_among(me),
            Sight::HiddenFrom(me) => !is_among(me),
        }
    }
}

/// Where events are published.
#[derive(Debug, Default)]
pub(crate) struct Bus(Mutex<Subscribers>);

#[derive(Debug, Default)]
struct Subscribers {
    /// The number of the last event.
    last: u64,
    kept: VecDeque<(Audience, Published)>,
    channels: Vec<Weak<Channel>>,
    /// Nothing is kept before anybody listened.
    is_used: bool,
}

#[derive(Debug)]
struct Channel {
    sight: Sight,
    capacity: usize,
    queue: Mutex<Queue>,
    ready: Condvar,
    wake: OnceLock<Wake>,
}

/// Whom to tell, beside those who wait on a thread.
struct Wake(Box<dyn Fn() + Send + Sync>);

impl fmt::Debug for Wake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wake")
    }
}

#[derive(Debug, Default)]
struct Queue {
    events: VecDeque<Published>,
    missed: u64,
}

/// Somebody who listens; whoever drops it listens no longer.
#[derive(Debug)]
pub struct Subscription(Arc<Channel>);

/// What a subscriber gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// An event.
    Event(Published),
    /// So many were dropped before the next one, because nobody took them.
    Missed(u64),
}

impl Bus {
    /// Whether publishing would reach nobody, now or later.
    pub(crate) fn is_idle(&self) -> bool {
        !self.subscribers().is_used
    }

    /// Listens from now on, or from behind that number on, as far as it is still known.
    pub(crate) fn subscribe(
        &self,
        sight: Sight,
        capacity: usize,
        after: Option<u64>,
    ) -> Subscription {
        let mut all = self.subscribers();
        all.is_used = true;
        let channel = Arc::new(Channel {
            sight,
            capacity: capacity.max(1),
            queue: Mutex::default(),
            ready: Condvar::new(),
            wake: OnceLock::new(),
        });
        if let Some(after) = after {
            let first_kept = all.kept.front().map_or(all.last + 1, |it| it.1.sequence);
            channel.queue().missed = first_kept.saturating_sub(after.saturating_add(1));
            for (audience, published) in &all.kept {
                if published.sequence > after && audience.includes(&channel.sight) {
                    channel.push(published.clone());
                }
            }
        }
        all.channels.push(Arc::downgrade(&channel));
        Subscription(channel)
    }

    /// Hands an event to all who may know of it.
    pub(crate) fn publish(&self, at: Time, audience: Audience, event: Event) {
        let mut all = self.subscribers();
        if !all.is_used {
            return;
        }
        all.last += 1;
        let published = Published {
            sequence: all.last,
            at,
            event,
        };
        all.channels.retain(|channel| match channel.upgrade() {
            Some(channel) => {
                if audience.includes(&channel.sight) {
                    channel.push(published.clone());
                }
                true
            }
            None => false,
        });
        if all.kept.len() == KEPT {
            all.kept.pop_front();
        }
        all.kept.push_back((audience, published));
    }

    fn subscribers(&self) -> MutexGuard<'_, Subscribers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Channel {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, published: Published) {
        let mut queue = self.queue();
        if queue.events.len() == self.capacity {
            queue.events.pop_front();
            queue.missed += 1;
        }
        queue.events.push_back(published);
        self.ready.notify_one();
        drop(queue);
        if let Some(Wake(wake)) = self.wake.get() {
            wake();
        }
    }
}

impl Subscription {
    /// How many events wait at most if nobody says.
    pub const CAPACITY: usize = 1024;

    /// Has this called whenever something comes, by whoever publishes it: it must be quick. Only
    /// the first that is given counts.
    pub fn on_ready(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.0.wake.set(Wake(Box::new(wake)));
    }

    /// What comes next, if it is there already.
    pub fn try_next(&self) -> Option<Received> {
        take(&mut self.0.queue())
    }

    /// What comes next, waiting for it so long at most.
    pub fn next(&self, wait: Duration) -> Option<Received> {
        let until = Instant::now() + wait;
        let mut queue = self.0.queue();
        loop {
            if let Some(received) = take(&mut queue) {
                return Some(received);
            }
            let left = until.checked_duration_since(Instant::now())?;
            let woken = self.0.ready.wait_timeout(queue, left);
            queue = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn take(queue: &mut Queue) -> Option<Received> {
    if queue.missed > 0 {
        return Some(Received::Missed(std::mem::take(&mut queue.missed)));
    }
    queue.events.pop_front().map(Received::Event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::SessionChange;

    fn changed(session: &str) -> Event {
        Event::SessionChanged {
            session: session.parse().unwrap(),
            change: SessionChange::Created,
        }
    }

    fn numbers(from: &Subscription) -> Vec<Result<u64, u64>> {
        std::iter::from_fn(|| from.try_next())
            .map(|received| match received {
                Received::Event(published) => Ok(published.sequence),
                Received::Missed(count) => Err(count),
            })
            .collect()
    }

    fn publish(bus: &Bus, times: usize) {
        for _ in 0..times {
            let now = "2026-01-01T00:00:00Z".parse().unwrap();
            bus.publish(now, Audience::All, changed("s"));
        }
    }

    #[test]
    fn a_full_queue_drops_the_oldest_and_says_how_many() {
        let bus = Bus::default();
        let slow = bus.subscribe(Sight::Everything, 2, None);
        let quick = bus.subscribe(Sight::Everything, 9, None);
        publish(&bus, 5);
        assert_eq!(numbers(&slow), [Err(3), Ok(4), Ok(5)]);
        assert_eq!(numbers(&quick), [Ok(1), Ok(2), Ok(3), Ok(4), Ok(5)]);
        publish(&bus, 1);
        assert_eq!(numbers(&slow), [Ok(6)]);
    }

    #[test]
    fn who_comes_back_goes_on_where_it_was() {
        let bus = Bus::default();
        drop(bus.subscribe(Sight::Everything, 9, None));
        publish(&bus, 4);
        let back = bus.subscribe(Sight::Everything, 9, Some(2));
        publish(&bus, 1);
        assert_eq!(numbers(&back), [Ok(3), Ok(4), Ok(5)]);
        publish(&bus, KEPT);
        let late = bus.subscribe(Sight::Everything, 2000, Some(1));
        let told = numbers(&late);
        // Of 1029 the last 1024 are known: 2 to 5 are gone.
        assert_eq!(told[0], Err(4));
        assert_eq!(told.len(), 1 + KEPT);
    }

    #[test]
    fn who_listens_no_longer_is_forgotten() {
        let bus = Bus::default();
        let gone = bus.subscribe(Sight::Everything, 9, None);
        let here = bus.subscribe(Sight::Everything, 9, None);
        drop(gone);
        publish(&bus, 1);
        assert_eq!(bus.subscribers().channels.len(), 1);
        assert_eq!(numbers(&here), [Ok(1)]);
    }

    #[test]
    fn an_agent_is_told_of_its_own_space_and_of_what_is_for_it() {
        let bus = Bus::default();
        let ada = bus.subscribe(Sight::Agent("ada".parse().unwrap()), 9, None);
        let user = bus.subscribe(Sight::Everything, 9, None);
        let audiences = [
            Audience::Space("agent/ada".parse().unwrap()),
            Audience::Space("agent/bob".parse().unwrap()),
            Audience::Space("session/s".parse().unwrap()),
            Audience::Agents(vec!["bob".into()]),
            Audience::Agents(vec!["bob".into(), "ada".into()]),
            Audience::All,
        ];
        for audience in audiences {
            let now = "2026-01-01T00:00:00Z".parse().unwrap();
            bus.publish(now, audience, changed("s"));
        }
        assert_eq!(numbers(&ada), [Ok(1), Ok(3), Ok(5), Ok(6)]);
        assert_eq!(numbers(&user).len(), 6);
    }

    #[test]
    fn who_does_not_wait_is_called() {
        let bus = Bus::default();
        let listening = bus.subscribe(Sight::Everything, 9, None);
        let (told, hears) = std::sync::mpsc::channel();
        listening.on_ready(move || told.send(()).unwrap());
        publish(&bus, 2);
        assert_eq!(hears.try_iter().count(), 2);
        assert_eq!(numbers(&listening), [Ok(1), Ok(2)]);
    }

    #[test]
    fn waiting_ends_with_an_event_or_with_its_time() {
        let bus = Arc::new(Bus::default());
        let listening = bus.subscribe(Sight::Everything, 9, None);
        assert_eq!(listening.next(Duration::ZERO), None);
        let publishing = bus.clone();
        let thread = std::thread::spawn(move || publish(&publishing, 1));
        let received = listening.next(Duration::from_secs(60));
        thread.join().unwrap();
        assert!(matches!(received, Some(Received::Event(it)) if it.sequence == 1));
    }
}
