"""Makes short texts of made-up sentences, under the names and in the forms that programs read.

python short_texts.py FOLDER
"""

import pickle
import sys
import zipfile
from pathlib import Path

import numpy as np

WORDS = [
    *("the", "a", "small", "old", "red", "dog", "cat", "bird", "house", "tree", "sees", "hears"),
    *("likes", "and", "under", "near"),
]
CLASSES = ["体育", "财经", "房产", "家居", "教育", "科技", "时尚", "时政", "游戏", "娱乐"]
RELATIONS = ["Other", *(f"Message-Topic({pair})" for pair in ("e1,e2", "e2,e1"))]
TAGS = ["O", "O", "O", "B-PER", "B-LOC", "B-ORG"]


def sentences(count, seed=0, shortest=4):
    """Returns sentences of up to nine words."""
    random = np.random.RandomState(seed)
    lengths = random.randint(shortest, 10, count)
    return [" ".join(WORDS[i] for i in random.randint(0, len(WORDS), n)) for n in lengths]


def _plain(folder):
    parts = {"train": 60, "valid": 24, "test": 24}
    for seed, (name, count) in enumerate(parts.items()):
        text = "\n".join(sentences(count, seed)) + "\n"
        for path in (f"{name}.txt", f"ptb.{name}.txt", f"ptb/{name}.txt"):
            (folder / path).write_text(text)
    (folder / "input.txt").write_text(" .\n".join(sentences(60)) + " .\n")
    numbered = [f"{number}\t{text}" for number, text in enumerate(sentences(600))]
    (folder / "numbered.txt").write_text("\n".join(numbered) + "\n")
    with zipfile.ZipFile(str(folder / "text8.zip"), "w") as file:
        file.writestr("text8", " ".join(sentences(200)))


def _labelled(folder):
    for seed, name in enumerate(("pos", "neg")):
        (folder / f"{name}.txt").write_text("\n".join(sentences(40, seed)) + "\n")
    rows = [f'{1 + i % 14},"t","{text}"' for i, text in enumerate(sentences(140))]
    (folder / "train.csv").write_text("\n".join(rows) + "\n")
    for seed, name in enumerate(("train", "val", "test")):
        lines = [f"{CLASSES[i % 10]}\t{text}" for i, text in enumerate(sentences(50, seed))]
        (folder / f"cnews.{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lefts, rights = sentences(60), sentences(60, 1)
    lines = [f"{lefts[i]}\t{rights[i] if i % 2 else lefts[i]}\t{1 - i % 2}" for i in range(60)]
    (folder / "pairs.tsv").write_text("\n".join(lines) + "\n")


def _relations(folder):
    lines = []
    for number, text in enumerate(sentences(60, shortest=6)):
        words = text.split()
        words[1], words[4] = f"<e1>{words[1]}</e1>", f"<e2>{words[4]}</e2>"
        lines += [f'{number}\t"{" ".join(words)}"', RELATIONS[number % 3], "Comment:", ""]
    (folder / "relations.txt").write_text("\n".join(lines) + "\n")


def _tagged(folder):
    for seed, name in enumerate(("train", "dev", "test")):
        lines = []
        for number, text in enumerate(sentences(40, seed)):
            for word in text.split():
                tag = TAGS[WORDS.index(word) % 6]
                lines.append(f"{word} {tag}")
                # Entities of one, two and three words.
                lines += [f"{word} I-{tag[2:]}"] * (number % 3 if tag != "O" else 0)
            lines.append("")
        (folder / f"tagged.{name}").write_text("\n".join(lines) + "\n")
        (folder / f"ner/{name}_data").write_text("\n".join(lines) + "\n")
        letters = [line[:1] + line[line.find(" ") :] if line else "" for line in lines]
        (folder / f"letters.{name}").write_text("\n".join(letters) + "\n")
    numbers = {word: number for number, word in enumerate(["<PAD>", *WORDS, "<UNK>"])}
    (folder / "ner/word2id.pkl").write_bytes(pickle.dumps(numbers, protocol=2))
    (folder / "words.txt").write_text("\n".join([*WORDS, "$UNK$", "$NUM$"]))
    (folder / "tags.txt").write_text(
        "\n".join(sorted({*TAGS, *(f"I-{tag[2:]}" for tag in TAGS if tag != "O")}))
    )
    (folder / "chars.txt").write_text("\n".join(sorted(set("".join(WORDS)))))
    vectors = np.random.RandomState(0).normal(size=(len(WORDS) + 2, 300))
    np.savez_compressed(str(folder / "vectors.npz"), embeddings=vectors)


def main(folder):
    """Writes all of them."""
    for name in ("ptb", "ner"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    _plain(folder)
    _labelled(folder)
    _relations(folder)
    _tagged(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
