{{- define "berth.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* At most 40 characters, so that a name with the longest suffix stays within the limit. */ -}}
{{- define "berth.fullname" -}}
{{- $name := include "berth.name" . -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains $name .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- /* The templates below and those of _pod.tpl take (dict "root" $ "name" "scheduler" "app" .Values.scheduler). */ -}}
{{- define "berth.componentName" -}}
{{ include "berth.fullname" .root }}-{{ .name }}
{{- end }}

{{- define "berth.selectorLabels" -}}
app.kubernetes.io/name: {{ include "berth.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .name | quote }}
{{- end }}

{{- define "berth.labels" -}}
{{ include "berth.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: berth
app.kubernetes.io/managed-by: {{ .root.Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Name and labels of a namespaced object of a component. */ -}}
{{- define "berth.metadata" -}}
name: {{ include "berth.componentName" . | quote }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "berth.labels" . | nindent 2 }}
{{- end }}

{{- /* Name and labels of a cluster-scoped object. Contains the namespace, because releases in two namespaces may share a name. */ -}}
{{- define "berth.clusterMetadata" -}}
name: {{ include "berth.clusterName" . | quote }}
labels:
  {{- include "berth.labels" . | nindent 2 }}
{{- end }}

{{- define "berth.clusterName" -}}
{{ .root.Release.Namespace }}:{{ include "berth.componentName" . }}
{{- end }}

{{- define "berth.serviceAccountName" -}}
{{ .app.serviceAccount.name | default (include "berth.componentName" .) }}
{{- end }}

{{- /* Image reference with digest or tag. Takes (dict "image" … "tag" DEFAULT). */ -}}
{{- define "berth.imageOf" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .tag }}
{{- end -}}
{{- end }}

{{- define "berth.image" -}}
{{ include "berth.imageOf" (dict "image" .Values.image "tag" .Chart.AppVersion) }}
{{- end }}

{{- /* Strips the suffix of a distribution from the version: v1.36.3-gke.100 becomes v1.36.3. */ -}}
{{- define "berth.kubeSchedulerImage" -}}
{{- $version := regexFind "^v[0-9]+[.][0-9]+[.][0-9]+" .Capabilities.KubeVersion.Version -}}
{{ include "berth.imageOf" (dict "image" .Values.extender.kubeScheduler.image "tag" $version) }}
{{- end }}

{{- /* JSON list of every schedulerName that an app serves. "name" is "scheduler" or "extender". */ -}}
{{- define "berth.schedulerNames" -}}
{{- $names := list -}}
{{- if and (eq .name "scheduler") .app.enabled -}}
{{- range .app.config.profiles | default (list (dict "schedulerName" (include "berth.defaultSchedulerName" .app))) -}}
{{- $names = append $names (.schedulerName | default "default-scheduler") -}}
{{- end -}}
{{- else if and (eq .name "extender") .app.enabled .app.kubeScheduler.enabled -}}
{{- $names = append $names .app.schedulerName -}}
{{- end -}}
{{ toJson $names }}
{{- end }}

{{- /* The schedulerName of a scheduler without profiles. Takes the values of the scheduler. */ -}}
{{- define "berth.defaultSchedulerName" -}}
{{ ternary "default-scheduler" .schedulerName .replacesKubeScheduler }}
{{- end }}

{{- /* The schedulerName of the scheduler's first profile. */ -}}
{{- define "berth.schedulerName" -}}
{{- $profiles := .Values.scheduler.config.profiles | default list -}}
{{- if $profiles -}}
{{ (first $profiles).schedulerName | default (include "berth.defaultSchedulerName" .Values.scheduler) }}
{{- else -}}
{{ include "berth.defaultSchedulerName" .Values.scheduler }}
{{- end -}}
{{- end }}

{{- /* Not empty if the advertiser runs on each node. Takes the root. */ -}}
{{- define "berth.advertisesPerNode" -}}
{{- if and .Values.advertiser.enabled (eq .Values.advertiser.mode "node") }}true{{ end -}}
{{- end }}

{{- /* Not empty if the advertiser watches ExtendedResource objects. Takes the root. */ -}}
{{- define "berth.watchesObjects" -}}
{{- if and .Values.advertiser.enabled .Values.advertiser.config.watchObjects }}true{{ end -}}
{{- end }}

{{- /* Name of the ConfigMap with the resource names that objects may declare. Takes the root. */ -}}
{{- define "berth.allowedNames" -}}
{{ include "berth.componentName" (dict "root" . "name" "advertiser") }}-names
{{- end }}

{{- /* The ConfigMap as the parameter of an admission policy. Takes the root. */ -}}
{{- define "berth.allowedNamesRef" -}}
paramRef:
  name: {{ include "berth.allowedNames" . }}
  namespace: {{ .Release.Namespace | quote }}
  parameterNotFoundAction: Deny
{{- end }}

{{- /* JSON list of the resources for whose devices pods are evicted: those that Berth serves, and those that the values name. Takes the root. */ -}}
{{- define "berth.evictionResources" -}}
{{- $names := .Values.eviction.config.resources | default list -}}
{{- if .Values.devicePlugin.enabled -}}
{{- range .Values.devicePlugin.config.resources -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- end -}}
{{ $names | uniq | toJson }}
{{- end }}
