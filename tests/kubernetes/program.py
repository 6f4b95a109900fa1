"""The real program, asked about what was rendered."""

import base64
import hashlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import yaml

from chart import ROOT, containers_of, die_with_the_parent, name_of, pod_of, run, secrets_of

CONFIG = "/etc/tollbridge/config/tollbridge.yaml"
SECRETS = "/etc/tollbridge/secrets"
GRACE_BEYOND = 15
# A command has read its files by then, and may wait for Kafka or Redis, which are not there.
COMMAND_LIMIT = 3


class Commands:
    """Which commands and options the program has, by its own help."""

    def __init__(self, program):
        self.program = program
        self.helps = {}

    def help_of(self, command):
        if command not in self.helps:
            asked = run([self.program, *command, "--help"])
            self.helps[command] = asked.stdout if asked.returncode == 0 else None
        return self.helps[command]

    def problems_of(self, arguments):
        words = []
        for word in arguments:
            if word.startswith("-"):
                break
            words.append(word)
        command = tuple(words)
        text = self.help_of(command) if command else None
        if text is None:
            yield f"the program has no command {' '.join(words)}"
            return
        # Help of a group of commands would take the name of one that is not there for its own.
        if "Subcommands:" in text:
            yield f"{' '.join(words)} is no command, but a group of them"
        known = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
        for word in arguments[len(words):]:
            option, has_value, value = word.partition("=")
            if option not in known:
                yield f"{' '.join(words)} has no option {option}"
            if has_value and not value:
                yield f"{' '.join(words)} gets an empty {option}"
        if f"--config={CONFIG}" not in arguments:
            yield f"{' '.join(words)} does not read {CONFIG}"


def make_secret_files(folder):
    """Files of every kind of secret, by the name that the chart gives the file in the pod; a project's files
    end in their kind."""
    folder = pathlib.Path(folder)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-subj", "/CN=test.example", "-addext", "subjectAltName=DNS:test.example", "-days", "2",
                    "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
                   check=True, capture_output=True)
    key, certificate = (folder / "key.pem").read_text(), (folder / "certificate.pem").read_text()

    def content(file):
        if file.endswith("-key.pem"):
            return key
        if file.endswith(".pem"):
            return certificate
        if file.endswith("-keys") and not file.endswith("api-keys"):
            # Each ring wants keys of its own.
            return "k1 " + base64.b64encode(hashlib.sha256(file.encode()).digest()).decode() + "\n"
        if file == "kafka.properties":
            return "sasl.username=tollbridge\n"
        if file == "traces-headers":
            return "authorization: Bearer 0123456789abcdef\n"
        # No two projects have one token.
        return hashlib.sha256(file.encode()).hexdigest() + "\n"

    return content


def config_of(documents, name_ends):
    for document in documents:
        if document["kind"] == "ConfigMap" and document["metadata"]["name"].endswith(name_ends):
            return document["data"]["tollbridge.yaml"]
    raise LookupError(name_ends)


def lay_out(folder, config, files, content):
    """The pod's files below a folder, and the configuration that names them there; its path."""
    folder = pathlib.Path(folder)
    secrets = folder / "secrets"
    secrets.mkdir(parents=True, exist_ok=True)
    for old in secrets.iterdir():
        old.unlink()
    for file in files:
        (secrets / file).write_text(content(file))
        # As the pod has them: production refuses what everybody may read.
        (secrets / file).chmod(0o440)
    path = folder / "tollbridge.yaml"
    path.write_text(config.replace(SECRETS, str(secrets)))
    return path


def secrets_are_what_roles_need(documents, program, folder):
    """Each role's program is content with the files that its pods get, and misses each of them: the chart's
    table is the program's (gateway/config/needs.h), no file less and none more."""
    content = make_secret_files(folder)
    config = config_of(documents, "-config")
    seen = []
    for document in documents:
        pod = pod_of(document)
        for container in containers_of(pod) if pod else []:
            words = [word for word in container["args"] if word != "--online" and not word.startswith("--name=")]
            if words[0] == "serve":
                words[0] = "check-config"
            # A role's Deployment and its two hooks are asked once, as long as they have the same.
            if words[0] == "check-config" and (words, secrets_of(pod)) not in seen:
                seen.append((words, secrets_of(pod)))
                yield from files_are_needed(name_of(document), words, secrets_of(pod), program, config, folder, content)


