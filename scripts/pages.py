"""Which alerts have fired in a Prometheus in the last so many seconds, for ./dev up --load.

    pages.py --prometheus URL --seconds N

Names them, with their labels. Ends with 1 when one of them was a page, and with 2 when the rules were not evaluated.
"""

import argparse
import json
import sys
import urllib.parse
import urllib.request

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--prometheus", required=True)
parser.add_argument("--seconds", required=True, type=int)
given = parser.parse_args()


def ask(path):
    with urllib.request.urlopen(f"{given.prometheus}/api/v1/{path}", timeout=30) as answer:
        return json.load(answer)["data"]


def fired(severity):
    """Texts such as "TollbridgeRoleMissing role=rpc"."""
    query = f'count_over_time(ALERTS{{alertstate="firing", severity="{severity}"}}[{given.seconds}s])'
    found = []
    for series in ask("query?" + urllib.parse.urlencode({"query": query}))["result"]:
        labels = {name: value for name, value in series["metric"].items() if name not in ("alertstate", "severity")}
        found.append(" ".join([labels.pop("alertname"), *(f"{name}={value}" for name, value in sorted(labels.items()))]))
    return sorted(found)


def main():
    rules = [rule for group in ask("rules")["groups"] for rule in group["rules"]]
    unwell = [rule["name"] for rule in rules if rule["health"] != "ok"]
    if unwell or not rules:
        print(f"rules that were not evaluated: {', '.join(unwell) or 'all'}")
        return 2
    pages, tickets = fired("page"), fired("ticket")
    print(f"in {given.seconds} s {len(pages)} pages: {'; '.join(pages) or 'none'}")
    print(f"and {len(tickets)} tickets: {'; '.join(tickets) or 'none'}")
    return 1 if pages else 0


sys.exit(main())
