"""What is not needed once shapes are known? Rewrites of ONNX models, each proved by the engine's facts."""
