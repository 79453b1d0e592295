#!/usr/bin/env python3
"""Golden values for Show-Attend-Tell, from the equations of Xu et al. 2015 in plain NumPy (float64).

Written from the paper, not from the C++: one hypothesis at a time, nothing folded, nothing cached.
Writes tests/fixtures/sat/<case>/{model.json,weights.safetensors,golden.json}; run it again only when a case is
added:  python3 tests/language/make_sat_golden.py tests/fixtures/sat
"""
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np

PAD, START, END, UNK = 0, 1, 2, 3

CASES = {
    # name: sizes (P = 0: no projection), options
    "paper": dict(D=20, P=16, A=12, H=24, E=20, V=50, norm=True, tanh=False, tied=True, seed=3, end=5.0),
    "authors": dict(D=18, P=0, A=17, H=16, E=14, V=37, norm=False, tanh=True, tied=False, seed=11, end=2.2),
    "plain": dict(D=16, P=24, A=16, H=32, E=32, V=64, norm=False, tanh=False, tied=False, seed=29, end=6.5),
}


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def make_weights(c):
    rng = np.random.default_rng(c["seed"])
    P = c["P"] or c["D"]
    D, A, H, E, V = c["D"], c["A"], c["H"], c["E"], c["V"]

    def m(rows, columns, gain=1.6):
        return rng.normal(0, gain / math.sqrt(columns), (rows, columns)).astype(np.float32)

    def v(size, gain=0.2):
        return rng.normal(0, gain, size).astype(np.float32)

    w = {}
    if c["P"]:
        w["projection.weight"], w["projection.bias"] = m(P, D), v(P)
        if c["norm"]:
            w["projection_norm.weight"], w["projection_norm.bias"] = 1 + v(P), v(P)
    for s in ("initial_hidden", "initial_cell"):
        w[s + ".inner.weight"], w[s + ".inner.bias"] = m(P, P), v(P)
        w[s + ".outer.weight"], w[s + ".outer.bias"] = m(H, P), v(H)
    w["attention.feature.weight"], w["attention.feature.bias"] = m(A, P), v(A)
    w["attention.hidden.weight"] = m(A, H)
    w["attention.score.weight"], w["attention.score.bias"] = m(1, A, 4.0), v(1)
    w["gate.weight"], w["gate.bias"] = m(1, H), v(1)
    w["embedding.weight"] = m(V, E)
    w["lstm.weight_ih"], w["lstm.weight_hh"], w["lstm.bias"] = m(4 * H, E + P), m(4 * H, H), v(4 * H)
    w["output_hidden.weight"], w["output_context.weight"], w["output_bias"] = m(E, H), m(E, P), v(E)
    if not c["tied"]:
        w["output.weight"] = m(V, E, 3.0)
    w["output.bias"] = v(V, 0.5)
    w["output.bias"][END] += c["end"]  # so that sentences end, most of them
    return w


class Network:
    """One picture, one hypothesis."""

    def __init__(self, case, weights):
        self.c = case
        self.w = {k: x.astype(np.float64) for k, x in weights.items()}

    def annotation_vectors(self, x):
        w = self.w
        if not self.c["P"]:
            return x
        a = x @ w["projection.weight"].T + w["projection.bias"]
        if self.c["norm"]:
            mean = a.mean(axis=1, keepdims=True)
            variance = ((a - mean) ** 2).mean(axis=1, keepdims=True)
            a = (a - mean) / np.sqrt(variance + 1e-5) * w["projection_norm.weight"] + w["projection_norm.bias"]
        return a

    def initial(self, a, name):
        w = self.w
        inner = np.maximum(w[name + ".inner.weight"] @ a.mean(axis=0) + w[name + ".inner.bias"], 0)
        return np.tanh(w[name + ".outer.weight"] @ inner + w[name + ".outer.bias"])

    def start(self, x):
        a = self.annotation_vectors(x)
        return a, self.initial(a, "initial_hidden"), self.initial(a, "initial_cell")

    def step(self, a, h, c, word):
        w, H = self.w, self.c["H"]
        # (4), (5): attention from the previous hidden state
        e = np.array([
            float(w["attention.score.weight"][0] @ np.tanh(w["attention.feature.weight"] @ ai
                  + w["attention.feature.bias"] + w["attention.hidden.weight"] @ h)) + w["attention.score.bias"][0]
            for ai in a])
        alpha = np.exp(e - e.max())
        alpha /= alpha.sum()
        # §4.2.1: the gate, and the context vector
        beta = sigmoid(float(w["gate.weight"][0] @ h) + w["gate.bias"][0])
        z = beta * (alpha[:, None] * a).sum(axis=0)
        # (1)-(3): LSTM, gates i f g o
        y = w["embedding.weight"][word]
        pre = w["lstm.weight_ih"] @ np.concatenate([y, z]) + w["lstm.weight_hh"] @ h + w["lstm.bias"]
        i, f, g, o = pre[:H], pre[H:2 * H], pre[2 * H:3 * H], pre[3 * H:]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        # (7): deep output
        u = y + w["output_hidden.weight"] @ h + w["output_context.weight"] @ z + w["output_bias"]
        if self.c["tanh"]:
            u = np.tanh(u)
        matrix = w["embedding.weight"] if self.c["tied"] else w["output.weight"]
        return matrix @ u + w["output.bias"], alpha, h, c


def log_softmax(x):
    x = x - x.max()
    return x - np.log(np.exp(x).sum())


