#!/usr/bin/env python3
"""Golden checkpoints of captioning networks, made by the public PyTorch repositories themselves.

    make_network_goldens.py RUOTIANLUO SGRVINOD OUTPUT

RUOTIANLUO and SGRVINOD: checkouts of ruotianluo/ImageCaptioning.pytorch (4c48a33) and
sgrvinod/a-PyTorch-Tutorial-to-Image-Captioning (cc9c7e2). Needs torch, torchvision, numpy and six. Writes for each case a
folder with the checkpoint as that repository would save it and golden.json: two pictures with different numbers of
vectors, a sentence fed word by word, the log-probabilities and the attention after each word. Weights are scaled up so that
words differ in probability and attention is not flat. OUTPUT is tests/fixtures/networks.
"""
import argparse
import json
import pickle
import sys
import types
from collections import OrderedDict
from pathlib import Path

import numpy as np
import torch

WORDS = "a man dog woman is running on the grass with red white shirt two children playing in water".split()
V = len(WORDS) + 1  # ruotianluo: 0 is begin and end, the last word is UNK
VOCABULARY = {str(i + 1): word for i, word in enumerate(WORDS + ["UNK"])}
COUNTS = (5, 3)
SENTENCES = ([1, 3, 5, 6, 7, 8, 9], [1, 2, 10, 1, 11, 13])


def scaled(model, factor):
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1:
                parameter.mul_(factor)
            elif not name.endswith(("a_2", "weight")):
                parameter.copy_(torch.randn_like(parameter) * 0.3)
            else:
                parameter.copy_(1 + torch.randn_like(parameter) * 0.2)


def numbers(tensor):
    return [float("%.9g" % x) for x in tensor.double().flatten().tolist()]


def picture_record(features, words, log_p, attention):
    return {"features": numbers(features), "count": features.shape[0], "words": words,
            "log_probabilities": [numbers(row) for row in log_p],
            "attention": [numbers(row) for row in attention] if attention is not None else None}


def write_golden(folder, record):
    (folder / "golden.json").write_text(json.dumps(record, separators=(",", ":")) + "\n")


def ruotianluo_case(models, output, name, kind, factor, sizes):
    torch.manual_seed(sum(map(ord, name)))
    opt = argparse.Namespace(
        caption_model=kind, vocab_size=V, input_encoding_size=sizes["embedding"], rnn_type="lstm",
        rnn_size=sizes["hidden"], num_layers=sizes.get("layers", 1), drop_prob_lm=0.5, seq_length=16, max_length=20,
        fc_feat_size=sizes["features"], att_feat_size=sizes["features"], att_hid_size=sizes.get("attention", 8),
        use_bn=0, vocab=VOCABULARY, bos_idx=0, eos_idx=0, pad_idx=0, num_att_heads=sizes.get("heads", 8), dropout=0.1)
    model = models.setup(opt)
    scaled(model, factor)
    model.eval()
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), folder / "model.pth")
    with open(folder / "infos.pkl", "wb") as file:
        pickle.dump({"iter": 7, "epoch": 1, "vocab": VOCABULARY, "opt": opt, "best_val_score": 0.5}, file, protocol=2)

    captured = []
    attention_module = getattr(getattr(model, "core", None), "attention", None)
    if attention_module is not None:
        # The weights are the softmax of what alpha_net gave.
        attention_module.alpha_net.register_forward_hook(lambda m, i, o: captured.append(o.detach().clone()))
    pictures = []
    for count, words in zip(COUNTS, SENTENCES):
        features = torch.randn(count, sizes["features"])
        fc = features.mean(0, keepdim=True)
        att = features.unsqueeze(0)
        mask = torch.ones(1, count)
        captured.clear()
        weights = []
        with torch.no_grad():
            sequence = torch.tensor([[0] + words])
            if kind == "transformer":
                log_p = model._forward(fc, att, sequence, mask)[0]
                source = model.model.decoder.layers[-1].src_attn.attn  # [1, heads, T, L]
                weights = list(source[0].mean(0))
            else:
                p_fc, p_att, pp_att, p_mask = model._prepare_feature(fc, att, mask)
                state = model.init_hidden(1)
                rows = []
                for token in sequence[0]:
                    row, state = model.get_logprobs_state(token.view(1), p_fc, p_att, pp_att, p_mask, state)
                    rows.append(row[0])
                    if captured:
                        weights.append(torch.softmax(captured[-1].view(-1), 0))
                log_p = torch.stack(rows)
        pictures.append(picture_record(features, words, log_p, weights or None))
    write_golden(folder, {"kind": kind, "pictures": pictures})
    print(name, sum(p.numel() for p in model.parameters()), "numbers")


