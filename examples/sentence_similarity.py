"""How similar sentences are: compiles a sentence-embedding model and runs it on each sentence.

    pip install anemone-*.whl tokenizers
    python examples/sentence_similarity.py model.onnx vocab.txt "A man plays a guitar." "Someone strums." "Rates rose."

The model, such as sentence-transformers' MiniLM, takes input_ids and attention_mask [batch_size, sequence_length] and returns one
vector, or one for each token; vocab.txt is the WordPiece vocabulary that comes with it.
"""
import argparse
import sys

import numpy as np
from tokenizers import BertWordPieceTokenizer

import anemone


def embed(model, tokenizer, sentence):
    """The sentence's vector, of length 1: the model's, or the mean over the sentence's own tokens."""
    tokens = tokenizer.encode(sentence)
    mask = np.array([tokens.attention_mask], np.int64)
    outputs = model(input_ids=np.array([tokens.ids], np.int64), attention_mask=mask)
    floats = [array for array in outputs.values() if array.dtype.kind == "f"]
    vector = next((array[0] for array in floats if array.ndim == 2), None)
    if vector is None:
        vector = (floats[0] * mask[..., None]).sum(axis=1)[0] / mask.sum()
    return vector / np.linalg.norm(vector)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("vocabulary")
    parser.add_argument("sentences", nargs="+")
    parser.add_argument("--device", default="auto", help="auto, cpu or emulator")
    parser.add_argument("--length", type=int, default=32, help="tokens; longer sentences are cut")
    options = parser.parse_args()

    try:
        bundle = anemone.compile(options.model, dims={"batch_size": 1, "sequence_length": options.length})
        model = anemone.load(bundle, device=options.device)
    except anemone.Error as error:
        sys.exit(f"{options.model}: {error}")
    tokenizer = BertWordPieceTokenizer(options.vocabulary, lowercase=True)
    tokenizer.enable_truncation(options.length)
    tokenizer.enable_padding(length=options.length)
    vectors = np.stack([embed(model, tokenizer, sentence) for sentence in options.sentences])
    print(f"{bundle.report().engine_share:.1%} of the FLOPs are for the engine; ran on {model.device}")
    for sentence, row in zip(options.sentences, vectors @ vectors.T):
        print(" ".join(f"{similarity:6.3f}" for similarity in row), "", sentence)


if __name__ == "__main__":
    main()
