# Sourced by ./dev: what the programs are made of.
# shellcheck shell=bash

# Writes build/sbom/PROGRAM.cdx.json for both programs, as images and packages carry them, and has
# CycloneDX's own library check them.
sbom_command() {
  [[ $# -eq 0 ]] || die "usage: ./dev sbom; not: $*"
  local folder="$ROOT/build/sbom" name
  setup_group build package
  configure release product
  compile release tollbridge tollbridge-sandbox
  make_environment "$DEPS_DIR/sbom-python" "CycloneDX's library" \
    --require-hashes -r scripts/requirements/sbom.txt
  mkdir -p "$folder"
  for name in tollbridge tollbridge-sandbox; do
    deploy/sbom.py "build/release/bin/$name" build/deps >"$folder/$name.cdx.json"
    sbom_check "$folder/$name.cdx.json"
    say "build/sbom/$name.cdx.json: $(grep -c '"bom-ref"' "$folder/$name.cdx.json") parts"
  done
}

# sbom_check FILE
sbom_check() {
  "$DEPS_DIR/sbom-python/bin/python" - "$1" <<'PYTHON' || die "$1 is no CycloneDX"
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

with open(sys.argv[1], encoding="utf-8") as file:
    found = JsonStrictValidator(SchemaVersion.V1_5).validate_str(file.read())
if found is not None:
    sys.exit(f"{sys.argv[1]}: {found}")
PYTHON
}
