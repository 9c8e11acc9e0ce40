"""The command line as a process: ``shapeinfer``, or ``python -m shapeinfer``."""

import gc
from typing import NoReturn

SELDOM = 200_000
"""Python's collector comes after so many new objects: about as many as a small check and its imports make."""


def main() -> NoReturn:
    """Run the command line and exit.

    The process is the command's own, so its collector may come seldom, and at the end not at all: a last look at all
    there is would take as long as a small check. In the language server it would come between two keystrokes and take
    longer than either, for nothing: an edit leaves no garbage to it.
    """
    gc.set_threshold(SELDOM)
    try:
        from shapeinfer.cli import main as run

        run()
    finally:
        gc.disable()
        gc.freeze()


if __name__ == "__main__":
    main()
