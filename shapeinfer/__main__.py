"""The command line as a process: ``shapeinfer``, or ``python -m shapeinfer``."""

import gc
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit.

    Python's collector rests while modules are imported, which make much and drop nothing, and at the end, where a last
    look at all there is would take as long as a small check.
    """
    gc.disable()
    try:
        from shapeinfer.cli import main as run

        run()
    finally:
        gc.disable()
        gc.freeze()


if __name__ == "__main__":
    main()