def sgrvinod_case(output, factor):
    name = "sgrvinod"
    torch.manual_seed(11)
    import models
    decoder = models.DecoderWithAttention(attention_dim=6, embed_dim=7, decoder_dim=9, vocab_size=len(WORDS) + 4,
                                          encoder_dim=10, dropout=0.5)
    scaled(decoder, factor)
    decoder.eval()
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    optimizer = torch.optim.Adam(decoder.parameters(), lr=4e-4)
    state = {"epoch": 3, "epochs_since_improvement": 0, "bleu-4": 0.2, "encoder": torch.nn.Sequential(OrderedDict(
        resnet=torch.nn.Conv2d(3, 2, 1))), "decoder": decoder, "encoder_optimizer": None, "decoder_optimizer": optimizer}
    torch.save(state, folder / "BEST_checkpoint.pth.tar", _use_new_zipfile_serialization=False)
    word_map = {word: i + 1 for i, word in enumerate(WORDS)}
    word_map.update({"<unk>": len(WORDS) + 1, "<start>": len(WORDS) + 2, "<end>": len(WORDS) + 3, "<pad>": 0})
    (folder / "WORDMAP.json").write_text(json.dumps(word_map) + "\n")

    pictures = []
    for count, words in zip(COUNTS, SENTENCES):
        features = torch.randn(count, 10)
        with torch.no_grad():
            h, c = decoder.init_hidden_state(features.unsqueeze(0))
            rows, weights = [], []
            for token in [word_map["<start>"]] + words:
                context, alpha = decoder.attention(features.unsqueeze(0), h)
                gate = decoder.sigmoid(decoder.f_beta(h))
                embedded = decoder.embedding(torch.tensor([token]))
                h, c = decoder.decode_step(torch.cat([embedded, gate * context], 1), (h, c))
                rows.append(torch.log_softmax(decoder.fc(h), 1)[0])
                weights.append(alpha[0])
        pictures.append(picture_record(features, words, rows, weights))
    write_golden(folder, {"kind": "sgrvinod", "pictures": pictures})
    print(name, sum(p.numel() for p in decoder.parameters()), "numbers")


def main(ruotianluo, sgrvinod, output):
    output = Path(output)
    # Parts of the repository that need further packages and take no part here.
    for absent in ("M2Transformer", "AoAModel", "BertCapModel", "cachedTransformer"):
        module = types.ModuleType("captioning.models." + absent)
        module.M2TransformerModel = module.AoAModel = module.BertCapModel = module.TransformerModel = object
        sys.modules["captioning.models." + absent] = module
    sys.path.insert(0, ruotianluo)
    import captioning.models as models
    small = {"features": 12, "embedding": 10, "hidden": 10, "attention": 8}
    ruotianluo_case(models, output, "updown", "updown", 4.0, small)
    ruotianluo_case(models, output, "att2in", "att2in", 4.0, dict(small, embedding=9))
    ruotianluo_case(models, output, "att2in2", "att2in2", 4.0, small)
    ruotianluo_case(models, output, "newfc", "newfc", 4.0, dict(small, embedding=9))
    ruotianluo_case(models, output, "transformer", "transformer", 1.5,
                    {"features": 12, "embedding": 16, "hidden": 20, "layers": 2, "heads": 8})
    sys.path.insert(0, sgrvinod)
    sgrvinod_case(output, 3.0)


if __name__ == "__main__":
    main(*sys.argv[1:4])
