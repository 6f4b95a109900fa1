"""A Kubernetes of its own on free loopback ports: etcd, kube-apiserver, kube-controller-manager,
kube-scheduler, and kwok, whose nodes and pods are fakes. Everything ends with the program that started it,
whatever ends that."""

import http.client
import json
import pathlib
import secrets
import socket
import ssl
import subprocess
import time
import urllib.parse

from chart import die_with_the_parent, run

START_LIMIT = 90
STOP_LIMIT = 10


def free_ports(count):
    """Ports that nothing listens on; whoever takes them must cope with losing them in between."""
    taken = [socket.socket() for _ in range(count)]
    for one in taken:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return ports


class Answer:
    def __init__(self, status, body):
        self.status = status
        self.body = body

    @property
    def message(self):
        return self.body.get("message", "") if isinstance(self.body, dict) else str(self.body)


class Cluster:
    """`with Cluster(bin, folder) as cluster:`; `stages` are kwok's files, and further ones."""

    def __init__(self, programs, folder, stages):
        self.programs = pathlib.Path(programs).resolve()
        self.folder = pathlib.Path(folder)
        self.stages = stages
        self.processes = []
        self.token = secrets.token_hex(16)
        self.kubeconfig = self.folder / "kubeconfig"
        self.port = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.make_keys()
        # A port can be lost to somebody else between asking for it and taking it.
        for attempt in range(5):
            self.port, client, peer = free_ports(3)
            self.write_kubeconfig()
            self.start_etcd(client, peer, attempt)
            self.start_server(client)
            if self.wait_until(self.is_ready):
                break
            self.stop()
        else:
            raise RuntimeError(f"the server does not start:\n{self.end_of_logs()}")
        self.start_rest()

    def make_keys(self):
        def openssl(*words):
            subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)

        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=server",
                "-addext", "subjectAltName=IP:127.0.0.1", "-days", 2,
                "-keyout", self.folder / "server.key", "-out", self.folder / "server.crt")
        openssl("genrsa", "-out", self.folder / "accounts.key", 2048)
        openssl("rsa", "-in", self.folder / "accounts.key", "-pubout", "-out", self.folder / "accounts.pub")
        (self.folder / "tokens.csv").write_text(f"{self.token},checks,checks,system:masters\n")

    def write_kubeconfig(self):
        self.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "checks",
            "clusters": [{"name": "checks", "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                        "certificate-authority": str(self.folder / "server.crt")}}],
            "users": [{"name": "checks", "user": {"token": self.token}}],
            "contexts": [{"name": "checks", "context": {"cluster": "checks", "user": "checks"}}],
        }))

    def spawn(self, name, *arguments):
        log = open(self.folder / f"{name}.log", "w")
        self.processes.append((name, subprocess.Popen(
            [str(self.programs / name), *map(str, arguments)], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=die_with_the_parent, cwd=self.folder)))
        log.close()

    def start_etcd(self, client, peer, attempt):
        self.spawn("etcd", "--data-dir", self.folder / f"etcd-{attempt}", "--log-level", "error", "--unsafe-no-fsync",
                   f"--listen-client-urls=http://127.0.0.1:{client}", f"--advertise-client-urls=http://127.0.0.1:{client}",
                   f"--listen-peer-urls=http://127.0.0.1:{peer}", f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
                   f"--initial-cluster=default=http://127.0.0.1:{peer}")

    def start_server(self, client):
        self.spawn("kube-apiserver", f"--etcd-servers=http://127.0.0.1:{client}", "--bind-address=127.0.0.1",
                   "--advertise-address=127.0.0.1", f"--secure-port={self.port}", "--endpoint-reconciler-type=none",
                   f"--tls-cert-file={self.folder / 'server.crt'}", f"--tls-private-key-file={self.folder / 'server.key'}",
                   f"--token-auth-file={self.folder / 'tokens.csv'}", "--authorization-mode=RBAC",
                   "--service-account-issuer=https://issuer.example",
                   f"--service-account-key-file={self.folder / 'accounts.pub'}",
                   f"--service-account-signing-key-file={self.folder / 'accounts.key'}",
                   "--service-cluster-ip-range=10.96.0.0/16", "--profiling=false")

    def start_rest(self):
        self.spawn("kube-controller-manager", f"--kubeconfig={self.kubeconfig}", "--leader-elect=false", "--secure-port=0",
                   f"--service-account-private-key-file={self.folder / 'accounts.key'}",
                   f"--root-ca-file={self.folder / 'server.crt'}", "--concurrent-deployment-syncs=2")
        self.spawn("kube-scheduler", f"--kubeconfig={self.kubeconfig}", "--leader-elect=false", "--secure-port=0")
        self.spawn("kwok", f"--kubeconfig={self.kubeconfig}", "--manage-all-nodes=true", "--node-ip=127.0.0.1",
                   "--cidr=10.64.0.0/16", *(f"--config={path}" for path in self.stages))

    def stop(self):
        for _, process in reversed(self.processes):
            process.terminate()
        end = time.monotonic() + STOP_LIMIT
        for _, process in reversed(self.processes):
            try:
                process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []

    def ended(self):
        return [name for name, process in self.processes if process.poll() is not None]

    def end_of_logs(self):
        return "\n".join(f"{path.name}: {path.read_text()[-1500:]}" for path in sorted(self.folder.glob("*.log")))

    def is_ready(self):
        try:
            return self.ask("GET", "/readyz").status == 200
        except OSError:
            return False

    def wait_until(self, condition, limit=START_LIMIT):
        """Whether it came to hold while all processes ran."""
        end = time.monotonic() + limit
        while time.monotonic() < end and not self.ended():
            if condition():
                return True
            time.sleep(0.1)
        return False

    def ask(self, method, path, body=None, content="application/json", timeout=30, **query):
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=timeout,
            context=ssl.create_default_context(cafile=str(self.folder / "server.crt")))
        if query:
            path += "?" + urllib.parse.urlencode(query)
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {"Authorization": f"Bearer {self.token}", "Content-Type": content})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        try:
            return Answer(answer.status, json.loads(text))
        except ValueError:
            return Answer(answer.status, text)

    def get(self, path, **query):
        answer = self.ask("GET", path, **query)
        if answer.status != 200:
            raise RuntimeError(f"GET {path}: {answer.status} {answer.message}")
        return answer.body

    def create(self, path, body, **query):
        answer = self.ask("POST", path, body, **query)
        if answer.status not in (200, 201):
            raise RuntimeError(f"POST {path}: {answer.status} {answer.message}")
        return answer.body

    def watch(self, path, since):
        """What has happened to the objects since that version of the list: [(type, object)]."""
        answer = self.ask("GET", path, watch="true", resourceVersion=since, timeoutSeconds=2)
        lines = [answer.body] if isinstance(answer.body, dict) else map(json.loads, answer.body.splitlines())
        return [(line["type"], line["object"]) for line in lines]

    def path_of(self, document):
        """Where objects of its kind are created."""
        version = document["apiVersion"]
        base = f"/api/{version}" if "/" not in version else f"/apis/{version}"
        plural = {"NetworkPolicy": "networkpolicies", "Ingress": "ingresses"}.get(
            document["kind"], document["kind"].lower() + "s")
        namespace = document["metadata"].get("namespace")
        return f"{base}/namespaces/{namespace}/{plural}" if namespace else f"{base}/{plural}"


def module_folder(tools, module):
    """Where Go keeps the module that a folder of tools pins."""
    asked = run(["go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module], cwd=tools)
    if asked.returncode != 0:
        raise RuntimeError(asked.stderr)
    return pathlib.Path(asked.stdout.strip())
