"""What OpenVINO's operators do, by its specification (opset1 to opset16): one family in each module."""
