{{- /* The port of an address or URL; a scheme has its own: 443 for https, else 80. */ -}}
{{- define "tollbridge.port" -}}
{{- $authority := regexReplaceAll "^[a-z]+://([^/]*).*$" . "${1}" -}}
{{- $port := regexFind ":[0-9]+$" $authority | trimPrefix ":" -}}
{{- if $port -}}{{- $port -}}{{- else if hasPrefix "https:" . -}}443{{- else -}}80{{- end -}}
{{- end -}}

{{- /* An egress rule: dict addresses (a list) ports (further ones) peers (a list). */ -}}
{{- define "tollbridge.egress" -}}
{{- $ports := list -}}
{{- range .addresses -}}{{- if . -}}{{- $ports = append $ports (include "tollbridge.port" . | int) -}}{{- end -}}{{- end -}}
{{- range .ports -}}{{- $ports = append $ports (int .) -}}{{- end -}}
{{- if $ports }}
- ports:
    {{- range uniq $ports | sortAlpha }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
  {{- with .peers }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* A NetworkPolicy: dict root component [annotations]. */ -}}
{{- define "tollbridge.networkPolicy" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- $policy := $root.Values.networkPolicy -}}
{{- $needs := include "tollbridge.needs" . | fromJson -}}
{{- $serves := has $component (include "tollbridge.roles" $root | fromJsonArray) -}}
{{- $of := dict "root" $root -}}
{{- $setting := dict -}}
{{- range list "redis.address" "payment_service.base_url" "payment_service.vault_url" "payment_service.wallet_token_url" "traces.otlp_endpoint" -}}
{{- $_ := set $setting . (include "tollbridge.setting" (dict "root" $root "path" .)) -}}
{{- end -}}
{{- $sentinels := include "tollbridge.setting" (dict "root" $root "path" "redis.sentinels") | fromJsonArray -}}
{{- $brokers := include "tollbridge.setting" (dict "root" $root "path" "kafka.brokers") | fromJsonArray -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "tollbridge.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "tollbridge.selector" (dict "root" $root "component" $component) | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    {{- /* A rule without `from` lets everybody in. So there is none for a port that nobody is named for. */ -}}
    {{- $sources := dict "metrics" $policy.metricsReaders "rpc" $policy.callers "webhooks" $policy.webhookSenders }}
    {{- $rules := list }}
    {{- if $serves }}
    {{- range $port := list "metrics" $component }}
    {{- $peers := get $sources $port }}
    {{- if $peers }}
    {{- $rules = append $rules (dict "ports" (list (dict "port" $port "protocol" "TCP")) "from" $peers) }}
    {{- end }}
    {{- end }}
    {{- end }}
    {{- toYaml $rules | nindent 4 }}
  egress:
    - ports:
        - {port: 53, protocol: UDP}
        - {port: 53, protocol: TCP}
      {{- with $policy.peers.dns }}
      to:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- if $needs.redis }}
    {{- $addresses := list (get $setting "redis.address") }}
    {{- if $sentinels }}{{ $addresses = $sentinels }}{{ end }}
    {{- if $root.Values.config.stores }}
    {{- $addresses = list }}
    {{- range $store := $root.Values.config.stores }}
    {{- if $store.sentinels }}
    {{- $addresses = concat $addresses $store.sentinels }}
    {{- else }}
    {{- $addresses = append $addresses (default (get $setting "redis.address") $store.address) }}
    {{- end }}
    {{- end }}
    {{- end }}
    {{- include "tollbridge.egress" (dict "addresses" $addresses "ports" $policy.redisPorts "peers" $policy.peers.redis) | nindent 4 }}
    {{- end }}
    {{- if $needs.kafka }}
    {{- include "tollbridge.egress" (dict "addresses" $brokers "ports" $policy.kafkaPorts "peers" $policy.peers.kafka) | nindent 4 }}
    {{- end }}
    {{- if $needs.payment_service }}
    {{- $addresses := list (get $setting "payment_service.base_url") (get $setting "payment_service.vault_url") (get $setting "payment_service.wallet_token_url") }}
    {{- include "tollbridge.egress" (dict "addresses" $addresses "peers" $policy.peers.paymentService) | nindent 4 }}
    {{- end }}
    {{- with get $setting "traces.otlp_endpoint" }}
    {{- include "tollbridge.egress" (dict "addresses" (list .) "peers" $policy.peers.traces) | nindent 4 }}
    {{- end }}
{{- end -}}
