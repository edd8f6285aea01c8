"""Makes numbered sentences, the same reversed, two vocabularies, and tiny.yml that names them.

The folder for them is the one argument.
"""

import sys
from pathlib import Path

import numpy as np

SIZES = {"train": 40, "test": 9}  # pairs of sentences
WORDS = 12
END = 3  # number of the word that ends a sentence
CONFIGURATION = """\
data:
  base_path: '{folder}'
  raw_data_path: 'raw'
  processed_path: 'numbered'
  word_threshold: 1
  PAD_ID: 0
  UNK_ID: 1
  START_ID: 2
  EOS_ID: 3
model:
  batch_size: 3
  num_layers: 1
  model_dim: 8
  num_heads: 2
  linear_key_dim: 8
  linear_value_dim: 8
  ffn_dim: 12
  dropout: 0.1
train:
  learning_rate: 0.001
  optimizer: 'Adam'
  train_steps: 8
  model_dir: 'logs/tiny'
  save_checkpoints_steps: 100
  check_hook_n_iter: 4
  min_eval_frequency: 1
  print_verbose: True
  debug: False
slack:
  webhook_url: ""
"""


def main(folder):
    """Writes all files."""
    numbered = folder / "numbered"
    numbered.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(11)
    for name, count in sorted(SIZES.items()):
        words = [
            generator.randint(4, WORDS, generator.randint(3, 8)).tolist() for _ in range(count)
        ]
        sides = {"enc": words, "dec": [[*line[::-1], END, 0] for line in words]}
        for side, lines in sides.items():
            text = "".join(" ".join(map(str, line)) + "\n" for line in lines)
            (numbered / f"{name}_ids.{side}").write_text(text)
    vocabulary = ["<pad>", "<unk>", "<s>", "<end>", *(f"w{word}" for word in range(4, WORDS))]
    for side in ("source", "target"):
        (numbered / f"{side}_vocab").write_text("\n".join(vocabulary) + "\n")
    (folder / "tiny.yml").write_text(CONFIGURATION.format(folder=folder.resolve()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
