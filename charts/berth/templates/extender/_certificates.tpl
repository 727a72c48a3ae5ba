{{- /* DNS names for which the certificate of the extender is valid. Takes the root. */ -}}
{{- define "berth.serverNames" -}}
{{- $service := printf "%s-extender" (include "berth.fullname" .) -}}
- localhost
- {{ $service }}
- {{ $service }}.{{ .Release.Namespace }}
- {{ $service }}.{{ .Release.Namespace }}.svc
{{- end }}