def allowed(log_p, words, o):
    """Scores with the words that may not follow `words` at minus infinity."""
    s = log_p.copy()
    s[[PAD, START]] = -np.inf
    if o["suppress_unknown"]:
        s[UNK] = -np.inf
    if o["forbid_repeats"] and words:
        s[words[-1]] = -np.inf
    n = o["block_ngrams"]
    if n:
        for i in range(len(words) - n + 1):
            if n == 1 or words[i:i + n - 1] == words[len(words) - n + 1:]:
                s[words[i + n - 1]] = -np.inf
    if len(words) < o["minimum_length"]:
        s[END] = -np.inf
    return s


def greedy(net, x, o):
    a, h, c = net.start(x)
    words, total, previous = [], 0.0, START
    while True:
        logits, _, h, c = net.step(a, h, c, previous)
        log_p = log_softmax(logits)
        best = int(np.argmax(allowed(log_p, words, o)))
        if best == END:
            return words, (total + log_p[END]) / (len(words) + 1) ** o["length_exponent"], True
        if len(words) == o["maximum_length"]:
            return words, total / len(words) ** o["length_exponent"], False
        total += log_p[best]
        words.append(best)
        previous = best


def beam(net, x, o):
    a, h, c = net.start(x)
    K = o["beam"]
    living = [dict(words=[], sum=0.0, h=h, c=c)]
    finished = []
    while True:
        candidates = []
        for row, hyp in enumerate(living):
            logits, _, nh, nc = net.step(a, hyp["h"], hyp["c"], hyp["words"][-1] if hyp["words"] else START)
            log_p = log_softmax(logits)
            s = allowed(log_p, hyp["words"], o)
            for word in np.flatnonzero(np.isfinite(s)):
                candidates.append((-(hyp["sum"] + log_p[word]), int(word), row, nh, nc))
        candidates.sort(key=lambda t: t[:3])
        last = len(living[0]["words"]) == o["maximum_length"]
        following = []
        for rank, (cost, word, row, nh, nc) in enumerate(candidates[:2 * K]):
            if len(following) == K:
                break
            words = living[row]["words"]
            if word == END:
                if rank < K:
                    finished.append((-cost / (len(words) + 1) ** o["length_exponent"], words))
            elif not last:
                following.append(dict(words=words + [word], sum=-cost, h=nh, c=nc))
        best = max(finished, key=lambda t: t[0]) if finished else None
        if not following or len(finished) >= K:
            break
        living = following
        bound = max(hyp["sum"] for hyp in living) / (o["maximum_length"] + 1) ** o["length_exponent"]
        if best and bound <= best[0]:
            break
    if best:
        return best[1], best[0], True
    top = max(living, key=lambda hyp: hyp["sum"] / len(hyp["words"]) ** o["length_exponent"])
    return top["words"], top["sum"] / len(top["words"]) ** o["length_exponent"], False


def forced(net, x, words):
    """Logits, attention and log-probability at every step of a given sentence, its end included."""
    a, h, c = net.start(x)
    logits, attention, log_probabilities = [], [], []
    for previous, target in zip([START] + words, words + [END]):
        l, alpha, h, c = net.step(a, h, c, previous)
        logits.append(l.tolist())
        attention.append(alpha.tolist())
        log_probabilities.append(float(log_softmax(l)[target]))
    return logits, attention, log_probabilities


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name in sorted(tensors):
        raw = np.ascontiguousarray(tensors[name], dtype="<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensors[name].shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main(folder):
    defaults = dict(beam=3, length_exponent=0.7, maximum_length=9, minimum_length=1, suppress_unknown=True,
                    forbid_repeats=True, block_ngrams=3)
    searches = [defaults, dict(defaults, beam=1), dict(defaults, beam=5, length_exponent=0.0, block_ngrams=2),
                dict(defaults, beam=4, maximum_length=4, minimum_length=3), dict(defaults, beam=2, block_ngrams=0,
                forbid_repeats=False, suppress_unknown=False, length_exponent=1.0)]
    for name, case in CASES.items():
        weights = make_weights(case)
        net = Network(case, weights)
        rng = np.random.default_rng(case["seed"] + 1)
        pictures = []
        for L in (6, 4, 9):
            x = rng.normal(0, 1, (L, case["D"])).astype(np.float32)
            x64 = x.astype(np.float64)
            words = [int(t) for t in rng.integers(4, case["V"], 5)]
            logits, attention, log_p = forced(net, x64, words)
            found = []
            for o in searches:
                tokens, score, complete = beam(net, x64, o)
                found.append(dict(options=o, tokens=tokens, score=score, complete=complete))
                if o["beam"] == 1:
                    assert (tokens, complete) == (greedy(net, x64, o)[0], greedy(net, x64, o)[2])
            pictures.append(dict(features=[float(t) for t in x.reshape(-1)], count=L, words=words, logits=logits,
                                 attention=attention, log_probabilities=log_p, searches=found))
        out = Path(folder) / name
        out.mkdir(parents=True, exist_ok=True)
        write_safetensors(out / "weights.safetensors", weights)
        sizes = dict(features=case["D"], projection=case["P"] or None, attention=case["A"], hidden=case["H"],
                     embedding=case["E"], vocabulary=case["V"])
        options = dict(deep_output="tanh" if case["tanh"] else "linear", tied_output=case["tied"],
                       projection_norm=case["norm"])
        golden = dict(sizes=sizes, options=options, pictures=pictures)
        text = json.dumps(golden, default=float)
        # nine significant digits are more than float32 holds
        golden = json.loads(text, parse_float=lambda t: float("%.9g" % float(t)))
        (out / "golden.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
        for p in pictures:
            print(name, [(s["tokens"], round(s["score"], 3), s["complete"]) for s in p["searches"]])


if __name__ == "__main__":
    main(sys.argv[1])
