{{- define "berth.serverNames" -}}
{{- $service := printf "%s-extender" (include "berth.fullname" .) -}}
- localhost
- {{ $service }}
- {{ $service }}.{{ .Release.Namespace }}
- {{ $service }}.{{ .Release.Namespace }}.svc
{{- end }}

{{- /*
Server and client authenticate each other. Each certificate has a CA of its own that signs nothing else and whose key is discarded, and
each side trusts only the CA of the other. So the certificate of the server proves nothing as a client, and the reverse: Helm cannot
create a certificate for one use only.
An upgrade finds the Secrets and keeps them. `helm template` cannot read the cluster and creates new certificates each time:
with GitOps, use cert-manager or your own Secrets.

Returns JSON: "pair", which both Secrets have as an annotation (empty for those of versions with one CA), and "data", the name of each
Secret -> its data. The result is stored in the values, because two templates of one rendering use it.
*/ -}}
{{- define "berth.certificates" -}}
{{- $tls := .Values.extender.tls -}}
{{- if not (hasKey $tls "generated") -}}
{{- $serverName := include "berth.serverSecret" . -}}
{{- $clientName := include "berth.clientSecret" . -}}
{{- $pairs := list -}}
{{- $stored := dict -}}
{{- range list $serverName $clientName -}}
{{- $secret := lookup "v1" "Secret" $.Release.Namespace . | default dict -}}
{{- $data := $secret.data | default dict -}}
{{- if hasKey $data "tls.crt" -}}
{{- $_ := set $stored . $data -}}
{{- $pair := get (($secret.metadata | default dict).annotations | default dict) "berth.dev/certificates" -}}
{{- /* Without the annotation, both Secrets have the same CA. */ -}}
{{- $pairs = append $pairs (list $pair (ternary "" (get $data "ca.crt") (ne $pair ""))) -}}
{{- end -}}
{{- end -}}
{{- $pair := "" -}}
{{- /* Replaces both Secrets or neither, because each has the CA of the other. */ -}}
{{- if and (eq (len $pairs) 2) (eq (toJson (first $pairs)) (toJson (last $pairs))) -}}
{{- $pair = first (first $pairs) -}}
{{- else -}}
{{- $days := int $tls.validityDays -}}
{{- $service := printf "%s-extender" (include "berth.fullname" .) -}}
{{- $names := fromYamlArray (include "berth.serverNames" .) -}}
{{- $serverCa := genCAWithKey (printf "%s-server-ca" $service) $days (genPrivateKey "ecdsa") -}}
{{- $clientCa := genCAWithKey (printf "%s-client-ca" $service) $days (genPrivateKey "ecdsa") -}}
{{- $server := genSignedCertWithKey $service (list "127.0.0.1") $names $days $serverCa (genPrivateKey "ecdsa") -}}
{{- $client := genSignedCertWithKey "kube-scheduler" nil nil $days $clientCa (genPrivateKey "ecdsa") -}}
{{- $pair = printf "%s%s" $server.Cert $client.Cert | sha256sum | trunc 16 -}}
{{- $stored = dict
  $serverName (dict "ca.crt" (b64enc $clientCa.Cert) "tls.crt" (b64enc $server.Cert) "tls.key" (b64enc $server.Key))
  $clientName (dict "ca.crt" (b64enc $serverCa.Cert) "tls.crt" (b64enc $client.Cert) "tls.key" (b64enc $client.Key)) -}}
{{- end -}}
{{- $_ := set $tls "generated" (dict "pair" $pair "data" $stored) -}}
{{- end -}}
{{ toJson $tls.generated }}
{{- end }}
