#!/usr/bin/env python3
"""Makes the chart's files that are made from others:

  values.schema.json  of own-values.schema.json and docs/config.schema.json, less what the chart sets
  files/needs.json    of the program, when --program names it
  README.md           of values.yaml

make_files.py [--program PATH] [--check]; --check writes nothing, and names what is not up to date.
Python's own library is enough.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# Settings that the chart sets: they are no values. A list's elements are entered by []. The same names
# stand in templates/_secrets.tpl and templates/_config.tpl, and tests/kubernetes compares them.
SET_BY_THE_CHART = [
    "process.name",
    "process.roles",
    "rpc.listen",
    "rpc.tls",
    "webhooks.listen",
    "webhooks.tls",
    "metrics",
    "payment_service.ca_file",
    "traces.ca_file",
    "traces.headers_file",
    "redis.password_file",
    "redis.sentinel_password_file",
    "redis.tls.ca_file",
    "redis.tls.certificate_file",
    "redis.tls.private_key_file",
    "kafka.secret_properties_file",
    "operations.fingerprint_keys_file",
    "operations.outcome_keys_file",
    "projects[].api_key_file",
    "projects[].webhook_tokens_file",
    "stores[].password_file",
    "stores[].sentinel_password_file",
    "stores[].tls.ca_file",
    "stores[].tls.certificate_file",
    "stores[].tls.private_key_file",
]


def without(schema, path):
    """Takes the setting out of the schema; it must be there."""
    *sections, last = path.replace("[]", ".[]").split(".")
    for name in sections:
        schema = schema["items"] if name == "[]" else schema["properties"][name]
    del schema["properties"][last]


def file_settings(schema, path=""):
    """The settings of the schema that name a file by their own name."""
    for name, child in schema.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        if name.endswith("_file"):
            yield here
        yield from file_settings(child, here)
        yield from file_settings(child.get("items", {}), here + "[]")


def values_schema(root):
    own = json.loads((root / "helm/own-values.schema.json").read_text())
    config = json.loads((root / "../docs/config.schema.json").read_text())
    for path in SET_BY_THE_CHART:
        without(config, path)
    left = list(file_settings(config))
    if left:
        raise SystemExit(f"{left[0]} names a file: is it a secret? The chart must set it")
    del config["$schema"], config["title"]
    config["description"] = "The gateway's own configuration, less what the chart sets"
    own["properties"]["config"] = config
    return json.dumps(own, indent=2) + "\n"


def rows_of(values):
    """(path, default, description) of each value. values.yaml keeps to what this reads: a comment before
    a key belongs to it, nesting is by two spaces, and lists and maps that are not empty are in block
    style."""
    rows, comment, path, parent = [], [], [], None
    for number, line in enumerate(values.splitlines(), 1):
        if not line.strip():
            comment = []
            continue
        indent = len(line) - len(line.lstrip(" "))
        text = line.strip()
        if text.startswith("#"):
            comment.append(text[1:].strip())
            continue
        if text.startswith("- "):
            if parent is None:
                raise SystemExit(f"values.yaml:{number}: a list item without a key")
            path_text, default, description = rows[parent]
            rows[parent] = (path_text, (default + ", " if default else "") + text[2:], description)
            continue
        match = re.fullmatch(r"([A-Za-z0-9_.]+):(?: (.*))?", text)
        if not match or indent % 2:
            raise SystemExit(f"values.yaml:{number}: not in the form that the README is made of")
        path = path[: indent // 2] + [match[1]]
        rows.append((".".join(path), match[2] or "", " ".join(comment)))
        parent, comment = len(rows) - 1, []
    return rows


def readme(root):
    chart = (root / "helm/tollbridge/Chart.yaml").read_text()
    description = re.search(r"^description: (.*)$", chart, re.M)[1]
    lines = [
        "# Chart of Tollbridge",
        "",
        f"{description}. How to install, upgrade, roll back and remove it:",
        "[docs/guides/kubernetes.md](../../../docs/guides/kubernetes.md).",
        "",
        "This page is made from values.yaml by deploy/helm/make_files.py. What each value may be is in",
        "values.schema.json, which Helm checks before it does anything; the settings below `config` are those of",
        "[docs/config.example.yaml](../../../docs/config.example.yaml).",
        "",
        "| value | default | what it is |",
        "|---|---|---|",
    ]
    escape = lambda text: text.replace("|", "\\|")
    rows = rows_of((root / "helm/tollbridge/values.yaml").read_text())
    for index, (path, default, text) in enumerate(rows):
        is_parent = index + 1 < len(rows) and rows[index + 1][0].startswith(path + ".")
        if is_parent and not text:
            continue
        shown = "" if is_parent or not default else f"`{escape(default)}`"
        lines.append(f"| `{path}` | {shown} | {escape(text)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", help="the program `tollbridge`")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parent, help="the folder deploy/")
    arguments = parser.parse_args()
    chart = arguments.root / "helm/tollbridge"
    made = {
        chart / "values.schema.json": values_schema(arguments.root),
        chart / "README.md": readme(arguments.root),
    }
    if arguments.program:
        made[chart / "files/needs.json"] = subprocess.run(
            [arguments.program, "print-config", "--needs"], check=True, capture_output=True, text=True
        ).stdout
    stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if arguments.check:
            print(f"{path.relative_to(arguments.root.parent)} is not up to date: deploy/helm/make_files.py")
        else:
            path.write_text(made[path])
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
