"""A first program: a table, grouped and summed."""

import pandas as pd

reefs = pd.DataFrame(
    {
        "atoll": ["Rangiroa", "Aldabra", "Bikini", "Diego Garcia"],
        "ocean": ["Pacific", "Indian", "Pacific", "Indian"],
        "lagoon_km2": [1446, 224, 594, 124],
    }
)
print(reefs.groupby("ocean")["lagoon_km2"].agg(["count", "sum", "mean"]))
