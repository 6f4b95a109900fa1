{{- /* The one table of secrets: for each of `secrets` who gets it, a need of files/needs.json or a
       role, and for each of its keys the file and what of the configuration names it: a setting, or a
       property of librdkafka. */ -}}
{{- define "tollbridge.secretTable" -}}
operationKeys:
  need: operation_keys
  required: true
  files:
    fingerprintKeys: {file: fingerprint-keys, setting: operations.fingerprint_keys_file}
    outcomeKeys: {file: outcome-keys, setting: operations.outcome_keys_file}
redisPassword:
  need: redis
  files:
    password: {file: redis-password, setting: redis.password_file}
redisSentinelPassword:
  need: redis
  files:
    password: {file: redis-sentinel-password, setting: redis.sentinel_password_file}
redisCa:
  need: redis
  files:
    ca: {file: redis-ca.pem, setting: redis.tls.ca_file}
redisClient:
  need: redis
  files:
    certificate: {file: redis-client.pem, setting: redis.tls.certificate_file}
    privateKey: {file: redis-client-key.pem, setting: redis.tls.private_key_file}
kafkaProperties:
  need: kafka
  files:
    properties: {file: kafka.properties, setting: kafka.secret_properties_file}
kafkaCa:
  need: kafka
  files:
    ca: {file: kafka-ca.pem, property: ssl.ca.location}
kafkaClient:
  need: kafka
  files:
    certificate: {file: kafka-client.pem, property: ssl.certificate.location}
    privateKey: {file: kafka-client-key.pem, property: ssl.key.location}
paymentServiceCa:
  need: payment_service
  files:
    ca: {file: payment-service-ca.pem, setting: payment_service.ca_file}
tracesCa:
  need: traces
  files:
    ca: {file: traces-ca.pem, setting: traces.ca_file}
tracesHeaders:
  need: traces
  files:
    headers: {file: traces-headers, setting: traces.headers_file}
rpcTls:
  role: rpc
  enables: rpc.tls
  files:
    certificate: {file: rpc.pem, setting: rpc.tls.certificate_file}
    privateKey: {file: rpc-key.pem, setting: rpc.tls.private_key_file}
rpcCallersCa:
  role: rpc
  files:
    ca: {file: callers-ca.pem, setting: rpc.tls.client_ca_file}
rpcCallersCrl:
  role: rpc
  files:
    crl: {file: callers-crl.pem, setting: rpc.tls.client_crl_file}
webhooksTls:
  role: webhooks
  enables: webhooks.tls
  files:
    certificate: {file: webhooks.pem, setting: webhooks.tls.certificate_file}
    privateKey: {file: webhooks-key.pem, setting: webhooks.tls.private_key_file}
{{- end -}}

{{- /* The same of a project. */ -}}
{{- define "tollbridge.projectSecretTable" -}}
apiKeys: {need: payment_service, file: api-keys, setting: api_key_file}
webhookTokens: {need: webhook_tokens, file: webhook-tokens, setting: webhook_tokens_file}
{{- end -}}

{{- /* The same of a store; a certificate and its key come together. */ -}}
{{- define "tollbridge.storeSecretTable" -}}
password: {file: redis-password, setting: password_file}
sentinelPassword: {file: redis-sentinel-password, setting: sentinel_password_file}
ca: {file: redis-ca.pem, setting: tls.ca_file}
clientCertificate: {file: redis-client.pem, setting: tls.certificate_file, with: clientKey}
clientKey: {file: redis-client-key.pem, setting: tls.private_key_file, with: clientCertificate}
{{- end -}}

{{- define "tollbridge.secretsFolder" -}}/etc/tollbridge/secrets{{- end -}}

{{- /* What a component needs, of files/needs.json, as a JSON object: dict root component. Components
       are roles and the commands of hooks and of the report. */ -}}
{{- define "tollbridge.needs" -}}
{{- $table := .root.Files.Get "files/needs.json" | fromJson -}}
{{- $commands := dict
      "topics" (dict "kafka" true)
      "init-store" (dict "redis" true "kafka" true)
      "report" (dict "payment_service" true "redis" true "kafka" .root.Values.report.hint) -}}
{{- $needs := get (merge $commands $table) .component -}}
{{- if and (eq .component "rpc") (not (include "tollbridge.setting" (dict "root" .root "path" "webhooks.public_url"))) -}}
{{- $needs = set $needs "webhook_tokens" false -}}
{{- end -}}
{{- toJson $needs -}}
{{- end -}}

{{- /* All Secrets that a component gets, as {"items": [{path, name, required, key, file}]}, the name
       empty where the values name none: dict root component. `path` is where the values say so. */ -}}
{{- define "tollbridge.secretsOf" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- $needs := include "tollbridge.needs" . | fromJson -}}
{{- $url := include "tollbridge.setting" (dict "root" $root "path" "webhooks.public_url") -}}
{{- $items := list -}}
{{- range $name, $entry := include "tollbridge.secretTable" $root | fromYaml -}}
{{- $given := get $root.Values.secrets $name -}}
{{- if or (eq (default "" $entry.role) $component) (get $needs (default "-" $entry.need)) -}}
{{- range $key, $file := $entry.files -}}
{{- $items = append $items (dict "path" (printf "secrets.%s.name" $name) "name" $given.name
      "required" (default false $entry.required) "key" (get $given.keys $key) "file" $file.file) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $project := $root.Values.config.projects -}}
{{- $given := default (dict) (get $root.Values.secrets.projects $project.name) -}}
{{- range $name, $entry := include "tollbridge.projectSecretTable" $root | fromYaml -}}
{{- if get $needs $entry.need -}}
{{- $one := default (dict) (get $given $name) -}}
{{- $items = append $items (dict "path" (printf "secrets.projects.%s.%s" $project.name $name)
      "name" (default "" $one.name) "required" (or (eq $name "apiKeys") (ne $url "")) "key" (default $entry.file $one.key)
      "file" (printf "%s-%s" $project.name $entry.file)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $needs.redis -}}
{{- range $store := $root.Values.config.stores -}}
{{- $given := default (dict) (get $root.Values.secrets.stores $store.name) -}}
{{- range $name, $entry := include "tollbridge.storeSecretTable" $root | fromYaml -}}
{{- $one := default (dict) (get $given $name) -}}
{{- $items = append $items (dict "path" (printf "secrets.stores.%s.%s" $store.name $name)
      "name" (default "" $one.name) "required" false "key" (default $entry.file $one.key)
      "file" (printf "store-%s-%s" $store.name $entry.file)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson (dict "items" $items) -}}
{{- end -}}
