#!/usr/bin/env python3
"""Asks the reference memory server and `mnemon mcp --profile reference` the
same questions, and compares the answers value by value.

    compare.py path/to/mnemon node path/to/server-memory/dist/index.js

Written cases come first, then random ones; a difference that is not among
`calls.DIFFERENCES` ends it with 1 and shows how to repeat it.
"""

import argparse
import json
import os
import random
import sys
import tempfile

import calls
from pipe import Pipe, is_refused, text_of


class Differs(Exception):
    """The two did not say the same."""


class Pair:
    """Both servers, each with a memory of its own."""

    def __init__(self, mnemon, reference, folder):
        env = {**os.environ, "MEMORY_FILE_PATH": os.path.join(folder, "graph.jsonl")}
        self.theirs = Pipe(reference, env)
        root = os.path.join(folder, "store")
        self.ours = Pipe([mnemon, "mcp", "--profile", "reference", "--root", root])
        self.compared = 0
        self.asked = []

    def both(self, tool, arguments):
        """The two answers, theirs first; they are asked at the same time."""
        self.asked.append((tool, arguments))
        boxes = [pipe.send_call(tool, arguments) for pipe in (self.theirs, self.ours)]
        theirs, ours = self.theirs.answer(boxes[0]), self.ours.answer(boxes[1])
        self.compared += 1
        return theirs, ours

    def alike(self, tool, arguments):
        theirs, ours = self.both(tool, arguments)
        if is_refused(theirs) and is_refused(ours):
            return has_three_parts(text_of(ours))
        for part in ("isError", "content", "structuredContent"):
            if (theirs.get(part) or None) != (ours.get(part) or None):
                raise Differs(f"{tool}: {part}\n  theirs: {show(theirs)}\n  ours:   {show(ours)}")

    def begin_anew(self):
        """Empties both, in the way in which clients can."""
        graph = self.both("read_graph", {})[0]["structuredContent"]
        names = [entity["name"] for entity in graph["entities"]]
        self.alike("delete_entities", {"entityNames": names})
        self.alike("delete_relations", {"relations": graph["relations"]})
        self.alike("read_graph", {})
        self.asked = []

    def close(self):
        codes = self.theirs.close(), self.ours.close()
        if codes != (0, 0):
            raise Differs(f"closing their inputs ended them with {codes}")


def has_three_parts(text):
    sentence, _, next_step = text.partition("\nNext: ")
    if not (sentence.startswith("E_") and ": " in sentence and next_step):
        raise Differs(f"a refusal without code, sentence and next step: {text}")


def show(answer):
    return json.dumps(answer, ensure_ascii=False)[:2000]


def offered(pair):
    """What clients see of the tools: names, fields, which are needed, hints."""
    def shape(schema):
        if not isinstance(schema, dict):
            return schema
        members = {name: shape(one) for name, one in schema.get("properties", {}).items()}
        needed = sorted(schema.get("required", []))
        return [schema.get("type"), members, needed, shape(schema.get("items"))]

    def tools(pipe):
        listed = pipe.ask("tools/list")["tools"]
        for what, _, is_offered in calls.NOT_OFFERED:
            if is_offered(pipe.server, listed) != (pipe is pair.theirs):
                raise Differs(f"the table is wrong about {what}")
        return {
            tool["name"]: [shape(tool["inputSchema"]), shape(tool["outputSchema"]), tool["annotations"]]
            for tool in listed
        }

    theirs, ours = tools(pair.theirs), tools(pair.ours)
    if theirs != ours:
        raise Differs(f"tools/list\n  theirs: {show(theirs)}\n  ours:   {show(ours)}")
    read = {"uri": "memory://knowledge-graph"}
    theirs, ours = (pipe.ask("resources/read", read)["contents"] for pipe in (pair.theirs, pair.ours))
    if theirs != ours:
        raise Differs(f"resources/read\n  theirs: {show(theirs)}\n  ours:   {show(ours)}")
    return set(tools(pair.theirs))


def written(pair):
    tools = offered(pair)
    for tool, arguments in calls.SAME:
        pair.alike(tool, arguments)
    asked = {tool for tool, _ in calls.SAME}
    if asked != tools:
        raise Differs(f"written cases leave out {tools - asked}")
    offered(pair)
    for difference in calls.DIFFERENCES:
        pair.begin_anew()
        difference.check(pair)


def at_random(pair, seed, sequences):
    for number in range(sequences):
        pair.begin_anew()
        source = random.Random(f"{seed}/{number}")
        for tool, arguments in calls.sequence(source):
            try:
                pair.alike(tool, arguments)
            except Differs as differs:
                raise Differs(f"--seed {seed}, sequence {number}: {differs}\nasked: {show(pair.asked)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mnemon")
    parser.add_argument("reference", nargs=argparse.REMAINDER, help="the command that starts the reference server")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sequences", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mnemon-compare-") as folder:
        pair = Pair(options.mnemon, options.reference, folder)
        try:
            written(pair)
            at_random(pair, options.seed, options.sequences)
            pair.close()
        except Differs as differs:
            sys.exit(f"not the same: {differs}")
    print(f"{pair.compared} calls compared, all answered alike but for what differs on purpose:")
    for what, why, *_ in [*calls.DIFFERENCES, *calls.NOT_OFFERED]:
        print(f"- {what}: {why}")


if __name__ == "__main__":
    main()
