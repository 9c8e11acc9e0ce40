"""Operators with subgraphs: the engine infers them, this module declares their signatures."""

from __future__ import annotations

from shapeinfer.ops.openvino.schema import ANY, INDEX, operator

operator("If(cond: bool, inputs*?!: T) -> outputs*?!: T", since=8, T=ANY)
operator("Loop(trip_count: I, execution_condition: bool, inputs*?!: T) -> outputs*?!: T", since=5, I=INDEX, T=ANY)
operator("TensorIterator(inputs*?!: T) -> outputs*?!: T", T=ANY)
