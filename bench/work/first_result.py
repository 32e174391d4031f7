# What an agent's first step looks like: the usual three imports, then a small answer.
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns

print(pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]}).sum(), flush=True)
