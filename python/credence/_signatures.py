"""What type checkers know of keyword arguments stands in the stub of this module; here the classes are empty."""


class SVCArguments:
    """Of SVC."""


class SVCSearchCVArguments:
    """Of SVCSearchCV."""


class RVCArguments:
    """Of RVC."""


class RVRArguments:
    """Of RVR."""


class KernelValiditySearchArguments:
    """Of KernelValiditySearch."""


class KernelValiditySearchRegressorArguments:
    """Of KernelValiditySearchRegressor."""


class FullConformalKNeighborsClassifierArguments:
    """Of FullConformalKNeighborsClassifier."""


class FullConformalSVCArguments:
    """Of FullConformalSVC."""
