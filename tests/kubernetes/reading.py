"""What fakes cannot show is found by reading what was rendered: each check gives what is wrong, a line each,
with the name of it."""

from chart import containers_of, hook_of, name_of, pod_of, secrets_of

FILES_OF_PODS = "/etc/tollbridge/"


def all_problems(documents, secrets, commands):
    """`secrets`: {name: keys} of those that there are. `commands`: what the program knows, see
    program.Commands."""
    return [
        *hooks_come_in_order(documents),
        *mounts_exist(documents, secrets),
        *arguments_are_known(documents, commands),
        *pods_are_restricted(documents),
        *selectors_select(documents),
        *ports_are_named(documents),
        *replicas_are_kept(documents),
        *sources_are_named(documents),
    ]


def workloads(documents):
    for document in documents:
        pod = pod_of(document)
        if pod:
            yield document, pod


def hooks_come_in_order(documents):
    """A hook's ConfigMap is a hook of a lower weight, at all of its events; nothing else is there yet."""
    for document, pod in workloads(documents):
        hook = hook_of(document)
        for volume in pod["spec"].get("volumes", []):
            if "configMap" not in volume:
                continue
            name = volume["configMap"]["name"]
            there = [d for d in documents if d["kind"] == "ConfigMap" and d["metadata"]["name"] == name]
            if not there:
                yield f"{name_of(document)} mounts the ConfigMap {name}, which nothing makes"
                continue
            made = hook_of(there[0])
            if hook is None:
                if made is not None:
                    yield f"{name_of(document)} mounts the ConfigMap {name}, which goes with the hooks"
            elif made is None:
                yield f"{name_of(document)} is a hook, and mounts the ConfigMap {name}, which comes after hooks"
            elif made[1] >= hook[1] or not set(hook[0]) <= set(made[0]):
                yield f"{name_of(document)} mounts the ConfigMap {name}, a hook that does not come before it"
        if hook and pod["spec"].get("serviceAccountName", "default") != "default":
            yield f"{name_of(document)} is a hook with a service account, which comes after hooks"
        if hook and not set(hook[0]) <= {"pre-install", "pre-upgrade"}:
            yield f"{name_of(document)} is a hook of {hook[0]}"
        if hook and "init-store" in str(pod["spec"]["containers"][0]["args"]) and hook[0] != ["pre-install"]:
            yield f"{name_of(document)} runs init-store at {','.join(hook[0])}: at an upgrade it would end a doubt"


def mounts_exist(documents, secrets):
    for document, pod in workloads(documents):
        for file, (name, key) in secrets_of(pod).items():
            if key not in secrets.get(name, []):
                yield f"{name_of(document)} mounts {file} of the Secret {name}, key {key}, which is not there"
        volumes = {volume["name"] for volume in pod["spec"].get("volumes", [])}
        for container in containers_of(pod):
            mounted = {mount["name"] for mount in container.get("volumeMounts", [])}
            if mounted != volumes:
                yield f"{name_of(document)}: {container['name']} mounts {sorted(mounted)} of {sorted(volumes)}"
            for mount in container.get("volumeMounts", []):
                if not mount.get("readOnly") or not mount["mountPath"].startswith(FILES_OF_PODS):
                    yield f"{name_of(document)}: {mount['mountPath']} can be written, or is elsewhere"


def arguments_are_known(documents, commands):
    for document, pod in workloads(documents):
        for container in containers_of(pod):
            for problem in commands.problems_of(container["args"]):
                yield f"{name_of(document)}: {container['name']}: {problem}"


def pods_are_restricted(documents):
    """What the level `restricted` of Pod Security asks for, and a little more."""
    for document, pod in workloads(documents):
        spec, security = pod["spec"], pod["spec"].get("securityContext", {})
        wrong = []
        if not security.get("runAsNonRoot") or security.get("runAsUser") != 65532:
            wrong.append("runAsUser")
        if security.get("seccompProfile", {}).get("type") != "RuntimeDefault":
            wrong.append("seccompProfile")
        if spec.get("automountServiceAccountToken") is not False:
            wrong.append("automountServiceAccountToken")
        if any(spec.get(key) for key in ("hostNetwork", "hostPID", "hostIPC")):
            wrong.append("host namespaces")
        for container in containers_of(pod):
            own = container.get("securityContext", {})
            if own.get("allowPrivilegeEscalation") is not False:
                wrong.append("allowPrivilegeEscalation")
            if own.get("readOnlyRootFilesystem") is not True:
                wrong.append("readOnlyRootFilesystem")
            if own.get("capabilities", {}).get("drop") != ["ALL"]:
                wrong.append("capabilities")
            if not container.get("resources", {}).get("requests"):
                wrong.append("resources")
        for name in wrong:
            yield f"{name_of(document)}: {name} is not as it must be"


def matches(selector, labels):
    return all(labels.get(key) == value for key, value in selector.items())


