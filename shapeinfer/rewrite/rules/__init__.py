"""The rewrites, one module each, in the order in which they are tried at a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shapeinfer.rewrite.rule import Rule
from shapeinfer.rewrite.rules.add_zero import add_zero
from shapeinfer.rewrite.rules.broadcast_by_reader import broadcast_by_reader
from shapeinfer.rewrite.rules.common_subexpression import common_subexpression
from shapeinfer.rewrite.rules.constant_folding import constant_folding
from shapeinfer.rewrite.rules.conv_batchnorm import conv_batchnorm
from shapeinfer.rewrite.rules.copy import copy
from shapeinfer.rewrite.rules.duplicate import duplicate
from shapeinfer.rewrite.rules.expand_target import expand_target
from shapeinfer.rewrite.rules.gather_all import gather_all
from shapeinfer.rewrite.rules.gather_one import gather_one
from shapeinfer.rewrite.rules.inverse_pair import inverse_pair
from shapeinfer.rewrite.rules.known_branch import known_branch
from shapeinfer.rewrite.rules.known_trips import known_trips
from shapeinfer.rewrite.rules.known_value import known_value
from shapeinfer.rewrite.rules.matmul_add import matmul_add
from shapeinfer.rewrite.rules.moved_twice import moved_twice
from shapeinfer.rewrite.rules.neutral_operand import neutral_operand
from shapeinfer.rewrite.rules.pad_into_window import pad_into_window
from shapeinfer.rewrite.rules.reshape_target import reshape_target
from shapeinfer.rewrite.rules.shape_around import shape_around
from shapeinfer.rewrite.rules.shape_of_input import shape_of_input
from shapeinfer.rewrite.rules.shape_parts import shape_parts
from shapeinfer.rewrite.rules.transpose_of_merged import transpose_of_merged
from shapeinfer.rewrite.rules.zero_state import zero_state

RULES: Sequence[Rule] = (
    known_branch,
    known_trips,
    known_value,
    constant_folding,
    copy,
    neutral_operand,
    add_zero,
    zero_state,
    inverse_pair,
    common_subexpression,
    duplicate,
    shape_of_input,
    shape_parts,
    reshape_target,
    expand_target,
    broadcast_by_reader,
    transpose_of_merged,
    shape_around,
    moved_twice,
    gather_one,
    gather_all,
    pad_into_window,
    matmul_add,
    conv_batchnorm,
)
"""What is tried at each node; the first that applies does."""

BY_NAME: Mapping[str, Rule] = {rule.name: rule for rule in RULES}
