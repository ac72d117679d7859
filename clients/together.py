"""Everybody at once on one store: agents over MCP, programs over HTTP, and commands.

The agents and the HTTP server are killed in the middle, and others take over.
"""

import contextlib
import http.client
import json
import random
import subprocess
import threading
import urllib.request

from pipe import Gone, Pipe, is_refused

SESSION = "together"
BURST = 20


def together(mnemon, root, count, source):
    """The ids that were acknowledged, and those that are found in the end."""
    for command in (["init"], ["session", "new", "--id", SESSION]):
        subprocess.run([mnemon, *command, "--root", root], check=True, stdout=subprocess.DEVNULL)
    acknowledged = set()
    # Commands start a process each, so they keep fewer.
    work = [(by_mcp, count), (by_mcp, count), (by_http, count), (by_command, count // 5)]
    errors = []

    def run(keep, count, seed):
        try:
            for known in keep(mnemon, root, count, random.Random(seed)):
                acknowledged.add(known)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(*one, source.randrange(2**32))) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return acknowledged, found(mnemon, root)


def by_mcp(mnemon, root, count, source):
    """Bursts that do not wait; the server is killed at some answer of each."""
    for start in range(0, count, BURST):
        pipe = Pipe([mnemon, "mcp", "--root", root])
        texts = [f"mcp note {number}" for number in range(start, min(start + BURST, count))]
        last = source.randrange(BURST)
        with contextlib.suppress(Gone):
            sent = [pipe.send_call("remember", {"text": text, "session": SESSION}) for text in texts]
            for number, box in enumerate(sent):
                if number == last:
                    pipe.kill()
                answer = pipe.answer(box)
                if not is_refused(answer):
                    yield answer["structuredContent"]["memories"][0]["id"]
        pipe.kill()


def by_http(mnemon, root, count, source):
    """One after the other; the server is killed in the middle and started anew."""
    command = [mnemon, "serve", "--listen", "127.0.0.1:0", "--json", "--root", root]
    for start in range(0, count, BURST):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
            url = json.loads(server.stdout.readline())["url"]
            killer = threading.Timer(source.uniform(0.02, 0.5), server.kill)
            killer.start()
            for number in range(start, min(start + BURST, count)):
                memory = {"text": f"http note {number}", "session": SESSION}
                with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
                    yield posted(url, memory)
            killer.cancel()
            server.kill()


def posted(url, memory):
    body = json.dumps(memory).encode()
    request = urllib.request.Request(f"{url}/v1/memories", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["id"]


def by_command(mnemon, root, count, _source):
    for number in range(count):
        command = [mnemon, "remember", f"command note {number}", "--session", SESSION, "--json", "--root", root]
        ended = subprocess.run(command, capture_output=True)
        if ended.returncode == 0:
            yield json.loads(ended.stdout)["id"]


def found(mnemon, root):
    """Every id in the store, or nothing if it can't be read."""
    verified = subprocess.run([mnemon, "verify", "--json", "--root", root], capture_output=True)
    listed = subprocess.run([mnemon, "export", "--root", root], capture_output=True)
    if verified.returncode or listed.returncode:
        return None
    lines = [json.loads(line) for line in listed.stdout.splitlines()]
    return {line["id"] for line in lines if "id" in line}
