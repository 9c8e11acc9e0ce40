"""The cost model: parameters, multiply-adds and memory, as formulas of the input dims."""

from shapeinfer.cost.cost import Cost, NodeCost, cost_of, live_sets_of
from shapeinfer.cost.liveness import LiveSet
from shapeinfer.cost.stored import bytes_of, elements_of

__all__ = ["Cost", "LiveSet", "NodeCost", "bytes_of", "cost_of", "elements_of", "live_sets_of"]
