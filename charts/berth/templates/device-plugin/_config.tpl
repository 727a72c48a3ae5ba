{{- define "berth.devicePluginConfig" -}}
{{ toYaml .Values.devicePlugin.config }}
{{- end }}

{{- define "berth.devicePluginMounts" -}}
- name: sockets
  mountPath: {{ .sockets }}
{{- range $i, $path := .app.hostPaths }}
- name: host-{{ $i }}
  mountPath: {{ $path }}
  readOnly: true
  mountPropagation: HostToContainer
{{- end }}
{{- end }}

{{- define "berth.registration" -}}
{{ .Values.devicePlugin.config.registration | default "watcher" }}
{{- end }}

{{- /* Where the sockets are on the node. Namespace and name are hashed: whatever they are, it is its own, and a path of a socket is 107 bytes. */ -}}
{{- define "berth.socketDirectory" -}}
{{- if eq (include "berth.registration" .) "watcher" -}}
{{ .Values.devicePlugin.kubeletDir }}/plugins_registry/berth-{{ printf "%s/%s" .Release.Namespace (include "berth.fullname" .) | sha256sum | trunc 8 }}
{{- else -}}
{{ .Values.devicePlugin.kubeletDir }}/device-plugins
{{- end -}}
{{- end }}
