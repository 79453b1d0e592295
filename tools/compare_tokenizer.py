#!/usr/bin/env python3
"""Compares our tokens with those of coco-caption's Java tokeniser on all captions of a file.

    tools/compare_tokenizer.py CAPTIONS.tsv [--program build/release/tests/tokenize_lines] [--show 20]

CAPTIONS is TSV (image, tab, caption) or plain lines. Needs Java and `pip install pycocoevalcap`, which brings
the tokeniser (Stanford CoreNLP 3.4.1). Both sides read the captions as one text, and the punctuation that
coco-caption drops is dropped. Exit code 0: at least 99.9 % of the lines are equal; 1: fewer; 2: wrong usage or
something is missing.
"""
import argparse
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
JAR = "tokenizer/stanford-corenlp-3.4.1.jar"
DROPPED = {"''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".", "?", "!", ",", ":", "-", "--", "...", ";"}
ENOUGH = 0.999


def read_captions(path):
    # Only "\n" ends a line: str.splitlines would also split at separators that may stand in captions.
    lines = path.read_text(encoding="utf-8").replace("\r\n", "\n").split("\n")
    return [line.split("\t", 1)[-1] for line in lines if line.strip()]


def java_tokens(jar, text):
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write(text)
        file.flush()
        command = ["java", "-cp", str(jar), "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines",
                   "-lowerCase", file.name]
        output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    lines = output.decode("utf-8").split("\n")
    return [" ".join(token for token in line.rstrip().split(" ") if token not in DROPPED) for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("captions", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tests/tokenize_lines")
    parser.add_argument("--show", type=int, default=20, help="print at most this many differing lines")
    options = parser.parse_args()
    package = importlib.util.find_spec("pycocoevalcap")
    if shutil.which("java") is None or package is None:
        parser.error("Java or pycocoevalcap is missing: install a Java runtime and `pip install pycocoevalcap`")
    if not options.program.exists():
        parser.error(f"{options.program} is not built: cmake --build build/release --target tokenize_lines")
    captions = read_captions(options.captions)
    if not captions:
        parser.error(f"{options.captions} holds no captions")

    text = "\n".join(captions).encode("utf-8")
    ours = subprocess.run([options.program], input=text, stdout=subprocess.PIPE, check=True)
    ours = ours.stdout.decode("utf-8").split("\n")
    theirs = java_tokens(pathlib.Path(list(package.submodule_search_locations)[0]) / JAR, text)
    different = [i for i in range(len(captions)) if i >= len(theirs) or ours[i] != theirs[i]]
    for i in different[:options.show]:
        print(f"caption {captions[i]}\n  java  {theirs[i] if i < len(theirs) else '(nothing)'}\n  ours  {ours[i]}")
    share = 1 - len(different) / len(captions)
    print(f"{len(captions) - len(different)} of {len(captions)} lines equal ({100 * share:.3f} %)")
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
