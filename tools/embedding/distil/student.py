"""The student: one row for each piece, so that the sum of a text's rows points where the teacher does."""

import numpy as np

DIMENSION = 256
# One text in twenty is only for measuring.
HELD_OUT = 20
# How many texts are enough for the linear steps at the start.
SAMPLE = 60_000
RIDGE = 1e-3
# How soon a frequent piece counts less: weight = RARE / (RARE + its share of all pieces).
RARE = 1e-3
EPOCHS = 4
BATCH = 1024
RATE = 2e-3
# How much it matters that texts are similar to each other as the teacher says,
# and how sharply the nearest ones are preferred.
NEIGHBOURS_WEIGHT = 0.25
NEIGHBOURS_TEMPERATURE = 0.05
MOMENTUM, SPREAD = 0.9, 0.98


def train(words, texts, token_vectors, text_vectors):
    """The rows for all pieces of the teacher's vocabulary, and the mean held-out cosine."""
    bags = words.bags(texts)
    shares = np.asarray(bags.sum(0)).ravel() + 0.5
    shares /= shares.sum()
    held = len(texts) // HELD_OUT
    directions = principal_directions(text_vectors[held:][:SAMPLE])
    targets = unit(text_vectors @ directions)
    weights = (RARE / (RARE + shares)).astype(np.float32)[:, None]
    rows = first_rows(bags[held:][:SAMPLE], targets[held:][:SAMPLE], token_vectors, weights)

    def held_out_cosine():
        return float((unit(np.asarray(bags[:held] @ rows)) * targets[:held]).sum(1).mean())

    print(f"start: held-out cosine {held_out_cosine():.4f}", flush=True)
    for epoch in refine(rows, bags[held:], targets[held:]):
        print(f"epoch {epoch + 1}: held-out cosine {held_out_cosine():.4f}", flush=True)
    return rows, held_out_cosine()


def principal_directions(vectors):
    """The directions in which the teacher's vectors differ most, about zero and not about their mean."""
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    return directions[:, ::-1][:, :DIMENSION]


def first_rows(bags, targets, token_vectors, weights):
    """Where the rows start: what the teacher says to each piece alone, mapped to the targets."""
    # The first 999 tokens are special ones that would shift the mean.
    centred = token_vectors - token_vectors[999:].mean(0)
    centred /= np.linalg.norm(centred, axis=1).mean()
    sums = unit(np.asarray(bags @ (centred * weights)))
    ridge = RIDGE * len(sums) * np.eye(sums.shape[1], dtype=np.float32)
    mapping = np.linalg.solve(sums.T @ sums + ridge, sums.T @ targets)
    return ((centred @ mapping) * weights).astype(np.float32)


def refine(rows, bags, targets):
    """Changes the rows in place by Adam; yields after each epoch."""
    chance = np.random.default_rng(0)
    first, second = np.zeros_like(rows), np.zeros_like(rows)
    updates = np.zeros((len(rows), 1), np.int32)
    batches = len(targets) // BATCH
    for epoch in range(EPOCHS):
        order = chance.permutation(len(targets))
        for number in range(batches):
            batch = order[number * BATCH : (number + 1) * BATCH]
            gradient, touched = gradient_of(rows, bags[batch], targets[batch])
            # A row that no text of the batch uses keeps its momentum for its next turn.
            updates[touched] += 1
            first[touched] = MOMENTUM * first[touched] + (1 - MOMENTUM) * gradient
            second[touched] = SPREAD * second[touched] + (1 - SPREAD) * gradient**2
            mean = first[touched] / (1 - MOMENTUM ** updates[touched])
            deviation = np.sqrt(second[touched] / (1 - SPREAD ** updates[touched])) + 1e-10
            progress = (epoch * batches + number) / (EPOCHS * batches)
            rate = RATE * (0.1 + 0.9 * 0.5 * (1 + np.cos(np.pi * progress)))
            rows[touched] -= (rate * mean / deviation).astype(np.float32)
        yield epoch


def gradient_of(rows, bags, targets):
    """The gradient of (1 - cosine) + weight * KL(the teacher's neighbours || ours), and the rows it is for."""
    sums = np.asarray(bags @ rows)
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    ours = sums / lengths
    difference = neighbours(ours) - neighbours(targets)
    difference *= NEIGHBOURS_WEIGHT / (NEIGHBOURS_TEMPERATURE * len(targets))
    gradient = (difference + difference.T) @ ours - targets / len(targets)
    # Only what turns a vector counts, since its length is always made 1.
    gradient = (gradient - (gradient * ours).sum(1, keepdims=True) * ours) / lengths
    touched = np.unique(bags.indices)
    return np.asarray(bags.tocsc()[:, touched].T @ gradient), touched


def neighbours(vectors):
    """How likely each text of the batch is the nearest one to each other text."""
    similarities = vectors @ vectors.T / NEIGHBOURS_TEMPERATURE
    np.fill_diagonal(similarities, -1e9)
    likely = np.exp(similarities - similarities.max(1, keepdims=True))
    return likely / likely.sum(1, keepdims=True)


def unit(vectors):
    """Each of length 1."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)
