{{- define "berth.devicePluginConfig" -}}
{{ toYaml .Values.devicePlugin.config }}
{{- end }}

{{- define "berth.devicePluginMounts" -}}
- name: sockets
  mountPath: {{ .sockets }}
- name: pod
  mountPath: /etc/berth-pod
  readOnly: true
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

{{- /* Directory of the sockets on the node. Namespace and name are hashed, because each release needs its own directory and a socket path may have at most 107 bytes. */ -}}
{{- define "berth.socketDirectory" -}}
{{- if eq (include "berth.registration" .) "watcher" -}}
{{ .Values.devicePlugin.kubeletDir }}/plugins_registry/berth-{{ printf "%s/%s" .Release.Namespace (include "berth.fullname" .) | sha256sum | trunc 8 }}
{{- else -}}
{{ .Values.devicePlugin.kubeletDir }}/device-plugins
{{- end -}}
{{- end }}
