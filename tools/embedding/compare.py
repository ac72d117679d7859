#!/usr/bin/env python3
"""Asks the teacher and the table the questions of `crates/mnemon/tests/meaning`.

    DIR/venv/bin/python tools/embedding/compare.py --work DIR

Prints how often each finds the memory that answers a question, and how alike
unrelated texts are to the table; writes the teacher's ranks beside the questions.
"""

import argparse
import pathlib

import numpy as np

from distil import corpus, table, teacher, words
from train import HERE, TABLE

QUESTIONS = HERE.parents[1] / "crates/mnemon/tests/meaning"
SETS = ("pairs", "topics")
PLACES = ("group", "all", "answers")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=pathlib.Path, required=True, help="the folder of train.py")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    arguments = parser.parse_args()
    ours = table.Table(arguments.table, words.Words(arguments.work / "teacher")).embed
    theirs = teacher.Teacher(arguments.work / "teacher").embed
    for name in SETS:
        compare(name, theirs, ours)
    calibrate(ours, corpus.chitchat(arguments.work / "chitchat" / "dataset.json"))


def compare(name, theirs, ours):
    """Prints what both make of one set, and keeps what the teacher made of it."""
    groups = read_groups(QUESTIONS / f"{name}.txt")
    ranks = {who: ranked(embed, groups) for who, embed in (("teacher", theirs), ("table", ours))}
    for who, found in ranks.items():
        report(name, who, found)
    for column, place in enumerate(PLACES):
        right = ranks["teacher"][:, column] <= 3
        also = (ranks["table"][right, column] <= 3).sum()
        print(f"{name:7} of the teacher's {right.sum()} in the top 3 of {place}: table {also}")
    with (QUESTIONS / f"{name}.teacher.txt").open("w", encoding="utf-8") as file:
        for (query, *_), row in zip(groups, ranks["teacher"].tolist()):
            file.write("\t".join([*map(str, row), query]) + "\n")


def read_groups(path):
    """Lists of a query, the memory that answers it, and its distractors."""
    groups = path.read_text(encoding="utf-8").split("\n\n")
    return [[line[2:] for line in group.splitlines() if line[0] in "?=-"] for group in groups]


def ranked(embed, groups):
    """For each query the rank of its memory in three places.

    In its group, among all texts of all groups, and among the memories that
    answer some query, where nothing was written to mislead.
    """
    queries = embed([group[0] for group in groups])
    texts = embed([text for group in groups for text in group[1:]])
    texts = texts.reshape(len(groups), -1, queries.shape[1])
    similar = np.einsum("qd,gtd->qgt", queries, texts)
    own = similar[np.arange(len(groups)), np.arange(len(groups))]
    right = own[:, :1]
    places = (own, similar.reshape(len(groups), -1), similar[:, :, 0])
    return np.stack([(place >= right).sum(1) for place in places], 1)


def report(name, who, ranks):
    for column, place in enumerate(PLACES):
        tops = [f"top {k} {(ranks[:, column] <= k).sum():3}" for k in (1, 3, 10)]
        print(f"{name:7} {who:7} {place:8}", *tops, f"of {len(ranks)}")


def calibrate(embed, messages):
    """How alike the table finds messages that have nothing to do with each other."""
    messages = sorted({text for text in messages if corpus.is_usable(text)})
    chance = np.random.default_rng(1)
    vectors = embed([messages[i] for i in chance.permutation(len(messages))[:20_000]])
    pairs = chance.integers(0, len(vectors), (2, 400_000))
    cosines = (vectors[pairs[0]] * vectors[pairs[1]]).sum(1)[pairs[0] != pairs[1]]
    values = np.percentile(cosines, [50, 95, 99, 99.9])
    print("unrelated pairs: p50 {:.3f}  p95 {:.3f}  p99 {:.3f}  p99.9 {:.3f}".format(*values))


if __name__ == "__main__":
    main()
