from credence import _core
__version__ = _core.__version__
