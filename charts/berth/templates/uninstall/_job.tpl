{{- /* Pod template of a Job of the uninstall. Takes "root", "when" and "command". */ -}}
{{- define "berth.uninstallJobPod" -}}
{{- $uninstall := .root.Values.uninstall }}
{{- /* These values cannot be changed at uninstall, so they default to those of the advertiser. */}}
{{- $app := dict
  "nodeSelector" ($uninstall.nodeSelector | default .root.Values.advertiser.nodeSelector)
  "tolerations" ($uninstall.tolerations | default .root.Values.advertiser.tolerations)
  "resources" $uninstall.resources }}
{{- $pod := dict "root" .root "name" "uninstall" "account" (printf "%s-uninstall" (include "berth.fullname" .root)) "command" .command "app" $app }}
{{- if eq .when "pre-delete" }}
{{- $pod = merge (dict "env" (include "berth.uninstallEnv" .root)) $pod }}
{{- end }}
{{- include "berth.hookPod" $pod }}
{{- end }}

{{- /* Read at uninstall, when the values of the release can no longer change. Missing after an interrupted uninstall. Takes the root. */ -}}
{{- define "berth.uninstallEnv" -}}
- name: BERTH_ADVERTISER_FORCE
  valueFrom:
    configMapKeyRef:
      name: {{ include "berth.fullname" . }}-uninstall
      key: force
      optional: true
{{- end }}
