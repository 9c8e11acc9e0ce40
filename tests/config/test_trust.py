"""What a configuration that is found may do: it is data, and what runs is chosen by a person."""

from __future__ import annotations

import json
import os
import py_compile
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from shapeinfer import regular
from shapeinfer.config import discovery, trust
from shapeinfer.config.discovery import ConfigError, nearest
from shapeinfer.config.rules import Untrusted, load_rules_of
from shapeinfer.config.settings import Settings
from shapeinfer.ops import plugins, registry
from tests.command import Shell

RUN = "from pathlib import Path\nPath({ran!r}).touch()\n"
MODEL = (
    '<ir_version: 10, opset_import: ["" : 20, "t" : 1]> main (float[N, 3] x) => (float[N, 12] y) {{ y = t.{op} (x) }}'
)
COMMANDS = [
    ["check"],
    ["show"],
    ["cost"],
    ["contract"],
    ["diff", "m.onnx"],
    ["infer", "-o", "o.onnx"],
    ["fold", "-o", "o.onnx"],
    ["generalize", "-o", "o.onnx"],
    ["report", "-o", "o.html"],
]


@pytest.fixture(autouse=True)
def own_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration folder for a person who has none."""
    folder = tmp_path_factory.mktemp("person")
    monkeypatch.setattr(trust, "list_file", lambda: folder / "own" / "trusted.json")
    return folder


def wrote(folder: Path, text: str, name: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """What is there once the Python rules of the configuration in the folder ran."""
    wrote(tmp_path, 'rules = ["mine.py"]', "shapeinfer.toml")
    wrote(tmp_path, RUN.format(ran=str(tmp_path / "ran")), "mine.py")
    return tmp_path / "ran"


class TestPythonRulesThatAreFound:
    @pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
    def test_no_command_runs_them(self, shell: Shell, ran: Path, command: list[str]) -> None:
        ended = shell(*command, shell.save("m.onnx"))
        assert not ran.exists()
        assert (ended.code, ended.out) == (2, "")

    def test_they_are_offered_with_the_command_that_allows_them(self, shell: Shell, ran: Path) -> None:
        assert shell("check", shell.save("m.onnx")).err == (
            "Error: shapeinfer.toml names Python rules that you have not allowed to run:\n"
            "    mine.py\n"
            "  to allow them as they are now:    shapeinfer trust mine.py\n"
            "  to trust this configuration:      --config shapeinfer.toml\n"
            "  to ignore the configuration:      --isolated\n"
        )

    def test_the_command_may_be_copied_whatever_the_file_is_called(self, shell: Shell) -> None:
        wrote(shell.folder, 'rules = ["a; touch b #.py"]', "shapeinfer.toml")
        wrote(shell.folder, "", "a; touch b #.py")
        assert "shapeinfer trust 'a; touch b #.py'\n" in shell("check", shell.save("m.onnx")).err

    def test_they_run_where_the_configuration_is_named(self, shell: Shell, ran: Path) -> None:
        assert shell("check", "--config", "shapeinfer.toml", shell.save("m.onnx")).code == 0
        assert ran.exists()

    def test_without_the_configuration_nothing_is_asked(self, shell: Shell, ran: Path) -> None:
        assert shell("check", "--isolated", shell.save("m.onnx")).code == 0
        assert not ran.exists()

    @pytest.mark.parametrize("name", ["rules.toml", "rules"])
    def test_a_link_is_what_it_leads_to(self, tmp_path: Path, ran: Path, name: str) -> None:
        wrote(tmp_path, f'rules = ["{name}"]', "shapeinfer.toml")
        (tmp_path / name).symlink_to("mine.py")
        with pytest.raises(Untrusted) as caught:
            load_rules_of(nearest(tmp_path))
        assert (caught.value.config, caught.value.files) == (tmp_path / "shapeinfer.toml", [tmp_path / "mine.py"])
        assert not ran.exists()

    def test_formulas_are_data(self, shell: Shell) -> None:
        wrote(shell.folder, 'rules = ["mine.toml"]', "shapeinfer.toml")
        wrote(shell.folder, 'operators = ["t::Found(x[N, K]) -> [N, 4*K]"]', "mine.toml")
        assert "no errors, 2 values" in shell("check", shell.save("m.onnx", MODEL.format(op="Found"))).out

    def test_formulas_beside_them_are_loaded_all_the_same(self, tmp_path: Path, ran: Path) -> None:
        wrote(tmp_path, 'rules = ["mine.py", "mine.toml"]', "shapeinfer.toml")
        wrote(tmp_path, 'operators = ["t::Beside(x[N, K]) -> [N, 4*K]"]', "mine.toml")
        with pytest.raises(Untrusted) as caught:
            load_rules_of(nearest(tmp_path))
        assert caught.value.files == [tmp_path / "mine.py"]
        assert registry.find_rule("t", "Beside", 1) is not None
        assert not ran.exists()

    def test_links_in_a_circle_are_no_rules(self, shell: Shell) -> None:
        wrote(shell.folder, 'rules = ["loop.py"]', "shapeinfer.toml")
        (shell.folder / "loop.py").symlink_to("loop.py")
        ended = shell("check", shell.save("m.onnx"))
        assert "cannot load the rules that the configuration names: loop.py: " in ended.err
        assert ended.code == 2


class TestTrust:
    def test_a_file_that_is_trusted_runs(self, shell: Shell, ran: Path, own_folder: Path) -> None:
        said = shell("trust", "mine.py").out
        assert said.startswith("mine.py may run as it is now (SHA-256 ")
        assert str(own_folder / "own" / "trusted.json") in said
        assert shell("check", shell.save("m.onnx")).code == 0
        assert ran.exists()

    @pytest.mark.parametrize("change", ["content", "place"])
    def test_once_it_changes_or_moves_it_must_be_trusted_again(self, shell: Shell, ran: Path, change: str) -> None:
        shell("trust", "mine.py")
        if change == "content":
            with (shell.folder / "mine.py").open("a") as file:
                file.write("#")
        else:
            (shell.folder / "mine.py").rename(shell.folder / "other.py")
            wrote(shell.folder, 'rules = ["other.py"]', "shapeinfer.toml")
        assert shell("check", shell.save("m.onnx")).code == 2
        assert not ran.exists()

    def test_bytecode_beside_it_is_not_what_was_trusted(self, shell: Shell, ran: Path) -> None:
        wrote(shell.folder, RUN.format(ran=str(ran)), "evil.py")
        wrote(shell.folder, "", "mine.py")
        unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        cached = cache_from_source(str(shell.folder / "mine.py"))
        py_compile.compile("evil.py", cached, dfile="mine.py", invalidation_mode=unchecked)
        shell("trust", "mine.py")
        assert shell("check", shell.save("m.onnx")).code == 0
        assert shell("check", "--rules", "mine.py", "m.onnx").code == 0
        assert not ran.exists()

    def test_what_was_trusted_is_listed_and_may_be_removed(self, shell: Shell, ran: Path) -> None:
        shell("trust", "mine.py")
        assert shell("trust").out.endswith(f"  {shell.folder / 'mine.py'}\n")
        assert shell("trust", "--remove", "mine.py").out == "mine.py may no longer run\n"
        assert shell("trust", "--remove", "mine.py").out == "mine.py was not trusted\n"
        assert shell("trust").out == ""
        assert shell("check", shell.save("m.onnx")).code == 2

    @pytest.mark.parametrize(
        ("name", "says"),
        [("mine.toml", "mine.toml does not end in .py"), ("none.py", "none.py cannot be read: No such file")],
    )
    def test_what_cannot_be_trusted_is_reported(self, shell: Shell, name: str, says: str) -> None:
        ended = shell("trust", name)
        assert says in ended.err
        assert ended.code == 2

    @pytest.mark.parametrize("text", ["", "[]", '{"version": 2, "files": {}}', '{"version": 1, "files": {"a": 1}}'])
    def test_a_list_that_is_broken_trusts_nothing_and_is_not_overwritten(
        self, shell: Shell, ran: Path, own_folder: Path, text: str
    ) -> None:
        listed = wrote(own_folder / "own", text, "trusted.json")
        assert shell("check", shell.save("m.onnx")).code == 2
        assert "is not a list of trusted files; remove it" in shell("trust", "mine.py").err
        assert listed.read_text(encoding="utf-8") == text

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners of POSIX")
    def test_a_list_of_another_user_s_trusts_nothing(
        self, shell: Shell, ran: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shell("trust", "mine.py")
        monkeypatch.setattr(regular, "is_foreign", lambda file: file.name == "trusted.json")
        assert shell("check", shell.save("m.onnx")).code == 2

    @pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
    def test_nobody_else_may_write_the_list(self, shell: Shell, ran: Path, own_folder: Path) -> None:
        before = os.umask(0)
        try:
            shell("trust", "mine.py")
        finally:
            os.umask(before)
        assert (own_folder / "own" / "trusted.json").stat().st_mode & 0o777 == 0o600
        assert (own_folder / "own").stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name != "posix", reason="the folder of POSIX")
@pytest.mark.parametrize(("variable", "value"), [("XDG_CONFIG_HOME", ".config"), ("HOME", ".")])
def test_a_list_is_not_looked_for_below_the_working_directory(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """A relative folder is whatever repository one happens to stand in."""
    monkeypatch.undo()
    monkeypatch.chdir(shell.folder)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv(variable, value)
    file = wrote(shell.folder, "", "mine.py")
    listed = {"version": 1, "files": {str(file): trust.digest(b"")}}
    wrote(shell.folder, json.dumps(listed), ".config/shapeinfer/trusted.json")
    assert not trust.is_trusted(file, b"")
    with pytest.raises(trust.TrustError, match="is relative; set HOME"):
        trust.trust(file)


class TestHowFarIsSearched:
    @pytest.mark.parametrize("mark", [".git", ".hg"])
    def test_to_the_root_of_the_repository(self, tmp_path: Path, mark: str) -> None:
        wrote(tmp_path, 'fail-on = "warning"', "shapeinfer.toml")
        (tmp_path / "a" / mark).mkdir(parents=True)
        (tmp_path / "a" / "b").mkdir()
        assert nearest(tmp_path / "a" / "b") == Settings()
        wrote(tmp_path / "a", "", "shapeinfer.toml")
        assert nearest(tmp_path / "a" / "b").folder == tmp_path / "a"

    def test_a_worktree_s_root_is_marked_by_a_file(self, tmp_path: Path) -> None:
        wrote(tmp_path, 'fail-on = "warning"', "shapeinfer.toml")
        wrote(tmp_path / "a", "gitdir: elsewhere", ".git")
        assert nearest(tmp_path / "a") == Settings()

    def test_to_the_person_s_home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        wrote(tmp_path, 'fail-on = "warning"', "shapeinfer.toml")
        home = tmp_path / "home"
        (home / "a").mkdir(parents=True)
        monkeypatch.setattr(Path, "home", lambda: home)
        assert nearest(home / "a") == Settings()
        wrote(home, "", "shapeinfer.toml")
        assert nearest(home / "a").folder == home


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners of POSIX")
class TestFilesOfOthers:
    def test_a_configuration_of_another_user_s_is_refused(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        wrote(shell.folder, 'ignore = ["cycle"]', "shapeinfer.toml")
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        monkeypatch.setattr(regular, "SYSTEM", 12346)
        ended = shell("check", shell.save("m.onnx"))
        assert ended.err == (
            "Error: the configuration cannot be used\n"
            "  shapeinfer.toml: ignored, since it belongs to another user; name it with --config to use it\n"
        )
        assert ended.code == 2
        assert shell("check", "--config", "shapeinfer.toml", "m.onnx").code == 0

    def test_a_pyproject_without_our_section_is_ignored(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        wrote(tmp_path, "[project]", "pyproject.toml")
        monkeypatch.setattr(regular, "is_foreign", lambda _file, _folder: True)
        assert nearest(tmp_path) == Settings()

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
    def test_a_link_of_another_user_s_to_a_file_of_ours_is_refused(self, tmp_path: Path) -> None:
        mine = wrote(tmp_path / "mine", 'ignore = ["cycle"]', "shapeinfer.toml")
        (tmp_path / "shapeinfer.toml").symlink_to(mine)
        os.chown(tmp_path / "shapeinfer.toml", 12345, 12345, follow_symlinks=False)
        with pytest.raises(ConfigError, match="it belongs to another user"):
            nearest(tmp_path)

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
    def test_root_takes_files_of_the_owner_of_the_folder_it_works_in_and_of_no_other(self, tmp_path: Path) -> None:
        """As a container's user is root, and the checkout somebody else's."""
        for folder, owner in ((tmp_path, 12346), (tmp_path / "a", 12345)):
            os.chown(wrote(folder, "", "shapeinfer.toml"), owner, owner)
        os.chown(tmp_path / "a", 12345, 12345)
        assert nearest(tmp_path / "a").folder == tmp_path / "a"
        (tmp_path / "a" / "shapeinfer.toml").unlink()
        with pytest.raises(ConfigError, match="it belongs to another user"):
            nearest(tmp_path / "a")


@pytest.mark.parametrize("where", ["shapeinfer.toml", "rules.toml", "base.json"])
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_what_a_configuration_is_made_of_is_no_pipe(shell: Shell, where: str) -> None:
    shell.save("m.onnx")
    if where == "rules.toml":
        wrote(shell.folder, 'rules = ["rules.toml"]', "shapeinfer.toml")
    os.mkfifo(where)
    options = {"rules.toml": [], "shapeinfer.toml": ["--config", where], "base.json": ["--baseline", where]}[where]
    ended = shell("check", *options, "m.onnx")
    assert "it is no regular file" in ended.err
    assert ended.code == 2


def test_a_configuration_is_not_read_without_end(tmp_path: Path) -> None:
    with wrote(tmp_path, "", "shapeinfer.toml").open("ab") as file:
        file.truncate(discovery.MOST + 1)
    with pytest.raises(ConfigError, match="it is larger than 1 megabytes"):
        nearest(tmp_path)


def test_rules_are_not_read_without_end(tmp_path: Path) -> None:
    with (tmp_path / "big.py").open("wb") as file:
        file.truncate(plugins.MOST + 1)
    with pytest.raises(plugins.RulesError, match=r"big\.py: it is larger than 1 megabytes"):
        plugins.load_file(tmp_path / "big.py")