def selectors_select(documents):
    """Each selector of a Deployment, Service or budget selects the pods of one workload, each policy's of a
    workload or the hooks of one component, and each pod has one policy."""
    pods = [(document, pod) for document, pod in workloads(documents)]
    policies = {name_of(document): 0 for document, _ in pods}
    for document in documents:
        kind, spec = document["kind"], document.get("spec", {})
        if kind in ("Deployment", "PodDisruptionBudget"):
            selector = spec["selector"]["matchLabels"]
        elif kind == "Service":
            selector = spec["selector"]
        elif kind == "NetworkPolicy":
            selector = spec["podSelector"]["matchLabels"]
        else:
            continue
        selected = [d for d, pod in pods if matches(selector, pod["metadata"]["labels"])]
        if kind == "NetworkPolicy":
            for one in selected:
                policies[name_of(one)] += 1
            if not selected and hook_of(document) is None:
                yield f"{name_of(document)} selects no pod"
        elif len(selected) != 1:
            yield f"{name_of(document)} selects {[name_of(d) for d in selected]}, and not one workload"
        if kind == "Deployment":
            for constraint in spec["template"]["spec"]["topologySpreadConstraints"]:
                if constraint["labelSelector"]["matchLabels"] != selector:
                    yield f"{name_of(document)} is spread by labels that are not its own"
    if any(document["kind"] == "NetworkPolicy" for document in documents):
        for name, count in policies.items():
            if count != 1:
                yield f"{name} has {count} network policies, and not one"


def ports_are_named(documents):
    names = {}
    for document, pod in workloads(documents):
        for container in containers_of(pod):
            ports = {port["name"] for port in container.get("ports", [])}
            names[name_of(document)] = ports
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                if probe in container and container[probe]["httpGet"]["port"] not in ports:
                    yield f"{name_of(document)}: {probe} asks a port that is not there"
            if document["kind"] == "Deployment" and not {"startupProbe", "readinessProbe", "livenessProbe"} <= set(
                    container):
                yield f"{name_of(document)} has not all three probes"
    for document in documents:
        if document["kind"] == "Service":
            served = set().union(*(names[name_of(d)] for d, pod in workloads(documents)
                                   if matches(document["spec"]["selector"], pod["metadata"]["labels"])))
            for port in document["spec"]["ports"]:
                if port["targetPort"] not in served:
                    yield f"{name_of(document)} leads to the port {port['targetPort']}, which is not there"
        if document["kind"] == "Ingress":
            backend = document["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
            services = {d["metadata"]["name"]: [port["port"] for port in d["spec"]["ports"]] for d in documents
                        if d["kind"] == "Service"}
            if backend["port"]["number"] not in services.get(backend["name"], []):
                yield f"{name_of(document)} leads to a service that is not there"


def replicas_are_kept(documents):
    """A roll-out takes nobody away, a drain takes one, and a scaler finds what it scales."""
    deployments = {d["metadata"]["name"]: d for d in documents if d["kind"] == "Deployment"}
    scaled = set()
    for document in documents:
        spec = document.get("spec", {})
        if document["kind"] == "HorizontalPodAutoscaler":
            target = deployments.get(spec["scaleTargetRef"]["name"])
            if target is None:
                yield f"{name_of(document)} scales nothing"
            elif "replicas" in target["spec"]:
                yield f"{name_of(target)} has replicas beside its scaler: each upgrade would set them back"
            scaled.add(spec["scaleTargetRef"]["name"])
        if document["kind"] == "PodDisruptionBudget" and (
                spec.get("maxUnavailable"), spec.get("unhealthyPodEvictionPolicy")) != (1, "AlwaysAllow"):
            yield f"{name_of(document)} is not maxUnavailable 1 with AlwaysAllow"
    budgets = [d["spec"]["selector"]["matchLabels"] for d in documents if d["kind"] == "PodDisruptionBudget"]
    for name, document in deployments.items():
        rolling = document["spec"]["strategy"].get("rollingUpdate")
        if rolling != {"maxSurge": 1, "maxUnavailable": 0}:
            yield f"Deployment {name} rolls out by {rolling}"
        if "replicas" not in document["spec"] and name not in scaled:
            yield f"Deployment {name} has neither replicas nor a scaler"
        if document["spec"]["selector"]["matchLabels"] not in budgets:
            yield f"Deployment {name} has no disruption budget"


def is_policy_of(document, role):
    return document["kind"] == "NetworkPolicy" and document["metadata"]["name"].endswith(f"-tollbridge-{role}")


def open_ports(policy):
    """[(name of the port, who may come)] of a NetworkPolicy; nobody who is named is everybody, as Kubernetes has it."""
    return [(port["port"], rule.get("from")) for rule in policy["spec"].get("ingress") or []
            for port in rule.get("ports") or [{"port": "any"}]]


def sources_are_named(documents):
    for document in documents:
        if document["kind"] == "NetworkPolicy":
            for port, sources in open_ports(document):
                if not sources:
                    yield f"{name_of(document)} lets everybody reach the port {port}"
