"""A stand-in for a torch whose mapping is a module-level table: just what the probe touches."""

__version__ = "0.0.table"


class _C:
    @staticmethod
    def _get_privateuse1_backend_name():
        return "privateuseone"
