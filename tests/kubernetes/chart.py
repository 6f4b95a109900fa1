"""The chart as Helm renders it, and the checks' way of saying what is wrong."""

import ctypes
import pathlib
import shutil
import signal
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy/helm/tollbridge"
RELEASE, NAMESPACE = "payments", "tollbridge-test"
# That of the server in tests/kubernetes/tools.
KUBERNETES = "--kube-version=1.36.3"
PR_SET_PDEATHSIG = 1
# The one in C is many times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
POD_KINDS = ("Deployment", "Job", "CronJob")


class Checks:
    """Collects what was looked at and what was found, and tells of it."""

    def __init__(self):
        self.failures = []
        self.count = 0

    def expect(self, good, what, detail=""):
        self.count += 1
        if not good:
            self.failures.append(what)
            print(f"  FAILED {what}\n" + "".join(f"    {line}\n" for line in str(detail).splitlines()[:20]),
                  end="", flush=True)
        return good

    def end(self, name):
        print(f"{name}: {self.count - len(self.failures)} passed, {len(self.failures)} failed")
        return 1 if self.failures else 0


def run(command, **options):
    """The command, ended; its output is text, and it may take two minutes."""
    options = {"capture_output": True, "text": True, "timeout": 120, **options}
    return subprocess.run([str(word) for word in command], **options)


def die_with_the_parent():
    """For a child before its exec: whatever ends this program ends the child."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end_in_order_on_signals():
    """So that what was started is stopped, and what was written removed."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: sys.exit(128 + received))


def copy_chart(folder):
    """A chart to plant mistakes in: links become files."""
    target = pathlib.Path(folder) / "tollbridge"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(CHART, target)
    return target


class Helm:
    def __init__(self, program, folder):
        self.program = program
        # Nothing of the user's own Helm is read or written.
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "HELM_CACHE_HOME": f"{folder}/helm/cache",
            "HELM_CONFIG_HOME": f"{folder}/helm/config",
            "HELM_DATA_HOME": f"{folder}/helm/data",
        }

    def run(self, *arguments, **options):
        return run([self.program, *arguments], env={**self.environment, **options.pop("env", {})}, **options)

    def template(self, chart, values, *arguments):
        files = [word for path in values for word in ("-f", path)]
        return self.run("template", RELEASE, chart, "--namespace", NAMESPACE, KUBERNETES,
                        *files, *arguments)

    def objects(self, chart, values, *arguments):
        rendered = self.template(chart, values, *arguments)
        if rendered.returncode != 0:
            sys.exit(f"helm template: {rendered.stderr}")
        return parse(rendered.stdout)


def parse(text):
    return [document for document in yaml.load_all(text, Loader=LOADER) if document]


def pod_of(document):
    """The pod template of a workload; None for any other object."""
    if document["kind"] not in POD_KINDS:
        return None
    spec = document["spec"]
    return (spec["jobTemplate"]["spec"] if document["kind"] == "CronJob" else spec)["template"]


def name_of(document):
    return f"{document['kind']} {document['metadata']['name']}"


def hook_of(document):
    """(events, weight) of a hook; None for what belongs to the release."""
    annotations = document["metadata"].get("annotations", {})
    if "helm.sh/hook" not in annotations:
        return None
    return annotations["helm.sh/hook"].split(","), int(annotations.get("helm.sh/hook-weight", "0"))


def containers_of(pod):
    return pod["spec"].get("initContainers", []) + pod["spec"]["containers"]


def secrets_of(pod):
    """{path of the file in the volume: (name of the Secret, key)}"""
    files = {}
    for volume in pod["spec"].get("volumes", []):
        for source in volume.get("projected", {}).get("sources", []):
            for item in source["secret"]["items"]:
                files[item["path"]] = (source["secret"]["name"], item["key"])
    return files
