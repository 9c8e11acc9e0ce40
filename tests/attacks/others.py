"""What another user of the machine may do."""

from __future__ import annotations

import os

from tests.attacks.repositories import each_command
from tests.attacks.scene import NotTried, Scene, attack

OTHER = "another user of the machine"
STRANGER = 12345


def give_away(scene: Scene, name: str) -> None:
    """Make a file another user's."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise NotTried("only root can give a file to another user")
    os.chown(scene.folder / name, STRANGER, STRANGER, follow_symlinks=False)


@attack(OTHER, "a configuration lies in a folder above, and decides what is reported")
def configuration_above(scene: Scene) -> str:
    (scene.folder / "shapeinfer.toml").write_text('select = []\nrules = ["evil.py"]', encoding="utf-8")
    (scene.folder / "evil.py").write_text(scene.payload, encoding="utf-8")
    give_away(scene, "shapeinfer.toml")
    ended = scene.run("check", scene.model())
    return each_command(scene) or ("" if ended.code == 2 else "its settings hold")


@attack(OTHER, "a configuration lies above the repository's root")
def configuration_above_the_root(scene: Scene) -> str:
    (scene.work / ".git").mkdir()
    (scene.folder / "shapeinfer.toml").write_text('rules = ["evil.py"]', encoding="utf-8")
    (scene.folder / "evil.py").write_text(scene.payload, encoding="utf-8")
    ended = scene.run("check", scene.model())
    return each_command(scene) or ("" if ended.code == 0 else "its settings hold")


@attack(OTHER, "a link lies in a folder above, and leads to a configuration of the victim's")
def link_above(scene: Scene) -> str:
    (scene.folder / "home" / "other.toml").write_text("select = []", encoding="utf-8")
    (scene.folder / "shapeinfer.toml").symlink_to("home/other.toml")
    give_away(scene, "shapeinfer.toml")
    return "" if scene.run("check", scene.model()).code == 2 else "its settings hold"


@attack(OTHER, "the list of trusted files is a stranger's")
def list_of_a_stranger(scene: Scene) -> str:
    scene.write("shapeinfer.toml", 'rules = ["evil.py"]')
    scene.write("evil.py", scene.payload)
    scene.run("trust", "evil.py")
    give_away(scene, "home/config/shapeinfer/trusted.json")
    return each_command(scene)


@attack(OTHER, "the list of trusted files may be written by anybody")
def list_that_anybody_writes(scene: Scene) -> str:
    before = os.umask(0)
    try:
        scene.write("mine.py")
        scene.run("trust", "mine.py")
    finally:
        os.umask(before)
    listed = scene.folder / "home" / "config" / "shapeinfer"
    return "" if not (listed.stat().st_mode | (listed / "trusted.json").stat().st_mode) & 0o077 else "it may"
