"""Whether an answer holds what it must: numbers within rounding, words as they are."""
import re

import numpy as np
from wanted import CHART, REFUSAL, AnyOf, Lead

REFUSALS = ("did not understand", "cannot", "没有理解", "无法")


def numbers_in(text):
    found = re.findall(r"(?<![A-Za-z0-9_.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?", text)
    return [float(n.replace(",", "")) for n in found]


def has_number(text, wanted):
    near = max(0.0051, abs(wanted) * 6e-4) if wanted != int(wanted) else 0.0051
    return any(abs(n - wanted) <= near for n in numbers_in(text))


def is_refused(answer, runs):
    computed = any('"atoll_result"' in ran["stdout"] for _, ran in runs)
    return not computed and any(words in answer for words in REFUSALS)


def lacks(answer, wanted, runs=()):
    """What of the wanted is not there."""
    missing = []
    plain = answer.replace("\\", "")
    for item in wanted:
        if item is REFUSAL:
            if not is_refused(answer, runs):
                missing.append("a refusal")
        elif item is CHART:
            if not any(ran["images"] for _, ran in runs):
                missing.append("a chart")
        elif isinstance(item, AnyOf):
            if all(lacks(answer, [each], runs) for each in item.wanted):
                missing.append(f"any of {list(item.wanted)}")
        elif isinstance(item, Lead):
            first = plain.strip().split("\n")[0]
            missing += [f"first line: {m}" for m in lacks(first, item.wanted, runs)]
        elif isinstance(item, str):
            if item not in plain:
                missing.append(item)
        elif not has_number(plain, float(np.asarray(item).item())):
            missing.append(float(item))
    return missing
