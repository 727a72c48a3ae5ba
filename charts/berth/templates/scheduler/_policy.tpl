{{- define "berth.podStatusPolicy" -}}
matchConstraints:
  resourceRules:
    - apiGroups: ['']
      apiVersions: [v1]
      operations: [UPDATE]
      resources: [pods/status]
matchConditions:
  - name: the-account
    expression: request.userInfo.username == 'system:serviceaccount:{{ .root.Release.Namespace }}:{{ include "berth.serviceAccountName" . }}'
variables:
  {{- include "berth.policyVariables" . | nindent 2 }}
  - name: profiles
    expression: {{ include "berth.schedulerNames" . | quote }}
  - name: isOwn
    expression: dyn(oldObject).spec.?schedulerName.orValue('default-scheduler') in variables.profiles
  - name: conditionsBefore
    expression: variables.statusBefore.?conditions.orValue([])
  - name: conditionsAfter
    expression: variables.statusAfter.?conditions.orValue([])
  - name: nominationBefore
    expression: variables.statusBefore.?nominatedNodeName.orValue('')
  - name: nominationAfter
    expression: variables.statusAfter.?nominatedNodeName.orValue('')
validations:
  {{- include "berth.unchangedBut" (dict "map" "status" "keys" (list "conditions" "nominatedNodeName")) | nindent 2 }}
    message: the scheduler may change only conditions and nominatedNodeName of the status of a pod
  {{- include "berth.unchangedBut" (dict "map" "metadata" "keys" (list "managedFields")) | nindent 2 }}
    message: the scheduler may not change the metadata of a pod
  {{- include "berth.unchangedBut" (dict "map" "object" "keys" (list "metadata" "status")) | nindent 2 }}
    message: the scheduler may change only the status of a pod
  - expression: variables.isOwn || variables.nominationBefore == variables.nominationAfter
    message: the scheduler may nominate a node only for pods of its own profiles
  # The victims of a preemption are also pods of other schedulers.
  {{- $mayWrite := "(%[1]s.type == 'DisruptionTarget' && %[1]s.status == 'True' && %[1]s.reason == 'PreemptionByScheduler') || (variables.isOwn && (%[1]s.type == 'PodScheduled' || %[1]s.type.startsWith('hung-plugin.berth.dev/')))" }}
  - expression: >-
      variables.conditionsAfter.all(now,
      variables.conditionsBefore.exists(was, was == now)
      || {{ printf $mayWrite "now" }})
      && variables.conditionsBefore.all(was,
      variables.conditionsAfter.exists(now, now.type == was.type))
    message: the scheduler may write only the conditions of scheduling of pods of its own profiles, and DisruptionTarget of victims
  {{- include "berth.writesAs" "berth" | nindent 2 }}
    message: the scheduler may write only as the field manager berth
{{- end }}
