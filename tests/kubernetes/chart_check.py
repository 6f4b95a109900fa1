#!/usr/bin/env python3
"""./dev chart: what Helm, kubeconform and the program itself say of the chart, and of mistakes planted in it.

chart_check.py --helm PATH --kubeconform PATH --program PATH"""

import argparse
import pathlib
import shutil
import sys
import tarfile
import tempfile

import yaml

import mistakes
import program as programs
import reading
from chart import CHART, KUBERNETES, ROOT, Checks, Helm, copy_chart, end_in_order_on_signals, parse, run

SCHEMAS = ROOT / "tests/data/kubernetes"
OF_REPOSITORY = {"ingress": ["ci/ingress-values.yaml"], "least": ["ci/least-values.yaml"],
                 "stores": ["ci/stores-values.yaml"], "full": ["ci/full-values.yaml"]}


def secrets_of_values(values):
    """The Secrets that the values name, with the keys that they name."""
    found = {}
    for entry in values.get("secrets", {}).values():
        if "name" in entry and isinstance(entry["name"], str):
            found.setdefault(entry["name"], set()).update(entry.get("keys", {}).values())
        else:
            for one in entry.values():
                for part in one.values():
                    found.setdefault(part["name"], set()).add(part["key"])
    return {name: keys for name, keys in found.items() if name}


def merged(base, over):
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    return {**base, **{key: merged(base.get(key), value) for key, value in over.items()}}


class Case:
    """Values, and what they render to."""

    def __init__(self, name, files):
        self.name = name
        self.files = files
        self.values = yaml.safe_load((CHART / "values.yaml").read_text())
        for file in files:
            self.values = merged(self.values, yaml.safe_load(pathlib.Path(file).read_text()))
        self.secrets = secrets_of_values(self.values)


