{{- /* What is wrong with the values together, a line each, with the name of what is wrong. What one value
       may be is in values.schema.json; what the configuration means, check-config says. */ -}}
{{- define "tollbridge.problems" -}}
{{- $root := . -}}
{{- $problems := list -}}
{{- $roles := include "tollbridge.roles" . | fromJsonArray -}}
{{- $projects := default (list) .Values.config.projects -}}
{{- if not $roles -}}{{- $problems = append $problems "roles: none is enabled" -}}{{- end -}}
{{- if not $projects -}}{{- $problems = append $problems "config.projects: at least one is required" -}}{{- end -}}
{{- $names := list -}}
{{- range $index, $project := $projects -}}
{{- $names = append $names (default "" $project.name) -}}
{{- if not (regexMatch "^[A-Za-z0-9][A-Za-z0-9._-]*$" (default "" $project.name)) -}}
{{- $problems = append $problems (printf "config.projects[%d].name: must be letters, digits, dots, hyphens and underscores: it names files" $index) -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := .Values.secrets.projects -}}
{{- if not (has $name $names) -}}
{{- $problems = append $problems (printf "secrets.projects.%s: there is no such project in config.projects; there are: %s" $name (join ", " $names)) -}}
{{- end -}}
{{- end -}}
{{- $stores := dict -}}
{{- range $index, $store := .Values.config.stores -}}
{{- $_ := set $stores (default "" $store.name) $store -}}
{{- if not (regexMatch "^[A-Za-z0-9][A-Za-z0-9._-]*$" (default "" $store.name)) -}}
{{- $problems = append $problems (printf "config.stores[%d].name: must be letters, digits, dots, hyphens and underscores: it names files" $index) -}}
{{- end -}}
{{- end -}}
{{- range $name, $given := .Values.secrets.stores -}}
{{- if not (hasKey $stores $name) -}}
{{- $problems = append $problems (printf "secrets.stores.%s: there is no such store in config.stores; there are: %s" $name (keys $stores | sortAlpha | join ", ")) -}}
{{- else -}}
{{- range $secret, $entry := include "tollbridge.storeSecretTable" $root | fromYaml -}}
{{- if (default (dict) (get $given $secret)).name -}}
{{- if and (hasPrefix "tls." $entry.setting) (not (default (dict) (get $stores $name).tls).enabled) -}}
{{- $problems = append $problems (printf "secrets.stores.%s.%s: is for tls.enabled of the store" $name $secret) -}}
{{- end -}}
{{- if and $entry.with (not (default (dict) (get $given (default "" $entry.with))).name) -}}
{{- $problems = append $problems (printf "secrets.stores.%s.%s: names no Secret; %s has one" $name $entry.with $secret) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $stores -}}
{{- range $secret := list "redisPassword" "redisSentinelPassword" "redisCa" "redisClient" -}}
{{- if (get $root.Values.secrets $secret).name -}}
{{- $problems = append $problems (printf "secrets.%s.name: is not used with config.stores; secrets.stores has those of each" $secret) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $tokens := list -}}
{{- range $name, $given := .Values.secrets.projects -}}
{{- if (default (dict) $given.webhookTokens).name -}}{{- $tokens = append $tokens $name -}}{{- end -}}
{{- end -}}
{{- if and (has "webhooks" $roles) $projects (not $tokens) -}}
{{- $problems = append $problems "secrets.projects.*.webhookTokens: none names a Secret; webhooks needs one at least" -}}
{{- end -}}

