"""The table's file, and a plain reader of it to compare others with.

    magic "MST1", then u32: dimension, rows, pieces, slots, ranges
    rows   x f32        scale of each row
    rows   x dimension  i8, the row itself
    pieces x u32        where the name of each piece ends in the names
    slots  x u16        hash table: number of a piece + 1, or 0
    ranges x 2 u32      first, last * 4 + class of characters that are no part of a word
    names               UTF-8, one after the other; `##` starts a piece that continues a word

All numbers are little-endian. The first `rows` pieces have a row.
"""

import struct

import numpy as np

MAGIC = b"MST1"
SLOTS = 1 << 16


def write(path, words, rows):
    """Rounds the rows to int8 with one scale each, and writes all that a reader needs."""
    with_row = [words.vocabulary[name] for name in words.pieces if name.isascii()]
    kept = rows[with_row]
    scales = (np.abs(kept).max(1) / 127 + 1e-12).astype("<f4")
    quantised = np.round(kept / scales[:, None]).astype(np.int8)
    names = [name.encode() for name in words.pieces]
    ranges = words.character_classes()
    with open(path, "wb") as file:
        counts = (kept.shape[1], len(kept), len(names), SLOTS, len(ranges))
        file.write(MAGIC + struct.pack("<5I", *counts))
        file.write(scales.tobytes())
        file.write(quantised.tobytes())
        file.write(np.cumsum([len(name) for name in names]).astype("<u4").tobytes())
        file.write(hash_table(names).astype("<u2").tobytes())
        for first, last, kind in ranges:
            file.write(struct.pack("<2I", first, last * 4 + kind))
        file.write(b"".join(names))


def hash_table(names):
    """Each piece in the first free slot at or after its hash."""
    slots = np.zeros(SLOTS, np.uint32)
    for number, name in enumerate(names):
        slot = fnv(name)
        while slots[slot % SLOTS]:
            slot += 1
        slots[slot % SLOTS] = number + 1
    return slots


def fnv(name):
    """FNV-1a of 32 bits with its upper half folded in."""
    hashed = 0x811C9DC5
    for byte in name:
        hashed = (hashed ^ byte) * 0x01000193 & 0xFFFFFFFF
    return hashed ^ hashed >> 16


class Table:
    """Reads what `write` wrote."""

    def __init__(self, path, words):
        data = path.read_bytes()
        assert data[:4] == MAGIC
        self.dimension, count = struct.unpack_from("<2I", data, 4)
        scales = np.frombuffer(data, "<f4", count, 24)
        rows = np.frombuffer(data, np.int8, count * self.dimension, 24 + 4 * count)
        self.rows = rows.reshape(count, self.dimension) * scales[:, None]
        self.words = words
        self.numbers = {name: number for number, name in enumerate(words.pieces[:count])}

    def embed(self, texts):
        """A vector of length 1 for each text; zeros where nothing is known."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for vector, pieces in zip(vectors, self.words.cut(texts)):
            known = sorted({self.numbers[piece] for piece in pieces if piece in self.numbers})
            total = self.rows[known].sum(0, dtype=np.float64)
            vector[:] = total / max(np.linalg.norm(total), 1e-9)
        return vectors
