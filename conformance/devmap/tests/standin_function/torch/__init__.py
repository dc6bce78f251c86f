"""A stand-in for a torch whose mapping is a function over registered overrides: just what the probe
touches."""

__version__ = "0.0.function"


class _C:
    @staticmethod
    def _get_privateuse1_backend_name():
        return "privateuseone"
