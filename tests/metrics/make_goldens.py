"""Makes goldens.json: what pycocoevalcap says about captions.tsv, for tests/metrics.

    pip install pycocoevalcap numpy snowballstemmer==2.2.0      (and a Java runtime)
    python3 tests/metrics/make_goldens.py

The first caption of each image is the candidate, the others are its references. Tokens are those of
pycocoevalcap's PTBTokenizer (Stanford CoreNLP 3.4.1, then its punctuation removal) on all captions as one
text; BLEU, ROUGE-L and CIDEr-D (its "CIDEr") are its scorers' on candidates and references tokenised as its
COCOEvalCap does it, references in one run and candidates in another. CIDEr is cider_reference.py's, on the
same tokens. stems.tsv holds Snowball's stems of words that pass every step of the algorithm.
"""
import json
import pathlib

from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

import cider_reference

HERE = pathlib.Path(__file__).parent

STEM_WORDS = """skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias andes
inning innings outing outings canning herring herrings earring proceed proceeds exceed succeed succeeding
caresses ties cries gas this gaps kiwis bus grass agreed feed plastered bled motoring sing hopping hoping luxuriated
troubled sized falling hissing fizzed failing filing happy sky by say cry conditional rational valenci hesitanci
conformabli digitizer vietnamization predication operator feudalism formaliti decisiveness hopefulness callousness
formalli sensitiviti sensibiliti analogi apologies geologist triplicate formative formalize electriciti electrical
hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment
dependent adoption homologou communism activate angulariti homologous effective bowdlerize probate rate cease controll
roll generate generically communication communities arsenal arsenic youth boy boyish joyful yelling yes sayings
dog's dogs' o'clock 'em y a be bees trees playing played player plays running runner runs children riding rides rode
happily happiness beautiful beautifully quickly knightly sensational nationally fishes wolves ponies tied tie dies
naïve cafés""".split()


def rounded(values):
    return [float("%.15g" % value) for value in values]


def main():
    captions = {}
    for line in (HERE / "captions.tsv").read_text(encoding="utf-8").splitlines():
        image, caption = line.split("\t", 1)
        captions.setdefault(image, []).append({"caption": caption.strip(" \t")})
    every = PTBTokenizer().tokenize(captions)
    references = PTBTokenizer().tokenize({image: entries[1:] for image, entries in captions.items()})
    candidates = PTBTokenizer().tokenize({image: entries[:1] for image, entries in captions.items()})

    bleu, bleu_images = Bleu(4).compute_score(references, candidates, verbose=0)
    rouge, rouge_images = Rouge().compute_score(references, candidates)
    cider_d, cider_d_images = Cider().compute_score(references, candidates)
    cider_images = cider_reference.cider([candidates[image][0].split() for image in captions],
                                         [[text.split() for text in references[image]] for image in captions])
    corpus = {"BLEU-%d" % (n + 1): bleu[n] for n in range(4)}
    corpus |= {"ROUGE-L": rouge, "CIDEr-D": cider_d, "CIDEr": cider_images.mean()}
    images = {"BLEU-%d" % (n + 1): rounded(bleu_images[n]) for n in range(4)}
    images |= {"ROUGE-L": rounded(rouge_images), "CIDEr-D": rounded(cider_d_images), "CIDEr": rounded(cider_images)}
    document = {"made_by": "tests/metrics/make_goldens.py",
                "tokens": [text for texts in every.values() for text in texts],
                "metrics": dict(zip(corpus, rounded(corpus.values()))), "images": images}
    (HERE / "goldens.json").write_text(json.dumps(document, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    stems = sorted({word: cider_reference.STEM(word) for word in STEM_WORDS}.items())
    (HERE / "stems.tsv").write_text("".join("%s\t%s\n" % pair for pair in stems), encoding="utf-8")
    print("%d captions of %d images" % (len(document["tokens"]), len(captions)), document["metrics"])


if __name__ == "__main__":
    main()
