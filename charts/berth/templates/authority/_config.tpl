{{- /* Not empty if the authority issues the certificates of the extender. Takes the root. */ -}}
{{- define "berth.hasAuthority" -}}
{{- if and .Values.extender.enabled (eq .Values.extender.tls.mode "authority") }}true{{ end -}}
{{- end }}

{{- /* Name of the objects of the authority. Takes the root. */ -}}
{{- define "berth.authorityName" -}}
{{ include "berth.fullname" . }}-authority
{{- end }}

{{- /* The Secret of the authority and its private key, which only the authority may read. Takes the root. */ -}}
{{- define "berth.authoritySecret" -}}
{{ include "berth.authorityName" . }}-ca
{{- end }}

{{- /* A Secret of the extender with certificates of another mode, or of a version of the chart that created them. Takes "root" and "side". */ -}}
{{- define "berth.formerSecret" -}}
{{ include "berth.fullname" .root }}-extender-{{ .side }}
{{- end }}

{{- /* Not empty for an upgrade with a kube-scheduler elsewhere that finds certificates of another source. Takes the root. */ -}}
{{- define "berth.adoptsCertificates" -}}
{{- if and .Release.IsUpgrade (include "berth.hasAuthority" .) (not .Values.extender.kubeScheduler.enabled) -}}
{{- $sides := list -}}
{{- range $side := list "server" "client" -}}
{{- $secret := lookup "v1" "Secret" $.Release.Namespace (include "berth.formerSecret" (dict "root" $ "side" $side)) | default dict -}}
{{- if hasKey ($secret.data | default dict) "tls.crt" -}}
{{- $sides = append $sides $side -}}
{{- end -}}
{{- end -}}
{{- if eq (len $sides) 2 }}true{{ end -}}
{{- end -}}
{{- end }}

{{- /* The configuration file of the authority. Takes the root. */ -}}
{{- define "berth.authorityConfig" -}}
{{- $name := include "berth.authorityName" . -}}
{{- $config := dict
  "namespace" .Release.Namespace
  "lease" (printf "%s/%s" .Release.Namespace $name)
  "ownerConfigMap" $name
  "authoritySecret" (include "berth.authoritySecret" .)
  "serverSecret" (include "berth.serverSecret" .)
  "serverName" (printf "%s-extender" (include "berth.fullname" .))
  "serverNames" (fromYamlArray (include "berth.serverNames" .))
  "serverAddresses" (list "127.0.0.1")
  "clientSecret" (include "berth.clientSecret" .)
  "clientUsesHostFiles" (not .Values.extender.kubeScheduler.enabled) -}}
{{- if .Values.extender.kubeScheduler.enabled -}}
{{- $extender := include "berth.selectorLabels" (dict "root" . "name" "extender") | fromYaml -}}
{{- $selector := list -}}
{{- range $label, $value := $extender -}}
{{- $selector = append $selector (printf "%s=%s" $label $value) -}}
{{- end -}}
{{- $_ := set $config "schedulerPods" (join "," $selector) -}}
{{- end -}}
{{ toYaml (mergeOverwrite $config (deepCopy .Values.authority.config)) }}
{{- end }}
