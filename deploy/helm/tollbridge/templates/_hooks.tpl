{{- /* Annotations of a hook: dict events weight. Its object stays where it failed, for who looks, until the
       next try. */ -}}
{{- define "tollbridge.hookAnnotations" -}}
helm.sh/hook: {{ .events }}
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{- /* A Job of a hook: dict root component (which secrets) name events weight commands, a list of argument
       lists; all but the last run before it, one after the other. */ -}}
{{- define "tollbridge.hookJob" -}}
{{- $root := .root -}}
{{- $labels := dict "root" $root "component" .name -}}
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "tollbridge.metadata" (dict "root" $root "component" .name "annotations" (include "tollbridge.hookAnnotations" . | fromYaml)) | nindent 2 }}
spec:
  backoffLimit: {{ .retries }}
  activeDeadlineSeconds: {{ $root.Values.checks.timeoutSeconds }}
  template:
    metadata:
      labels:
        {{- include "tollbridge.podLabels" $labels | nindent 8 }}
        # What its NetworkPolicy selects.
        tollbridge/hook: {{ .component }}
    spec:
      {{- include "tollbridge.pod" (dict "root" $root "component" .component "config" (printf "%s-hooks" (include "tollbridge.fullname" $root))) | nindent 6 }}
      restartPolicy: Never
      {{- range $index, $args := .commands }}
      {{- $last := eq $index (sub (len $.commands) 1 | int) }}
      {{- if and (not $last) (eq $index 0) }}
      initContainers:
      {{- else if $last }}
      containers:
      {{- end }}
        - {{- include "tollbridge.container" (dict "root" $root "name" (printf "command-%d" (add1 $index)) "resources" $root.Values.checks.resources "args" $args) | nindent 10 }}
      {{- end }}
{{- end -}}
