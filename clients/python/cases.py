"""The cases of `../cases`, step by step, through the official Python SDK.

A step says what is asked and what must come back; `$name` stands for what an
earlier step saved. At the end everything that is listed must have been used.
"""

import json
import pathlib

from mcp import MCPError

FOLDER = pathlib.Path(__file__).parent.parent / "cases"


def load(profile):
    return json.loads((FOLDER / f"{profile}.json").read_text("utf-8"))


class Cases:
    """One client, and what it has been shown so far."""

    def __init__(self, client):
        self.client = client
        self.saved = {}
        self.listed = set()
        self.used = set()
        self.refused = set()
        self.steps = 0

    async def run(self, profile):
        for step in load(profile):
            try:
                await self.step(self.fill(step))
            except Exception as error:
                raise AssertionError(f"{profile}: {json.dumps(step)[:300]}") from error
            self.steps += 1
        assert self.listed - self.used == set(), f"not used: {self.listed - self.used}"
        tools = {name for what, name in self.listed if what == "tool"}
        # Reading a graph that takes no arguments can't go wrong.
        assert tools - self.refused - {"read_graph"} == set(), f"never refused: {tools - self.refused}"

    async def step(self, step):
        for verb in ("tools", "templates", "resources", "prompts", "call", "read", "prompt"):
            if verb in step:
                return await getattr(self, verb)(step)
        raise AssertionError("a step without a verb")

    async def tools(self, step):
        tools = (await self.client.list_tools()).tools
        assert [tool.name for tool in tools] == step["tools"]
        for tool in tools:
            assert tool.description and tool.input_schema["type"] == "object", tool.name
            assert tool.annotations is not None, tool.name
        self.list("tool", step["tools"])

    async def templates(self, step):
        templates = (await self.client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == step["templates"]
        self.list("template", step["templates"])

    async def resources(self, step):
        resources = (await self.client.list_resources()).resources
        assert [resource.uri for resource in resources] == step["resources"]
        self.list("resource", step["resources"])

    async def prompts(self, step):
        prompts = (await self.client.list_prompts()).prompts
        found = {prompt.name: [it.name for it in prompt.arguments or []] for prompt in prompts}
        assert found == step["prompts"]
        self.list("prompt", found)

    async def call(self, step):
        name = step["call"]
        if "error" in step:
            return await self.fails(step, self.client.call_tool(name, step["with"]))
        # The SDK checks what is structured against the schema that was listed.
        result = await self.client.call_tool(name, step["with"])
        text = "".join(part.text for part in result.content)
        self.says(step, text)
        if "refused" in step:
            assert result.is_error, text
            self.refused.add(name)
            if code := step["refused"]:
                sentence, next_step = text.split("\nNext: ")
                assert sentence.startswith(f"{code}: ") and next_step, text
            return
        assert not result.is_error, text
        self.used.add(("tool", name))
        if "gives" in step:
            fits(step["gives"], result.structured_content, name)
        for key, pointer in step.get("save", {}).items():
            self.saved[key] = at(result.structured_content, pointer)

    async def read(self, step):
        if "error" in step:
            return await self.fails(step, self.client.read_resource(step["read"]))
        (contents,) = (await self.client.read_resource(step["read"])).contents
        assert contents.uri == step["read"]
        assert contents.mime_type == step["type"]
        self.says(step, contents.text)
        self.used |= {("resource", step["read"]), ("template", step.get("template"))}

    async def prompt(self, step):
        asked = self.client.get_prompt(step["prompt"], step["with"])
        if "error" in step:
            return await self.fails(step, asked)
        (message,) = (await asked).messages
        assert message.role == "user"
        self.says(step, message.content.text)
        self.used.add(("prompt", step["prompt"]))

    async def fails(self, step, asked):
        try:
            answer = await asked
        except MCPError as error:
            self.says(step, error.error.message)
            codes = self.not_found() if step["error"] == "not found" else [step["error"]]
            assert error.error.code in codes, error.error
        else:
            raise AssertionError(f"was answered: {answer}")

    def not_found(self):
        """Since 2026-07-28 what is not there is an invalid parameter."""
        return [-32602] if self.client.protocol_version >= "2026-07-28" else [-32002]

    def list(self, what, names):
        self.listed |= {(what, name) for name in names}

    def says(self, step, text):
        for part in step.get("text", []):
            assert part in text, f"{part!r} is not in {text!r}"

    def fill(self, value):
        if isinstance(value, dict):
            return {key: self.fill(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if isinstance(value, str):
            for name, saved in self.saved.items():
                value = value.replace(f"${name}", saved)
        return value


def fits(expected, actual, path):
    """Members that are not expected may be there; everything else is equal."""
    if isinstance(expected, dict):
        assert isinstance(actual, dict), f"{path}: {actual!r}"
        for key, value in expected.items():
            assert key in actual, f"{path}: there is no {key} in {actual!r}"
            fits(value, actual[key], f"{path}.{key}")
    elif isinstance(expected, list):
        assert isinstance(actual, list) and len(actual) == len(expected), f"{path}: {actual!r}"
        for number, (one, other) in enumerate(zip(expected, actual)):
            fits(one, other, f"{path}[{number}]")
    else:
        assert expected == actual, f"{path}: {actual!r} instead of {expected!r}"


def at(value, pointer):
    for part in pointer.strip("/").split("/"):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value
