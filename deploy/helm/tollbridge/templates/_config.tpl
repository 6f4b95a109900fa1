{{- /* The configuration that all processes read: the values' own, and what the chart sets. */ -}}

{{- /* Sets a setting by its path: dict config path value. */ -}}
{{- define "tollbridge.set" -}}
{{- $at := .config -}}
{{- $names := splitList "." .path -}}
{{- range initial $names -}}
{{- if not (kindIs "map" (get $at .)) -}}{{- $_ := set $at . (dict) -}}{{- end -}}
{{- $at = get $at . -}}
{{- end -}}
{{- $_ := set $at (last $names) .value -}}
{{- end -}}

{{- define "tollbridge.config" -}}
{{- $root := . -}}
{{- $folder := include "tollbridge.secretsFolder" . -}}
{{- $config := deepCopy .Values.config -}}
{{- $properties := include "tollbridge.setting" (dict "root" . "path" "kafka.properties") | fromJsonArray -}}
{{- range $path, $value := dict
      "process.roles" (include "tollbridge.roles" . | fromJsonArray)
      "rpc.listen" (printf "%s:%v" .Values.listenAddress .Values.ports.rpc)
      "webhooks.listen" (printf "%s:%v" .Values.listenAddress .Values.ports.webhooks)
      "metrics.listen" (printf "%s:%v" .Values.listenAddress .Values.ports.metrics)
      "metrics.allow_plaintext_beyond_loopback" true -}}
{{- include "tollbridge.set" (dict "config" $config "path" $path "value" $value) -}}
{{- end -}}
{{- range $name, $entry := include "tollbridge.secretTable" . | fromYaml -}}
{{- if (get $root.Values.secrets $name).name -}}
{{- range $file := $entry.files -}}
{{- $path := printf "%s/%s" $folder $file.file -}}
{{- if $file.setting -}}
{{- include "tollbridge.set" (dict "config" $config "path" $file.setting "value" $path) -}}
{{- else -}}
{{- $properties = append $properties (printf "%s=%s" $file.property $path) -}}
{{- end -}}
{{- end -}}
{{- if $entry.enables -}}
{{- include "tollbridge.set" (dict "config" $config "path" (printf "%s.enabled" $entry.enables) "value" true) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- include "tollbridge.set" (dict "config" $config "path" "kafka.properties" "value" $properties) -}}
{{- range $project := $config.projects -}}
{{- $given := default (dict) (get $root.Values.secrets.projects $project.name) -}}
{{- range $name, $entry := include "tollbridge.projectSecretTable" $root | fromYaml -}}
{{- if (default (dict) (get $given $name)).name -}}
{{- $_ := set $project $entry.setting (printf "%s/%s-%s" $folder $project.name $entry.file) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $store := $config.stores -}}
{{- $given := default (dict) (get $root.Values.secrets.stores $store.name) -}}
{{- range $name, $entry := include "tollbridge.storeSecretTable" $root | fromYaml -}}
{{- if (default (dict) (get $given $name)).name -}}
{{- include "tollbridge.set" (dict "config" $store "path" $entry.setting
      "value" (printf "%s/store-%s-%s" $folder $store.name $entry.file)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}
