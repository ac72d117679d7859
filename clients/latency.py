"""How long clients wait: the handshake, a recall, and hooks, on a store that is there.

    python3 clients/latency.py path/to/mnemon path/to/store

Prints a table in milliseconds. The store is copied first, because hooks write.
Needs Python alone, and a machine that does nothing else.
"""

import http.client
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from pipe import Pipe

WORDS = "cache database decision deploy error index memory network plan query release test".split()


def milliseconds(began):
    return (time.perf_counter() - began) * 1000


def process(command, given, times):
    """The processor time and the time on the clock of a process, start to exit."""
    processor, clock = [], []
    for _ in range(times):
        began = time.perf_counter()
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        child.stdin.write(given)
        child.stdin.close()
        child.stdout.read()
        _, child.returncode, used = os.wait4(child.pid, 0)
        clock.append(milliseconds(began))
        processor.append((used.ru_utime + used.ru_stime) * 1000)
    return processor, clock


def questions():
    chosen = random.Random(1)
    return [" ".join(chosen.sample(WORDS, 3)) for _ in range(500)]


def row(name, times):
    ordered = sorted(times)
    p99 = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    print(f"| {name} | {statistics.median(ordered):.2f} | {p99:.2f} |")


def over_pipe(mnemon, root):
    server = Pipe([mnemon, "mcp", "--root", root])
    times = []
    for question in questions():
        began = time.perf_counter()
        server.ask("tools/call", {"name": "recall", "arguments": {"query": question}})
        times.append(milliseconds(began))
    server.close()
    return times


def over_http(mnemon, root):
    environment = {**os.environ, "MNEMON_SERVER_RATE_PER_SECOND": "0"}
    command = [mnemon, "serve", "--root", root, "--listen", "127.0.0.1:0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    )
    address = server.stdout.readline().split("//")[1].strip()
    connection = http.client.HTTPConnection(address)
    times = []
    for question in questions():
        began = time.perf_counter()
        body = json.dumps({"query": question})
        connection.request("POST", "/v1/recall", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"a recall was answered with {answer.status}")
        times.append(milliseconds(began))
    server.terminate()
    server.wait()
    return times


def transcript(path):
    """A conversation as Claude Code writes it down."""
    lines = []
    for turn in range(6):
        role = ["user", "assistant"][turn % 2]
        lines.append({
            "type": role,
            "uuid": f"turn-{turn}",
            "sessionId": "latency",
            "timestamp": f"2026-01-10T12:00:0{turn}Z",
            "cwd": "/",
            "message": {"role": role, "content": f"We speak of the database, part {turn}."},
        })
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    mnemon = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        root = str(pathlib.Path(folder, "store"))
        shutil.copytree(sys.argv[2], root)
        said = pathlib.Path(folder, "transcript.jsonl")
        transcript(said)
        about = {"session_id": "latency", "transcript_path": str(said), "cwd": "/"}
        hello = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "latency", "version": "1"},
            },
        }
        print("| what | median | 99 % |")
        print("| --- | --- | --- |")
        started = [
            ("MCP handshake, start to exit", ["mcp"], hello),
            ("`hook session-start`", ["hook", "session-start"], {**about, "source": "startup"}),
            ("`hook stop`", ["hook", "stop"], about),
        ]
        for name, command, given in started:
            given = json.dumps(given).encode() + b"\n"
            command = [mnemon, *command, "--root", root]
            # Once for what is done once: the index, and turns that are new.
            process(command, given, 1)
            processor, clock = process(command, given, 100)
            row(f"{name}: processor", processor)
            row(f"{name}: clock", clock)
        # The first question loads what the others use.
        row("MCP `recall`", over_pipe(mnemon, root)[1:])
        row("HTTP recall, one connection", over_http(mnemon, root)[1:])


if __name__ == "__main__":
    main()
