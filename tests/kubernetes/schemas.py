"""Schemas for kubeconform, exported from a server's own /openapi/v3: strict, without descriptions, and only of
what the chart uses. One file of definitions, and a file for each kind that refers to it."""

import json
import pathlib

# (kind, path of its group below /openapi/v3, name in the file's name)
KINDS = [
    ("ConfigMap", "api/v1"),
    ("Service", "api/v1"),
    ("Deployment", "apis/apps/v1"),
    ("Job", "apis/batch/v1"),
    ("CronJob", "apis/batch/v1"),
    ("PodDisruptionBudget", "apis/policy/v1"),
    ("HorizontalPodAutoscaler", "apis/autoscaling/v2"),
    ("NetworkPolicy", "apis/networking.k8s.io/v1"),
    ("Ingress", "apis/networking.k8s.io/v1"),
    ("PodMonitor", "apis/monitoring.coreos.com/v1"),
    ("PrometheusRule", "apis/monitoring.coreos.com/v1"),
]
DEFINITIONS = "definitions.json"
KEPT = ("type", "format", "enum", "required", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems",
        "maxItems", "nullable")


def strict(schema, used):
    """The schema without what kubeconform does not want; `used` gets the definitions that it refers to."""
    if "$ref" in schema:
        return reference(schema["$ref"], used)
    if len(schema.get("allOf", [])) == 1:
        return strict(schema["allOf"][0], used)
    if schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string":
        return {"type": ["string", "integer"]}
    out = {key: schema[key] for key in KEPT if key in schema and key != "nullable"}
    # Formats are the server's own (int32, date-time ...): its types are enough here.
    out.pop("format", None)
    if "oneOf" in schema and "type" not in schema:
        return {"type": [branch["type"] for branch in schema["oneOf"]]}
    if "items" in schema:
        out["items"] = strict(schema["items"], used)
    if "properties" in schema:
        out["properties"] = {name: strict(child, used) for name, child in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            out["additionalProperties"] = False
    elif isinstance(schema.get("additionalProperties"), dict):
        out["additionalProperties"] = strict(schema["additionalProperties"], used)
    if schema.get("nullable") and "type" in out:
        out["type"] = [out["type"], "null"]
    return out


def reference(path, used):
    name = path.rsplit("/", 1)[1]
    used.add(name)
    return {"$ref": f"{DEFINITIONS}#/definitions/{name}"}


def export(cluster):
    """{name of the file: its text}"""
    files, definitions, todo, known = {}, {}, set(), {}
    for kind, group in KINDS:
        schemas = cluster.get(f"/openapi/v3/{group}")["components"]["schemas"]
        known.update(schemas)
        version = group.split("/", 1)[1]
        api_group, _, number = version.rpartition("/")
        wanted = {"group": api_group, "kind": kind, "version": number}
        name = next(name for name, schema in schemas.items()
                    if wanted in schema.get("x-kubernetes-group-version-kind", []))
        suffix = "-".join(filter(None, [api_group.split(".")[0], number])).lower()
        root = strict({"$ref": f"#/{name}"}, todo)
        files[f"{kind.lower()}-{suffix}.json"] = json.dumps(root) + "\n"
    while todo - definitions.keys():
        for name in sorted(todo - definitions.keys()):
            definitions[name] = strict(known[name], todo)
    files[DEFINITIONS] = json.dumps({"definitions": dict(sorted(definitions.items()))}, indent=1) + "\n"
    return files


def differences(cluster, folder):
    made = export(cluster)
    there = {path.name: path.read_text() for path in pathlib.Path(folder).glob("*.json")}
    return sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))


def write(cluster, folder):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for old in pathlib.Path(folder).glob("*.json"):
        old.unlink()
    for name, text in export(cluster).items():
        (pathlib.Path(folder) / name).write_text(text)
