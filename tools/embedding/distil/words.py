"""How a text becomes pieces: the teacher's WordPiece, without its special tokens.

A text that says `[CLS]` means these five characters, so the tokens that mark a
sentence are not looked for.
"""

import re
from functools import cached_property

import numpy as np
import scipy.sparse
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

WORD_CHARACTERS_MAX = 100
NOT_A_PIECE = re.compile(r"\[(unused\d+|PAD|UNK|CLS|SEP|MASK)\]")

# What a character can be besides a part of a word: a word of its own before or
# after accents are taken off, nothing, an accent.
ALONE, DROPPED, MARK, PUNCTUATION = range(4)


class Words:
    """The vocabulary of the teacher and how it cuts texts."""

    def __init__(self, folder):
        self.vocabulary = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab()
        self.tokenizer = Tokenizer(
            models.WordPiece(
                self.vocabulary, unk_token="[UNK]", max_input_chars_per_word=WORD_CHARACTERS_MAX
            )
        )
        self.tokenizer.normalizer = normalizers.BertNormalizer()
        self.tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()

    @cached_property
    def pieces(self):
        """What the table knows, in its order: first the pieces that have a row, then the others.

        Only ASCII pieces have one: of the rest the teacher knows next to nothing.
        The others are needed to cut words as the teacher does.
        """
        names = sorted(self.vocabulary, key=self.vocabulary.get)
        names = [name for name in names if not NOT_A_PIECE.fullmatch(name)]
        return sorted(names, key=lambda name: not name.isascii())

    def cut(self, texts):
        """The pieces of each text."""
        return [encoding.tokens for encoding in self.tokenizer.encode_batch(list(texts))]

    def bags(self, texts):
        """A row for each text, with a 1 for each piece in it, however often it is there."""
        bags = [sorted(set(encoding.ids)) for encoding in self.tokenizer.encode_batch(list(texts))]
        ends = np.cumsum([0] + [len(bag) for bag in bags])
        ids = np.fromiter((piece for bag in bags for piece in bag), np.int32, ends[-1])
        ones = np.ones(ends[-1], np.float32)
        return scipy.sparse.csr_matrix((ones, ids, ends), shape=(len(bags), len(self.vocabulary)))

    def character_classes(self):
        """Ranges (first, last, class) of the characters that are not simply part of a word.

        They are asked of the teacher's own tokenizer, so that no other version
        of Unicode can disagree with it. Spaces are not among them: they will
        not change.
        """
        cleaned = normalizers.BertNormalizer(
            clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False
        )
        stripped = normalizers.BertNormalizer(
            clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False
        )
        spaced = normalizers.BertNormalizer(
            clean_text=False, handle_chinese_chars=True, strip_accents=False, lowercase=False
        )
        splitter = pre_tokenizers.BertPreTokenizer()

        def class_of(character):
            framed = f"a{character}b"
            if cleaned.normalize_str(framed) == "ab":
                return DROPPED
            if spaced.normalize_str(framed) != framed:
                return ALONE
            if stripped.normalize_str(framed) == "ab":
                return MARK
            if len(splitter.pre_tokenize_str(framed)) == 3:
                return PUNCTUATION
            return None

        ranges = []
        for code in range(0x11_0000):
            found = None if 0xD800 <= code <= 0xDFFF else class_of(chr(code))
            if found is None:
                continue
            if ranges and ranges[-1][1] == code - 1 and ranges[-1][2] == found:
                ranges[-1][1] = code
            else:
                ranges.append([code, code, found])
        return ranges
