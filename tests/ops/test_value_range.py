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
