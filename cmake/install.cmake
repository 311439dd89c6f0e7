# The installable package; written with the consumer test.
