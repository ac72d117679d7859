"""The texts that the teacher is asked about.

Three sources: what people write to each other (chitchat-dataset), what words
mean and how they are used (WordNet), and sentences in the manner of an agent's
memory (`templates`).
"""

import hashlib
import json
import re

from . import templates

# How many texts of each source. More of any did not make the table better.
SHARES = {"chitchat": 80_000, "wordnet": 33_000, "templates": 10_000}


def read(work):
    """The texts in the order in which they are taught, each source mixed with the others."""
    sources = {
        "chitchat": chitchat(work / "chitchat" / "dataset.json"),
        "wordnet": wordnet(work / "wordnet"),
        "templates": templates.sentences(),
    }
    seen, chosen = set(), []
    for name, texts in sources.items():
        usable = []
        for text in texts:
            text = " ".join(text.split())
            if is_usable(text) and text.lower() not in seen:
                seen.add(text.lower())
                usable.append(text)
        chosen += shuffled(usable)[: SHARES[name]]
    return shuffled(chosen)


def shuffled(texts):
    """In the order of their hashes: random, and the same in every version of Python."""
    return sorted(texts, key=lambda text: hashlib.sha256(text.encode()).digest())


def is_usable(text):
    """A sentence or two of mostly English letters."""
    return (
        3 <= len(text.split()) <= 60
        and len(text) <= 400
        and sum(character.isalpha() or character == " " for character in text) > 0.75 * len(text)
        and sum(not character.isascii() for character in text) <= 3
    )


def chitchat(path):
    """Every message, and what somebody wrote in several messages in one."""
    for conversation in json.loads(path.read_text(encoding="utf-8")).values():
        for turn in conversation["messages"]:
            messages = [message["text"] for message in turn if message.get("text")]
            yield from messages
            if len(messages) > 1:
                yield " ".join(messages)


def wordnet(folder):
    """Of each entry: its examples, the parts of its definition, and the word with the first part."""
    for part in ("adj", "adv", "noun", "verb"):
        for line in (folder / f"data.{part}").read_text(encoding="latin-1").splitlines():
            # The licence at the head of each file is indented.
            if line.startswith("  ") or "|" not in line:
                continue
            entry, gloss = line.split("|", 1)
            word = re.sub(r"\(.*\)", "", entry.split()[4]).replace("_", " ")
            yield from re.findall(r'"([^"]+)"', gloss)
            meanings = [meaning.strip() for meaning in re.sub(r';?\s*".*', "", gloss).split(";")]
            yield from meanings
            yield f"{word}: {meanings[0]}"
