{{- /* Parts of a pod that all apps share. */ -}}
{{- define "berth.podMetadata" -}}
labels:
  {{- include "berth.labels" . | nindent 2 }}
  {{- with .app.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  {{- range $file, $text := .checksums }}
  checksum/{{ $file }}: {{ $text | sha256sum | quote }}
  {{- end }}
  {{- with .app.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "berth.podSettings" -}}
serviceAccountName: {{ include "berth.serviceAccountName" . | quote }}
automountServiceAccountToken: {{ .token }}
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .app.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .app.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .app.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .app.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .app.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "berth.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "berth.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* Allows two minutes to start. Afterwards the kubelet restarts a container that fails for half a minute. Takes (dict "port" NAME). */ -}}
{{- define "berth.probes" -}}
{{- $scheme := .scheme | default "HTTP" -}}
startupProbe:
  httpGet: { path: /livez, port: {{ .port }}, scheme: {{ $scheme }} }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: {{ .port }}, scheme: {{ $scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: {{ .port }}, scheme: {{ $scheme }} }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{- /* Not empty if the app gets a plugin directory. */ -}}
{{- define "berth.hasPlugins" -}}
{{- if or .app.plugins.volume .app.plugins.inImage }}true{{ end -}}
{{- end }}

{{- /* The container of an app. Also takes "bundle", "port", "args", "nodeFlags", "env", and "ports" and "mounts" as YAML text. */ -}}
{{- define "berth.appContainer" -}}
name: {{ .name | quote }}
image: {{ include "berth.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
command: [node{{ range .nodeFlags }}, {{ . }}{{ end }}, {{ .bundle }}]
args:
  {{- toYaml .args | nindent 2 }}
  {{- if include "berth.hasPlugins" . }}
  - --plugin-dir=/plugins
  {{- end }}
  {{- with .app.extraArgs }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- if or .env .app.extraEnv (include "berth.hasPlugins" .) }}
env:
  {{- with .env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- if include "berth.hasPlugins" . }}
  - name: TMPDIR
    value: /unpacked
  {{- end }}
  {{- with .app.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
ports:
  - name: health
    containerPort: {{ .port }}
  {{- with .ports }}
  {{- . | nindent 2 }}
  {{- end }}
{{ include "berth.probes" (dict "port" "health") }}
{{- with .app.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "berth.containerSecurityContext" . | nindent 2 }}
volumeMounts:
  - name: config
    mountPath: /etc/berth
    readOnly: true
  {{- with .mounts }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- if .app.plugins.volume }}
  - name: plugins
    mountPath: /plugins
    readOnly: true
  {{- end }}
  {{- if include "berth.hasPlugins" . }}
  - name: unpacked
    mountPath: /unpacked
  {{- end }}
  {{- with .app.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "berth.appVolumes" -}}
- name: config
  configMap:
    name: {{ include "berth.componentName" . | quote }}
{{- with .app.plugins.volume }}
- name: plugins
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if include "berth.hasPlugins" . }}
# The app unpacks archives of plugins here while it starts. The root of its container is read-only.
- name: unpacked
  emptyDir:
    sizeLimit: 64Mi
{{- end }}
{{- with .app.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Pod template of the Job of a hook. Takes "root", "name", the component, "account", "command", "app", the values of its pods, and "env" as YAML text. */ -}}
{{- define "berth.hookPod" -}}
metadata:
  labels:
    {{- include "berth.labels" . | nindent 4 }}
spec:
  restartPolicy: Never
  serviceAccountName: {{ .account }}
  automountServiceAccountToken: true
  enableServiceLinks: false
  {{- with .app.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .app.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- include "berth.podSecurityContext" . | nindent 4 }}
  containers:
    - name: {{ .name }}
      image: {{ include "berth.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command:
        {{- toYaml .command | nindent 8 }}
      {{- with .env }}
      env:
        {{- . | nindent 8 }}
      {{- end }}
      {{- with .app.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- include "berth.containerSecurityContext" . | nindent 8 }}
{{- end }}
