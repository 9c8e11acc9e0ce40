"""Positions that are counted and looked up in a table: the table's length is a condition of the model."""

from __future__ import annotations

import pytest

from tests.models import checked, contract, faults

TABLE = """g (float[P] past, float[N] x, float[16, 2] table) => (float[] y)
    <int64 zero = {{0}}, int64 one = {{1}}, int64 two = {{2}}, int64[1] front = {{0}}, int64[2] row = {{1, -1}},
     int64[2] pair = {{0, 3}}, int64 minus = {{-1}}> {{
        sn = Shape(x) n = Squeeze(sn)
        sp = Shape(past) p = Squeeze(sp)
        t = Add(p, n)
        {nodes}
        y = Gather(table, i)
    }}"""


def conditions(nodes: str) -> list[str]:
    return contract(checked(TABLE.format(nodes=nodes)))


@pytest.mark.parametrize(
    ("nodes", "condition"),
    [
        ("i = Range(zero, n, one)", "N <= 16"),
        ("i = Range(p, t, one)", "N + P <= 16 or N == 0"),
        ("r = Range(zero, n, one) i = Unsqueeze(r, front)", "N <= 16"),
        ("r = Range(zero, n, one) i = Cast<to = 6>(r)", "N <= 16"),
        ("r = Range(zero, n, one) i = Add(r, two)", "N <= 14"),
        ("r = Range(zero, n, one) i = Add(p, r)", "N + P <= 16 or N == 0"),
        ("r = Range(zero, n, one) i = Mul(r, two)", "N <= 8"),
        ("r = Range(zero, n, one) i = Sub(r, two)", "N <= 18"),
        ("r = Range(n, zero, minus) i = Reshape(r, row)", "N <= 15"),
    ],
)
def test_the_table_must_be_long_enough(nodes: str, condition: str) -> None:
    assert condition in conditions(nodes)


@pytest.mark.parametrize(
    "nodes",
    [
        "r = Range(zero, n, two) i = Identity(r)",
        "r = Range(zero, n, one) i = Add(r, pair)",
        "r = Range(zero, n, one) i = Mul(r, minus)",
        "r = Range(zero, n, one) i = Slice(r, front, sp)",
    ],
)
def test_an_entry_that_may_not_be_there_asks_for_nothing(nodes: str) -> None:
    """Its bound would be an error where the model runs."""
    assert not any("16" in c for c in conditions(nodes))


MASK = """g (int64[B, S] tokens, float[B, P] past, bool[M, T] mask) => (bool[] seen)
    <int64 zero = {{0}}, int64 one = {{1}}, int64[1] front = {{0}}, int64[1] last = {{-1}}, int64[2] pair = {{0, 1}}> {{
        sb = Shape<start = 0, end = 1>(tokens) b = Squeeze(sb)
        ss = Shape<start = 1, end = 2>(tokens) s = Squeeze(ss)
        sp = Shape<start = 1, end = 2>(past) p = Squeeze(sp)
        t = Add(p, s)
        rows = Range(zero, b, one) row = Unsqueeze(rows, last)
        columns = Range(zero, t, one) column = Unsqueeze(columns, front)
        both = Max(row, column) whole = Shape(both)
        r = Expand(row, whole) r1 = Unsqueeze(r, last)
        c = Expand(column, whole) c1 = Unsqueeze(c, last)
        {nodes}
    }}"""


@pytest.mark.parametrize(
    ("nodes", "conditions"),
    [
        (
            "i = Concat<axis = -1>(r1, c1) seen = GatherND(mask, i)",
            ["B <= M or P == 0 and S == 0", "P + S <= T or B == 0"],
        ),
        (
            "i = Concat<axis = 2>(c1, r1) other = Identity(i) seen = GatherND(mask, i)",
            ["B <= T or P == 0 and S == 0", "P + S <= M or B == 0"],
        ),
        ("i = Concat<axis = 1>(r, c) seen = GatherND(mask, i)", []),
        ("i = Concat<axis = -1>(r1, c1) back = Transpose<perm = [2, 1, 0]>(i) seen = GatherND(mask, back)", []),
    ],
)
def test_tuples_of_positions_must_lie_on_the_axes_that_they_index(nodes: str, conditions: list[str]) -> None:
    found = contract(checked(MASK.format(nodes=nodes)))
    assert sorted(c for c in found if "M" in c or "T" in c) == conditions


def test_a_mask_that_is_too_short_fails_where_it_is_looked_up() -> None:
    model = MASK.format(nodes="i = Concat<axis = -1>(r1, c1) seen = GatherND(mask, i)")
    sizes = {"B": 2, "M": 2, "S": 3, "P": 4}
    assert faults(checked(model, bind={**sizes, "T": 7})) == []
    assert len(faults(checked(model, bind={**sizes, "T": 6}))) == 1
    assert faults(checked(model, bind={"B": 0, "M": 0, "S": 3, "P": 4, "T": 6})) == []


def test_the_node_that_looks_up_is_the_one_that_fails() -> None:
    model = TABLE.format(nodes="i = Range(p, t, one)")
    assert faults(checked(model, bind={"P": 10, "N": 6})) == []
    assert faults(checked(model, bind={"P": 20, "N": 0})) == [], "of no positions none is outside"
    report = checked(model, bind={"P": 10, "N": 7})
    assert faults(report) == ["error index-out-of-range @ 6"]
    report = checked(TABLE.format(nodes="b = Range(p, t, one) i = Identity(b)").replace("float[N]", "float[5000]"))
    assert faults(report) == ["error index-out-of-range @ 7"]
    assert report.diagnostics[0].message.startswith("indices P to P + 4999 are out of range for axis 0 of data")


class TestPositionsOfAConstant:
    """As BERT looks up its table: the first ``seq`` entries of a constant that counts up."""

    def model(self, rows: int, positions: str = "0, 1, 2, 3, 4, 5, 6, 7") -> str:
        return f"""g (int64[batch, seq] ids, float[{rows}, 2] table) => (float[] y)
            <int64[1, 8] positions = {{{positions}}}, int64[1] zero = {{0}}, int64[1] one = {{1}}> {{
                n = Shape<start = 1, end = 2>(ids)
                some = Slice(positions, zero, n, one)
                y = Gather(table, some)
            }}"""

    def test_a_table_that_is_shorter_is_a_warning_and_a_condition(self) -> None:
        report = checked(self.model(4))
        assert faults(report) == ["warning index-out-of-range @ 2"]
        assert report.diagnostics[0].message == "indices go up to 7, outside axis 0 of data, which is 4"
        assert contract(report) == ["seq <= 4"]

    @pytest.mark.parametrize("rows", [8, 9])
    def test_a_table_that_is_as_long_is_quiet(self, rows: int) -> None:
        report = checked(self.model(rows))
        assert (faults(report), contract(report)) == ([], [])

    def test_a_size_that_fits_is_quiet(self) -> None:
        assert faults(checked(self.model(4), bind={"seq": 4})) == []

    def test_a_size_that_does_not_is_an_error(self) -> None:
        assert faults(checked(self.model(4), bind={"seq": 5})) == ["error index-out-of-range @ 2"]

    def test_entries_that_do_not_count_up_ask_for_nothing(self) -> None:
        """Which of them a slice has is not known."""
        assert contract(checked(self.model(4, "7, 1, 2, 3, 0, 5, 6, 4"))) == []
