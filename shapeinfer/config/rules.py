"""Load the rules that settings name: formulas are data, and Python runs only where a person chose it."""

from __future__ import annotations

from pathlib import Path

from shapeinfer.config.settings import Settings
from shapeinfer.config.trust import is_trusted
from shapeinfer.infer.driver import forget
from shapeinfer.ops.plugins import content, load_source


class Untrusted(Exception):
    """A discovered configuration names Python rules that are not trusted: ``files``."""

    def __init__(self, config: Path, files: list[Path]) -> None:
        self.config = config
        self.files = files
        super().__init__(f"{config} names Python rules, which run only if you trust them: {', '.join(map(str, files))}")


def load_rules_of(settings: Settings, *, trusted: bool = False) -> None:
    """Load the rules that settings name.

    Python rules run where the configuration was named, or is ``trusted`` as a whole, or each file was trusted as it is.
    Where it was found and one was not, none of its Python rules runs; its formulas are loaded all the same. Raises
    Untrusted, and RulesError for a file that cannot be used.
    """
    read = [content(Path(name)) for name in settings.rule_files]
    if settings.found is None or trusted:
        untrusted = []
    else:  # what a link leads to decides, and what was read is what runs
        untrusted = [path for path, data in read if path.suffix == ".py" and not is_trusted(path, data)]
    for path, data in read:
        if path.suffix != ".py" or not untrusted:
            load_source(path, data)
    if read:
        forget()
    if untrusted:
        assert settings.found is not None, "what was named is trusted"
        raise Untrusted(settings.found, untrusted)
