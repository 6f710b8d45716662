#!/usr/bin/env python3
"""Architectures of common models, with random weights, to try kfuse on.

    models.py list
    models.py export NAME [--dtype f32|bf16] [--tiny] [--dynamic] -o MODEL.pt2
    models.py lean MODEL.pt2 -o LEAN.pt2
    models.py fill LEAN.pt2 -o MODEL.pt2 [--seed N]

`export` writes the training IR of torch.export with the weights that `fill` gives
for the seed 0. `--tiny` keeps the architecture and makes it small. See lean.py for
lean files. The models come from transformers and timm, imported only by `export`.
"""

import argparse
import contextlib
import dataclasses
import pathlib
import sys
import tempfile
from typing import Callable

import numpy as np
import torch

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from kfuse_testing import lean, small_nets

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


@dataclasses.dataclass
class Model:
    """`build(dtype, tiny)` makes the module, `inputs(dtype, tiny)` its inputs by
    name, with `random_ids` and `random_values` of this file."""

    name: str
    what: str
    build: Callable[[torch.dtype, bool], torch.nn.Module]
    inputs: Callable[[torch.dtype, bool], dict]
    dynamic: dict | None = None

    def dynamic_shapes(self):
        return {name: {d: torch.export.Dim.AUTO for d in dims} for name, dims in (self.dynamic or {}).items()}


# Inputs: the same on every machine


def _raw(shape, seed):
    count = int(np.prod(shape))
    bits = np.random.PCG64(np.random.SeedSequence([seed])).random_raw(count)
    return (bits >> np.uint64(32)).reshape(shape)


def random_ids(vocabulary, shape, seed=1):
    return torch.from_numpy((_raw(shape, seed) % np.uint64(vocabulary)).astype(np.int64))


def random_values(shape, dtype, seed=1):
    """Uniform with mean 0 and deviation 1."""
    unit = _raw(shape, seed).astype(np.float64) / 2.0**32
    return torch.from_numpy(((unit - 0.5) * 12.0**0.5).astype(np.float32)).to(dtype)


