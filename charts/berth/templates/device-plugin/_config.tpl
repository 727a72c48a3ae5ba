{{- define "berth.devicePluginConfig" -}}
{{ toYaml .Values.devicePlugin.config }}
{{- end }}

{{- define "berth.devicePluginMounts" -}}
- name: sockets
  mountPath: {{ .sockets }}
- name: pod
  mountPath: /etc/berth-pod
  readOnly: true
{{- if .hasHelper }}
# Read-only: calls go through, and the plugin cannot put another file in the place of root's socket.
- name: node-helper
  mountPath: /run/berth-node
  readOnly: true
{{- end }}
{{- range $i, $path := .app.hostPaths }}
- name: host-{{ $i }}
  mountPath: {{ $path }}
  readOnly: true
  mountPropagation: HostToContainer
{{- end }}
{{- end }}

{{- /* Name of the release on a node, where files of several releases may lie in one directory. */ -}}
{{- define "berth.nodeOwner" -}}
berth-{{ printf "%s/%s" .Release.Namespace (include "berth.fullname" .) | sha256sum | trunc 8 }}
{{- end }}

{{- define "berth.registration" -}}
{{ .Values.devicePlugin.config.registration | default "watcher" }}
{{- end }}

{{- /* Not empty if the pods have the node helper. */ -}}
{{- define "berth.hasNodeHelper" -}}
{{- if or .Values.devicePlugin.nodeHelper.cdi.enabled .Values.devicePlugin.nodeHelper.podResources.enabled }}true{{ end -}}
{{- end }}

{{- /* Directory of the sockets on the node. Namespace and name are hashed, because each release needs its own directory and a socket path may have at most 107 bytes. */ -}}
{{- define "berth.socketDirectory" -}}
{{- if eq (include "berth.registration" .) "watcher" -}}
{{ .Values.devicePlugin.kubeletDir }}/plugins_registry/{{ include "berth.nodeOwner" . }}
{{- else -}}
{{ .Values.devicePlugin.kubeletDir }}/device-plugins
{{- end -}}
{{- end }}
