"""tf.contrib.learn.preprocessing, and TensorBoard's projector."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import learn
from tensorflow.contrib.learn.python.learn.preprocessing.categorical_vocabulary import (
    CategoricalVocabulary,
)
from tensorflow.contrib.tensorboard.plugins import projector

texts = ["the cat sat", "The dog sat on the cat", "it's an ABCDef, a well-known dog", ""]
result = {"words": [str(words) for words in learn.preprocessing.tokenizer(texts)]}
for frequency in (0, 1):
    processor = learn.preprocessing.VocabularyProcessor(5, min_frequency=frequency)
    ids = np.array(list(processor.fit_transform(texts)))
    name = "frequency %d " % frequency
    result[name + "ids"] = ids
    result[name + "size"] = len(processor.vocabulary_)
    result[name + "reversed"] = list(processor.reverse(ids))
    processor.save("vocabulary")
    restored = learn.preprocessing.VocabularyProcessor.restore("vocabulary")
    result[name + "restored"] = np.array(list(restored.transform(["a dog on the moon"])))
vocabulary = CategoricalVocabulary(unknown_token="?")
for number, word in enumerate("abcacbab"):
    vocabulary.add(word, number)
vocabulary.trim(min_frequency=2, max_frequency=12)
result["trimmed"] = [vocabulary.get(word) for word in "?abc"]
characters = learn.preprocessing.VocabularyProcessor(3, tokenizer_fn=lambda x: map(list, x))
result["characters"] = np.array(list(characters.fit_transform(["ab", "cabd"])))
rows = learn.preprocessing.ByteProcessor(4)
result["bytes"] = np.array(list(rows.fit_transform(["ab", "h\u00e9llo", b"\xff"])))
result["from bytes"] = list(rows.reverse(rows.transform(["ab", b"\xff"])))
table = np.array([["a", "b"], ["b", "b"], ["a", "c"]])
for share in (False, True):
    categories = learn.preprocessing.CategoricalProcessor(min_frequency=0, share=share)
    result["categories, shared %s" % share] = np.array(list(categories.fit_transform(table)))

config = projector.ProjectorConfig(model_checkpoint_path="model.ckpt")
embedding = config.embeddings.add()
embedding.tensor_name = "embedding:0"
embedding.metadata_path = "words.tsv"
embedding.tensor_shape.extend([20, 3])
embedding.sprite.image_path = "sprite.png"
embedding.sprite.single_image_dim.extend([28, 28])
config.embeddings.extend([projector.EmbeddingInfo(tensor_name="other")])
with tf.Session() as session:
    writer = tf.summary.FileWriter("logs", session.graph)
    projector.visualize_embeddings(writer, config)
with tf.gfile.GFile("logs/projector_config.pbtxt") as file:
    result["projector"] = file.read()