def _tokens(vocabulary, batch, length, mask=True):
    def make(dtype, tiny):
        shape = (2, 16) if tiny else (batch, length)
        inputs = {"input_ids": random_ids(100 if tiny else vocabulary, shape)}
        if mask:
            lengths = torch.arange(shape[0]) * 3 % (shape[1] // 2)
            inputs["attention_mask"] = (torch.arange(shape[1]) < shape[1] - lengths[:, None]).long()
        return inputs

    return make


def _images(batch, size, tiny_size=None):
    def make(dtype, tiny):
        side = (tiny_size or size) if tiny else size
        return {"x": random_values((2 if tiny else batch, 3, side, side), dtype)}

    return make


# Builders


@contextlib.contextmanager
def _quick():
    """Weights are filled later: do not initialize them."""
    from transformers import initialization

    with initialization.no_init_weights():
        yield


class Wrapped(torch.nn.Module):
    """A transformers model with its first result alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask=None):
        return self.model(input_ids=input_ids, attention_mask=attention_mask, use_cache=False)[0]


class Encoder(torch.nn.Module):
    """As `Wrapped`, for encoders, which take no cache option."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask=None):
        return self.model(input_ids=input_ids, attention_mask=attention_mask)[0]


class Features(torch.nn.Module):
    """An encoder of features (audio)."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, features):
        return self.model(features)[0]


def _hugging_face(class_name, config_name, wrapper, full, tiny, **model_options):
    """Builds a transformers model of a config with `full` or `tiny` changes."""

    def build(dtype, is_tiny):
        import transformers

        changes = {**full, **tiny} if is_tiny else full
        config = getattr(transformers, config_name)(**changes)
        with _quick():
            return wrapper(getattr(transformers, class_name)._from_config(config, dtype=dtype, **model_options))

    return build


def _timm(name, tiny=None, **options):
    def build(dtype, is_tiny):
        import timm

        torch.manual_seed(0)
        return timm.create_model(name, pretrained=False, **options, **((tiny or {}) if is_tiny else {})).to(dtype)

    return build


_BERT_TINY = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "vocab_size": 100,
}
_LLAMA = {
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 4,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
    "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0},
}
_LLAMA_TINY = {**_BERT_TINY, "num_attention_heads": 4, "num_key_value_heads": 2}
_GPT2_TINY = {"n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 100}
_T5_TINY = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2, "vocab_size": 100}
_DISTIL_TINY = {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64, "vocab_size": 100}
_DEBERTA = {
    "vocab_size": 128100,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "layer_norm_eps": 1e-7,
    "max_relative_positions": -1,
    "position_biased_input": False,
    "type_vocab_size": 0,
}
_WHISPER = {
    "d_model": 512,
    "encoder_layers": 6,
    "encoder_attention_heads": 8,
    "encoder_ffn_dim": 2048,
    "decoder_layers": 1,
    "decoder_attention_heads": 8,
}
_WHISPER_TINY = {
    "d_model": 32,
    "encoder_layers": 2,
    "encoder_attention_heads": 2,
    "encoder_ffn_dim": 64,
    "decoder_attention_heads": 2,
}
_T5 = {"d_model": 768, "d_ff": 3072, "num_layers": 12, "num_heads": 12}
_ROBERTA = {"max_position_embeddings": 514, "vocab_size": 50265}
_SWIN_TINY = {"embed_dim": 16, "depths": (2, 2), "num_heads": (1, 2), "img_size": 56}


def _mixer(dtype, tiny):
    from timm.models import mlp_mixer

    width, blocks = (32, 2) if tiny else (768, 12)
    return mlp_mixer.MlpMixer(patch_size=16, num_blocks=blocks, embed_dim=width).to(dtype)


def _unet(dtype, tiny):
    return small_nets.UNet((32, 64, 64) if tiny else (128, 256, 512, 512)).to(dtype)


def _unet_inputs(dtype, tiny):
    n, side = (2, 16) if tiny else (4, 64)
    times = random_ids(1000, (n,)).to(torch.int64)
    return {"x": random_values((n, 4, side, side), dtype), "timesteps": times}


def _timestep(dtype, tiny):
    return small_nets.TimestepEmbedding(320, 64 if tiny else 1280).to(dtype)


_ROWS = {"input_ids": (0, 1), "attention_mask": (0, 1)}
_BERT = _hugging_face("BertModel", "BertConfig", Encoder, {}, _BERT_TINY)


def _whisper_inputs(dtype, tiny):
    return {"features": random_values((1 if tiny else 4, 80, 3000), dtype)}


MODELS = [
    Model("bert-base", "BERT-base, 8x128", _BERT, _tokens(30522, 8, 128), _ROWS),
    Model("bert-base-b1", "BERT-base, 1x128", _BERT, _tokens(30522, 1, 128)),
    Model(
        "gpt2",
        "GPT-2 124M, 4x512",
        _hugging_face("GPT2Model", "GPT2Config", Wrapped, {}, _GPT2_TINY),
        _tokens(50257, 4, 512, mask=False),
        {"input_ids": (0,)},
    ),
    Model(
        "gpt2-lm",
        "GPT-2 124M with its 50257 logits, 4x512",
        _hugging_face("GPT2LMHeadModel", "GPT2Config", Wrapped, {}, _GPT2_TINY),
        _tokens(50257, 4, 512, mask=False),
        {"input_ids": (0,)},
    ),
    Model(
        "llama3-4l",
        "Llama-3-8B geometry, 4 layers, 2x1024",
        _hugging_face("LlamaModel", "LlamaConfig", Wrapped, _LLAMA, _LLAMA_TINY),
        _tokens(128256, 2, 1024, mask=False),
        {"input_ids": (0,)},
    ),
    Model(
        "vit-b16",
        "ViT-B/16, 64x224x224",
        _timm("vit_base_patch16_224", {"embed_dim": 32, "depth": 2, "num_heads": 2}),
        _images(64, 224),
        {"x": (0,)},
    ),
    Model(
        "resnet50",
        "ResNet-50, 64x224x224",
        _timm("resnet50", {"layers": (1, 1, 1, 1)}),
        _images(64, 224, 64),
        {"x": (0,)},
    ),
    Model(
        "t5-encoder",
        "T5-base encoder, 8x128: relative positions",
        _hugging_face("T5EncoderModel", "T5Config", Encoder, _T5, _T5_TINY),
        _tokens(32128, 8, 128),
        _ROWS,
    ),
    Model(
        "deberta-v3",
        "DeBERTa-v3-base, 8x128: disentangled relative positions",
        _hugging_face("DebertaV2Model", "DebertaV2Config", Encoder, _DEBERTA, _BERT_TINY),
        _tokens(128100, 8, 128),
    ),
    Model(
        "roberta",
        "RoBERTa-base, 8x128: positions from the mask",
        _hugging_face("RobertaModel", "RobertaConfig", Encoder, _ROBERTA, _BERT_TINY),
        _tokens(50265, 8, 128),
        _ROWS,
    ),
    Model(
        "distilbert",
        "DistilBERT, 8x128",
        _hugging_face("DistilBertModel", "DistilBertConfig", Encoder, {}, _DISTIL_TINY),
        _tokens(30522, 8, 128),
        _ROWS,
    ),
    Model(
        "whisper-encoder",
        "Whisper-base encoder, 4x80x3000",
        _hugging_face("WhisperModel", "WhisperConfig", lambda m: Features(m.encoder), _WHISPER, _WHISPER_TINY),
        _whisper_inputs,
    ),
    Model(
        "swin-t",
        "Swin-T, 64x224x224: windows, shifted by rolling",
        _timm("swin_tiny_patch4_window7_224", _SWIN_TINY),
        _images(64, 224, 56),
    ),
    Model(
        "convnext-t",
        "ConvNeXt-T, 64x224x224",
        _timm("convnext_tiny", {"depths": (1, 1, 1, 1), "dims": (16, 32, 32, 32)}),
        _images(64, 224, 64),
        {"x": (0,)},
    ),
    Model(
        "mobilenet-v3",
        "MobileNetV3-large, 64x224x224: depthwise, squeeze-excite, hardswish",
        _timm("mobilenetv3_large_100"),
        _images(64, 224, 64),
        {"x": (0,)},
    ),
    Model(
        "efficientnet-b0",
        "EfficientNet-B0, 64x224x224: depthwise, squeeze-excite, SiLU",
        _timm("efficientnet_b0"),
        _images(64, 224, 64),
        {"x": (0,)},
    ),
    Model(
        "mixer-b16",
        "MLP-Mixer-B/16, 64x224x224",
        _mixer,
        _images(64, 224),
        {"x": (0,)},
    ),
    Model(
        "unet",
        "GroupNorm U-Net with attention and a time, 4x4x64x64",
        _unet,
        _unet_inputs,
        {"x": (0,), "timesteps": (0,)},
    ),
    Model(
        "timestep-embedding",
        "sine embedding of a time and an MLP, 64",
        _timestep,
        lambda dtype, tiny: {"timesteps": random_ids(1000, (4 if tiny else 64,))},
        {"timesteps": (0,)},
    ),
]


def find(name):
    for model in MODELS:
        if model.name == name:
            return model
    raise SystemExit(f"error: unknown model '{name}'; expected one of {', '.join(m.name for m in MODELS)}")


def export_program(model, dtype="f32", tiny=False, dynamic=False):
    """The exported program with weights as they come."""
    module = model.build(DTYPES[dtype], tiny).eval()
    shapes = model.dynamic_shapes() if dynamic else None
    with torch.no_grad():
        program = torch.export.export(
            module, (), kwargs=model.inputs(DTYPES[dtype], tiny), dynamic_shapes=shapes, strict=False
        )
    # Inputs are made again where they are needed; they would travel along.
    program.example_inputs = None
    return program


def export_model(name, dtype, path, tiny=False, dynamic=False, seed=0):
    """Exports a model of the registry with the weights that `fill` gives."""
    path = pathlib.Path(path)
    program = export_program(find(name), dtype, tiny, dynamic)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        whole, thin = (pathlib.Path(folder) / part / path.name for part in ("whole", "thin"))
        for file in (whole, thin):
            file.parent.mkdir()
        torch.export.save(program, whole)
        del program
        lean.lean(whole, thin)
        whole.unlink()
        lean.fill(thin, path, seed)


def _parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="the models")
    one = commands.add_parser("export", help="write a model as .pt2")
    one.add_argument("name")
    one.add_argument("--dtype", choices=DTYPES, default="bf16")
    one.add_argument("--tiny", action="store_true")
    one.add_argument("--dynamic", action="store_true", help="sizes that the model lets vary are dynamic")
    for name, text in (("lean", "leave the weights out"), ("fill", "put pseudo-random weights in")):
        two = commands.add_parser(name, help=text)
        two.add_argument("source")
    for command in commands.choices.values():
        if command.prog.endswith(("export", "fill")):
            command.add_argument("--seed", type=int, default=0)
        if not command.prog.endswith("list"):
            command.add_argument("-o", "--output", required=True)
    return parser.parse_args(argv)


def main(argv=None):
    options = _parse(argv)
    if options.command == "list":
        for model in MODELS:
            print(f"{model.name:20} {model.what}")
    elif options.command == "export":
        export_model(options.name, options.dtype, options.output, options.tiny, options.dynamic, options.seed)
    elif options.command == "lean":
        lean.lean(options.source, options.output)
    else:
        lean.fill(options.source, options.output, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
