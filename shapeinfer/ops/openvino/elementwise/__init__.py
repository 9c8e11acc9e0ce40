"""Element by element: operators of OpenVINO."""
