def play(scene):
    yield from ()
