{{- /* Names and labels. */ -}}

{{- define "tollbridge.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "tollbridge.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "tollbridge.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "tollbridge.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* What selects the pods of a component: dict root component. */ -}}
{{- define "tollbridge.selector" -}}
app.kubernetes.io/name: {{ include "tollbridge.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- /* Labels of a pod: dict root component [labels], which go before the common ones. Not the chart's
       version, which changes no pod. */ -}}
{{- define "tollbridge.podLabels" -}}
{{ include "tollbridge.selector" . }}
app.kubernetes.io/version: {{ default .root.Chart.AppVersion .root.Values.image.tag | trunc 63 | quote }}
{{- with merge (dict) (default (dict) .labels) (default (dict) .root.Values.commonLabels) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Labels of an object: dict root component [labels]. */ -}}
{{- define "tollbridge.labels" -}}
{{ include "tollbridge.podLabels" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- /* Name, labels and annotations: dict root component [suffix] [annotations] [labels]. */ -}}
{{- define "tollbridge.metadata" -}}
name: {{ include "tollbridge.fullname" .root }}-{{ default .component .suffix }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "tollbridge.labels" . | nindent 2 }}
{{- with merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "tollbridge.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (default $.Chart.AppVersion .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The enabled roles, in the order of files/needs.json: a JSON list. */ -}}
{{- define "tollbridge.roles" -}}
{{- $roles := list -}}
{{- range $role := keys (.Files.Get "files/needs.json" | fromJson) | sortAlpha -}}
{{- if (index $.Values.roles $role).enabled -}}{{- $roles = append $roles $role -}}{{- end -}}
{{- end -}}
{{- toJson $roles -}}
{{- end -}}

{{- /* A setting in force, the program's default where the values say nothing: dict root path. A list
       or map as JSON. */ -}}
{{- define "tollbridge.setting" -}}
{{- $value := .root.Values.config -}}
{{- $found := true -}}
{{- $schema := .root.Files.Get "files/config.schema.json" | fromJson -}}
{{- range splitList "." .path -}}
{{- $schema = index $schema.properties . -}}
{{- if and $found (kindIs "map" $value) (hasKey $value .) -}}
{{- $value = get $value . -}}
{{- else -}}
{{- $found = false -}}
{{- end -}}
{{- end -}}
{{- if not $found -}}{{- $value = $schema.default -}}{{- end -}}
{{- if kindIs "string" $value -}}{{- $value -}}{{- else -}}{{- toJson $value -}}{{- end -}}
{{- end -}}

{{- /* Milliseconds of a duration, as 10s. */ -}}
{{- define "tollbridge.millis" -}}
{{- $unit := dict "d" 86400000 "h" 3600000 "m" 60000 "s" 1000 "ms" 1 -}}
{{- mul (regexFind "^[0-9]+" . | int64) (get $unit (regexFind "[a-z]+$" .)) -}}
{{- end -}}

{{- /* How long a process may take to end: see docs/guides/operators.md, Probes. */ -}}
{{- define "tollbridge.graceSeconds" -}}
{{- $drain := include "tollbridge.setting" (dict "root" . "path" "process.drain_delay") | include "tollbridge.millis" -}}
{{- $grace := include "tollbridge.setting" (dict "root" . "path" "process.grace_period") | include "tollbridge.millis" -}}
{{- add 15 (div (add ($drain | int64) ($grace | int64) 999) 1000) -}}
{{- end -}}
