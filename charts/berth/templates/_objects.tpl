{{- /* Complete objects that several apps share. */ -}}
{{- define "berth.serviceAccount" -}}
{{- if not .app.serviceAccount.name -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "berth.metadata" . | nindent 2 }}
  {{- with .app.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}
{{- end }}

{{- /* Binds a Role to the ServiceAccount of an app. Takes "part", "role" and "namespace", which both have. */ -}}
{{- define "berth.roleBinding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .role | quote }}
  namespace: {{ .namespace | quote }}
  labels:
    {{- include "berth.labels" .part | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ .role | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ include "berth.serviceAccountName" .part | quote }}
    namespace: {{ .part.root.Release.Namespace | quote }}
{{- end }}

{{- define "berth.clusterRoleBinding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  {{- include "berth.clusterMetadata" . | nindent 2 }}
  {{- $schedulerNames := fromJsonArray (include "berth.schedulerNames" .) }}
  {{- with $schedulerNames }}
  annotations:
    # Lets another release detect that these names are taken.
    berth.dev/scheduler-names: {{ join "," . | quote }}
  {{- end }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ include "berth.clusterName" . | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ include "berth.serviceAccountName" . | quote }}
    namespace: {{ .root.Release.Namespace | quote }}
{{- end }}

{{- define "berth.podDisruptionBudget" -}}
{{- if .app.pdb.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "berth.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ .app.pdb.maxUnavailable }}
  # A pod that is not ready must not block the drain of a node.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "berth.selectorLabels" . | nindent 6 }}
{{- end }}
{{- end }}

{{- /* Allows ingress only from the peers in networkPolicy.from. The kubelet's probes always pass. "openPorts" are open to all peers. With "limitsEgress", allows egress only to those in networkPolicy.to. */ -}}
{{- define "berth.networkPolicy" -}}
{{- if .app.networkPolicy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "berth.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "berth.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress{{ if .limitsEgress }}, Egress{{ end }}]
  {{- if or .app.networkPolicy.from .openPorts }}
  ingress:
    {{- range .openPorts }}
    - ports:
        - port: {{ . }}
    {{- end }}
    {{- with .app.networkPolicy.from }}
    - from:
        {{- toYaml . | nindent 8 }}
    {{- end }}
  {{- end }}
  {{- with and .limitsEgress .app.networkPolicy.to }}
  egress:
    - to:
        {{- toYaml . | nindent 8 }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* Read access to the objects, other than pods, that scheduling decisions depend on. */ -}}
{{- define "berth.viewRules" -}}
- apiGroups: ['']
  resources: [nodes, namespaces, services, replicationcontrollers, persistentvolumes, persistentvolumeclaims]
  verbs: [list, watch]
- apiGroups: [apps]
  resources: [replicasets, statefulsets]
  verbs: [list, watch]
- apiGroups: [storage.k8s.io]
  resources: [storageclasses, csinodes, csidrivers, csistoragecapacities, volumeattachments]
  verbs: [list, watch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list, watch]
- apiGroups: [resource.k8s.io]
  resources: [deviceclasses]
  verbs: [list, watch]
{{- end }}

{{- /* Access of an app to the ConfigMaps that its plugins read: a Role and a RoleBinding in each of their namespaces. */ -}}
{{- define "berth.pluginConfigMaps" -}}
{{- $names := dict }}
{{- range .app.plugins.configMaps }}
{{- $namespace := dir . }}
{{- $_ := set $names $namespace (append (get $names $namespace | default list) (base .)) }}
{{- end }}
{{- range $namespace, $own := $names }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ include "berth.clusterName" $ }}-plugins
  namespace: {{ $namespace | quote }}
  labels:
    {{- include "berth.labels" $ | nindent 4 }}
rules:
  - apiGroups: ['']
    resources: [configmaps]
    resourceNames:
      {{- toYaml $own | nindent 6 }}
    verbs: [list, watch]
---
{{ include "berth.roleBinding" (dict "part" $ "role" (printf "%s-plugins" (include "berth.clusterName" $)) "namespace" $namespace) }}
{{- end }}
{{- end }}

{{- /* Rules of a Role for one Lease. Takes its name. RBAC cannot limit create to a resource name. */ -}}
{{- define "berth.leaseRules" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ . | quote }}]
  verbs: [get, update]
{{- end }}

{{- /* The namespace of events about nodes, which have none themselves. */ -}}
{{- define "berth.nodeEventNamespace" -}}
default
{{- end }}

{{- define "berth.eventRules" -}}
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end }}

{{- /* The name of the installation of the advertiser: namespace and name of its Lease. Takes the root. */ -}}
{{- define "berth.advertiserOwner" -}}
{{ .Release.Namespace }}/{{ include "berth.componentName" (dict "root" . "name" "advertiser") }}
{{- end }}
