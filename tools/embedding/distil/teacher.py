"""The teacher: all-MiniLM-L6-v2 as an int8 ONNX graph, run on the processor."""

import sys
import subprocess

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

DIMENSION = 384
TOKENS_MAX = 96
BATCH = 24
CHUNK = 8192
START, END = 101, 102


class Teacher:
    """Sentence vectors as sentence-transformers makes them: the mean over the tokens, of length 1."""

    def __init__(self, folder):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            str(folder / "model_quantized.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self.inputs = {field.name for field in self.session.get_inputs()}
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(TOKENS_MAX)
        self.tokenizer.no_padding()

    def run(self, ids, mask):
        fields = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return self.session.run(None, {name: fields[name] for name in self.inputs})[0]

    def embed(self, texts):
        """A vector for each text; texts of like length share a batch."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = np.argsort([len(row) for row in ids], kind="stable")
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            width = max(len(ids[i]) for i in batch)
            padded = np.zeros((len(batch), width), np.int64)
            mask = np.zeros_like(padded)
            for row, i in enumerate(batch):
                padded[row, : len(ids[i])] = ids[i]
                mask[row, : len(ids[i])] = 1
            total = (self.run(padded, mask) * mask[:, :, None]).sum(1)
            vectors[batch] = total / np.linalg.norm(total, axis=1, keepdims=True)
        return vectors

    def embed_tokens(self):
        """For each token of the vocabulary the vector of a text that is only this token."""
        count = self.tokenizer.get_vocab_size()
        vectors = np.zeros((count, DIMENSION), np.float32)
        for start in range(0, count, 256):
            ids = np.arange(start, min(count, start + 256), dtype=np.int64)
            framed = np.stack([np.full_like(ids, START), ids, np.full_like(ids, END)], 1)
            vectors[ids] = self.run(framed, np.ones_like(framed)).mean(1)
        return vectors


def teach(work, texts, processes):
    """The teacher's vectors for the texts, kept in chunks so that an interrupted run goes on."""
    folder = work / "taught"
    folder.mkdir(exist_ok=True)
    script = "import sys, pathlib; from distil import teacher; teacher.teach_share(pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:]))"
    shares = [
        subprocess.Popen([sys.executable, "-c", script, str(work), str(share), str(processes)])
        for share in range(processes)
    ]
    if any([share.wait() for share in shares]):
        sys.exit("the teacher failed")
    chunks = [np.load(chunk_path(work, chunk)) for chunk in range(chunk_count(texts))]
    return np.load(work / "taught" / "tokens.npy"), np.concatenate(chunks).astype(np.float32)


def teach_share(work, share, processes):
    """Every nth chunk; one process for each core, as the teacher uses one thread."""
    from . import corpus

    texts = corpus.read(work)
    teacher = Teacher(work / "teacher")
    tokens = work / "taught" / "tokens.npy"
    if share == 0 and not tokens.exists():
        save(tokens, teacher.embed_tokens())
    for chunk in range(share, chunk_count(texts), processes):
        path = chunk_path(work, chunk)
        if not path.exists():
            save(path, teacher.embed(texts[chunk * CHUNK : (chunk + 1) * CHUNK]).astype(np.float16))
            print(f"taught chunk {chunk + 1} of {chunk_count(texts)}", flush=True)


def save(path, array):
    """Under its name only when it is whole."""
    part = path.with_suffix(".part.npy")
    np.save(part, array)
    part.rename(path)


def chunk_path(work, chunk):
    return work / "taught" / f"{chunk:03}.npy"


def chunk_count(texts):
    return -(-len(texts) // CHUNK)
