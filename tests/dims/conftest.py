"""Every run of these tests sees the same examples."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "dims",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("dims")
