"""`python -m bench [NAME ...]` runs all benchmarks, or those named.

Exit 1 when a target is missed, 2 for a name that is none.
"""

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path


def main(names: Sequence[str]) -> int:
    known = sorted(
        module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]) if module.name[0] != "_"
    )
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    met = True
    for name in names or known:
        for measure in importlib.import_module(f"bench.{name}").measure():
            print(measure, flush=True)
            met = met and measure.met
    print(f"met={str(met).lower()}")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
