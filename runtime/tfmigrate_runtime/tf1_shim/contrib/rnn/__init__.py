"""What tf.contrib.rnn had."""
