"""A plain script: variables that stay, a chart that comes back.

    pip install ./sdk/python
    python examples/sandbox_script.py       with `atoll serve` running, or ATOLL_URL
"""

from pathlib import Path

from atoll import Sandbox


def main(folder: Path = Path(".")) -> Path:
    with Sandbox() as sb:
        sb.files.write("sales.csv", "region,amount\nnorth,10\nsouth,32\nnorth,5\n")
        sb.run("import pandas as pd\nsales = pd.read_csv('/session/sales.csv')").raise_for_error()
        totals = sb.run("sales.groupby('region')['amount'].sum()").raise_for_error()
        print(totals)
        sb.run(
            "ax = sales.groupby('region')['amount'].sum().plot.bar()\n"
            "ax.figure.savefig('/session/artifacts/sales.png')"
        ).raise_for_error()
        return sb.files.download("/session/artifacts/sales.png", folder / "sales.png")


if __name__ == "__main__":
    print("the chart is in", main())
