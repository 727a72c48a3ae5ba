{{- /* Pod template of a hook's Job. Takes "root", "when" and "command". */ -}}
{{- define "berth.uninstallJobPod" -}}
metadata:
  labels:
    {{- include "berth.labels" (dict "root" .root "name" "uninstall") | nindent 4 }}
spec:
  restartPolicy: Never
  serviceAccountName: {{ include "berth.fullname" .root }}-uninstall
  automountServiceAccountToken: true
  enableServiceLinks: false
  {{- /* These values cannot be changed at uninstall, so they default to those of the advertiser. */}}
  {{- with .root.Values.uninstall.nodeSelector | default .root.Values.advertiser.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.uninstall.tolerations | default .root.Values.advertiser.tolerations }}
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
    - name: uninstall
      image: {{ include "berth.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command:
        {{- toYaml .command | nindent 8 }}
      {{- if eq .when "pre-delete" }}
      env:
        # Read at uninstall, when the values of the release can no longer change. Missing after an interrupted uninstall.
        - name: BERTH_ADVERTISER_FORCE
          valueFrom:
            configMapKeyRef:
              name: {{ include "berth.fullname" .root }}-uninstall
              key: force
              optional: true
      {{- end }}
      {{- with .root.Values.uninstall.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- include "berth.containerSecurityContext" . | nindent 8 }}
{{- end }}
