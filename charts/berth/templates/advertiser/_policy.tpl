{{- /*
The rules for writes to the status of nodes. RBAC can grant nodes/status, but not limit the resource names in it. The same rules apply
to the advertiser and to the Job that withdraws its resources at an uninstall. Takes "root" and "account", the name of the ServiceAccount.
With "objects", names that an administrator allows objects to declare count as declared. With "ownNode", the account writes only the
node of the pod that its token is bound to.
*/ -}}
{{- define "berth.nodeStatusPolicy" -}}
{{- $declared := list }}
{{- range .root.Values.advertiser.config.resources }}
{{- $declared = append $declared .name }}
{{- end }}
{{- $isDeclared := "name in variables.declared" }}
{{- if .objects }}
{{- $isDeclared = "(name in variables.declared || name in variables.allowedNames || (name.contains('/') && name.split('/')[0] in variables.allowedDomains))" -}}
paramKind:
  apiVersion: v1
  kind: ConfigMap
{{ end -}}
matchConstraints:
  resourceRules:
    - apiGroups: ['']
      apiVersions: [v1]
      operations: [UPDATE]
      resources: [nodes/status]
matchConditions:
  - name: the-account
    expression: request.userInfo.username == 'system:serviceaccount:{{ .root.Release.Namespace }}:{{ .account }}'
variables:
  {{- include "berth.policyVariables" . | nindent 2 }}
  {{- if .ownNode }}
  {{- include "berth.ownNodeVariable" . | nindent 2 }}
  {{- end }}
  - name: declared
    expression: {{ $declared | uniq | toJson | quote }}
  {{- if .objects }}
  # A name without a domain, such as cpu, is never among them.
  - name: allowedNames
    expression: >-
      params.?data['names'].orValue('').split('\n').map(line, line.trim()).filter(line, line.contains('/'))
  - name: allowedDomains
    expression: >-
      params.?data['domains'].orValue('').split('\n').map(line, line.trim()).filter(line, !line.contains('/'))
  {{- end }}
  - name: cleared
    expression: {{ .root.Values.advertiser.config.clearStaleZeros | default list | uniq | toJson | quote }}
  # The annotation berth.dev/advertised is a JSON object of resource names and counts without escape sequences. Any
  # other text counts as empty.
  {{- $name := "[-A-Za-z0-9._]+/[-A-Za-z0-9._]+" }}
  {{- $names := printf ".find('^ *[{] *(\"%s\" *: *\"?[0-9]+\"? *,? *)*[}] *$').findAll('%s')" $name $name }}
  - name: recordBefore
    expression: variables.metadataBefore.?annotations['berth.dev/advertised'].orValue('{}')
  - name: recordAfter
    expression: variables.metadataAfter.?annotations['berth.dev/advertised'].orValue('{}')
  # The advertiser may withdraw what it wrote earlier.
  - name: owned
    expression: >-
      variables.recordBefore{{ $names }}
  - name: recorded
    expression: >-
      variables.recordAfter{{ $names }}
  # The annotation berth.dev/advertised-by names the installation that wrote the record.
  - name: ownerBefore
    expression: variables.metadataBefore.?annotations['berth.dev/advertised-by'].orValue('')
  - name: ownerAfter
    expression: variables.metadataAfter.?annotations['berth.dev/advertised-by'].orValue('')
  - name: thisOwner
    expression: >-
      '{"owner":"{{ include "berth.advertiserOwner" .root }}",'
  - name: capacityBefore
    expression: variables.statusBefore.?capacity.orValue({})
  - name: capacityAfter
    expression: variables.statusAfter.?capacity.orValue({})
  - name: allocatableBefore
    expression: variables.statusBefore.?allocatable.orValue({})
  - name: allocatableAfter
    expression: variables.statusAfter.?allocatable.orValue({})
  - name: annotationsBefore
    expression: variables.metadataBefore.?annotations.orValue({})
  - name: annotationsAfter
    expression: variables.metadataAfter.?annotations.orValue({})
