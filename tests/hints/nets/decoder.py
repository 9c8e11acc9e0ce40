"""A decoder with rotary positions, grouped heads and a cache of keys and values."""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        dtype = x.dtype
        x = x.to(torch.float32)
        variance = x.pow(2).mean(-1, keepdim=True)
        x = x * torch.rsqrt(variance + 1e-6)
        return self.weight * x.to(dtype)


def rotate_half(x: Tensor) -> Tensor:
    """Rotate half of the hidden dims."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rotary(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    cos = cos.unsqueeze(1)
    sin = sin.unsqueeze(1)
    q_embed = (q * cos) + (rotate_half(q) * sin)
    k_embed = (k * cos) + (rotate_half(k) * sin)
    return q_embed, k_embed


def repeat_kv(x: Tensor, times: int) -> Tensor:
    if times == 1:
        return x
    batch, heads, length, size = x.shape
    x = x[:, :, None, :, :].expand(batch, heads, times, length, size)
    return x.reshape(batch, heads * times, length, size)


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, groups: int) -> None:
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, groups * self.size, bias=False)
        self.v_proj = nn.Linear(width, groups * self.size, bias=False)
        self.o_proj = nn.Linear(width, width, bias=False)

    def forward(self, x, cos, sin, mask, past):
        batch, seq, _ = x.shape
        q = self.q_proj(x).view(batch, seq, self.heads, self.size).transpose(1, 2)
        k = self.k_proj(x).view(batch, seq, self.groups, self.size).transpose(1, 2)
        v = self.v_proj(x).view(batch, seq, self.groups, self.size).transpose(1, 2)
        q, k = rotary(q, k, cos, sin)
        past_k, past_v = past
        k = torch.cat([past_k, k], dim=2)
        v = torch.cat([past_v, v], dim=2)
        present = (k, v)
        k = repeat_kv(k, self.heads // self.groups)
        v = repeat_kv(v, self.heads // self.groups)
        weights = torch.matmul(q, k.transpose(2, 3)) * self.size**-0.5
        weights = weights + mask
        weights = nn.functional.softmax(weights, dim=-1, dtype=torch.float32).to(q.dtype)
        out = torch.matmul(weights, v)
        out = out.transpose(1, 2).contiguous()
        out = out.reshape(batch, seq, -1).contiguous()
        out = self.o_proj(out)
        return out, present


class Mlp(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(width, 2 * width, bias=False)
        self.up_proj = nn.Linear(width, 2 * width, bias=False)
        self.down_proj = nn.Linear(2 * width, width, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        down_proj = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))
        return down_proj


class Layer(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.input_norm = RMSNorm(width)
        self.attention = Attention(width, 4, 2)
        self.post_norm = RMSNorm(width)
        self.mlp = Mlp(width)

    def forward(self, x, cos, sin, mask, past):
        residual = x
        x = self.input_norm(x)
        x, present = self.attention(x, cos, sin, mask, past)
        x = residual + x
        residual = x
        x = self.post_norm(x)
        x = self.mlp(x)
        x = residual + x
        return x, present


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.layers = nn.ModuleList([Layer(16), Layer(16)])
        self.norm = RMSNorm(16)
        self.lm_head = nn.Linear(16, 50, bias=False)
        self.register_buffer("inv_freq", 1.0 / (10000 ** (torch.arange(0, 4, 2).float() / 4)), persistent=False)

    def angles(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        freqs = positions[..., None].float() * self.inv_freq
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos(), emb.sin()

    def forward(self, ids: Tensor, past):
        past_len = past[0][0].shape[2]
        seq = ids.shape[1]
        positions = torch.arange(past_len, past_len + seq, device=ids.device).unsqueeze(0)
        total = torch.arange(past_len + seq, device=ids.device)
        allowed = total[None, :] <= positions[0][:, None]
        mask = torch.where(allowed, 0.0, torch.finfo(torch.float32).min)
        mask = mask[None, None]
        cos, sin = self.angles(positions)
        x = self.embed(ids)
        presents = []
        for layer, cache in zip(self.layers, past):
            x, present = layer(x, cos, sin, mask, cache)
            presents.append(present)
        x = self.norm(x)
        logits = self.lm_head(x[:, -1:])
        return logits, presents


def net() -> nn.Module:
    return Decoder()


def inputs(batch: int, seq: int, past: int) -> tuple[object, ...]:
    cache = [(torch.randn(batch, 2, past, 4), torch.randn(batch, 2, past, 4)) for _ in range(2)]
    return torch.randint(0, 50, (batch, seq)), cache


_CACHE = {0: "batch", 2: "past"}
SIZES = ({"batch": 2, "seq": 3, "past": 7}, {"batch": 3, "seq": 5, "past": 4})
DYNAMIC = ({0: "batch", 1: "seq"}, [(_CACHE, _CACHE), (_CACHE, _CACHE)])