{{- $components := $roles -}}
{{- if .Values.checks.topics -}}{{- $components = append $components "topics" -}}{{- end -}}
{{- if .Values.checks.initStore -}}{{- $components = append $components "init-store" -}}{{- end -}}
{{- if .Values.report.enabled -}}{{- $components = append $components "report" -}}{{- end -}}
{{- $connected := lookup "v1" "ConfigMap" .Release.Namespace "kube-root-ca.crt" -}}
{{- $told := dict -}}
{{- range $component := $components -}}
{{- range $secret := (include "tollbridge.secretsOf" (dict "root" $root "component" $component) | fromJson).items -}}
{{- $place := printf "%s %s" $secret.path $secret.key -}}
{{- if hasKey $told $place -}}
{{- else if $secret.name -}}
{{- if $connected -}}
{{- $there := lookup "v1" "Secret" $root.Release.Namespace $secret.name -}}
{{- if not $there -}}
{{- $_ := set $told $place true -}}
{{- $problems = append $problems (printf "%s: there is no Secret %s in the namespace %s; %s needs it" $secret.path $secret.name $root.Release.Namespace $component) -}}
{{- else if not (hasKey (default (dict) $there.data) $secret.key) -}}
{{- $_ := set $told $place true -}}
{{- $problems = append $problems (printf "%s: the Secret %s has no key %s; it has: %s" $secret.path $secret.name $secret.key (keys (default (dict) $there.data) | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- else if $secret.required -}}
{{- $_ := set $told $place true -}}
{{- $problems = append $problems (printf "%s: names no Secret; %s needs one" $secret.path $component) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- $plaintext := include "tollbridge.setting" (dict "root" . "path" "rpc.allow_plaintext_beyond_loopback") -}}
{{- if and (has "rpc" $roles) (not .Values.secrets.rpcTls.name) (ne $plaintext "true") -}}
{{- $problems = append $problems "secrets.rpcTls.name: names no Secret; rpc needs one, or config.rpc.allow_plaintext_beyond_loopback" -}}
{{- end -}}
{{- $plaintext = include "tollbridge.setting" (dict "root" . "path" "webhooks.allow_plaintext_beyond_loopback") -}}
{{- $production := eq (include "tollbridge.setting" (dict "root" . "path" "process.environment")) "production" -}}
{{- if and $production (has "webhooks" $roles) (not .Values.secrets.webhooksTls.name) (ne $plaintext "true") -}}
{{- $problems = append $problems "secrets.webhooksTls.name: names no Secret; webhooks needs one, or config.webhooks.allow_plaintext_beyond_loopback" -}}
{{- end -}}
{{- if and .Values.secrets.rpcCallersCa.name (not .Values.secrets.rpcTls.name) -}}
{{- $problems = append $problems "secrets.rpcCallersCa.name: is for secrets.rpcTls" -}}
{{- end -}}
{{- if and .Values.secrets.rpcCallersCrl.name (not .Values.secrets.rpcCallersCa.name) -}}
{{- $problems = append $problems "secrets.rpcCallersCrl.name: is for secrets.rpcCallersCa" -}}
{{- end -}}
{{- range $name := list "redisCa" "redisClient" -}}
{{- if and (get $root.Values.secrets $name).name (ne (include "tollbridge.setting" (dict "root" $root "path" "redis.tls.enabled")) "true") -}}
{{- $problems = append $problems (printf "secrets.%s.name: is for config.redis.tls.enabled" $name) -}}
{{- end -}}
{{- end -}}
{{- with .Values.secrets.operationKeys -}}
{{- if and .name (eq .keys.fingerprintKeys .keys.outcomeKeys) -}}
{{- $problems = append $problems (printf "secrets.operationKeys.keys.outcomeKeys: is fingerprintKeys too (%s); each needs keys of its own" .keys.outcomeKeys) -}}
{{- end -}}
{{- end -}}
{{- range $name, $given := .Values.secrets.projects -}}
{{- $api := default (dict) $given.apiKeys -}}
{{- $webhooks := default (dict) $given.webhookTokens -}}
{{- if and $api.name (eq $api.name (default "" $webhooks.name)) (eq (default "api-keys" $api.key) (default "webhook-tokens" $webhooks.key)) -}}
{{- $problems = append $problems (printf "secrets.projects.%s.webhookTokens: is apiKeys too (key %s of the Secret %s); the role webhooks must not have those" $name $webhooks.key $webhooks.name) -}}
{{- end -}}
{{- end -}}
{{- if eq (include "tollbridge.setting" (dict "root" . "path" "kafka.static_membership")) "true" -}}
{{- $problems = append $problems "config.kafka.static_membership: wants names that come back, which pods of a Deployment have not" -}}
{{- end -}}

{{- $partitions := include "tollbridge.setting" (dict "root" . "path" "kafka.partitions") | int -}}
{{- range $role := $roles -}}
{{- $given := get $root.Values.roles $role -}}
{{- $scaling := default (dict) $given.autoscaling -}}
{{- $most := int $given.replicas -}}
{{- $where := "replicas" -}}
{{- if $scaling.enabled -}}
{{- $most = int $scaling.maxReplicas -}}
{{- $where = "autoscaling.maxReplicas" -}}
{{- if gt (int $scaling.minReplicas) $most -}}
{{- $problems = append $problems (printf "roles.%s.autoscaling.minReplicas: must not be more than maxReplicas" $role) -}}
{{- end -}}
{{- if not (or $scaling.metrics (get (default (dict) $given.resources.requests) "cpu")) -}}
{{- $problems = append $problems (printf "roles.%s.resources.requests.cpu: is required with autoscaling by CPU" $role) -}}
{{- end -}}
{{- end -}}
{{- if and (eq $role "events") (gt $most $partitions) -}}
{{- $problems = append $problems (printf "roles.events.%s: is %d, more than config.kafka.partitions (%d): the others would have nothing to read" $where $most $partitions) -}}
{{- end -}}
{{- end -}}
{{- $sentinels := include "tollbridge.setting" (dict "root" . "path" "redis.sentinels") | fromJsonArray -}}
{{- $sentinelsOf := "config.redis.sentinels" -}}
{{- range $index, $store := .Values.config.stores -}}
{{- if $store.sentinels -}}
{{- $sentinels = $store.sentinels -}}
{{- $sentinelsOf = printf "config.stores[%d].sentinels" $index -}}
{{- end -}}
{{- end -}}
{{- if and $sentinels .Values.networkPolicy.enabled (not .Values.networkPolicy.redisPorts) -}}
{{- $problems = append $problems (printf "networkPolicy.redisPorts: names no port; %s name a server on a port of its own" $sentinelsOf) -}}
{{- end -}}
{{- range $role := $roles -}}
{{- if and (hasKey $root.Values.ports $role) (eq (get $root.Values.ports $role | int) (int $root.Values.ports.metrics)) -}}
{{- $problems = append $problems (printf "ports.metrics: is ports.%s too (%d); %s listens on both" $role (int $root.Values.ports.metrics) $role) -}}
{{- end -}}
{{- end -}}
{{- if and (has "rpc" $roles) (has "webhooks" $roles) (eq (int .Values.ports.rpc) (int .Values.ports.webhooks)) -}}
{{- $problems = append $problems (printf "ports.webhooks: is ports.rpc too (%d); the configuration is that of both roles" (int .Values.ports.rpc)) -}}
{{- end -}}
{{- range .Values.extraEnv -}}
{{- if or (hasPrefix "TOLLBRIDGE_" .name) (eq "POD_NAME" .name) -}}
{{- $problems = append $problems (printf "extraEnv: %s would go before what the chart sets" .name) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- $problems = append $problems "ingress.host: is required with ingress.enabled" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not (has "webhooks" $roles)) -}}
{{- $problems = append $problems "ingress.enabled: needs the role webhooks" -}}
{{- end -}}
{{- join "\n" $problems -}}
{{- end -}}
