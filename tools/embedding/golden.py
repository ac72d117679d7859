#!/usr/bin/env python3
"""Writes what the tests of the reader in Rust compare with, by the plain reader in Python.

    DIR/venv/bin/python tools/embedding/golden.py --work DIR

`pieces.jsonl` says how texts are cut, `vectors.jsonl` what their vectors are.
"""

import argparse
import json
import pathlib
import random

from distil import table, words
from train import TABLE

GOLDEN = TABLE.parent.parent / "golden"

# Texts that have something to trip over.
NASTY = [
    "",
    " ",
    "The user prefers tea.",
    "DON'T PANIC!!! it's only a test...",
    "foo_bar(baz)->qux::<T>[0]=~`$^|<>+",
    "https://example.org/a?b=c&d=%20#e, me@example.org",
    "1,234,567.89 € = $1.3e6 ± 5%",
    "[CLS] hello [SEP] [MASK] [UNK] [PAD] [unused5] ##ing ## #",
    "unbelievably antidisestablishmentarianism supercalifragilisticexpialidocious",
    "x" * 100,
    "x" * 101,
    "a" + "é" * 99,
    "a" + "é" * 100,
    "e\u0301" * 50 + "a" * 50,
    "e\u0301" * 50 + "a" * 51,
    "tabs\tand\nlines\r\nand\x0bothers\x0c\x1f\x85here\x00\x7f\ufffd",
    "naïve café Ångström ÀÉÎÕÜ ñ ç İstanbul ﬁne ß ẞ straße œuvre łódź",
    "K Å Ω \u1fef \u037e \u0344 \u2126 \u212a",
    "no\u00adshy zero\u200bwidth\u200djoiner \ufeffbom \u2060word \u202eRTL\u202c",
    "spaces\u00a0of\u2003every\u2009kind\u3000and\u1680more\u2028line\u2029paragraph",
    "“quotes” ‘single’ «guillemets» — dash – en … dots • bullet · middle ¿qué? ¡sí!",
    "我喜欢喝茶 and 東京タワー、ひらがな カタカナ ㄅㄆ 丽\U0002f81a\U00020000",
    "안녕하세요 한국어 조선말 각",
    "Привет, мир! Ёлка й Ђ",
    "Ελληνικά ΣΊΣΥΦΟΣ ς ά ΐ",
    "مرحبا بالعالم السَّلامُ עברית שָׁלוֹם",
    "हिन्दी भाषा বাংলা தமிழ் ไทย ภาษา",
    "😀 emoji 👨‍👩‍👧‍👦 family 🇩🇪 flag ❤️ heart 1️⃣",
    "combining a\u0308\u0323o\u0302\u0301 \u0301alone x\u20dd \u093e",
    "math ∑∫√≤≥≠ ∀∃ 𝐛𝐨𝐥𝐝 ½ ² ₃ Ⅳ ① ㎏",
    "private \ue000 \U000f0000 unassigned \u0378 \U000e0001 tag non\uffffchar",
    "ǅ Ǆ ᾳ ᾈ ŉ ǰ ΐ և ẖ Ꭰ ꭰ Ⴀ ა",
    "\u1e9b\u0323 \ufb01 \u0132 \u017f \u0131 \u0130",
]

MEANT = [
    "The user prefers short answers",
    "We chose PostgreSQL because we needed transactions.",
    "why was the release postponed",
    "Fix: the parser panics on an empty line (see error 42)",
    "My sister moved to Lisbon last summer and adopted a dog.",
    "deadline",
    "the the the THE The",
    "naïve café Ångström",
    "Rollback with `kubectl rollout undo deployment/api`",
    "What did the doctor say about his knee?",
    "foo_bar(baz)->qux::<T>[0]",
    "1,234,567.89",
    "I can't stand meetings before noon!!!",
    "straße und łódź",
    "我喜欢喝茶 and tea",
    "Ωmega [CLS] ##ing",
    "antidisestablishmentarianism",
    "a",
    "Send the invoice to accounting. Then archive the ticket. " * 40,
    "!?",
    "Привет, мир",
    "日本語",
    "",
]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=pathlib.Path, required=True, help="the folder of train.py")
    parser.add_argument("--out", type=pathlib.Path, default=GOLDEN, help="where the files go")
    parser.add_argument("--random", type=int, default=200, help="how many random texts besides ours")
    arguments = parser.parse_args()
    vocabulary = words.Words(arguments.work / "teacher")
    texts = NASTY + MEANT + [random_text(random.Random(n), vocabulary) for n in range(arguments.random)]
    arguments.out.mkdir(exist_ok=True)
    write(arguments.out / "pieces.jsonl", ([text, pieces] for text, pieces in zip(texts, vocabulary.cut(texts))))
    vectors = table.Table(TABLE, vocabulary).embed(MEANT)
    rounded = ([text, [round(float(x), 4) for x in vector]] for text, vector in zip(MEANT, vectors))
    write(arguments.out / "vectors.jsonl", rounded)


def random_text(chance, vocabulary):
    """Pieces of words, spaces, and characters from all over Unicode without a gap between them."""
    known = vocabulary.pieces
    parts = [
        lambda: chance.choice(known).removeprefix("##"),
        lambda: chance.choice(known).removeprefix("##").upper(),
        lambda: chance.choice(" \t\n.-'\u00a0\u3000"),
        lambda: chr(chance.randrange(0x20, 0x500)),
        lambda: chr(chance.randrange(0x300, 0x370)),
        lambda: chr(chance.randrange(0x1E00, 0x3200)),
        lambda: chr(chance.randrange(0x800, 0xD800)),
        lambda: chr(chance.randrange(0xE000, 0x32000)),
    ]
    return "".join(chance.choice(parts)() for _ in range(chance.randrange(1, 30)))


def write(path, lines):
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
