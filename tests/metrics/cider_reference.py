"""CIDEr as its paper defines it (Vedantam, Zitnick, Parikh 2015, equations 1-3), in NumPy.

Independent of the product's C++: dense TF-IDF vectors over the n-grams of stemmed words. The stems are
those of the Snowball project's own Python package (pip install numpy snowballstemmer==2.2.0).
make_goldens.py calls `cider` for the golden values; run by itself it checks one hand-made sample.
"""
import numpy as np
import snowballstemmer

STEM = snowballstemmer.stemmer("english").stemWord


def ngrams(words, n):
    stems = [STEM(word) for word in words]
    return [tuple(stems[i:i + n]) for i in range(len(stems) - n + 1)]


def cider(candidates, references):
    """candidates: words of one caption an image; references: several such an image. Values an image."""
    images = len(candidates)
    total = np.zeros(images)
    for n in range(1, 5):
        documents = [set(g for words in refs for g in ngrams(words, n)) for refs in references]
        everything = sorted(set().union(*documents, *(ngrams(words, n) for words in candidates)))
        column = {gram: i for i, gram in enumerate(everything)}
        frequency = np.array([sum(gram in document for document in documents) for gram in everything])
        inverse = np.log(images) - np.log(np.maximum(1, frequency))

        def vector(words):
            counts = np.zeros(len(everything))
            for gram in ngrams(words, n):
                counts[column[gram]] += 1
            return counts / max(1, counts.sum()) * inverse

        for i in range(images):
            c = vector(candidates[i])
            cosines = []
            for words in references[i]:
                r = vector(words)
                norms = np.linalg.norm(c) * np.linalg.norm(r)
                cosines.append(c @ r / norms if norms > 0 else 0.0)
            total[i] += 10 * np.mean(cosines) / 4
    return total


if __name__ == "__main__":
    values = cider([s.split() for s in ("a man rides a horse", "two dogs in snow")],
                   [[s.split() for s in refs] for refs in (
                       ("a man riding a horse", "a person rides a brown horse"),
                       ("two dogs play in the snow", "a pair of dogs playing outside"))])
    print(values, values.mean())
