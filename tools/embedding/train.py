#!/usr/bin/env python3
"""Makes mnemon's built-in embedding table, from nothing to the committed file.

    python3 tools/embedding/train.py --work DIR

What is downloaded and what the teacher said stay in DIR, so a second run with
the same DIR only trains. README.md beside this file says what it takes.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parents[1] / "crates/mnemon/src/embed/table/english.bin"
PACKAGES = ["numpy==2.4.6", "scipy==1.17.1", "onnxruntime==1.31.1", "tokenizers==0.23.3"]
# Sums of floats depend on their order, and that on threads and processor.
REPRODUCIBLE = {"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell", "PYTHONPATH": str(HERE)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for all that is not kept")
    parser.add_argument("--out", type=pathlib.Path, default=TABLE, help="where the table goes")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many teach at once")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    enter_environment(arguments.work.resolve() / "venv")
    make_table(arguments.work.resolve(), arguments.out, arguments.processes)


def enter_environment(folder):
    """Starts this program again with the packages that it needs, unless it has them."""
    if pathlib.Path(sys.prefix) == folder and os.environ.items() >= REPRODUCIBLE.items():
        return
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.check_call([python, "-m", "pip", "install", "-q", *PACKAGES])
    os.execve(python, [str(python), *sys.argv], os.environ | REPRODUCIBLE)


def make_table(work, out, processes):
    # They need the packages, so they can be imported only here.
    from distil import corpus, fetch, student, table, teacher, words

    fetch.fetch(work)
    texts = corpus.read(work)
    print(f"{len(texts)} texts", flush=True)
    token_vectors, text_vectors = teacher.teach(work, texts, processes)
    vocabulary = words.Words(work / "teacher")
    rows, cosine = student.train(vocabulary, texts, token_vectors, text_vectors)
    out.parent.mkdir(parents=True, exist_ok=True)
    table.write(out, vocabulary, rows)
    print(f"held-out cosine {cosine:.4f}")
    print(f"{out.name}: {out.stat().st_size} bytes, SHA-256 {hashlib.sha256(out.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    main()
