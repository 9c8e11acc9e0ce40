"""Images, regions and boxes: operators of OpenVINO."""
