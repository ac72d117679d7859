#!/usr/bin/env python3
"""Counts what memory servers lose of what they acknowledged.

    lost_writes.py path/to/mnemon [npx -y @modelcontextprotocol/server-memory]

Many calls at once to one process, then to two processes on the same file or
store, then to processes that are killed again and again in the middle. After
that a fresh process is asked for everything that was acknowledged.

Ends with 1 if mnemon lost anything. Needs Python alone, and the command of the
reference server if that is to be measured too.
"""

import argparse
import itertools
import os
import random
import sys
import tempfile
import threading

from pipe import Gone, Pipe, is_refused
from together import together


class Reference:
    """Entities and observations, by the tools of the reference server."""

    def __init__(self, command, env):
        self.command, self.env = command, env

    def start(self):
        return Pipe(self.command, self.env)

    def prepare(self, pipe):
        hub = {"name": "hub", "entityType": "hub", "observations": []}
        assert not is_refused(pipe.call("create_entities", {"entities": [hub]}))

    def write(self, pipe, note):
        """Every other note is an entity of its own, the rest is said of one that is there."""
        if int(note.rpartition("-")[2]) % 2:
            entity = {"name": note, "entityType": "note", "observations": []}
            return pipe.send_call("create_entities", {"entities": [entity]})
        added = {"entityName": "hub", "contents": [note]}
        return pipe.send_call("add_observations", {"observations": [added]})

    def found(self):
        pipe = self.start()
        graph = pipe.call("read_graph", {})
        pipe.close()
        if is_refused(graph):
            return None
        graph = graph["structuredContent"]
        return {it["name"] for it in graph["entities"]} | {
            text for it in graph["entities"] for text in it["observations"]
        }


class Tally:
    """What was acknowledged, and what was found again."""

    def __init__(self):
        self.acknowledged = set()
        self.lock = threading.Lock()

    def take(self, pipe, sent):
        """Waits for the answers; whatever is not answered was not acknowledged."""
        for note, box in sent:
            try:
                answer = pipe.answer(box)
            except Gone:
                continue
            if not is_refused(answer):
                with self.lock:
                    self.acknowledged.add(note)


def in_turn(server, notes):
    """Each waits for the one before."""
    tally = Tally()
    pipe = server.start()
    server.prepare(pipe)
    for note in notes:
        tally.take(pipe, [(note, server.write(pipe, note))])
    pipe.close()
    return tally.acknowledged


def at_once(server, notes, count):
    """All are sent to so many processes before the first answer is read."""
    tally = Tally()
    pipes = [server.start() for _ in range(count)]
    server.prepare(pipes[0])
    sent = [(pipe, note, server.write(pipe, note)) for note, pipe in zip(notes, itertools.cycle(pipes))]
    for pipe, note, box in sent:
        tally.take(pipe, [(note, box)])
    for pipe in pipes:
        pipe.close()
    return tally.acknowledged


def killed_processes(server, notes, source):
    """Two writers; each is killed in the middle of a burst, and goes on with a new process."""
    tally = Tally()
    first = server.start()
    server.prepare(first)
    first.close()

    failed = []

    def writer(mine, source):
        try:
            write_all(mine, source)
        except Exception as failure:
            failed.append(failure)

    def write_all(mine, source):
        while mine:
            burst, mine = mine[:20], mine[20:]
            pipe = server.start()
            try:
                sent = [(note, server.write(pipe, note)) for note in burst]
                some = source.randrange(len(sent))
                tally.take(pipe, sent[:some])
                pipe.kill()
                tally.take(pipe, sent[some:])
            except Gone:
                pipe.kill()

    halves = [(notes[0::2], random.Random(source.random())), (notes[1::2], random.Random(source.random()))]
    threads = [threading.Thread(target=writer, args=half) for half in halves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return tally.acknowledged


def measure(name, server, count, source):
    """Rows of the table: name, scenario, acknowledged, found, lost, unreadable."""
    scenarios = {
        "one process, in turn": in_turn,
        "one process, at once": lambda server, notes: at_once(server, notes, 1),
        "two processes, at once": lambda server, notes: at_once(server, notes, 2),
        "two processes, killed with -9": lambda server, notes: killed_processes(server, notes, source),
    }
    for scenario, run in scenarios.items():
        with tempfile.TemporaryDirectory(prefix="mnemon-lost-") as folder:
            made = server(folder)
            acknowledged = run(made, [f"note-{number}" for number in range(count)])
            yield row(name, scenario, acknowledged, made.found())


def row(name, scenario, acknowledged, found):
    kept = acknowledged & (found or set())
    return name, scenario, len(acknowledged), len(kept), len(acknowledged) - len(kept), found is None


def table(rows):
    heads = ("server", "writers", "acknowledged", "found again", "lost", "unreadable")
    lines = [heads, tuple("---" for _ in heads)]
    lines += [(*row[:5], "yes" if row[5] else "no") for row in rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mnemon")
    parser.add_argument("reference", nargs=argparse.REMAINDER, help="the command that starts the reference server")
    parser.add_argument("--count", type=int, default=100, help="how many writes each time")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    options = parser.parse_args()
    source = random.Random(options.seed)

    def theirs(folder):
        env = {**os.environ, "MEMORY_FILE_PATH": os.path.join(folder, "graph.jsonl")}
        return Reference(options.reference, env)

    def ours(folder):
        root = os.path.join(folder, "store")
        return Reference([options.mnemon, "mcp", "--profile", "reference", "--root", root], None)

    rows = []
    if options.reference:
        rows += measure("reference server", theirs, options.count, source)
    own = list(measure("mnemon, profile reference", ours, options.count, source))
    with tempfile.TemporaryDirectory(prefix="mnemon-lost-") as folder:
        root = os.path.join(folder, "store")
        own.append(row("mnemon", "MCP, HTTP and commands, killed with -9", *together(options.mnemon, root, options.count, source)))
    print(table(rows + own))
    if any(lost or unreadable or not acknowledged for _, _, acknowledged, _, lost, unreadable in own):
        sys.exit("mnemon lost what it had acknowledged")
    # Where nothing is killed, nothing is refused.
    if any(acknowledged < options.count for _, writers, acknowledged, *_ in own if "killed" not in writers):
        sys.exit("mnemon did not acknowledge every write")


if __name__ == "__main__":
    main()
