"""What is shown in a Python program of the models that were exported from it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from attrs import evolve

from shapeinfer import check
from shapeinfer.config.discovery import settings_from
from shapeinfer.editors.sources.calls import call_at, parsed, plain
from shapeinfer.editors.sources.configured import configured
from shapeinfer.editors.sources.models import Checked, Models, stamp_of
from shapeinfer.editors.sources.modules import instances, of_class, summary
from shapeinfer.editors.sources.view import View, is_of_another, lines_of, view
from tests.each import each

PROGRAMS = Path(__file__).parents[1] / "data" / "programs"
TEXT = (PROGRAMS / "model.py").read_text(encoding="utf-8")
BROKEN = TEXT.replace("self.position(positions)", "self.position(positions + 64)")
LATER = 1 << 62
RUN = "        hidden = self.first(x)\n"


def checked(name: str, path: str = "") -> Checked:
    """A model of the folder, as if it were elsewhere."""
    report = check(str(PROGRAMS / name))
    return Checked(Path(path or f"/out/{name}"), (LATER, 0, 0), report, instances(report))


MODEL, FAULTY = checked("model.onnx"), checked("broken.onnx")


def seen(text: str, *models: Checked, file: Path = PROGRAMS / "model.py") -> View:
    return view(file, text, models, {})


def hints(found: View) -> dict[str, str]:
    """The hints by the text of the last line of their statements."""
    return {found.lines[s.last - 1].strip(): s.text for s in found.types}


WHOLE = seen(TEXT, MODEL)


class TestEdits:
    """An edit takes away what stood where it was made, at once and nothing else."""

    def test_a_line_that_changed_has_none(self) -> None:
        after = WHOLE.on(TEXT.replace(RUN, "        hidden = self.second(x)\n"))
        assert hints(WHOLE).items() - hints(after).items() == {
            ("hidden = self.first(x)", "f32[batch, seq, 64] | f32[batch, seq, 96]")
        }

    def test_a_statement_of_several_lines_goes_with_any_of_them(self) -> None:
        assert ")" in hints(WHOLE)
        assert ")" not in hints(WHOLE.on(TEXT.replace("            hidden,\n", "            hidden + 1,\n")))
        assert ")" not in hints(
            WHOLE.on(TEXT.replace("            hidden,\n", "            hidden,\n            2,\n"))
        )

    def test_lines_that_moved_keep_theirs(self) -> None:
        assert hints(WHOLE.on(f"# a comment\n\n{TEXT}")) == hints(WHOLE)
        assert hints(WHOLE.on(TEXT.replace(RUN, f"        x = x + 1\n{RUN}"))) == hints(WHOLE)

    def test_while_a_line_is_half_written_the_others_keep_theirs(self) -> None:
        half = TEXT.replace("        mixed = ", "        mixed = ((((")
        assert hints(WHOLE).keys() - hints(WHOLE.on(half)).keys() == {"mixed = (weights @ v).transpose(1, 2)"}

    def test_what_is_no_statement_any_more_has_none(self) -> None:
        quoted = TEXT.replace(RUN, f'        """\n{RUN}        """\n')
        assert "hidden = self.first(x)" not in hints(WHOLE.on(quoted))

    def test_a_line_that_was_copied_has_none_as_nobody_knows_which_it_is(self) -> None:
        assert "hidden = self.first(x)" not in hints(WHOLE.on(TEXT.replace(RUN, RUN + RUN)))

    def test_lenses_and_findings_go_too(self) -> None:
        broken = seen(BROKEN, FAULTY)
        assert [lens.first for lens in WHOLE.on(f"\n{TEXT}").lenses] == [lens.first + 1 for lens in WHOLE.lenses]
        assert len(WHOLE.on(TEXT.replace(RUN, "")).lenses) == len(WHOLE.lenses) - 1
        assert [f.first for f in broken.on(f"\n{BROKEN}").findings] == [f.first + 1 for f in broken.findings]
        assert broken.on(TEXT).findings == ()

    def test_an_indented_finding_keeps_its_span(self) -> None:
        tabs = BROKEN.replace("    ", "\t")
        (fault,) = seen(BROKEN, FAULTY).on(tabs).findings
        assert tabs.split("\n")[fault.first - 1][fault.start : fault.end] == "self.position(positions + 64)"


class TestModels:
    """Several models, and models of another state of the program."""

    def test_equal_types_of_several_models_are_one(self) -> None:
        assert hints(seen(TEXT, MODEL, checked("model.onnx", "/out/other.onnx"))) == hints(WHOLE)

    def test_of_a_statement_that_two_record_differently_the_nearer_counts(self) -> None:
        both = seen(BROKEN, MODEL, FAULTY)
        assert hints(both) == hints(seen(BROKEN, FAULTY))
        assert hints(seen(TEXT, MODEL, FAULTY)) == hints(WHOLE)

    def test_a_finding_stands_at_its_call(self) -> None:
        (fault,) = seen(BROKEN, FAULTY).findings
        assert fault.diagnostic.code.name == "degenerate-sizes-only"
        assert BROKEN.split("\n")[fault.first - 1][fault.start : fault.end] == "self.position(positions + 64)"

    def test_of_an_edited_program_statements_of_several_lines_are_unknown(self) -> None:
        assert ")" not in hints(seen(TEXT.replace(RUN, "        hidden = self.second(x)\n"), MODEL))

    def test_unless_they_were_seen_when_the_model_was_new(self) -> None:
        known: dict[tuple[Path, object], frozenset[str]] = {}
        edited = TEXT.replace(RUN, "        hidden = self.second(x)\n")
        found = [hints(view(PROGRAMS / "model.py", text, [MODEL], known)) for text in (TEXT, edited)]
        assert [")" in h for h in found] == [True, True]

    def test_nor_is_one_known_that_differs_from_the_file_or_whose_file_was_written_since(self) -> None:
        assert ")" not in hints(seen(TEXT.replace("            hidden,\n", "            hidden + 1,\n"), MODEL))
        assert ")" not in hints(seen(TEXT, evolve(MODEL, stamp=(0, 0, 0))))

    def test_a_program_of_another_name_has_nothing(self) -> None:
        assert seen(TEXT, MODEL, file=Path("/home/other.py")).types == ()

    def test_a_file_that_ends_alike_for_longer_is_the_one(self, tmp_path: Path) -> None:
        for version in ("v1", "v2"):
            (tmp_path / version).mkdir()
            (tmp_path / version / "model.py").touch()
        assert not is_of_another("/ci/v1/model.py", tmp_path / "v1" / "model.py")
        assert is_of_another("/ci/v1/model.py", tmp_path / "v2" / "model.py")
        assert is_of_another("C:\\ci\\v1\\model.py", tmp_path / "v2" / "model.py")
        assert not is_of_another("/ci/v3/model.py", tmp_path / "v2" / "model.py")
        assert not is_of_another("../model.py", tmp_path / "v2" / "model.py")
        assert not is_of_another(f"/{'v' * 300}/model.py", tmp_path / "v2" / "model.py")


def test_a_class_costs_what_its_instances_do() -> None:
    of_layer, of_model = (of_class(MODEL.modules, name, "model.py") for name in ("Layer", "Model"))
    assert [one.path for one in of_layer] == ["layers.0", "layers.1"]
    # attention 4*(32*32 + 32), then 32*64 + 64 and 64*32 + 32, or the same with 96
    assert [one.parameters for one in of_layer] == [4224 + 4192, 4224 + 6272]
    assert summary(of_layer).startswith("2 instances, each 8,416 | 10,496 parameters, ")
    assert summary(of_model).startswith("requires seq <= 64, 53,290 parameters, 128*batch*seq**2 + ")
    assert of_class(MODEL.modules, "Layer", "other.py") == []


@each(
    [
        ("  # no", ("view",), "# no"),
        ("y = x.view(2).relu()", ("view",), "x.view(2)"),
        ("y = x.reshape(2) + x", ("view",), "x.reshape(2)"),
        ("y = x @ w + b", ("matmul",), "x @ w"),
        ("y = x @ w + b", ("add",), "x @ w + b"),
        ("y = self.fc(x)", ("linear", "fc"), "self.fc(x)"),
        ("größe = x.view(2)", ("_unsafe_view",), "x.view(2)"),
        ("y = x.view(2) + x.view(3)", ("view",), "y = x.view(2) + x.view(3)"),
        ("y = f(x)", (), "y = f(x)"),
    ]
)
def test_a_call_has_its_own_span(line: str, names: tuple[str, ...], expected: str) -> None:
    found = call_at(parsed(line.strip()), lines_of(line), 1, frozenset(map(plain, names)))
    assert line[found.start : found.end] == expected


class TestFiles:
    """Which models are looked at, and what becomes of a file that changes."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        for name in ("out/a.onnx", "out/deep/b.onnx", "c.onnx", ".hidden/d.onnx", "out/text.txt"):
            (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
            shutil.copy(PROGRAMS / "model.onnx", tmp_path / name)
            os.utime(tmp_path / name, (0, 0))
        return tmp_path

    def found(self, folder: Path, text: str) -> list[str]:
        (folder / "shapeinfer.toml").write_text(text, encoding="utf-8")
        return [p.relative_to(folder).as_posix() for p in configured(settings_from(folder / "shapeinfer.toml"))]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ('models = ["out/*.onnx"]', ["out/a.onnx"]),
            ('models = ["out/**/*.onnx", "c.onnx"]', ["c.onnx", "out/a.onnx", "out/deep/b.onnx"]),
            ('models = ["out/"]', ["out/a.onnx", "out/deep/b.onnx"]),
            ('models = ["*.onnx", "*.txt"]\nexclude = ["deep"]', ["c.onnx", "out/a.onnx"]),
            ('[[models]]\npath = ["*.onnx", "!c.onnx"]', ["out/a.onnx", "out/deep/b.onnx"]),
            ("", []),
        ],
    )
    def test_a_configuration_names_them_by_globs(self, folder: Path, text: str, expected: list[str]) -> None:
        assert self.found(folder, text) == expected

    def test_the_latest_come_first(self, folder: Path) -> None:
        os.utime(folder / "out" / "deep" / "b.onnx", (9, 9))
        assert self.found(folder, 'models = ["out/"]') == ["out/deep/b.onnx", "out/a.onnx"]

    def test_a_file_that_is_half_written_stands_for_what_it_was(self, tmp_path: Path) -> None:
        models, path, program = Models(), tmp_path / "model.onnx", tmp_path / "model.py"
        path.write_bytes(whole := (PROGRAMS / "model.onnx").read_bytes())
        models.opened[path] = None
        (before,) = models.exported_from(program)
        path.write_bytes(whole[: len(whole) // 2])
        (after,) = models.exported_from(program)
        assert after.report is before.report
        path.write_bytes((PROGRAMS / "broken.onnx").read_bytes())
        (broken,) = models.exported_from(program)
        assert broken.report.warnings
        path.unlink()
        assert list(models.exported_from(program)) == []

    def test_a_model_is_checked_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        models, path = Models(), tmp_path / "model.onnx"
        shutil.copy(PROGRAMS / "model.onnx", path)
        models.opened[path] = None
        (first,) = models.exported_from(tmp_path / "model.py")
        monkeypatch.setattr("shapeinfer.editors.sources.models.check_one", None)
        assert [*models.exported_from(tmp_path / "model.py")] == [first]
        assert [*models.exported_from(tmp_path / "other.py")] == []

    def test_few_reports_are_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("shapeinfer.editors.sources.models._judged", lambda _: MODEL.report)
        models = Models()
        for i in range(20):
            (tmp_path / f"{i}.onnx").touch()
            stamp = stamp_of(tmp_path / f"{i}.onnx")
            assert stamp is not None
            models.checked(tmp_path / f"{i}.onnx", stamp)
        assert len(models._checked) == 8

    def test_of_many_models_the_last_count(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("shapeinfer.editors.sources.models._judged", lambda _: MODEL.report)
        monkeypatch.setattr("shapeinfer.editors.sources.models.recorded_files", lambda _: frozenset({"model.py"}))
        (tmp_path / "shapeinfer.toml").write_text('models = ["*.onnx"]', encoding="utf-8")
        for i in range(20):
            (tmp_path / f"{i}.onnx").touch()
            os.utime(tmp_path / f"{i}.onnx", (i, i))
        found = [model.path.stem for model in Models().exported_from(tmp_path / "model.py")]
        assert found == [str(i) for i in range(19, 11, -1)]
