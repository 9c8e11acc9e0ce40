"""What a page folds: modules, equal blocks and stretches."""

from __future__ import annotations

from random import Random

from hypothesis import given

from shapeinfer.report.page.blocks import LEAST_SAVED, MOST_FLAT, Block, Cell, Item, Repeat, folded
from tests.infer.graphs import for_each, randoms


def chain(
    tokens: str, modules: list[str] | None = None, hidden: str = "", weights: list[str] | None = None
) -> list[Cell]:
    """Cells of which each reads the one before, the first an input."""
    return [
        Cell(
            i,
            token,
            modules[i] if modules else "",
            [(i - 1, 0)],
            token in hidden,
            weights[i] if weights else "",
        )
        for i, token in enumerate(tokens)
    ]


def text(items: list[Item], cells: list[Cell]) -> str:
    """Parts in one line: tokens, ``title[...]`` for a block and ``3*[...]`` for a repeat."""
    return "".join(
        str(cells[item].token)
        if isinstance(item, int)
        else f"{item.title}[{text(item.items, cells)}]"
        if isinstance(item, Block)
        else f"{len(item.blocks)}*[{text(item.blocks[0].items, cells)}]"
        for item in items
    )


def parts(cells: list[Cell]) -> str:
    return text(folded(cells), cells)


def order(items: list[Item]) -> list[int]:
    return [
        p
        for item in items
        for p in (
            [item]
            if isinstance(item, int)
            else order(item.items)
            if isinstance(item, Block)
            else [q for block in item.blocks for q in order(block.items)]
        )
    ]


def test_equal_blocks_are_one() -> None:
    assert parts(chain("ab" + "cdef" * 9 + "g")) == "ab9*[cdef]g"


def test_a_few_nodes_are_not_worth_it() -> None:
    assert parts(chain("cdef" * 3)) == "cdef" * 3
    assert LEAST_SAVED > 8


def test_blocks_of_blocks() -> None:
    assert parts(chain(("a" + "bc" * 8) * 5)) == "5*[a8*[bc]]"


def test_a_block_begins_where_fewest_values_cross() -> None:
    cells = chain("x" + "nmpa" * 6)
    # the last of each four adds what its first reads
    cells = [Cell(c.index, c.token, "", [*c.reads, *[(c.index - 4, 0)] * (c.token == "a")]) for c in cells]
    assert parts(cells) == "x6*[nmpa]"


def test_of_places_that_are_as_good_a_block_begins_where_its_weights_do() -> None:
    cells = chain("cd" + "abcd" * 9 + "ab", weights=[f"layers.{(i + 2) // 4}.w" for i in range(40)])
    found = next(item for item in folded(cells) if isinstance(item, Repeat))
    assert [block.title for block in found.blocks][:3] == ["layers.1", "layers.2", "layers.3"]


def test_blocks_that_are_connected_otherwise_are_not_equal() -> None:
    cells = chain("abcd" * 8)
    other = [Cell(c.index, c.token, "", [(c.index - 2, 0)] if c.index == 18 else c.reads) for c in cells]
    assert parts(cells) == "8*[abcd]"
    assert parts(other) == f"4*[abcd][{'abcd' * 4}]"


def test_modules_are_blocks_and_equal_layers_one() -> None:
    modules = ["m.embed"] * 3 + [f"m.layers.{i}" for i in range(4) for _ in range(5)] + ["m.head"] * 3
    assert parts(chain("xyz" + "abcde" * 4 + "uvw", modules)) == "embed[xyz]4*[abcde]head[uvw]"


def test_modules_inside_modules() -> None:
    modules = ["m.a.b"] * 3 + ["m.a.c"] * 3 + ["m.d"] * 3 + ["m.e"]
    assert parts(chain("abcdefghij", modules)) == "a[b[abc]c[def]]d[ghi]j"


def test_a_node_without_a_module_is_in_what_its_neighbours_are_both_in() -> None:
    modules = ["m.a", "m.a", "", "m.a", "", "m.b", "m.b", "m.b"]
    assert parts(chain("abcdefgh", modules)) == "a[abcd]eb[fgh]"


def test_names_of_modules_that_differ_in_more_than_numbers_are_not_equal_layers() -> None:
    modules = [f"m.{name}" for name in ("query", "key", "value") for _ in range(8)]
    assert parts(chain("abcdefgh" * 3, modules)) == "query[abcdefgh]key[abcdefgh]value[abcdefgh]"


def test_what_is_hidden_makes_no_difference() -> None:
    cells = chain("a" + "bcde" * 3 + "bchde" + "bcde" * 2, hidden="h")
    assert cells[15].hidden
    cells[16] = Cell(16, "d", "", [(14, 0)])  # nobody reads what is hidden
    assert parts(cells) == "a6*[bcde]"


def test_a_long_graph_is_divided() -> None:
    count = 3 * MOST_FLAT
    cells = [Cell(i, i, "", [(i - 1, 0)] if i else []) for i in range(count)]
    found = folded(cells)
    assert all(isinstance(item, Block) for item in found)
    assert len(found) < 20
    assert order(found) == list(range(count))


@for_each(30)
@given(randoms)
def test_every_cell_is_in_one_part_and_in_order(random: Random) -> None:
    count = random.randint(0, 80)
    kinds = random.randint(1, 4)
    names = ["", "m", "m.a", "m.b.0", "m.b.1", "m.b.1.c"]
    cells = [
        Cell(
            i,
            random.randrange(kinds),
            random.choice(names),
            [(random.randrange(-1, i), 0) for _ in range(random.randrange(3))],
            random.random() < 0.2,
        )
        for i in range(count)
    ]
    assert order(folded(cells)) == list(range(count))
