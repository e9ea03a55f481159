"""What transformers keeps of logits: `samplers.py CASES` prints, for each line of a file like sampler_tool's, the probabilities.

Needs PyTorch, so it runs in .venv-models.
"""
import json
import sys


def probabilities(case):
    import torch
    from transformers import generation as g

    tokens = torch.tensor([case["tokens"]])
    scores = torch.tensor([case["logits"]], dtype=torch.float64)
    for token, bias in case.get("bias", []):
        scores[0, token] += bias
    if "repetition_penalty" in case:
        scores = g.RepetitionPenaltyLogitsProcessor(case["repetition_penalty"])(tokens, scores)
    counts = torch.bincount(tokens[0], minlength=scores.shape[1]).double()
    scores = scores - counts * case.get("frequency_penalty", 0) - (counts > 0).double() * case.get("presence_penalty", 0)
    for name, warper in [("temperature", g.TemperatureLogitsWarper), ("top_k", g.TopKLogitsWarper), ("top_p", g.TopPLogitsWarper),
                         ("min_p", g.MinPLogitsWarper)]:
        if name in case:
            scores = warper(case[name])(tokens, scores)
    return torch.softmax(scores, dim=-1)[0].tolist()


if __name__ == "__main__":
    for line in open(sys.argv[1]):
        print(json.dumps(probabilities(json.loads(line))))
