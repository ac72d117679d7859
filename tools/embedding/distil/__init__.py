"""The steps from public texts and a teacher to mnemon's embedding table."""
