"""The calls with which the two servers are compared, and where they differ."""

import collections
import json

from pipe import is_refused, text_of


def entity(name, kind="thing", *observations):
    return {"name": name, "entityType": kind, "observations": list(observations)}


def relation(start, end, kind):
    return {"from": start, "to": end, "relationType": kind}


def create(*entities):
    return "create_entities", {"entities": list(entities)}


def relate(*relations):
    return "create_relations", {"relations": list(relations)}


def observe(*pairs):
    added = [{"entityName": name, "contents": list(contents)} for name, contents in pairs]
    return "add_observations", {"observations": added}


def unobserve(*pairs):
    gone = [{"entityName": name, "observations": list(observations)} for name, observations in pairs]
    return "delete_observations", {"deletions": gone}


def delete(*names):
    return "delete_entities", {"entityNames": list(names)}


def unrelate(*relations):
    return "delete_relations", {"relations": list(relations)}


def search(query):
    return "search_nodes", {"query": query}


def open_nodes(*names):
    return "open_nodes", {"names": list(names)}


READ = ("read_graph", {})

# Answered alike, one after the other.
SAME = [
    READ,
    delete("Nobody"), unobserve(("Nobody", ["x"])), unrelate(relation("a", "b", "c")),
    search("x"), open_nodes("x"), create(), relate(), observe(), delete(), unobserve(), unrelate(), open_nodes(),
    READ,
    # What is there already is passed over; the first one stays as it is.
    create(entity("Ada", "person", "Likes tea", "Likes tea", "Lives in London"), entity("Engine", "machine")),
    create(entity("Ada", "ghost", "x"), entity("ada", "person"), entity("Ada ", "person")),
    READ,
    observe(("Ada", ["Likes tea", "Reads", "Reads", "Ada: has a colon"]), ("Engine", [])),
    # Twice in one call: the second sees what the first one added.
    observe(("Engine", ["Is large", "Is slow"]), ("Engine", ["Is slow", "Is loud"])),
    observe(("Ada", ["Must not be kept"]), ("Nobody", ["x"])),
    READ,
    # Relations need no entities, and known ones are passed over.
    relate(relation("Ada", "Engine", "works on"), relation("Engine", "Nobody", "awaits"), relation("x", "y", "z")),
    relate(relation("Ada", "Engine", "works on"), relation("Engine", "Ada", "works on"), relation("Ada", "Ada", "is")),
    READ,
    search("TEA"), search("lOnDoN"), search("machine"), search("PERSON"), search("ikes t"), search("no such thing"),
    search(""), search(" "), search("has a colon"), search("works on"), search("nobody"), search("Likes\ntea"),
    open_nodes("Engine", "Nobody"), open_nodes("ada"), open_nodes("Ada", "Ada"), open_nodes("x"), open_nodes("ENGINE"),
    # Letters of the world.
    create(
        entity("Größe", "maß", "STRASSE", "straße"), entity("茶", "飲み物", "緑茶 ☕"), entity("👩‍🚀", "🛰️", "🇩🇪"),
        entity("ΟΔΥΣΣΕΥΣ", "ήρωας", "Ὀδυσσεύς"), entity("İstanbul", "şehir", "IĞDIR"), entity("שלום", "مرحبا", "‏rtl‏"),
        entity("e\u0301", "decomposed", "a\u030a"), entity("é", "composed", "å"),
    ),
    search("GRÖSSE"), search("größe"), search("straße"), search("ß"), search("緑"), search("☕"), search("σ"), search("Σ"),
    search("istanbul"), search("i̇stanbul"), search("é"), search("e\u0301"), search("👩"), open_nodes("e\u0301"), open_nodes("é"),
    # Signs that files and shells trip over.
    create(
        entity("", "nameless", ""), entity(" ", " ", " "), entity("a\nb", "two\nlines", "tab\there\r\nand more"),
        entity("\"quoted\"", "back\\slash", "{\"json\": [1]}"), entity("__proto__", "constructor", "toString"),
        entity("null", "undefined", "NaN"), entity("a: b", "colon: colon", "a: b: c"), entity("x (y)", "(z)", "x (y): z"),
        entity("\u2028", "\u2029", "\ufeff"), entity("long", "text", "word " * 2000),
    ),
    observe(("", ["again", ""]), ("a: b", ["a: b", "b"]), ("__proto__", ["polluted"])),
    relate(relation("", "", "is"), relation("a\nb", "__proto__", "\"is\"")),
    READ,
    search("\n"), search("\t"), search("\\"), search("\""), search("word word"), search("__PROTO__"), open_nodes(""),
    # Only what is named goes, and what hangs on it.
    unobserve(("Ada", ["Likes tea", "never said"]), ("Nobody", ["x"]), ("ada", [])),
    unobserve(("Engine", ["is loud"]), ("Engine", ["Is loud"])),
    unrelate(relation("Ada", "Engine", "works with"), relation("Ada", "Ada", "is"), relation("x", "y", "z")),
    delete("Engine", "Engine", "Nobody"),
    READ,
    create(entity("Engine", "new", "again")), relate(relation("Engine", "Nobody", "awaits")),
    observe(("Ada", ["Likes tea"])),
    delete("", "__proto__"),
    READ,
    # What is not of the form is refused by both, and changes nothing.
    *[(tool, arguments) for tool in (
        "create_entities", "create_relations", "add_observations", "delete_entities",
        "delete_observations", "delete_relations", "search_nodes", "open_nodes",
    ) for arguments in ({}, {"entities": "Ada", "relations": 1, "observations": {}, "entityNames": "Ada",
                             "deletions": None, "query": 7, "names": [7]})],
    create({"name": "Half"}), create(entity("Whole", "thing"), entity(7, "thing")), create(entity("x", None)),
    create({**entity("Spare", "thing"), "more": 1}), relate({**relation("Spare", "b", "c"), "weight": 0.5}),
    ("read_graph", {"unknown": True}), ("open_nodes", {"names": ["Spare"], "limit": 1}),
    READ,
]


