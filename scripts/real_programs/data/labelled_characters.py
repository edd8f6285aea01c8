"""Makes sentences of labelled characters, the numbers of both, and a configuration of their model.

Usage: python labelled_characters.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

LETTERS = "abcdefghijklmnop"
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
CONFIGURATION = """mode=train
datasets_fold={folder}
train_file=train.csv
dev_file=dev.csv
test_file=dev.csv
delimiter=b
use_pretrained_embedding=False
token_emb_dir={folder}/none
vocabs_dir={folder}/vocabs
log_dir={folder}/logs
checkpoints_dir=checkpoints/model
label_scheme=BIO
label_level=2
hyphen=-
suffix=[PER,LOC]
labeling_level=char
measuring_metrics=[precision,recall,f1,accuracy]
use_crf=True
cell_type=LSTM
biderectional=True
encoder_layers=1
embedding_dim=8
hidden_dim=8
max_sequence_length=12
use_self_attention=True
attention_dim=16
CUDA_VISIBLE_DEVICES=0
seed=42
epoch=2
batch_size=4
dropout=0.5
learning_rate=0.01
optimizer=Adam
checkpoints_max_to_keep=3
print_per_batch=2
is_early_stop=True
patient=15
checkpoint_name=model
output_test_file=test.out
is_output_sentence_entity=True
output_sentence_entity_file=test.entity.out
ip=127.0.0.1
port=8000
"""


def sentence(random):
    """Returns lines of a character and its label each: names begin with a vowel."""
    lines = []
    while len(lines) < random.randint(6, 10):
        letter = LETTERS[random.randint(len(LETTERS))]
        name = {"a": "PER", "e": "LOC"}.get(letter)
        if name:
            lines += [f"{letter} B-{name}", f"{LETTERS[random.randint(len(LETTERS))]} I-{name}"]
        else:
            lines.append(f"{letter} O")
    return "\n".join(lines[:12]) + "\n\n"


def main(folder):
    """Writes the sentences, the numbers and the configuration."""
    (folder / "vocabs").mkdir(parents=True, exist_ok=True)
    (folder / "logs").mkdir(exist_ok=True)
    random = np.random.RandomState(1)
    for name, count in {"train": 16, "dev": 8}.items():
        made = "".join(sentence(random) for _ in range(count))
        (folder / f"{name}.csv").write_text(made, encoding="utf-8")
    for name, known in {"token": [*LETTERS, "<UNK>"], "label": LABELS}.items():
        numbered = enumerate(["<PAD>", *known])
        lines = "".join(f"{value}\t{number}\n" for number, value in numbered)
        (folder / f"vocabs/{name}2id").write_text(lines, encoding="utf-8")
    (folder / "system.config").write_text(CONFIGURATION.format(folder=folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
