// The cases of `../cases`, step by step, through the official TypeScript SDK.
//
// A step says what is asked and what must come back; `$name` stands for what an
// earlier step saved. At the end everything that is listed must have been used.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const load = (profile) => JSON.parse(readFileSync(new URL(`../cases/${profile}.json`, import.meta.url), "utf8"));

export class Cases {
  saved = {};
  listed = new Set();
  used = new Set();
  refused = new Set();
  steps = 0;

  constructor(client) {
    this.client = client;
  }

  async run(profile) {
    for (const step of load(profile)) {
      try {
        await this.step(this.fill(step));
      } catch (error) {
        throw new Error(`${profile}: ${JSON.stringify(step).slice(0, 300)}`, { cause: error });
      }
      this.steps += 1;
    }
    assert.deepEqual([...this.listed].filter((it) => !this.used.has(it)), [], "not used");
    const tools = [...this.listed].filter((it) => it.startsWith("tool ")).map((it) => it.slice(5));
    // Reading a graph that takes no arguments can't go wrong.
    assert.deepEqual(tools.filter((it) => !this.refused.has(it) && it !== "read_graph"), [], "never refused");
  }

  step(step) {
    const verb = ["tools", "templates", "resources", "prompts", "call", "read", "prompt"].find((it) => it in step);
    return this[verb](step);
  }

  async tools(step) {
    const { tools } = await this.client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), step.tools);
    for (const tool of tools) {
      assert(tool.description && tool.annotations, tool.name);
      assert.equal(tool.inputSchema.type, "object");
    }
    this.list("tool", step.tools);
  }

  async templates(step) {
    const { resourceTemplates } = await this.client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), step.templates);
    this.list("template", step.templates);
  }

  async resources(step) {
    const { resources } = await this.client.listResources();
    assert.deepEqual(resources.map((resource) => resource.uri), step.resources);
    this.list("resource", step.resources);
  }

  async prompts(step) {
    const { prompts } = await this.client.listPrompts();
    const found = prompts.map((prompt) => [prompt.name, (prompt.arguments ?? []).map((it) => it.name)]);
    assert.deepEqual(Object.fromEntries(found), step.prompts);
    this.list("prompt", Object.keys(step.prompts));
  }

  async call(step) {
    const { call: name, with: given } = step;
    const asked = this.client.callTool({ name, arguments: given });
    if ("error" in step) return this.fails(step, asked);
    // The SDK checks what is structured against the schema that was listed.
    const result = await asked;
    const text = result.content.map((part) => part.text).join("");
    says(step, text);
    if ("refused" in step) {
      assert.equal(result.isError, true, text);
      this.refused.add(name);
      if (step.refused) assert.match(text, new RegExp(`^${step.refused}: .+\nNext: .+$`, "s"));
      return;
    }
    assert(!result.isError, text);
    this.used.add(`tool ${name}`);
    if (step.gives) fits(step.gives, result.structuredContent, name);
    for (const [key, pointer] of Object.entries(step.save ?? {})) {
      this.saved[key] = at(result.structuredContent, pointer);
    }
  }

  async read(step) {
    const asked = this.client.readResource({ uri: step.read });
    if ("error" in step) return this.fails(step, asked);
    const { contents } = await asked;
    assert.equal(contents.length, 1);
    assert.equal(contents[0].uri, step.read);
    assert.equal(contents[0].mimeType, step.type);
    says(step, contents[0].text);
    this.used.add(`resource ${step.read}`);
    this.used.add(`template ${step.template}`);
  }

  async prompt(step) {
    const asked = this.client.getPrompt({ name: step.prompt, arguments: step.with });
    if ("error" in step) return this.fails(step, asked);
    const { messages } = await asked;
    assert.equal(messages.length, 1);
    assert.equal(messages[0].role, "user");
    says(step, messages[0].content.text);
    this.used.add(`prompt ${step.prompt}`);
  }

  async fails(step, asked) {
    const error = await asked.then((answer) => assert.fail(`was answered: ${JSON.stringify(answer)}`), (error) => error);
    says(step, error.message);
    assert.equal(error.code, step.error === "not found" ? -32002 : step.error);
  }

  list(what, names) {
    for (const name of names) this.listed.add(`${what} ${name}`);
  }

  fill(value) {
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.fill(item)]));
    }
    if (typeof value !== "string") return value;
    return Object.entries(this.saved).reduce((text, [name, saved]) => text.replaceAll(`$${name}`, saved), value);
  }
}

function says(step, text) {
  for (const part of step.text ?? []) assert(text.includes(part), `${JSON.stringify(part)} is not in ${JSON.stringify(text)}`);
}

// Members that are not expected may be there; everything else is equal.
function fits(expected, actual, path) {
  if (Array.isArray(expected)) {
    assert(Array.isArray(actual) && actual.length === expected.length, `${path}: ${JSON.stringify(actual)}`);
    expected.forEach((one, number) => fits(one, actual[number], `${path}[${number}]`));
  } else if (expected && typeof expected === "object") {
    for (const [key, value] of Object.entries(expected)) {
      assert(actual && key in actual, `${path}: there is no ${key} in ${JSON.stringify(actual)}`);
      fits(value, actual[key], `${path}.${key}`);
    }
  } else {
    assert.deepEqual(actual, expected, path);
  }
}

const at = (value, pointer) => pointer.slice(1).split("/").reduce((inner, part) => inner[part], value);
