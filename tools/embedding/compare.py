#!/usr/bin/env python3
"""Asks the teacher and the table the questions of `crates/mnemon/tests/meaning/pairs.txt`.

    DIR/venv/bin/python tools/embedding/compare.py --work DIR

Prints how often each finds the memory that answers a question, and how alike
unrelated texts are to the table; writes the teacher's ranks beside the pairs.
"""

import argparse
import pathlib

import numpy as np

from distil import corpus, table, teacher, words
from train import HERE, TABLE

PAIRS = HERE.parents[1] / "crates/mnemon/tests/meaning/pairs.txt"
RANKS = PAIRS.with_name("teacher.txt")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=pathlib.Path, required=True, help="the folder of train.py")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    arguments = parser.parse_args()
    ours = table.Table(arguments.table, words.Words(arguments.work / "teacher")).embed
    theirs = teacher.Teacher(arguments.work / "teacher").embed
    groups = read_pairs()
    ranks = {name: ranked(embed, groups) for name, embed in (("teacher", theirs), ("table", ours))}
    for name, found in ranks.items():
        report(name, found)
    right = ranks["teacher"][:, 0] <= 3
    also = (ranks["table"][right, 0] <= 3).mean()
    print(f"of the {right.sum()} that the teacher has in the group's top 3, the table has {also:.3f}")
    with RANKS.open("w", encoding="utf-8") as file:
        for (query, *_), row in zip(groups, ranks["teacher"].tolist()):
            file.write("\t".join([*map(str, row), query]) + "\n")
    calibrate(ours, corpus.chitchat(arguments.work / "chitchat" / "dataset.json"))


def read_pairs():
    """Lists of a query, the memory that answers it, and its distractors."""
    groups = PAIRS.read_text(encoding="utf-8").split("\n\n")
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


def report(name, ranks):
    for column, place in enumerate(("group", "all", "answers")):
        top = {k: (ranks[:, column] <= k).mean() for k in (1, 3)}
        print(f"{name:8} {place:8} top 1 {top[1]:.3f}  top 3 {top[3]:.3f}")


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
