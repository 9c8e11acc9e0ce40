"""Run the command line as ``python -m shapeinfer``."""

from shapeinfer.cli import main

if __name__ == "__main__":
    main()
