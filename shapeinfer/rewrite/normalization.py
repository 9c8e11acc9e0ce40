"""Recognize what runtimes fuse into one normalization, so that rewrites leave it as they expect it."""

from __future__ import annotations

from shapeinfer.rewrite.site import Site


def is_normalized(site: Site, name: str) -> bool:
    """Whether a value was just divided by a root, as a layer normalization does before it scales and shifts."""
    at = _producer(site, name)
    if at is None:
        return False
    op, inputs = site.op(at), site.nodes[at].inputs
    if op == "Div":
        return _is_root(site, inputs[1])
    return op == "Mul" and any(_is_inverse_root(site, i) for i in inputs)


def is_scaled(site: Site, name: str) -> bool:
    """Whether a value is a normalized one times its scale."""
    at = _producer(site, name)
    return at is not None and site.op(at) == "Mul" and any(is_normalized(site, i) for i in site.nodes[at].inputs)


def _producer(site: Site, name: str) -> int | None:
    """Return the node that computes a value, or what a Cast turns into it."""
    at = site.producers.get(name)
    while at is not None and site.op(at) == "Cast":
        at = site.producers.get(site.nodes[at].inputs[0])
    return at


def _is_root(site: Site, name: str) -> bool:
    at = _producer(site, name)
    return at is not None and site.op(at) in ("Sqrt", "Pow")


def _is_inverse_root(site: Site, name: str) -> bool:
    at = _producer(site, name)
    if at is None:
        return False
    op = site.op(at)
    return op == "Pow" or (op in ("Reciprocal", "Div") and _is_root(site, site.nodes[at].inputs[-1]))
