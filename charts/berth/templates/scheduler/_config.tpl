{{- /* As default-scheduler, Berth competes for the Lease of the cluster's kube-scheduler, so that only one of them schedules. */ -}}
{{- define "berth.schedulerLease" -}}
{{- if .Values.scheduler.replacesKubeScheduler -}}
kube-scheduler
{{- else -}}
{{ include "berth.fullname" . }}-scheduler
{{- end -}}
{{- end }}

{{- define "berth.schedulerLeaseNamespace" -}}
{{ ternary "kube-system" .Release.Namespace .Values.scheduler.replacesKubeScheduler }}
{{- end }}

{{- define "berth.schedulerConfig" -}}
{{- $defaults := dict
  "apiVersion" "kubescheduler.config.k8s.io/v1"
  "kind" "KubeSchedulerConfiguration"
  "leaderElection" (dict "resourceName" (include "berth.schedulerLease" .) "resourceNamespace" (include "berth.schedulerLeaseNamespace" .))
  "profiles" (list (dict "schedulerName" (include "berth.defaultSchedulerName" .Values.scheduler))) -}}
{{ toYaml (mergeOverwrite $defaults (deepCopy .Values.scheduler.config)) }}
{{- end }}
