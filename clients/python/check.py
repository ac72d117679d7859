"""Shows with the official Python SDK that `mnemon mcp` and `mnemon serve` work.

    check.py path/to/mnemon

Both ways in which clients say hello are taken: `auto` speaks 2026-07-28,
`legacy` shakes hands as clients did until then.
"""

import asyncio
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import anyio
import httpx2
from mcp import Client, MCPDeprecationWarning, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from cases import Cases

# Ping and subscriptions are older than the newest protocol, and tried all the same.
warnings.simplefilter("ignore", MCPDeprecationWarning)

MODES = {"auto": "2026-07-28", "legacy": "2025-11-25"}
PARALLEL = 100


async def main(mnemon):
    for mode in MODES:
        for profile in ("memory", "reference", "files"):
            with folder() as root:
                await over_stdio(mnemon, root, mode, profile)
            with folder() as root:
                await over_http(mnemon, root, mode, profile)
        with folder() as root:
            await with_tokens(mnemon, root, mode)


async def over_stdio(mnemon, root, mode, profile):
    ended = root / "ended"
    # The shell writes down how the server ended, which the SDK does not tell.
    wrapped = ["-c", '"$@"; echo $? > "$0"', str(ended)]
    server = [mnemon, "mcp", "--root", str(root / "store"), "--profile", profile]
    async with Client(StdioServerParameters(command="sh", args=wrapped + server), mode=mode) as client:
        steps = await shown(client, mode, profile)
        if profile == "memory":
            await at_once(client)
    code = ended.read_text().strip()
    assert code == "0", f"closing its input ended the server with {code}"
    report(mode, f"stdio, {profile}", steps)


async def over_http(mnemon, root, mode, profile):
    with serving(mnemon, root) as url:
        async with Client(f"{url}/mcp?profile={profile}", mode=mode) as client:
            steps = await shown(client, mode, profile)
            if profile == "memory":
                await at_once(client)
    report(mode, f"http, {profile}", steps)


async def with_tokens(mnemon, root, mode):
    writer, reader = (new_token(mnemon, root, role) for role in ("writer", "reader"))
    with serving(mnemon, root) as url:
        async with bearer(url, writer, mode) as client:
            steps = await shown(client, mode, "memory")
        report(mode, "http with a token, memory", steps)
        async with bearer(url, reader, mode) as client:
            await client.list_tools()
            found = await client.call_tool("recall", {"query": "*", "session": "review"})
            assert len(found.structured_content["hits"]) == 3, found
            kept = await client.call_tool("remember", {"text": "x"})
            assert kept.is_error and kept.content[0].text.startswith("E_FORBIDDEN: "), kept
        for wrong in (None, "mnm_wrong"):
            await refused_at_the_door(url, wrong, mode)
    report(mode, "http, readers and strangers", 4)


async def shown(client, mode, profile):
    """Everything that a profile offers, and what the protocol asks of every server."""
    assert client.protocol_version == MODES[mode]
    assert client.server_info.name == "mnemon"
    assert (client.instructions is None) == (profile == "reference")
    cases = Cases(client)
    await cases.run(profile)
    offered = client.server_capabilities
    assert (offered.prompts is not None) == (profile == "memory")
    assert (offered.resources is not None) == (profile != "files")
    assert offered.completions is None and offered.logging is None
    assert offered.resources is None or not offered.resources.subscribe
    # What is not offered is refused, and the connection goes on.
    with contextlib.suppress(MCPError):
        await client.subscribe_resource("mnemon://sessions")
        raise AssertionError("subscribed, though it is not offered")
    if mode == "legacy":
        await client.send_ping()
        await client.send_roots_list_changed()
        await client.send_progress_notification("nobody", 1.0)
        await client.send_ping()
    await client.list_tools()
    return cases.steps


async def at_once(client):
    """Many calls that do not wait for each other, and all of them are kept."""
    ids = set()

    async def keep(number):
        kept = await client.call_tool("remember", {"text": f"parallel note {number}", "session": "many"})
        ids.add(kept.structured_content["memories"][0]["id"])

    async with anyio.create_task_group() as group:
        for number in range(PARALLEL):
            group.start_soon(keep, number)
    found = await client.call_tool("recall", {"query": "*", "session": "many", "limit": 1000})
    assert {hit["memory"]["id"] for hit in found.structured_content["hits"]} == ids
    assert len(ids) == PARALLEL


async def refused_at_the_door(url, token, mode):
    statuses = []
    # The SDK keeps the status to itself.
    with contextlib.suppress(ExceptionGroup):
        async with bearer(url, token, mode, statuses) as client:
            await client.list_tools()
            raise AssertionError(f"the token {token} was taken")
    assert statuses and set(statuses) == {401}, statuses


@contextlib.asynccontextmanager
async def bearer(url, token, mode, statuses=None):
    async def note(response):
        if statuses is not None:
            statuses.append(response.status_code)

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers, event_hooks={"response": [note]}) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@contextlib.contextmanager
def serving(mnemon, root):
    command = [mnemon, "serve", "--listen", "127.0.0.1:0", "--json", "--root", str(root / "store")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.terminate()
            assert server.wait(timeout=30) == 0


def new_token(mnemon, root, role):
    command = [mnemon, "token", "new", "--role", role, "--json", "--root", str(root / "store")]
    return json.loads(subprocess.check_output(command))["token"]


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="mnemon-clients-") as path:
        yield pathlib.Path(path)


def report(mode, what, steps):
    print(f"python {MODES[mode]} {what}: {steps} steps")


asyncio.run(main(sys.argv[1]))