validations:
  {{- if .ownNode }}
  - expression: variables.ownNode != '' && object.metadata.name == variables.ownNode
    message: the advertiser in mode node may write only the node of its own pod, which its token names
  {{- end }}
  {{- range $list := list "capacity" "allocatable" }}
  - expression: >-
      variables.{{ $list }}After.all(name,
      (name in variables.{{ $list }}Before && variables.{{ $list }}Before[name] == variables.{{ $list }}After[name])
      || {{ $isDeclared }})
    message: the advertiser may add to {{ $list }}, or change in it, only resources that its configuration declares
  - expression: >-
      variables.{{ $list }}Before.all(name,
      name in variables.{{ $list }}After || {{ $isDeclared }}
      || name in variables.owned
      || (name in variables.cleared && string(variables.{{ $list }}Before[name]) == '0'))
    message: the advertiser may remove from {{ $list }} only resources that it declares or wrote earlier, and listed zeros
  {{- end }}
  # Otherwise the advertiser could record another owner's resource as its own and then remove it.
  - expression: >-
      variables.recordAfter == variables.recordBefore || variables.recordAfter == '{}'
      || (size(variables.recorded) > 0
      && variables.recorded.all(name, {{ $isDeclared }} || name in variables.owned))
    message: the advertiser may record in berth.dev/advertised only resources that it declares or has already recorded
  {{- include "berth.unchangedBut" (dict "map" "annotations" "keys" (list "berth.dev/advertised" "berth.dev/advertised-by")) | nindent 2 }}
    message: the advertiser may change only the annotations berth.dev/advertised and berth.dev/advertised-by
  - expression: >-
      variables.ownerBefore == '' || variables.recordBefore == '{}'
      || variables.ownerBefore.startsWith(variables.thisOwner)
    message: the resources of this node belong to another installation of the advertiser
  # Of two keys with the same name, readers take the second.
  - expression: >-
      variables.ownerAfter == variables.ownerBefore || variables.ownerAfter == ''
      || (variables.ownerAfter.startsWith(variables.thisOwner)
      && variables.ownerAfter.matches('^[^,]*,"since":"[-+.:0-9A-Z]*"[}]$'))
    message: the advertiser may record only itself as the owner of a node
  {{- include "berth.unchangedBut" (dict "map" "status" "keys" (list "capacity" "allocatable")) | nindent 2 }}
    message: the advertiser may change only capacity and allocatable of the status of a node
  {{- include "berth.unchangedBut" (dict "map" "metadata" "keys" (list "annotations" "managedFields")) | nindent 2 }}
    message: the advertiser may change only its own annotations of the metadata of a node
  {{- include "berth.unchangedBut" (dict "map" "object" "keys" (list "metadata" "status")) | nindent 2 }}
    message: the advertiser may change only the status and the metadata of a node
  {{- include "berth.writesAs" "berth-advertiser" | nindent 2 }}
    message: the advertiser may write only as the field manager berth-advertiser
{{- end }}

{{- /*
The rules for writes of ExtendedResource objects. RBAC can grant these, but not limit the resources and nodes in them. Takes the root.
*/ -}}
{{- define "berth.objectPolicy" -}}
{{- $part := dict "root" . "name" "advertiser" "app" .Values.advertiser }}
{{- $names := include "berth.allowedNames" . -}}
paramKind:
  apiVersion: v1
  kind: ConfigMap
matchConstraints:
  resourceRules:
    - apiGroups: [berth.dev]
      apiVersions: ['*']
      operations: [CREATE, UPDATE, DELETE]
      resources: [extendedresources]
