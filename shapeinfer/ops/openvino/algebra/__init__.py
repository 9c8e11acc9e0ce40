"""Products and reductions: operators of OpenVINO."""
