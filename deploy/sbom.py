#!/usr/bin/env python3
"""Writes what a program of ours is made of, as CycloneDX 1.5 in JSON, to standard output.

sbom.py PROGRAM BUILT: the Debian packages whose libraries it loads, those that are compiled into it, and
the libraries that ./dev setup built from source into the folder BUILT. To be run where the program was
built: versions and licences are those of the packages there. The same input gives the same output.
"""

import json
import os
import re
import subprocess
import sys
import uuid

# Linked statically or compiled in from headers, by the package that they come from.
COMPILED_IN = {
    "tollbridge": ["libboost1.83-dev", "libcli11-dev", "libjemalloc-dev", "opentelemetry-cpp-dev"],
    "tollbridge-sandbox": ["libboost1.83-dev", "libcli11-dev"],
}
FROM_SOURCE = {"tollbridge": ["hiredis", "librdkafka"], "tollbridge-sandbox": ["librdkafka"]}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def release():
    """"debian-13", as purls name it."""
    with open("/etc/os-release", encoding="utf-8") as file:
        fields = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    return f"{fields['ID']}-{fields['VERSION_ID']}".replace('"', "")


def loaded_libraries(program):
    """Absolute paths of what the program loads, the loader among them."""
    return sorted(set(re.findall(r"(/\S+) \(0x", run("ldd", program))))


def packages_of(paths):
    """The package of each file, by any of the names that lead to it: packages know it by one of them."""
    names = {}
    for path in paths:
        for name in (path, os.path.realpath(path), "/usr" + path, path.removeprefix("/usr")):
            names[name] = path
    # Fails when it does not know one of them, which is so for most.
    found = subprocess.run(["dpkg", "-S", *names], capture_output=True, text=True, check=False).stdout
    owners = {}
    for line in found.splitlines():
        # A file that was moved aside for another has a line more.
        if not line.startswith("diversion "):
            packages, name = line.rsplit(": ", 1)
            owners[names[name]] = re.split("[:,]", packages)[0]
    unknown = sorted(set(paths) - set(owners))
    if unknown:
        sys.exit(f"no package owns {', '.join(unknown)}")
    return set(owners.values())


def licences(package):
    """Short names out of a copyright file of the machine-readable form; none of another form."""
    try:
        with open(f"/usr/share/doc/{package}/copyright", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return []
    return sorted(set(name.strip() for name in re.findall(r"^License: *(\S.*)$", text, re.M)))


def debian(package, system):
    fields = run("dpkg-query", "-W", "-f", "${Version}\t${Architecture}\t${source:Package}\t${source:Version}", package)
    version, architecture, source, source_version = fields.split("\t")
    purl = f"pkg:deb/debian/{package}@{version}?arch={architecture}&distro={system}"
    component = {
        "type": "library",
        "bom-ref": purl,
        "name": package,
        "version": version,
        "purl": purl,
        "properties": [{"name": "debian:source", "value": f"{source}@{source_version}"}],
    }
    named = [{"license": {"name": name}} for name in licences(package)]
    if named:
        component["licenses"] = named
    return component


def built(name, folder):
    with open(os.path.join(folder, name, ".stamp"), encoding="utf-8") as file:
        what, source = file.read().splitlines()
    version, revision = what.split()[1], source.split()[1]
    purl = f"pkg:generic/{name}@{version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        # Whose patches it has.
        "properties": [{"name": "debian:source", "value": f"{name}@{revision}"}],
    }


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: sbom.py PROGRAM BUILT")
    program, built_from_source = sys.argv[1:]
    name = os.path.basename(program)
    version, revision = re.fullmatch(r"\S+ (\S+) \(commit (\S+)\)\n", run(program, "--version")).groups()
    system = release()
    packages = packages_of(loaded_libraries(program)) | set(COMPILED_IN[name])
    components = [debian(package, system) for package in sorted(packages)]
    components += [built(library, built_from_source) for library in FROM_SOURCE[name]]
    purl = f"pkg:generic/{name}@{version}"
    json.dump(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{purl} {revision} {system}')}",
            "version": 1,
            "metadata": {
                "component": {
                    "type": "application",
                    "bom-ref": purl,
                    "name": name,
                    "version": version,
                    "purl": purl,
                    "licenses": [{"license": {"id": "Apache-2.0"}}],
                    "properties": [{"name": "commit", "value": revision}],
                }
            },
            "components": components,
            "dependencies": [{"ref": purl, "dependsOn": [part["bom-ref"] for part in components]}],
        },
        sys.stdout,
        indent=1,
    )
    print()


if __name__ == "__main__":
    main()
