"""Makes lines of words, the same lines reversed, and a configuration to learn that.

The folder for them is the one argument: source.txt, target.txt, words.txt and train.yml.
"""

import sys
from pathlib import Path

import numpy as np

LINES = 64
WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]
CONFIGURATION = """\
model: AttentionSeq2Seq
model_params:
  vocab_source: {folder}/words.txt
  vocab_target: {folder}/words.txt
  attention.class: seq2seq.decoders.attention.AttentionLayerDot
  attention.params:
    num_units: 8
  bridge.class: seq2seq.models.bridges.ZeroBridge
  embedding.dim: 8
  encoder.class: seq2seq.encoders.BidirectionalRNNEncoder
  encoder.params:
    rnn_cell:
      cell_class: GRUCell
      cell_params:
        num_units: 8
      dropout_input_keep_prob: 0.8
      num_layers: 1
  decoder.class: seq2seq.decoders.AttentionDecoder
  decoder.params:
    rnn_cell:
      cell_class: GRUCell
      cell_params:
        num_units: 8
      dropout_input_keep_prob: 0.8
      num_layers: 1
  optimizer.name: Adam
  optimizer.learning_rate: 0.001
  source.max_seq_len: 10
  target.max_seq_len: 10
hooks: []
metrics: []
input_pipeline_train:
  class: ParallelTextInputPipeline
  params:
    source_files: [{folder}/source.txt]
    target_files: [{folder}/target.txt]
input_pipeline_dev:
  class: ParallelTextInputPipeline
  params:
    source_files: [{folder}/source.txt]
    target_files: [{folder}/target.txt]
"""


def main(folder):
    """Writes all files."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(7)
    lines = [generator.choice(WORDS, generator.randint(3, 8)).tolist() for _ in range(LINES)]
    (folder / "source.txt").write_text("".join(" ".join(line) + "\n" for line in lines))
    (folder / "target.txt").write_text("".join(" ".join(line[::-1]) + "\n" for line in lines))
    (folder / "words.txt").write_text("\n".join(WORDS) + "\n")
    (folder / "train.yml").write_text(CONFIGURATION.format(folder=folder.resolve()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