def files_are_needed(name, words, files, program, config, folder, content):
    def findings(given):
        path = lay_out(folder, config, given, content)
        answer = run([program, *[word.replace(CONFIG, str(path)) for word in words], "--json"])
        # The log goes there too; the answer is the last line.
        lines = answer.stdout.splitlines()
        return json.loads(lines[-1])["errors"] if lines else [answer.stderr]

    for error in findings(files):
        yield f"{name}: check-config says: {error}"
    # librdkafka names its property, and not the file.
    properties = yaml.safe_load(config).get("kafka", {}).get("properties", [])
    for file in files:
        errors = " ".join(findings([other for other in files if other != file]))
        names = [file, *(entry.split("=")[0] for entry in properties if entry.endswith(f"/{file}"))]
        if not any(word in errors for word in names):
            yield f"{name} gets the file {file}, which its role does without ({errors or 'no error'})"


def commands_read_their_files(documents, program, folder):
    """The other commands miss each file that they get, and with all of them come so far that they miss none."""
    content = make_secret_files(folder)
    config = config_of(documents, "-config")

    def said(words, given):
        path = lay_out(folder, config, given, content)
        try:
            ended = run([program, *[word.replace(CONFIG, str(path)) for word in words]], timeout=COMMAND_LIMIT)
            return ended.stdout + ended.stderr
        except subprocess.TimeoutExpired:
            return "it asks Kafka or Redis"

    seen = set()
    for document in documents:
        pod = pod_of(document)
        for container in containers_of(pod) if pod else []:
            words, files = container["args"], secrets_of(pod)
            if words[0] in ("serve", "check-config") or tuple(words) in seen:
                continue
            seen.add(tuple(words))
            text = said(words, files)
            if f"{folder}/secrets/" in text:
                yield f"{name_of(document)}: {words[0]} misses a file: {text}"
            for file in files:
                # A certificate is only read when a connection is made.
                if file.endswith(".pem"):
                    continue
                text = said(words, [other for other in files if other != file])
                if file not in text:
                    yield f"{name_of(document)} gets the file {file}, which {words[0]} does without: {text}"


def config_arrives(documents, given, set_by_the_chart, program, folder):
    """What the program reads is what the values say, setting for setting, but for what the chart sets."""
    content = make_secret_files(folder)
    rendered = lay_out(pathlib.Path(folder), config_of(documents, "-config"), [], content)

    def read(path):
        printed = run([program, "print-config", "--config", path])
        if printed.returncode != 0:
            raise RuntimeError(printed.stderr)
        return flatten(yaml.safe_load(printed.stdout))

    arrived = read(rendered)
    path = pathlib.Path(folder) / "given.yaml"
    path.write_text(given)
    for setting, value in read(path).items():
        plain = re.sub(r"\[\d+\]", "[]", setting)
        if any(plain == name or plain.startswith(name + ".") for name in set_by_the_chart):
            continue
        if plain in ("kafka.properties",):
            if not set(value) <= set(arrived[setting]):
                yield f"{setting}: {arrived[setting]} arrives, without {value}"
        elif arrived.get(setting) != value:
            yield f"{setting}: {arrived.get(setting)} arrives, and not {value}"


def flatten(tree, path=""):
    flat = {}
    for name, value in tree.items():
        here = f"{path}.{name}" if path else name
        if isinstance(value, dict):
            flat.update(flatten(value, here))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for index, item in enumerate(value):
                flat.update(flatten(item, f"{here}[{index}]"))
        else:
            flat[here] = value
    return flat


