{{- /* A value of a role, or the one for all: dict root component name. As {"value": ...}. */ -}}
{{- define "tollbridge.ofRole" -}}
{{- $role := default (dict) (get .root.Values.roles .component) -}}
{{- $value := get .root.Values .name -}}
{{- if hasKey $role .name -}}{{- $value = get $role .name -}}{{- end -}}
{{- toJson (dict "value" $value) -}}
{{- end -}}

{{- /* A container of the program: dict root name args resources [serves]. */ -}}
{{- define "tollbridge.container" -}}
name: {{ .name }}
image: {{ include "tollbridge.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args:
  {{- toYaml .args | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
resources:
  {{- toYaml .resources | nindent 2 }}
volumeMounts:
  - name: config
    mountPath: /etc/tollbridge/config
    readOnly: true
  - name: secrets
    mountPath: {{ include "tollbridge.secretsFolder" .root }}
    readOnly: true
{{- end -}}

{{- /* What all pods have in common: dict root component config. `component` says which secrets, `config`
       is the ConfigMap. */ -}}
{{- define "tollbridge.pod" -}}
{{- $secrets := (include "tollbridge.secretsOf" . | fromJson).items -}}
# No process speaks to the Kubernetes API.
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $name := list "nodeSelector" "affinity" "tolerations" "priorityClassName" }}
{{- with (include "tollbridge.ofRole" (dict "root" $.root "component" $.component "name" $name) | fromJson).value }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
volumes:
  - name: config
    configMap:
      name: {{ .config }}
  - name: secrets
    projected:
      defaultMode: 0440
      {{- $sources := list }}
      {{- range $secret := $secrets }}
      {{- if $secret.name }}
      {{- $sources = append $sources (dict "secret" (dict "name" $secret.name "items" (list (dict "key" $secret.key "path" $secret.file)))) }}
      {{- end }}
      {{- end }}
      sources:
        {{- toYaml $sources | nindent 8 }}
{{- end -}}
