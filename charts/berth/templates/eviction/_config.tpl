{{- /* The configuration file of the eviction. Takes the root. */ -}}
{{- define "berth.evictionConfig" -}}
eviction:
  lease: {{ .Release.Namespace }}/{{ include "berth.componentName" (dict "root" . "name" "eviction") }}
  resources: {{ include "berth.evictionResources" . }}
  {{- with omit .Values.eviction.config "resources" }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
