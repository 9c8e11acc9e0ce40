"""The extension for VS Code fits what the package does."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from shapeinfer.frontends.formats import formats
from shapeinfer.frontends.onnxtext.attributes import KINDS
from shapeinfer.frontends.onnxtext.read import OF_FUNCTIONS, OF_MODELS
from shapeinfer.frontends.onnxtext.types import TYPES

FOLDER = Path(__file__).parents[2] / "examples" / "editors" / "vscode"


def loaded(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def test_it_opens_the_files_that_the_package_reads() -> None:
    (language,) = loaded("package.json")["contributes"]["languages"]
    assert sorted(language["extensions"]) == sorted(
        suffix for known in formats() if known.is_edited for suffix in known.suffixes
    )


def test_it_shows_the_binary_models_of_the_package_s_own_and_offers_to_show_texts_so() -> None:
    binary, written = loaded("package.json")["contributes"]["customEditors"]
    assert [s["filenamePattern"] for s in binary["selector"]] == ["*.onnx"]
    assert binary["priority"] == "default"
    edited = sorted(f"*{suffix}" for known in formats() if known.is_edited for suffix in known.suffixes)
    assert sorted(s["filenamePattern"] for s in written["selector"]) == edited
    assert written["priority"] == "option"


@pytest.mark.parametrize("name", ["MODEL_TEXT", "MODEL_PAGE"])
def test_it_asks_for_contents_by_the_server_s_commands(name: str) -> None:
    command = getattr(importlib.import_module("shapeinfer.editors.contents"), name)
    assert f'"{command}"' in (FOLDER / "models.js").read_text(encoding="utf-8")


def test_it_shows_texts_of_models_where_the_server_offers_no_changes() -> None:
    server = importlib.import_module("shapeinfer.editors.server")
    assert f'READ_ONLY = "{server.READ_ONLY}"' in (FOLDER / "models.js").read_text(encoding="utf-8")


def test_its_version_is_the_package_s() -> None:
    project = (FOLDER.parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{loaded("package.json")["version"]}"\n' in project


def test_it_starts_the_language_server() -> None:
    settings = loaded("package.json")["contributes"]["configuration"]["properties"]
    assert settings["shapeinfer.command"]["default"] == ["shapeinfer", "lsp"]


def test_no_workspace_chooses_the_command() -> None:
    settings = loaded("package.json")["contributes"]["configuration"]["properties"]
    assert settings["shapeinfer.command"]["scope"] == "machine"


def test_in_a_workspace_that_is_not_trusted_it_checks_models_with_the_user_s_own_command() -> None:
    limits = loaded("package.json")["capabilities"]["untrustedWorkspaces"]
    assert limits["supported"] == "limited"
    assert limits["restrictedConfigurations"] == ["shapeinfer.command"]


@pytest.mark.parametrize("name", ["package-lock.json", "language-configuration.json"])
def test_its_files_are_json_without_addresses_to_download_from(name: str) -> None:
    assert '"resolved"' not in json.dumps(loaded(name))


@pytest.mark.parametrize("key", sorted({*OF_MODELS, *OF_FUNCTIONS}))
def test_the_grammar_knows_every_key(key: str) -> None:
    pattern = loaded("syntaxes/onnxtxt.tmLanguage.json")["repository"]["header-key"]["match"]
    assert re.search(pattern, f"{key}: 1")


@pytest.mark.parametrize("name", sorted(TYPES))
def test_the_grammar_knows_every_type(name: str) -> None:
    pattern = loaded("syntaxes/onnxtxt.tmLanguage.json")["repository"]["name"]["patterns"][0]["match"]
    assert re.search(pattern, f"{name} x")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_grammar_knows_every_type_of_attributes(kind: str) -> None:
    pattern = loaded("syntaxes/onnxtxt.tmLanguage.json")["repository"]["attribute"]["match"]
    found = re.search(pattern, f"<a: {kind} = 1>")
    assert found is not None
    assert found[3] == kind