class ChartCheck:
    def __init__(self, arguments, folder):
        self.helm = Helm(arguments.helm, folder)
        self.kubeconform = arguments.kubeconform
        self.program = arguments.program
        self.folder = pathlib.Path(folder)
        self.checks = Checks()
        self.commands = programs.Commands(self.program)
        self.set_by_the_chart = programs.settings_set_by_the_chart()
        example = self.folder / "example-values.yaml"
        example.write_text(programs.example_values(self.program, self.set_by_the_chart))
        self.cases = [Case(name, ([example] if name == "full" else []) + [CHART / file for file in files])
                      for name, files in OF_REPOSITORY.items()]

    def conforms(self, text):
        """What kubeconform has against the objects; empty: nothing."""
        answer = run([self.kubeconform, "-strict", "-summary", "-schema-location",
                      f"{SCHEMAS}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json", "-"], input=text)
        wrong = "" if answer.returncode == 0 else answer.stdout + answer.stderr
        # A schema that is missing is an error too, and nothing is skipped.
        if not wrong and ", Skipped: 0" not in answer.stdout:
            wrong = answer.stdout
        return wrong

    def check_case(self, case):
        expect, name = self.checks.expect, case.name
        files = [word for path in case.files for word in ("-f", path)]
        lint = self.helm.run("lint", "--strict", KUBERNETES, CHART, *files)
        expect(lint.returncode == 0, f"{name}: helm lint", lint.stdout + lint.stderr)
        rendered = self.helm.template(CHART, case.files)
        if not expect(rendered.returncode == 0, f"{name}: helm template", rendered.stderr):
            return
        documents = parse(rendered.stdout)
        wrong = self.conforms(rendered.stdout)
        expect(not wrong, f"{name}: kubeconform", wrong)
        for what, problems in {
                "is read": reading.all_problems(documents, case.secrets, self.commands),
                "each role has the secrets that it needs, and no others":
                    list(programs.secrets_are_what_roles_need(documents, self.program, self.folder)),
                "commands read what they are given":
                    list(programs.commands_read_their_files(documents, self.program, self.folder)),
                "every setting arrives": list(programs.config_arrives(
                    documents, yaml.safe_dump(self.without_files(case)), self.set_by_the_chart, self.program, self.folder)),
                "the time to end": list(programs.time_to_end_is_given(documents, self.program, self.folder)),
        }.items():
            expect(not problems, f"{name}: {what}", "\n".join(problems))
        problems = list(programs.probes_are_answered(documents, self.program, self.folder))
        expect(not problems, f"{name}: probes are answered", "\n".join(problems))

    def without_files(self, case):
        """The values' configuration, with what the program wants to read it at all."""
        config = dict(case.values["config"])
        config["operations"] = {**config.get("operations", {}), "fingerprint_keys_file": "/f", "outcome_keys_file": "/o"}
        config["projects"] = [{**project, "api_key_file": "/a", "webhook_tokens_file": "/w"}
                              for project in config["projects"]]
        return config

    def check_package(self):
        """What is packaged has the rules and dashboards of deploy/observability, file for file."""
        made = self.helm.run("package", CHART, "-d", self.folder)
        self.checks.expect(made.returncode == 0, "helm package", made.stderr)
        with tarfile.open(next(self.folder.glob("tollbridge-*.tgz"))) as archive:
            packed = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
        wanted = {f"tollbridge/files/config.schema.json": ROOT / "docs/config.schema.json"}
        for folder in ("rules", "dashboards"):
            for path in (ROOT / "deploy/observability" / folder).rglob("*"):
                if path.is_file():
                    wanted[f"tollbridge/files/{folder}/{path.relative_to(ROOT / 'deploy/observability' / folder)}"] = path
        for name, path in wanted.items():
            self.checks.expect(packed.get(name) == path.read_bytes(), f"the package has {path.relative_to(ROOT)}")
        self.checks.expect(not any("/ci/" in name for name in packed), "the package has no values of the checks")
        rules = parse(self.helm.template(CHART, self.cases[-1].files).stdout)
        spec = next(d["spec"] for d in rules if d["kind"] == "PrometheusRule")
        self.checks.expect(spec == yaml.safe_load((ROOT / "deploy/observability/rules/tollbridge.yaml").read_text()),
                           "the PrometheusRule is the file of rules")
        shown = {name: text for d in rules if d["kind"] == "ConfigMap" for name, text in d["data"].items()}
        for path in (ROOT / "deploy/observability/dashboards").glob("*.json"):
            self.checks.expect(shown.get(path.name, "").strip() == path.read_text().strip(),
                               f"{path.name} is a ConfigMap")

    def check_mistakes(self):
        """Mistakes in values are refused by Helm with their name; mistakes in the chart are found."""
        full, least = self.cases[-1], next(case for case in self.cases if case.name == "least")
        planted = self.folder / "planted.yaml"
        for what, values, named in mistakes.IN_VALUES:
            planted.write_text(values)
            answer = self.helm.template(CHART, [*least.files, planted])
            self.checks.expect(answer.returncode != 0 and named in answer.stderr, f"refused: {what}",
                               answer.stderr or "it was not refused")
        self.check_nobody(least)
        for what, file, before, after, named, *values in mistakes.IN_THE_CHART:
            chart = copy_chart(self.folder / "planted")
            text = (chart / file).read_text()
            if before not in text:
                self.checks.expect(False, f"found: {what}", f"{file} has no {before!r} to plant it in")
                continue
            (chart / file).write_text(text.replace(before, after))
            planted.write_text("".join(values))
            found = self.problems_of(chart, full, planted)
            self.checks.expect(named in found, f"found: {what}", found or "it was not found")

    def check_nobody(self, case):
        """A port that nobody is named for is reached by nobody; the case without that has it open."""
        planted = self.folder / "planted.yaml"
        for what, values, role, port in mistakes.NOBODY_IS_NAMED:
            planted.write_text(values)
            reached = []
            for files in (case.files, [*case.files, planted]):
                documents = self.helm.objects(CHART, files)
                policy = next(d for d in documents if reading.is_policy_of(d, role))
                reached.append([sources for name, sources in reading.open_ports(policy) if name == port])
            self.checks.expect(len(reached[0]) == 1 and not reached[1], f"nobody comes: {what}", reached)

    def problems_of(self, chart, case, *further):
        rendered = self.helm.template(chart, [*case.files, *further])
        if rendered.returncode != 0:
            return rendered.stderr
        documents = parse(rendered.stdout)
        found = [self.conforms(rendered.stdout), *reading.all_problems(documents, case.secrets, self.commands)]
        if not "".join(found):
            # The dearer ones only where nothing else has found it.
            found += programs.time_to_end_is_given(documents, self.program, self.folder)
            found += programs.config_arrives(documents, yaml.safe_dump(self.without_files(case)),
                                             self.set_by_the_chart, self.program, self.folder)
            found += programs.secrets_are_what_roles_need(documents, self.program, self.folder)
            found += programs.commands_read_their_files(documents, self.program, self.folder)
            found += programs.probes_are_answered(documents, self.program, self.folder)
        return "\n".join(found).strip()


def main():
    parser = argparse.ArgumentParser()
    for name in ("helm", "kubeconform", "program"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    end_in_order_on_signals()
    folder = tempfile.mkdtemp(prefix="tollbridge-chart-")
    try:
        check = ChartCheck(arguments, folder)
        for case in check.cases:
            print(f"  the values {case.name}", flush=True)
            check.check_case(case)
        print("  mistakes", flush=True)
        check.check_package()
        check.check_mistakes()
    finally:
        shutil.rmtree(folder)
    return check.checks.end("the chart")


if __name__ == "__main__":
    sys.exit(main())
