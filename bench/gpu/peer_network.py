# SPDX-License-Identifier: Apache-2.0
"""The network of docs/network.md as PyTorch modules, the way a PyTorch user would write it for speed.

Encoders `croco` and `pair`, decoder `time_space`, and the head's raw values. Modules are named as the tensors of a model
file, so that a strict load_state_dict checks names and shapes.
"""
import json
import struct

import torch
import torch.nn.functional as F
from torch import nn

DTYPES = {"F32": torch.float32, "BF16": torch.bfloat16, "F16": torch.float16}
ROTATION_VALUES = {"procrustes": 9, "gram_schmidt": 6, "quaternion": 4, "euler": 3}
PAIR_PATCH = 16


def read_safetensors(path):
    """(tensors as F32, metadata) of a safetensors file."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length].decode())
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        dtype = DTYPES[entry["dtype"]]
        count = (end - begin) // torch.empty(0, dtype=dtype).element_size()
        flat = torch.frombuffer(data, dtype=dtype, count=count, offset=8 + length + begin)
        tensors[name] = flat.reshape(entry["shape"]).float()
    return tensors, metadata


# ---- Parts -----------------------------------------------------------------------------------------------------------

class GridRope(nn.Module):
    """Turns the queries and keys of n x n tokens; the head vector is [y half | x half], each rotated within itself."""

    def __init__(self, n, head_size, base):
        super().__init__()
        half = head_size // 2
        frequencies = float(base) ** (-2.0 * torch.arange(half // 2, dtype=torch.float64) / half)
        position = torch.arange(n, dtype=torch.float64)
        y = position.repeat_interleave(n)[:, None] * frequencies
        x = position.repeat(n)[:, None] * frequencies
        angles = torch.cat([y, y, x, x], dim=-1)  # [n * n, head_size]
        self.register_buffer("cos", angles.cos().float(), persistent=False)
        self.register_buffer("sin", angles.sin().float(), persistent=False)

    def forward(self, u):
        a, b, c, d = u.chunk(4, dim=-1)
        turned = torch.cat([-b, a, -d, c], dim=-1)
        return (u * self.cos + turned * self.sin).to(u.dtype)


class Attention(nn.Module):
    """Self-attention over axis 1 of x [B, T, d]."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, rope=None):
        batch, length, dim = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, dim // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)  # [B, heads, T, d / heads]
        if rope is not None:
            q, k = rope(q), rope(k)
        mixed = F.scaled_dot_product_attention(q, k, v)
        return self.proj(mixed.transpose(1, 2).reshape(batch, length, dim))


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class VitBlock(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        dim, eps = encoder["dim"], encoder["norm_eps"]
        self.norm1 = nn.LayerNorm(dim, eps)
        self.attn = Attention(dim, encoder["heads"])
        self.norm2 = nn.LayerNorm(dim, eps)
        self.mlp = FeedForward(dim, encoder["hidden"])

    def forward(self, x, rope):
        x = x + self.attn(self.norm1(x), rope)
        return x + self.mlp(self.norm2(x))


# ---- Encoders: frames [B, 3, S, S] -> tokens [B, N, dim] -------------------------------------------------------------

def channel_norm(norm, x):
    """Layer norm over the channels of x [B, C, H, W]."""
    return norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class StemBlock(nn.Module):
    def __init__(self, channels, eps):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.LayerNorm(channels, eps)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return x + self.conv2(F.gelu(channel_norm(self.norm, self.conv1(x))))


class StemStage(nn.Module):
    def __init__(self, c_in, channels, blocks, eps):
        super().__init__()
        self.conv = nn.Conv2d(c_in, channels, 3, stride=2, padding=1)
        self.norm = nn.LayerNorm(channels, eps)
        self.blocks = nn.ModuleList(StemBlock(channels, eps) for _ in range(blocks))

    def forward(self, x):
        x = F.gelu(channel_norm(self.norm, self.conv(x)))
        for block in self.blocks:
            x = block(x)
        return x


class Encoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        encoder = config["encoder"]
        if encoder["kind"] == "pair":
            widths = [6, *encoder["channels"]]
            self.stem = nn.ModuleList(StemStage(c_in, c, blocks, encoder["norm_eps"])
                                      for c_in, c, blocks in zip(widths, encoder["channels"], encoder["blocks"]))
        else:
            patch = encoder["patch"]
            self.patch_embed = nn.Conv2d(3, encoder["dim"], patch, stride=patch)
        self.blocks = nn.ModuleList(VitBlock(encoder) for _ in range(encoder["depth"]))
        self.norm = nn.LayerNorm(encoder["dim"], encoder["norm_eps"])
        n = config["input"]["size"] // encoder.get("patch", PAIR_PATCH)
        self.rope = GridRope(n, encoder["dim"] // encoder["heads"], encoder["rope_base"])

    def forward(self, current, previous):
        if hasattr(self, "stem"):
            x = torch.cat([previous, current], dim=1).contiguous(memory_format=torch.channels_last)
            for stage in self.stem:
                x = stage(x)
        else:
            x = self.patch_embed(current)
        x = x.flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = block(x, self.rope)
        return self.norm(x)


# ---- Decoder: tokens of windows [W, K, N, dim] -> descriptors [W, (1 + K) * d] ---------------------------------------

class TimeAttention(Attention):
    """Over the frames of a window, at each place; followed by a separate linear map."""

    def __init__(self, dim, heads, eps):
        super().__init__(dim, heads)
        self.norm = nn.LayerNorm(dim, eps)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        windows, frames, tokens, dim = x.shape
        by_place = self.norm(x).transpose(1, 2).reshape(windows * tokens, frames, dim)
        mixed = super().forward(by_place).view(windows, tokens, frames, dim).transpose(1, 2)
        return self.out(mixed)


class SpaceAttention(Attention):
    def __init__(self, dim, heads, eps):
        super().__init__(dim, heads)
        self.norm = nn.LayerNorm(dim, eps)

    def forward(self, z):
        return super().forward(self.norm(z).flatten(0, 1)).view(z.shape)


class NormedFeedForward(FeedForward):
    def __init__(self, dim, hidden, eps):
        super().__init__(dim, hidden)
        self.norm = nn.LayerNorm(dim, eps)

    def forward(self, x):
        return super().forward(self.norm(x))


class DecoderBlock(nn.Module):
    """Equations (1)-(3) on z [W, K, 1 + N, d], where every frame has a slot for the camera token; the slots are equal
    before and after."""

    def __init__(self, decoder):
        super().__init__()
        dim, heads, eps = decoder["dim"], decoder["heads"], decoder["norm_eps"]
        self.time = TimeAttention(dim, heads, eps)
        self.space = SpaceAttention(dim, heads, eps)
        self.ffn = NormedFeedForward(dim, decoder["hidden"], eps)

    def forward(self, z):
        x = z[:, :, 1:]
        z = torch.cat([z[:, :, :1], x + self.time(x)], dim=2)
        z = z + self.space(z)
        camera = z[:, :, :1].mean(dim=1, keepdim=True).expand(-1, z.shape[1], -1, -1)
        z = torch.cat([camera, z[:, :, 1:]], dim=2)
        return z + self.ffn(z)


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        decoder, encoder = config["decoder"], config["encoder"]
        dim, n = decoder["dim"], config["input"]["size"] // encoder.get("patch", PAIR_PATCH)
        if encoder["dim"] != dim:
            self.input = nn.Linear(encoder["dim"], dim)
        self.pos_embed = nn.Parameter(torch.empty(n * n, dim))
        self.time_embed = nn.Parameter(torch.empty(config["window"], dim))
        self.camera = nn.Parameter(torch.empty(dim))
        if config["input"].get("aspect", False):
            self.aspect = nn.Parameter(torch.empty(dim))  # of no effect here: the images are square
        self.blocks = nn.ModuleList(DecoderBlock(decoder) for _ in range(decoder["depth"]))

    def forward(self, tokens):
        x = tokens + self.pos_embed + self.time_embed[:, None]
        camera = self.camera.expand(x.shape[0], x.shape[1], 1, -1)
        z = torch.cat([camera, x], dim=2)
        for block in self.blocks:
            z = block(z)
        frames = z[:, :, 1:].float().mean(dim=2)
        return torch.cat([z[:, 0, 0].float(), frames.flatten(1)], dim=1)


class Network(nn.Module):
    """Encoder and decoder in one type; descriptors and head in F32, as calfvo has them."""

    def __init__(self, config):
        super().__init__()
        if config["encoder"]["kind"] not in ("croco", "pair") or config["decoder"]["kind"] != "time_space":
            raise SystemExit("error: the peer knows encoders croco and pair, and the decoder time_space")
        head, window = config["head"], config["window"]
        values = ROTATION_VALUES[head["rotation"]] + 3 + (2 if head["confidence"] else 0)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.head = nn.Linear((1 + window) * config["decoder"]["dim"], (window - 1) * values)

    def encode(self, current, previous):
        """F32 images [B, 3, S, S] -> tokens [B, N, d] for the decoder."""
        dtype = self.decoder.camera.dtype
        tokens = self.encoder(current.to(dtype), previous.to(dtype))
        return self.decoder.input(tokens) if hasattr(self.decoder, "input") else tokens

    def decode(self, tokens):
        """Tokens [W, K, N, d] -> raw values [W, (K - 1) * m], F32."""
        return self.head(self.decoder(tokens))


def load_network(weights, config, dtype, device):
    network = Network(config)
    network.load_state_dict(weights, strict=True)
    network.requires_grad_(False)
    for part in (network.encoder, network.decoder):
        for parameter in part.parameters():  # not the tables of the rotary embedding
            parameter.data = parameter.data.to(dtype)
    return network.to(device)
