#!/usr/bin/env python3
"""./dev chart --server: what a real Kubernetes server, its controllers and its scheduler do with the chart, with
fake nodes and pods.

server_check.py --programs FOLDER --helm PATH --program PATH [--export]

--export writes tests/data/kubernetes anew from the server, and ends."""

import argparse
import base64
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time

import yaml

import program as programs
import schemas
from chart import CHART, NAMESPACE, RELEASE, ROOT, Checks, Helm, copy_chart, end_in_order_on_signals, name_of, pod_of
from chart_check import Case, OF_REPOSITORY
from cluster import Cluster, module_folder

TOOLS = ROOT / "tests/kubernetes/tools"
DATA = ROOT / "tests/data/kubernetes"
KWOK, OPERATOR = "sigs.k8s.io/kwok", "github.com/prometheus-operator/prometheus-operator"
ZONES = ("a", "b", "c")
# An image whose jobs end badly.
REFUSED = "refused"
LIMIT = "120s"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
JOBS = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
ROLES = ("events", "reconcile", "rpc", "webhooks")

# A stage of kwok: jobs of the refused image fail.
FAILING_STAGE = {
    "apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Stage", "metadata": {"name": "pod-refused"},
    "spec": {
        "resourceRef": {"apiGroup": "v1", "kind": "Pod"},
        "selector": {"matchExpressions": [
            {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"},
            {"key": ".status.phase", "operator": "NotIn", "values": ["Failed", "Succeeded"]},
            {"key": ".metadata.ownerReferences.[].kind", "operator": "In", "values": ["Job"]},
            {"key": ".spec.containers.[].image", "operator": "In", "values": [f"tollbridge:{REFUSED}"]}]},
        "weight": 1000,
        "next": {"statusTemplate": "phase: Failed\nconditions:\n- type: Ready\n  status: \"False\"\n"},
    },
}


class ServerCheck:
    def __init__(self, cluster, helm, folder, program):
        self.cluster = cluster
        self.helm = helm
        self.folder = pathlib.Path(folder)
        self.checks = Checks()
        example = self.folder / "example-values.yaml"
        example.write_text(programs.example_values(program, programs.settings_set_by_the_chart()))
        self.cases = {name: Case(name, ([example] if name == "full" else []) + [CHART / file for file in files])
                      for name, files in OF_REPOSITORY.items()}
        self.full, self.least = self.cases["full"], self.cases["least"]

    # What is there before anybody installs.

    def prepare(self):
        self.cluster.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE, "labels": {
            "pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/enforce-version": "latest"}}})
        for zone in ZONES:
            self.cluster.create("/api/v1/nodes", {
                "metadata": {"name": f"node-{zone}", "labels": {
                    "topology.kubernetes.io/zone": zone, "kubernetes.io/hostname": f"node-{zone}", "kubernetes.io/os": "linux"},
                    "annotations": {"kwok.x-k8s.io/node": "fake"}},
                "status": {"allocatable": {"cpu": "32", "memory": "64Gi", "pods": "110"},
                           "capacity": {"cpu": "32", "memory": "64Gi", "pods": "110"}}})
        folder = module_folder(TOOLS / "crds", OPERATOR) / "example/prometheus-operator-crd"
        for name in ("podmonitors", "prometheusrules"):
            self.cluster.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", yaml.safe_load(
                (folder / f"monitoring.coreos.com_{name}.yaml").read_text()))
        there = lambda: self.cluster.ask("GET", "/openapi/v3/apis/monitoring.coreos.com/v1").status == 200 and all(
            kind in json.dumps(self.cluster.get("/openapi/v3/apis/monitoring.coreos.com/v1"))
            for kind in ("PodMonitor", "PrometheusRule"))
        if not self.cluster.wait_until(there):
            raise RuntimeError("the server does not serve the kinds of the Prometheus operator")
        ready = lambda: self.cluster.ask(
            "GET", f"/api/v1/namespaces/{NAMESPACE}/configmaps/kube-root-ca.crt").status == 200 and self.cluster.ask(
            "GET", f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default").status == 200
        if not self.cluster.wait_until(ready):
            raise RuntimeError("the controllers do not prepare the namespace")

    def make_secret(self, name, keys):
        self.cluster.create(f"/api/v1/namespaces/{NAMESPACE}/secrets", {
            "metadata": {"name": name}, "data": {key: base64.b64encode(b"x").decode() for key in keys}})

    # Strict dry runs.

    def dry_run(self, documents):
        """What the server has against the objects, and against the pods that their templates make."""
        wrong = []
        for document in documents:
            objects = [document]
            if pod_of(document):
                pod = pod_of(document)
                objects.append({"apiVersion": "v1", "kind": "Pod", "spec": {"restartPolicy": "Never", **pod["spec"]},
                                "metadata": {**pod["metadata"], "name": "dry-run", "namespace": NAMESPACE}})
                if document["kind"] == "Deployment":
                    objects[-1]["spec"]["restartPolicy"] = "Always"
            for one in objects:
                answer = self.cluster.ask("POST", self.cluster.path_of(one), one, dryRun="All", fieldValidation="Strict")
                if answer.status != 201:
                    wrong.append(f"{name_of(document)}, {one['kind']}: {answer.status} {answer.message}")
        return "\n".join(wrong)

    def check_dry_runs(self):
        for name, case in self.cases.items():
            documents = self.helm.objects(CHART, case.files)
            wrong = self.dry_run(documents)
            self.checks.expect(not wrong, f"{name}: strict dry run of {len(documents)} objects", wrong)
        for what, file, before, after, named in (
                ("a misspelt field", "templates/availability.yaml", "maxUnavailable: 1", "maxUnavailble: 1",
                 'unknown field "spec.maxUnavailble"'),
                ("a misspelt field of a rule", "files/rules/tollbridge.yaml", "expr:", "exprr:", "exprr"),
                ("a missing security setting", "templates/_pod.tpl", "  allowPrivilegeEscalation: false\n", "",
                 "allowPrivilegeEscalation != false"),
                ("a user that is root", "templates/_pod.tpl", "runAsNonRoot: true", "runAsNonRoot: false",
                 "runAsNonRoot != true")):
            chart = copy_chart(self.folder / "planted")
            text = (chart / file).read_text()
            assert before in text, f"{file} has no {before!r} to plant {what} in"
            (chart / file).write_text(text.replace(before, after))
            wrong = self.dry_run(self.helm.objects(chart, self.full.files))
            self.checks.expect(named in wrong, f"refused by the server: {what}", wrong or "it was not refused")

    def check_schemas(self):
        stale = schemas.differences(self.cluster, DATA)
        self.checks.expect(not stale, "tests/data/kubernetes has this server's schemas", "\n".join(
            [*stale, "renew them: ./dev chart --export-schemas"]))

    # A release.

    def run_helm(self, *words, **options):
        return self.helm.run(*words, "--namespace", NAMESPACE, env={"KUBECONFIG": str(self.cluster.kubeconfig)},
                             timeout=300, **options)

    def values(self):
        return [word for path in self.least.files for word in ("-f", path)]

    def since(self, path):
        return self.cluster.get(path)["metadata"]["resourceVersion"]

    def jobs_made(self, since):
        return [made["metadata"]["name"].removeprefix(f"{RELEASE}-tollbridge-")
                for kind, made in self.cluster.watch(JOBS, since) if kind == "ADDED"]

    def images(self):
        return {d["spec"]["template"]["spec"]["containers"][0]["image"] for d in self.cluster.get(DEPLOYMENTS)["items"]}

    def objects_of_the_release(self):
        found = []
        for path in ("/api/v1/{}/configmaps", "/api/v1/{}/services", "/apis/apps/v1/{}/deployments", "/apis/batch/v1/{}/jobs",
                     "/apis/batch/v1/{}/cronjobs", "/apis/policy/v1/{}/poddisruptionbudgets",
                     "/apis/networking.k8s.io/v1/{}/networkpolicies", "/api/v1/{}/pods"):
            for item in self.cluster.get(path.format(f"namespaces/{NAMESPACE}"))["items"]:
                if item["metadata"].get("labels", {}).get("app.kubernetes.io/instance") == RELEASE:
                    found.append(f"{path.rsplit('/', 1)[1]}/{item['metadata']['name']}")
        return found

    def check_missing_secrets(self):
        """Named before anything is made, whether the Secret or one of its keys is missing."""
        expect = self.checks.expect
        names = self.least.secrets
        for missing, needle in ((True, "there is no Secret tollbridge-operations in the namespace"),
                                (False, "the Secret tollbridge-operations has no key outcome-keys; it has: fingerprint-keys")):
            for name, keys in names.items():
                if name != "tollbridge-operations" and missing:
                    self.make_secret(name, keys)
                elif name == "tollbridge-operations" and not missing:
                    self.make_secret(name, ["fingerprint-keys"])
            answer = self.run_helm("install", RELEASE, CHART, *self.values())
            expect(answer.returncode != 0 and needle in answer.stderr, f"refused: {needle}", answer.stderr)
            expect(not self.objects_of_the_release(), "nothing was made of what was refused", self.objects_of_the_release())
        self.cluster.ask("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/tollbridge-operations")
        self.make_secret("tollbridge-operations", names["tollbridge-operations"])

    def check_install(self):
        expect = self.checks.expect
        since, began = self.since(JOBS), time.monotonic()
        answer = self.run_helm("install", RELEASE, CHART, "--wait", "--timeout", LIMIT, *self.values())
        if not expect(answer.returncode == 0, "helm install --wait", answer.stderr + self.cluster.end_of_logs()):
            return False
        print(f"  installed in {time.monotonic() - began:.1f} s", flush=True)
        wanted = [*(f"check-{role}" for role in ROLES), "topics", "init-store", *(f"online-{role}" for role in ROLES)]
        made = self.jobs_made(since)
        expect(made == wanted, f"hooks run in order: {' '.join(wanted)}", " ".join(made))
        for item in self.cluster.get(DEPLOYMENTS)["items"]:
            status = item["status"]
            expect(status.get("availableReplicas") == 2, f"{item['metadata']['name']} has 2 of 2", status)
        left = [name for name in self.objects_of_the_release() if "-tollbridge-hook" in name or name.startswith("jobs/")]
        expect(not left, "hooks that went well leave nothing behind", left)
        slices = self.cluster.get(f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices")["items"]
        served = {s["metadata"]["labels"]["kubernetes.io/service-name"]: sum(
            1 for e in s["endpoints"] or [] if e["conditions"]["ready"]) for s in slices}
        expect(served == {f"{RELEASE}-tollbridge-rpc": 2, f"{RELEASE}-tollbridge-webhooks": 2},
               "both services lead to two pods", served)
        pods = self.cluster.get(PODS)["items"]
        for role in ROLES:
            zones = {p["spec"]["nodeName"] for p in pods if p["metadata"]["labels"]["app.kubernetes.io/component"] == role}
            expect(len(zones) == 2, f"the pods of {role} are in two zones", zones)
        return True

    def watched(self, command):
        """Runs it, and gives its answer and the fewest available replicas of any role meanwhile."""
        fewest, done = [99], threading.Event()

        def look():
            while not done.is_set():
                for item in self.cluster.get(DEPLOYMENTS)["items"]:
                    fewest[0] = min(fewest[0], item["status"].get("availableReplicas", 0))
                done.wait(0.05)

        watcher = threading.Thread(target=look)
        watcher.start()
        try:
            return command(), fewest[0]
        finally:
            done.set()
            watcher.join()

    def check_upgrade(self):
        expect = self.checks.expect
        before = self.images()
        answer = self.run_helm("upgrade", RELEASE, CHART, "--wait", "--timeout", "60s", *self.values(),
                               "--set", f"image.tag={REFUSED}")
        expect(answer.returncode != 0 and "pre-upgrade hooks failed" in answer.stderr,
               "an upgrade ends where check-config ends badly", answer.stderr)
        failed = [j["metadata"]["name"] for j in self.cluster.get(JOBS)["items"] if j["status"].get("failed")]
        expect(failed == [f"{RELEASE}-tollbridge-check-events"], "the first that failed stays, for who looks", failed)
        expect(self.images() == before, "nothing has changed then", self.images())

        since, began = self.since(JOBS), time.monotonic()
        answer, fewest = self.watched(lambda: self.run_helm(
            "upgrade", RELEASE, CHART, "--wait", "--timeout", LIMIT, *self.values(), "--set", "image.tag=0.2.0",
            "--set", "config.process.log_level=debug"))
        expect(answer.returncode == 0, "helm upgrade --wait", answer.stderr)
        print(f"  upgraded in {time.monotonic() - began:.1f} s", flush=True)
        expect(fewest >= 2, "two pods of each role are available all the time", fewest)
        expect(self.images() == {"tollbridge:0.2.0"}, "all pods have the new image", self.images())
        made = self.jobs_made(since)
        expect("init-store" not in made and "topics" in made, "an upgrade runs no init-store", made)

    def check_config_alone_rolls(self):
        """A changed setting makes new pods; the same values make none."""
        def templates():
            return {d["metadata"]["name"]: d["metadata"]["generation"] for d in self.cluster.get(DEPLOYMENTS)["items"]}

        upgrade = lambda *words: self.run_helm("upgrade", RELEASE, CHART, "--wait", "--timeout", LIMIT, *self.values(),
                                               "--set", "image.tag=0.2.0", *words)
        before = templates()
        upgrade("--set", "config.process.log_level=debug")
        self.checks.expect(templates() == before, "the same values change no pod", (before, templates()))
        upgrade("--set", "config.process.log_level=warning")
        self.checks.expect(all(templates()[name] > number for name, number in before.items()),
                           "another setting makes new pods", (before, templates()))

    def check_rollback(self):
        expect = self.checks.expect
        since, began = self.since(JOBS), time.monotonic()
        answer, fewest = self.watched(lambda: self.run_helm("rollback", RELEASE, "1", "--wait", "--timeout", LIMIT))
        expect(answer.returncode == 0, "helm rollback --wait", answer.stderr)
        print(f"  rolled back in {time.monotonic() - began:.1f} s", flush=True)
        expect(fewest >= 2, "two pods of each role are available through a roll-back", fewest)
        expect(self.images() == {"tollbridge:0.1.0"}, "all pods have the old image", self.images())
        expect(self.jobs_made(since) == [], "a roll-back waits for no hook")
        config = self.cluster.get(f"/api/v1/namespaces/{NAMESPACE}/configmaps/{RELEASE}-tollbridge-config")
        expect("log_level" not in config["data"]["tollbridge.yaml"], "the old configuration is back")

    def check_eviction(self):
        expect = self.checks.expect

        def running():
            return [p for p in self.cluster.get(PODS, labelSelector="app.kubernetes.io/component=rpc")["items"]
                    if "deletionTimestamp" not in p["metadata"] and p["status"].get("phase") == "Running"]

        def evict(pod):
            name = pod["metadata"]["name"]
            return self.cluster.ask("POST", f"{PODS}/{name}/eviction", {
                "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": NAMESPACE}})

        def let_nodes_take_pods(take):
            for node in self.cluster.get("/api/v1/nodes")["items"]:
                self.cluster.ask("PATCH", f"/api/v1/nodes/{node['metadata']['name']}",
                                 {"spec": {"unschedulable": not take}}, "application/merge-patch+json")

        def settled():
            budget = self.cluster.get(
                f"/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets/{RELEASE}-tollbridge-rpc")["status"]
            return len(running()) == 2 and budget.get("disruptionsAllowed") == 1

        if not expect(self.cluster.wait_until(settled), "the budget allows one"):
            return
        first, second = running()
        # Else the one that takes its place may run before the other is asked for.
        let_nodes_take_pods(False)
        expect(evict(first).status == 201, "one pod may be evicted")
        refused = evict(second)
        expect(refused.status == 429 and "disruption budget" in refused.message, "and not the other one with it",
               f"{refused.status} {refused.message}")
        let_nodes_take_pods(True)
        expect(self.cluster.wait_until(settled), "another takes its place", self.cluster.end_of_logs())
        expect(first["metadata"]["name"] not in [p["metadata"]["name"] for p in running()], "it has gone")

    def check_removal(self):
        answer = self.run_helm("uninstall", RELEASE, "--wait", "--timeout", LIMIT)
        self.checks.expect(answer.returncode == 0, "helm uninstall", answer.stderr)
        gone = lambda: not self.objects_of_the_release()
        self.checks.expect(self.cluster.wait_until(gone, 30), "nothing is left of it", self.objects_of_the_release())
        names = {s["metadata"]["name"] for s in self.cluster.get(f"/api/v1/namespaces/{NAMESPACE}/secrets")["items"]}
        self.checks.expect(set(self.least.secrets) <= names, "the Secrets stay")

    def run(self):
        self.check_schemas()
        self.check_dry_runs()
        self.check_missing_secrets()
        if self.check_install():
            self.check_upgrade()
            self.check_config_alone_rolls()
            self.check_rollback()
            self.check_eviction()
            self.check_removal()
        self.checks.expect(not self.cluster.ended(), "all parts of the server run to the end", self.cluster.ended())
        return self.checks.end("the chart on a server")


def stages(folder):
    kustomize = module_folder(TOOLS / "kwok", KWOK) / "kustomize/stage"
    failing = pathlib.Path(folder) / "failing.yaml"
    failing.write_text(yaml.safe_dump(FAILING_STAGE))
    return [*sorted(path for kind in ("pod/fast", "node/fast", "node/heartbeat")
                    for path in (kustomize / kind).glob("*.yaml") if path.name != "kustomization.yaml"), failing]


def main():
    parser = argparse.ArgumentParser()
    for name in ("programs", "helm", "program"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--export", action="store_true")
    arguments = parser.parse_args()
    end_in_order_on_signals()
    folder = tempfile.mkdtemp(prefix="tollbridge-kubernetes-")
    try:
        began = time.monotonic()
        with Cluster(arguments.programs, folder, stages(folder)) as cluster:
            check = ServerCheck(cluster, Helm(arguments.helm, folder), folder, arguments.program)
            check.prepare()
            print(f"  the server is up after {time.monotonic() - began:.1f} s", flush=True)
            if arguments.export:
                schemas.write(cluster, DATA)
                return 0
            return check.run()
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
