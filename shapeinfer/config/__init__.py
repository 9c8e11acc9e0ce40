"""Configuration: settings from files, selection of findings, baselines."""