def seconds(duration):
    number, unit = re.fullmatch(r"(\d+)(d|h|m|s|ms)", duration).groups()
    return int(number) * {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}[unit]


def time_to_end_is_given(documents, program, folder):
    path = lay_out(folder, config_of(documents, "-config"), [], lambda file: "")
    process = yaml.safe_load(run([program, "print-config", "--config", path]).stdout)["process"]
    least = seconds(process["drain_delay"]) + seconds(process["grace_period"]) + GRACE_BEYOND
    for document in documents:
        if document["kind"] == "Deployment":
            given = pod_of(document)["spec"]["terminationGracePeriodSeconds"]
            if not least <= given < least + 1:
                yield f"{name_of(document)} has {given} s to end, and not {least}"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def probes_are_answered(documents, program, folder):
    """The role webhooks, which starts without anything else, on the rendered configuration: what each probe
    asks is answered by 200 or 503, and what nobody knows by 404."""
    content = make_secret_files(folder)
    deployment = next(d for d in documents if d["kind"] == "Deployment" and d["metadata"]["name"].endswith("-webhooks"))
    pod = pod_of(deployment)
    container = pod["spec"]["containers"][0]
    config = config_of(documents, "-config")
    port = free_port()
    for name, number in ((p["name"], p["containerPort"]) for p in container["ports"]):
        config = config.replace(f":{number}", f":{port if name == 'metrics' else 0}")
    path = lay_out(folder, config.replace("0.0.0.0:", "127.0.0.1:"), secrets_of(pod), content)
    words = [word.replace(CONFIG, str(path)).replace("$(POD_NAME)", "webhooks-7d9f-x2x") for word in container["args"]]
    log = open(pathlib.Path(folder) / "serve.log", "w+")
    process = subprocess.Popen([program, *words], stdout=log, stderr=log, start_new_session=True,
                               preexec_fn=die_with_the_parent)
    try:
        def status(target):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", target)
            return connection.getresponse().status

        end = time.monotonic() + 20
        while True:
            try:
                status("/livez")
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > end:
                    log.seek(0)
                    yield f"the role webhooks does not start: {log.read()[-800:]}"
                    return
                time.sleep(0.05)
        if status("/no-such-path") != 404:
            yield "the program answers what it does not know by something else than 404"
        paths = {container[probe]["httpGet"]["path"] for document in documents if document["kind"] == "Deployment"
                 for container in containers_of(pod_of(document))
                 for probe in ("startupProbe", "readinessProbe", "livenessProbe")}
        for target in sorted(paths | {"/metrics"}):
            if status(target) not in (200, 503):
                yield f"the program does not answer {target}: {status(target)}"
        log.flush()
        log.seek(0)
        if "webhooks-7d9f-x2x" not in log.read():
            yield "the name of the pod is not that of the process"
    finally:
        # One that did not start has ended by itself, and says why above.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        log.close()


def example_values(program, set_by_the_chart):
    """Every setting of the program that is a value of the chart, with its example, as YAML below `config`.
    Numbers are one more than by default, so that it shows when a section does not arrive."""
    config = yaml.safe_load(run([program, "print-config", "--example"]).stdout)

    def drop(tree, names):
        if names[0].endswith("[]"):
            for item in tree[names[0][:-2]]:
                drop(item, names[1:])
        elif len(names) == 1:
            del tree[names[0]]
        else:
            drop(tree[names[0]], names[1:])

    def raise_numbers(tree):
        for name, value in tree.items():
            if isinstance(value, dict):
                raise_numbers(value)
            elif type(value) is int:
                tree[name] = value + 1

    for path in set_by_the_chart:
        drop(config, path.split("."))
    raise_numbers(config)
    return yaml.safe_dump({"config": config}, sort_keys=False)


def settings_set_by_the_chart():
    scope = {}
    source = (ROOT / "deploy/helm/make_files.py").read_text()
    exec(compile(source[source.index("SET_BY_THE_CHART"):source.index("]\n") + 2], "make_files.py", "exec"), scope)
    return scope["SET_BY_THE_CHART"]
