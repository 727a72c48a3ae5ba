{{- define "berth.serverNames" -}}
{{- $service := printf "%s-extender" (include "berth.fullname" .) -}}
- localhost
- {{ $service }}
- {{ $service }}.{{ .Release.Namespace }}
- {{ $service }}.{{ .Release.Namespace }}.svc
{{- end }}

{{- /*
Server and client authenticate each other with certificates of a CA that serves only this purpose; its key is discarded.
An upgrade finds the Secrets and keeps them. `helm template` cannot read the cluster and creates new certificates each time:
with GitOps, use cert-manager or your own Secrets.

Returns JSON: name of each Secret -> its data. The result is stored in the values, because two templates of one rendering use it.
*/ -}}
{{- define "berth.certificates" -}}
{{- $tls := .Values.extender.tls -}}
{{- if not (hasKey $tls "generated") -}}
{{- $serverName := include "berth.serverSecret" . -}}
{{- $clientName := include "berth.clientSecret" . -}}
{{- $server := (lookup "v1" "Secret" .Release.Namespace $serverName).data | default dict -}}
{{- $client := (lookup "v1" "Secret" .Release.Namespace $clientName).data | default dict -}}
{{- /* Replaces both Secrets or neither, because the two certificates must be signed by the same CA. */ -}}
{{- if not (and (hasKey $server "tls.crt") (hasKey $client "tls.crt") (eq (get $server "ca.crt") (get $client "ca.crt"))) -}}
{{- $days := int $tls.validityDays -}}
{{- $service := printf "%s-extender" (include "berth.fullname" .) -}}
{{- $names := fromYamlArray (include "berth.serverNames" .) -}}
{{- $ca := genCAWithKey (printf "%s-ca" $service) $days (genPrivateKey "ecdsa") -}}
{{- $signed := genSignedCertWithKey $service (list "127.0.0.1") $names $days $ca (genPrivateKey "ecdsa") -}}
{{- $server = dict "ca.crt" (b64enc $ca.Cert) "tls.crt" (b64enc $signed.Cert) "tls.key" (b64enc $signed.Key) -}}
{{- $signed = genSignedCertWithKey "kube-scheduler" nil nil $days $ca (genPrivateKey "ecdsa") -}}
{{- $client = dict "ca.crt" (b64enc $ca.Cert) "tls.crt" (b64enc $signed.Cert) "tls.key" (b64enc $signed.Key) -}}
{{- end -}}
{{- $_ := set $tls "generated" (dict $serverName $server $clientName $client) -}}
{{- end -}}
{{ toJson $tls.generated }}
{{- end }}
