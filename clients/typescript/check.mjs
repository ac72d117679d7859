// Shows with the official TypeScript SDK that `mnemon mcp` and `mnemon serve` work.
//
//     node check.mjs path/to/mnemon path/to/node_modules

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { Cases } from "./cases.mjs";

const [mnemon, modules] = process.argv.slice(2);
const sdk = (file) => import(pathToFileURL(join(modules, "@modelcontextprotocol/sdk/dist/esm", file)));
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");
const { StreamableHTTPClientTransport } = await sdk("client/streamableHttp.js");

const PARALLEL = 100;

async function overStdio(root, profile) {
  const ended = join(root, "ended");
  // The shell writes down how the server ended, which the SDK does not tell.
  const wrapped = ["-c", '"$@"; echo $? > "$0"', ended];
  const args = [...wrapped, mnemon, "mcp", "--root", join(root, "store"), "--profile", profile];
  const client = await connected(new StdioClientTransport({ command: "sh", args }));
  const steps = await shown(client, profile);
  if (profile === "memory") await atOnce(client);
  await client.close();
  assert.equal(readFileSync(ended, "utf8").trim(), "0", "how closing its input ended the server");
  report(`stdio, ${profile}`, steps);
}

async function overHttp(root, profile) {
  await serving(root, async (url) => {
    url.searchParams.set("profile", profile);
    const client = await connected(new StreamableHTTPClientTransport(url));
    const steps = await shown(client, profile);
    if (profile === "memory") await atOnce(client);
    await client.close();
    report(`http, ${profile}`, steps);
  });
}

async function withTokens(root) {
  const [writer, reader] = ["writer", "reader"].map((role) => newToken(root, role));
  await serving(root, async (url) => {
    const client = await connected(bearer(url, writer));
    const steps = await shown(client, "memory");
    await client.close();
    report("http with a token, memory", steps);

    const looking = await connected(bearer(url, reader));
    await looking.listTools();
    const found = await looking.callTool({ name: "recall", arguments: { query: "*", session: "review" } });
    assert.equal(found.structuredContent.hits.length, 3);
    const kept = await looking.callTool({ name: "remember", arguments: { text: "x" } });
    assert.equal(kept.isError, true);
    assert.match(kept.content[0].text, /^E_FORBIDDEN: /);
    await looking.close();
    for (const wrong of [undefined, "mnm_wrong"]) {
      await assert.rejects(connected(bearer(url, wrong)), /401|unauthorized/i);
    }
    report("http, readers and strangers", 4);
  });
}

// Everything that a profile offers, and what the protocol asks of every server.
async function shown(client, profile) {
  assert.equal(client.getServerVersion().name, "mnemon");
  assert.equal(client.getInstructions() === undefined, profile === "reference");
  const cases = new Cases(client);
  await cases.run(profile);
  const offered = client.getServerCapabilities();
  assert.equal("prompts" in offered, profile === "memory");
  assert.equal("resources" in offered, profile !== "files");
  assert(!("completions" in offered) && !("logging" in offered) && !offered.resources?.subscribe);
  // What is not offered is refused, and the connection goes on.
  await assert.rejects(client.subscribeResource({ uri: "mnemon://sessions" }), { code: -32601 });
  await client.notification({ method: "notifications/cancelled", params: { requestId: 99, reason: "nobody asked" } });
  assert.deepEqual(await client.ping(), {});
  return cases.steps;
}

// Many calls that do not wait for each other, and all of them are kept.
async function atOnce(client) {
  const keep = async (_, number) => {
    const given = { text: `parallel note ${number}`, session: "many" };
    const kept = await client.callTool({ name: "remember", arguments: given });
    return kept.structuredContent.memories[0].id;
  };
  const ids = await Promise.all(Array.from({ length: PARALLEL }, keep));
  const found = await client.callTool({ name: "recall", arguments: { query: "*", session: "many", limit: 1000 } });
  const seen = found.structuredContent.hits.map((hit) => hit.memory.id);
  assert.deepEqual(seen.sort(), ids.sort());
  assert.equal(new Set(ids).size, PARALLEL);
}

async function connected(transport) {
  const client = new Client({ name: "mnemon-clients", version: "1" });
  await client.connect(transport);
  return client;
}

function bearer(url, token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return new StreamableHTTPClientTransport(url, { requestInit: { headers } });
}

async function serving(root, work) {
  const args = ["serve", "--listen", "127.0.0.1:0", "--json", "--root", join(root, "store")];
  const server = spawn(mnemon, args, { stdio: ["ignore", "pipe", "ignore"] });
  const exit = once(server, "exit");
  try {
    const [line] = await once(server.stdout, "data");
    await work(new URL("/mcp", JSON.parse(line).url));
  } finally {
    server.kill("SIGTERM");
  }
  assert.deepEqual(await exit, [0, null]);
}

function newToken(root, role) {
  const args = ["token", "new", "--role", role, "--json", "--root", join(root, "store")];
  return JSON.parse(execFileSync(mnemon, args)).token;
}

async function inFolder(work) {
  const root = mkdtempSync(join(tmpdir(), "mnemon-clients-"));
  try {
    await work(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const report = (what, steps) => console.log(`typescript ${what}: ${steps} steps`);

for (const profile of ["memory", "reference", "files"]) {
  await inFolder((root) => overStdio(root, profile));
  await inFolder((root) => overHttp(root, profile));
}
await inFolder(withTokens);
