{{- define "berth.schedulerLease" -}}
{{ include "berth.fullname" . }}-scheduler
{{- end }}

{{- define "berth.schedulerConfig" -}}
{{- $defaults := dict
  "apiVersion" "kubescheduler.config.k8s.io/v1"
  "kind" "KubeSchedulerConfiguration"
  "leaderElection" (dict "resourceName" (include "berth.schedulerLease" .) "resourceNamespace" .Release.Namespace)
  "profiles" (list (dict "schedulerName" .Values.scheduler.schedulerName)) -}}
{{ toYaml (mergeOverwrite $defaults (deepCopy .Values.scheduler.config)) }}
{{- end }}
