{{- /* Annotations of a hook. Helm deletes its objects afterwards and prints the log of a failed hook. Takes "when" and "weight". */ -}}
{{- define "berth.hook" -}}
helm.sh/hook: {{ .when }}
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
helm.sh/hook-output-log-policy: hook-failed
{{- end }}

{{- /* Metadata of a hook's object. Takes "suffix", "when", "weight" and "root". */ -}}
{{- define "berth.uninstallMetadata" -}}
name: {{ include "berth.fullname" .root }}-uninstall{{ .suffix }}
namespace: {{ .root.Release.Namespace | quote }}
{{ include "berth.uninstallMarks" . }}
{{- end }}

{{- /* Labels and annotations of a hook's object. Takes "when", "weight" and "root". */ -}}
{{- define "berth.uninstallMarks" -}}
labels:
  {{- include "berth.labels" (dict "root" .root "name" "uninstall") | nindent 2 }}
annotations:
  {{- include "berth.hook" . | nindent 2 }}
{{- end }}

{{- /* The role of a binding, and the account of the hooks as its subject. Takes "root", and "kind" and "role", the kind and the name of the role. */ -}}
{{- define "berth.uninstallBinding" -}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .role | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ include "berth.fullname" .root }}-uninstall
    namespace: {{ .root.Release.Namespace | quote }}
{{- end }}
