"""Whether an answer holds what it must: numbers within rounding, words as they are."""
import re

import numpy as np
from questions import Lead


def numbers_in(text):
    return [float(n.replace(",", "")) for n in re.findall(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def has_number(text, wanted):
    near = max(0.0051, abs(wanted) * 6e-4) if wanted != int(wanted) else 0.0051
    return any(abs(n - wanted) <= near for n in numbers_in(text))


def lacks(answer, wanted):
    """What of the wanted is not there."""
    missing = []
    plain = answer.replace("\\", "")
    for item in wanted:
        if isinstance(item, Lead):
            first = plain.strip().split("\n")[0]
            missing += [f"first line: {m}" for m in lacks(first, item.wanted)]
        elif isinstance(item, str):
            if item not in plain:
                missing.append(item)
        elif not has_number(plain, float(np.asarray(item).item())):
            missing.append(float(item))
    return missing
