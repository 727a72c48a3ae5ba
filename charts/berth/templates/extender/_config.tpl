{{- define "berth.extenderLease" -}}
{{ include "berth.fullname" . }}-extender
{{- end }}

{{- define "berth.serverSecret" -}}
{{- if eq .Values.extender.tls.mode "existing" -}}
{{ .Values.extender.tls.serverSecretName }}
{{- else -}}
{{ include "berth.fullname" . }}-{{ ternary "authority" "extender" (eq .Values.extender.tls.mode "authority") }}-server
{{- end -}}
{{- end }}

{{- define "berth.clientSecret" -}}
{{- if eq .Values.extender.tls.mode "existing" -}}
{{ .Values.extender.tls.clientSecretName }}
{{- else -}}
{{ include "berth.fullname" . }}-{{ ternary "authority" "extender" (eq .Values.extender.tls.mode "authority") }}-client
{{- end -}}
{{- end }}

{{- /* The `extenders` entry for a KubeSchedulerConfiguration. Takes "url", "files" (directory of the client certificate) and "serverName". */ -}}
{{- define "berth.extenderStanza" -}}
- urlPrefix: {{ .url }}
  enableHTTPS: true
  tlsConfig:
    {{- with .serverName }}
    # Matches at any address: a kube-scheduler on the host network cannot resolve Service names and needs the ClusterIP above.
    serverName: {{ . }}
    {{- end }}
    caFile: {{ .files }}/ca.crt
    certFile: {{ .files }}/tls.crt
    keyFile: {{ .files }}/tls.key
  filterVerb: filter
  prioritizeVerb: prioritize
  preemptVerb: preempt
  {{- if .app.config.bind }}
  bindVerb: bind
  {{- end }}
  weight: {{ .app.weight }}
  # Send node names instead of complete nodes, which are many times larger.
  nodeCacheCapable: true
  ignorable: {{ .app.ignorable }}
  httpTimeout: {{ .app.httpTimeout }}
  {{- with .app.managedResources }}
  managedResources:
    {{- range . }}
    - name: {{ .name | quote }}
      ignoredByScheduler: {{ .ignoredByScheduler | default false }}
    {{- end }}
  {{- end }}
{{- end }}

{{- define "berth.kubeSchedulerConfig" -}}
{{- $extenders := fromYamlArray (include "berth.extenderStanza" (dict "app" .Values.extender "url" "https://127.0.0.1:8888" "files" "/etc/kube-scheduler/tls")) -}}
{{- $defaults := dict
  "apiVersion" "kubescheduler.config.k8s.io/v1"
  "kind" "KubeSchedulerConfiguration"
  "leaderElection" (dict "leaderElect" true "resourceName" (include "berth.extenderLease" .) "resourceNamespace" .Release.Namespace)
  "profiles" (list (merge (dict "schedulerName" .Values.extender.schedulerName) (deepCopy .Values.extender.kubeScheduler.profile)))
  "extenders" $extenders -}}
{{ toYaml (mergeOverwrite $defaults (deepCopy .Values.extender.kubeScheduler.config)) }}
{{- end }}

{{- define "berth.extenderBindLease" -}}
{{ include "berth.fullname" . }}-extender-bind
{{- end }}

{{- define "berth.extenderRetrySignal" -}}
{{ include "berth.fullname" . }}-extender-retry
{{- end }}

{{- define "berth.extenderConfig" -}}
{{- $signal := printf "%s/%s" .Release.Namespace (include "berth.extenderRetrySignal" .) }}
{{- /* The common name in the client certificate of the authority and of cert-manager. */}}
{{- $config := mergeOverwrite (dict "allowedClientNames" (list "kube-scheduler") "retrySignal" $signal) (deepCopy .Values.extender.config) }}
{{- if $config.bind }}
{{- $ignored := list }}
{{- range .Values.extender.managedResources }}
{{- if .ignoredByScheduler }}
{{- $ignored = append $ignored .name }}
{{- end }}
{{- end }}
{{- $lease := printf "%s/%s" .Release.Namespace (include "berth.extenderBindLease" .) }}
{{- $config = mergeOverwrite $config (dict "bindLease" $lease "ignoredResources" $ignored) }}
{{- end }}
{{ toYaml $config }}
{{- end }}