class Difference(collections.namedtuple("Difference", "what why asked theirs ours")):
    """A difference on purpose: what is asked, and what each of them says to the last of it."""

    def check(self, pair):
        for call in self.asked[:-1]:
            pair.both(*call)
        answers = pair.both(*self.asked[-1])
        for name, answer, expected in zip(("theirs", "ours"), answers, (self.theirs, self.ours)):
            if not expected(answer):
                raise AssertionError(f"{self.what}: {name} is {json.dumps(answer)[:1000]}")


def gives(**members):
    return lambda answer: all(answer.get("structuredContent", {}).get(key) == value for key, value in members.items())


TWICE = [entity("Twin", "first"), entity("Twin", "second")]
EDGE = relation("a", "b", "c")
KEY = "Key ghp_abcdefghijklmnopqrstuvwxyz0123456789"

DIFFERENCES = [
    Difference(
        "the same entity twice in one call", "is made once, as it would be in two calls",
        [create(*TWICE)], gives(entities=TWICE), gives(entities=TWICE[:1]),
    ),
    Difference(
        "the same relation twice in one call", "is made once, as it would be in two calls",
        [relate(EDGE, EDGE)], gives(relations=[EDGE, EDGE]), gives(relations=[EDGE]),
    ),
    Difference(
        "secrets", "are taken out before anything is kept",
        [create(entity("Ada", "person")), observe(("Ada", [KEY]))],
        gives(results=[{"entityName": "Ada", "addedObservations": [KEY]}]),
        gives(results=[{"entityName": "Ada", "addedObservations": ["Key [REDACTED:github_token]"]}]),
    ),
    Difference(
        "a relation of nothing but white space", "is refused: no question could find it",
        [relate(relation("", " ", ""))], gives(relations=[relation("", " ", "")]), is_refused,
    ),
    Difference(
        "half a letter, as in a text that was cut", "is replaced at once, and not when it is next read",
        [create(entity("cut \ud83c"))],
        gives(entities=[entity("cut \ud83c")]), gives(entities=[entity("cut \ufffd")]),
    ),
    Difference(
        "refusals", "have a code, a sentence and a next step",
        [observe(("Nobody", ["x"]))],
        lambda answer: text_of(answer) == "Entity with name Nobody not found",
        lambda answer: text_of(answer)
        == "E_NOT_FOUND: Entity with name Nobody not found.\nNext: Make it with create_entities.",
    ),
    Difference(
        "a tool that is not there", "is an error of the protocol, which clients show as such",
        [("forget_everything", {})],
        lambda answer: is_refused(answer) and "not found" in text_of(answer),
        lambda answer: answer["error"]["code"] == -32602,
    ),
]

# What the other one offers and we do not, by where it stands.
NOT_OFFERED = [
    ("announcements of changes", "most come from other processes, of which one server does not hear",
     lambda server, tools: server["capabilities"]["resources"].get("subscribe", False)),
    ("titles of tools", "they repeat the names, and a model pays for them",
     lambda server, tools: any("title" in tool for tool in tools)),
]

NAMES = ["Ada", "ada", "Babbage", "Größe", "茶", "a: b", "", "x (y)", "👩‍🚀", "Ada ", "line\nbreak", "\"q\""]
KINDS = ["person", "Person", "machine", "", "飲み物"]
TEXTS = ["Likes tea", "likes TEA", "", " ", "Ada: Likes tea", "a: b", "☕ größer", "two\nlines", "{\"a\": 1}", "42", "\\"]
VERBS = ["works on", "Works on", "", "kennt"]
QUERIES = ["tea", "TEA", "ada", "", " ", "größe", "person", "茶", "\n", "works", "a: b", "nothing of it", "4", "\\"]


def sequence(source):
    """Some calls of all kinds; nothing twice in one call of what is made twice there."""
    def some(pool, most):
        return source.sample(pool, source.randint(0, min(most, len(pool))))

    def texts():
        return source.choices(TEXTS, k=source.randint(0, 4))

    def edges():
        drawn = {(source.choice(NAMES), source.choice(NAMES), source.choice(VERBS)) for _ in range(source.randint(0, 4))}
        return [relation(*edge) for edge in sorted(drawn) if any(edge)]

    makers = [
        (4, lambda: create(*[entity(name, source.choice(KINDS), *texts()) for name in some(NAMES, 4)])),
        (3, lambda: relate(*edges())),
        (4, lambda: observe(*[(source.choice(NAMES), texts()) for _ in range(source.randint(1, 3))])),
        (1, lambda: delete(*some(NAMES, 2))),
        (2, lambda: unobserve(*[(source.choice(NAMES), texts()) for _ in range(source.randint(0, 3))])),
        (1, lambda: unrelate(*edges())),
        (2, lambda: search(source.choice(QUERIES))),
        (2, lambda: open_nodes(*some(NAMES, 3))),
        (1, lambda: READ),
    ]
    weights = [weight for weight, _ in makers]
    for maker in source.choices([maker for _, maker in makers], weights, k=source.randint(5, 15)):
        yield maker()
    yield READ
