{{- /* Parts of ValidatingAdmissionPolicies for one ServiceAccount. They list what an account may change; a field that a later Kubernetes adds is not on the list. */ -}}

{{- /* Variables that the parts below use. Untyped, because they are read as maps. */ -}}
{{- define "berth.policyVariables" -}}
- name: objectBefore
  expression: dyn(oldObject)
- name: objectAfter
  expression: dyn(object)
{{- range list "metadata" "status" }}
- name: {{ . }}Before
  expression: dyn(oldObject).?{{ . }}.orValue({})
- name: {{ . }}After
  expression: dyn(object).?{{ . }}.orValue({})
{{- end }}
{{- end }}

{{- /* An expression: a map has the same keys and values before and after, except for some keys. Takes "map" and "keys". */ -}}
{{- define "berth.isUnchangedBut" -}}
{{- $before := printf "variables.%sBefore" .map }}
{{- $after := printf "variables.%sAfter" .map -}}
{{ $after }}.all(key, key in {{ include "berth.celList" .keys }}
|| (key in {{ $before }} && {{ $before }}[key] == {{ $after }}[key]))
&& {{ $before }}.all(key, key in {{ include "berth.celList" .keys }} || key in {{ $after }})
{{- end }}

{{- /* The same as a rule. */ -}}
{{- define "berth.unchangedBut" -}}
- expression: >-
    {{- include "berth.isUnchangedBut" . | nindent 4 }}
{{- end }}

{{- /* Name of the policy of a component. */ -}}
{{- define "berth.policyName" -}}
{{ include "berth.componentName" . }}.{{ .root.Release.Namespace }}
{{- end }}

{{- define "berth.celList" -}}
[{{ range $i, $word := . }}{{ if $i }}, {{ end }}'{{ $word }}'{{ end }}]
{{- end }}

{{- /*
A rule: the caller names itself as the owner of the fields that it writes. It cannot change the other entries of managedFields,
because the API server ignores managedFields in writes to a subresource. Takes the field manager.
*/ -}}
{{- define "berth.writesAs" -}}
- expression: dyn(request).?options.?fieldManager.orValue('') == '{{ . }}'
{{- end }}

{{- /* A policy of a component with its binding. Takes "part", "name" and "spec", and optionally "annotations" and "parameter", a paramRef. All but the first two are YAML text. */ -}}
{{- define "berth.policyObjects" -}}
{{- $metadata := printf "name: %s\nlabels:\n%s" (quote .name) (include "berth.labels" .part | indent 2) }}
{{- with .annotations }}
{{- $metadata = printf "%s\nannotations:\n%s" $metadata (indent 2 .) }}
{{- end -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  {{- $metadata | nindent 2 }}
spec:
  failurePolicy: Fail
  {{- .spec | nindent 2 }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  {{- $metadata | nindent 2 }}
spec:
  policyName: {{ .name | quote }}
  {{- with .parameter }}
  {{- . | nindent 2 }}
  {{- end }}
  validationActions: [Deny]
{{- end }}