variables:
  - name: isAdministrator
    expression: >-
      authorizer.group('').resource('configmaps').namespace('{{ .Release.Namespace }}').name('{{ $names }}').check('update').allowed()
  - name: isBerth
    expression: >-
      request.userInfo.username in ['system:serviceaccount:{{ .Release.Namespace }}:{{ include "berth.serviceAccountName" $part }}',
      'system:serviceaccount:{{ .Release.Namespace }}:{{ include "berth.fullname" . }}-uninstall']
  # Another installation, which claims and releases objects, too. RBAC lets only advertisers write the status.
  - name: isOtherAdvertiser
    expression: >-
      authorizer.group('berth.dev').resource('extendedresources').subresource('status').check('patch').allowed()
  # The lines GROUP RESOURCE NODES that apply to the user.
  - name: rules
    expression: >-
      params.?data['teams'].orValue('').split('\n')
      .map(line, line.trim().split(' ').filter(word, word != ''))
      .filter(rule, size(rule) == 3 && rule[0] in request.userInfo.groups)
  {{- range $time, $object := dict "Before" "oldObject" "After" "object" }}
  - name: metadata{{ $time }}
    expression: "request.operation == 'UPDATE' ? dyn({{ $object }}).?metadata.orValue({}) : {}"
  - name: annotations{{ $time }}
    expression: variables.metadata{{ $time }}.?annotations.orValue({})
  - name: otherFinalizers{{ $time }}
    expression: variables.metadata{{ $time }}.?finalizers.orValue([]).filter(each, each != 'berth.dev/withdraw')
  {{- end }}
  # What an advertiser writes. With labels, owners or the finalizers of others it could delete the objects of a team, or
  # keep them.
  - name: isClaim
    expression: >-
      request.operation == 'UPDATE' && object.spec == oldObject.spec
      && variables.otherFinalizersBefore == variables.otherFinalizersAfter
      && {{ include "berth.isUnchangedBut" (dict "map" "annotations" "keys" (list "berth.dev/advertised-by")) | nindent 6 | trim }}
      && {{ include "berth.isUnchangedBut" (dict "map" "metadata" "keys" (list "annotations" "finalizers" "managedFields")) | nindent 6 | trim }}
  - name: specs
    expression: >-
      (request.operation == 'CREATE' ? [] : [oldObject.spec]) + (request.operation == 'DELETE' ? [] : [object.spec])
validations:
  - expression: >-
      !variables.isBerth || variables.isClaim
    message: the advertiser may change only its own finalizer and its own annotation of an object
  {{- $matches := "(rule[1] == spec.resourceName || rule[1] == spec.resourceName.split('/')[0] + '/*')" }}
  - expression: >-
      variables.isBerth || variables.isAdministrator
      || (variables.isClaim && variables.isOtherAdvertiser)
      || variables.specs.all(spec, has(spec.nodes.names)
      ? spec.nodes.names.all(node, variables.rules.exists(rule, {{ $matches }} && (rule[2] == '*' || rule[2] == node)))
      : variables.rules.exists(rule, {{ $matches }} && (rule[2] == '*'
      || (rule[2].contains('=') && has(spec.nodes.selector.matchLabels)
      && spec.nodes.selector.matchLabels.exists(key, key + '=' + spec.nodes.selector.matchLabels[key] == rule[2])))))
    messageExpression: >-
      'the groups of ' + request.userInfo.username + ' may not declare this resource on these nodes; an administrator adds a line GROUP RESOURCE NODES to the key teams of the ConfigMap {{ .Release.Namespace }}/{{ $names }}'
    reason: Forbidden
{{- end }}

{{- /* A variable: the node of the pod that the token of the caller is bound to; empty for other tokens. */ -}}
{{- define "berth.ownNodeVariable" -}}
- name: ownNode
  expression: >-
    request.userInfo.?extra['authentication.kubernetes.io/node-name'].orValue([''])[0]
{{- end }}

{{- /* The rules for Leases of pods in mode node. RBAC can grant these, but not limit a pod to the Lease of its node. Takes the root. */ -}}
{{- define "berth.nodeLeasePolicy" -}}
{{- $part := dict "root" . "name" "advertiser" "app" .Values.advertiser -}}
matchConstraints:
  resourceRules:
    - apiGroups: [coordination.k8s.io]
      apiVersions: ['*']
      operations: [CREATE, UPDATE]
      resources: [leases]
matchConditions:
  - name: the-account
    expression: request.userInfo.username == 'system:serviceaccount:{{ .Release.Namespace }}:{{ include "berth.serviceAccountName" $part }}'
variables:
  {{- include "berth.ownNodeVariable" . | nindent 2 }}
validations:
  - expression: variables.ownNode != '' && object.metadata.name == '{{ include "berth.componentName" $part }}.node.' + variables.ownNode
    message: the advertiser in mode node may write only the Lease of the node of its own pod
{{- end }}
