"""A client of MCP in few lines: JSON-RPC over the pipes of a process.

It needs Python alone. Calls can be sent without waiting for their answers,
which is what the scripts of this folder are about.
"""

import itertools
import json
import os
import queue
import signal
import subprocess
import threading

VERSION = "2025-06-18"


class Gone(Exception):
    """The server ended before it answered."""


class Pipe:
    """A server in a process of its own, after the handshake."""

    def __init__(self, command, env=None):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            # A group of its own: launchers such as npx must not outlive a kill, nor what they start.
            start_new_session=True,
        )
        self._ids = itertools.count(1)
        self._waiting = {}
        self._lock = threading.Lock()
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()
        about = {"name": "mnemon-clients", "version": "1"}
        hello = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": about}
        self.server = self.ask("initialize", hello)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, method, params):
        """Asks without waiting; `answer` takes what this returns."""
        box = queue.SimpleQueue()
        with self._lock:
            if self._ended:
                raise Gone(method)
            number = next(self._ids)
            self._waiting[number] = box
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return box

    def answer(self, box, seconds=60):
        """The reply to what was sent: its `result`, or `{"error": …}`."""
        reply = box.get(timeout=seconds)
        if reply is None:
            raise Gone("no answer")
        return reply["result"] if "result" in reply else {"error": reply["error"]}

    def ask(self, method, params=None):
        return self.answer(self.send(method, params or {}))

    def send_call(self, tool, arguments):
        return self.send("tools/call", {"name": tool, "arguments": arguments})

    def call(self, tool, arguments):
        return self.answer(self.send_call(tool, arguments))

    def kill(self):
        """Ends it in the middle of whatever it does."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self, seconds=30):
        """Ends its input and waits for it; the code with which it ended."""
        self.process.stdin.close()
        return self.process.wait(timeout=seconds)

    def _write(self, message):
        line = json.dumps(message).encode() + b"\n"
        try:
            with self._lock:
                self.process.stdin.write(line)
                self.process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise Gone(message["method"]) from error

    def _read(self):
        for line in self.process.stdout:
            reply = json.loads(line)
            with self._lock:
                box = self._waiting.pop(reply.get("id"), None)
            if box:
                box.put(reply)
        with self._lock:
            self._ended = True
            left, self._waiting = self._waiting, {}
        for box in left.values():
            box.put(None)


def is_refused(result):
    """Whether a call was not carried out."""
    return "error" in result or result.get("isError") is True


def text_of(result):
    """What a model reads of a result."""
    return "\n".join(part.get("text", "") for part in result.get("content", []))
