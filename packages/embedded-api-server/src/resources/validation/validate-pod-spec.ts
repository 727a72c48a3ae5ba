import { listAt, numberAt, objectAt, own, stringAt, valueAt } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { validateAffinity } from './validate-affinity.ts'
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../../schema/name-rules.ts'
import { validateInitResizePolicies, validateResizePolicy } from './validate-resize-policy.ts'
import { validateContainerResources, validatePodLevelResources } from './validate-resources.ts'

/** Returns the errors of a pod spec at `path` (`spec`, or `spec.template.spec` of a workload). */
export function validatePodSpec(spec: unknown, path: string): readonly StatusCause[] {
  const containers = listAt(spec, 'containers')
  const names = new Set<string>()
  return [
    ...(containers.length === 0 ? [fieldError.required(`${path}.containers`)] : []),
    ...containers.flatMap((container, i) => validateContainer(container, `${path}.containers[${i}]`, names, spec)),
    ...listAt(spec, 'initContainers').flatMap((container, i) =>
      validateContainer(container, `${path}.initContainers[${i}]`, names, spec),
    ),
    ...validateInitResizePolicies(spec, path),
    ...validateEphemeralContainers(spec, path, names),
    ...validateVolumes(spec, path),
    ...validateEnum(spec, path, 'restartPolicy', ['Always', 'OnFailure', 'Never']),
    ...validateEnum(spec, path, 'dnsPolicy', ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
    ...validateEnum(spec, path, 'preemptionPolicy', ['PreemptLowerPriority', 'Never']),
    ...listAt(spec, 'tolerations').flatMap((each, i) => validateToleration(each, `${path}.tolerations[${i}]`)),
    ...Object.entries(objectAt(spec, 'nodeSelector')).flatMap(([key, value]) => [
      ...qualifiedName(key).map((why) => fieldError.invalid(`${path}.nodeSelector`, key, why)),
      ...labelValue(value as string).map((why) => fieldError.invalid(`${path}.nodeSelector`, value, why)),
    ]),
    ...validateNodeOrAccountName(spec, path, 'nodeName'),
    ...validateNodeOrAccountName(spec, path, 'serviceAccountName'),
    ...validatePodLevelResources(own(spec, 'resources'), `${path}.resources`),
    ...validateContainerResources({ limits: own(spec, 'overhead') }, `${path}.overhead`),
    ...validateAffinity(spec, path),
    ...validateTopologySpread(spec, path),
    ...validateSchedulingGates(spec, path),
    ...validateHostPorts(containers, path),
    ...((numberAt(spec, 'activeDeadlineSeconds') ?? 1) < 1
      ? [
          fieldError.invalid(
            `${path}.activeDeadlineSeconds`,
            numberAt(spec, 'activeDeadlineSeconds'),
            'must be between 1 and 2147483647, inclusive',
          ),
        ]
      : []),
  ]
}

function validateContainer(
  container: unknown,
  path: string,
  names: Set<string>,
  spec: unknown,
): readonly StatusCause[] {
  const name = stringAt(container, 'name')
  const causes: StatusCause[] = []
  if (name === '') causes.push(fieldError.required(`${path}.name`))
  else causes.push(...dnsLabel(name).map((why) => fieldError.invalid(`${path}.name`, name, why)))
  if (names.has(name)) causes.push(fieldError.duplicate(`${path}.name`, name))
  names.add(name)
  const image = stringAt(container, 'image')
  if (image === '') causes.push(fieldError.required(`${path}.image`))
  else if (image !== image.trim()) {
    causes.push(fieldError.invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'))
  }
  causes.push(...validateEnum(container, path, 'imagePullPolicy', ['Always', 'IfNotPresent', 'Never']))
  for (const [i, port] of listAt(container, 'ports').entries()) {
    causes.push(...validatePort(port, `${path}.ports[${i}]`))
  }
  const volumes = new Set(listAt(spec, 'volumes').map((volume) => stringAt(volume, 'name')))
  for (const [i, mount] of listAt(container, 'volumeMounts').entries()) {
    const volume = stringAt(mount, 'name')
    if (!volumes.has(volume)) causes.push(fieldError.notFound(`${path}.volumeMounts[${i}].name`, volume))
    if (stringAt(mount, 'mountPath') === '') causes.push(fieldError.required(`${path}.volumeMounts[${i}].mountPath`))
  }
  for (const [i, variable] of listAt(container, 'env').entries()) {
    const field = `${path}.env[${i}].name`
    const variableName = stringAt(variable, 'name')
    if (variableName === '') causes.push(fieldError.required(field))
    else if (!/^[\x20-<>-~]+$/.test(variableName)) {
      const why = "a valid environment variable name must consist only of printable ASCII characters other than '='"
      causes.push(fieldError.invalid(field, variableName, why))
    }
  }
  causes.push(...validateContainerResources(own(container, 'resources'), `${path}.resources`))
  causes.push(...validateResizePolicy(container, `${path}.resizePolicy`, spec))
  return causes
}

// Container fields that ephemeral containers may not set, in the order of upstream's type.
const FORBIDDEN_IN_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
]

function validateEphemeralContainers(spec: unknown, path: string, names: Set<string>): readonly StatusCause[] {
  const targets = new Set(names)
  return listAt(spec, 'ephemeralContainers').flatMap((container, i) => {
    const field = `${path}.ephemeralContainers[${i}]`
    const target = stringAt(container, 'targetContainerName')
    const isSet = (key: string): boolean => {
      const value = own(container, key)
      return value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)
    }
    return [
      ...validateContainer(container, field, names, spec),
      ...(target === '' || targets.has(target) ? [] : [fieldError.notFound(`${field}.targetContainerName`, target)]),
      ...FORBIDDEN_IN_EPHEMERAL.filter(isSet).map((key) =>
        fieldError.forbidden(`${field}.${key}`, EPHEMERAL_FORBIDDEN_MESSAGE),
      ),
      ...listAt(container, 'volumeMounts').flatMap((mount, j) =>
        ['subPath', 'subPathExpr']
          .filter((key) => stringAt(mount, key) !== '')
          .map((key) => fieldError.forbidden(`${field}.volumeMounts[${j}].${key}`, EPHEMERAL_FORBIDDEN_MESSAGE)),
      ),
    ]
  })
}

const EPHEMERAL_FORBIDDEN_MESSAGE = 'cannot be set for an Ephemeral Container'

function validatePort(port: unknown, path: string): readonly StatusCause[] {
  const causes: StatusCause[] = []
  const number = numberAt(port, 'containerPort')
  if (number === undefined) causes.push(fieldError.required(`${path}.containerPort`))
  for (const key of ['containerPort', 'hostPort']) {
    const value = numberAt(port, key)
    if (value !== undefined && (value < (key === 'hostPort' ? 0 : 1) || value > 65_535)) {
      causes.push(fieldError.invalid(`${path}.${key}`, value, 'must be between 1 and 65535, inclusive'))
    }
  }
  return [...causes, ...validateEnum(port, path, 'protocol', ['SCTP', 'TCP', 'UDP'])]
}

function validateVolumes(spec: unknown, path: string): readonly StatusCause[] {
  const seen = new Set<string>()
  return listAt(spec, 'volumes').flatMap((volume, i) => {
    const name = stringAt(volume, 'name')
    const field = `${path}.volumes[${i}].name`
    const problems =
      name === '' ? [fieldError.required(field)] : dnsLabel(name).map((why) => fieldError.invalid(field, name, why))
    if (seen.has(name)) return [...problems, fieldError.duplicate(field, name)]
    seen.add(name)
    return problems
  })
}

function validateToleration(toleration: unknown, path: string): readonly StatusCause[] {
  const key = stringAt(toleration, 'key')
  const operator = stringAt(toleration, 'operator')
  const causes = key === '' ? [] : qualifiedName(key).map((why) => fieldError.invalid(`${path}.key`, key, why))
  if (key === '' && operator !== 'Exists') {
    causes.push(
      fieldError.invalid(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    )
  }
  if (operator === 'Exists' && stringAt(toleration, 'value') !== '') {
    causes.push(
      fieldError.invalid(
        `${path}.operator`,
        valueAt(toleration, 'value'),
        "value must be empty when `operator` is 'Exists'",
      ),
    )
  }
  const effect = stringAt(toleration, 'effect')
  if (numberAt(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute') {
    const why = "effect must be 'NoExecute' when `tolerationSeconds` is set"
    causes.push(fieldError.invalid(`${path}.effect`, effect, why))
  }
  return [
    ...causes,
    ...validateEnum(toleration, path, 'operator', ['Equal', 'Exists']),
    ...validateEnum(toleration, path, 'effect', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
  ]
}

function validateSchedulingGates(spec: unknown, path: string): readonly StatusCause[] {
  const names = listAt(spec, 'schedulingGates').map((gate) => stringAt(gate, 'name'))
  return names.flatMap((name, i) =>
    names.indexOf(name) === i ? [] : [fieldError.duplicate(`${path}.schedulingGates[${i}]`, name)],
  )
}

function validateHostPorts(containers: readonly unknown[], path: string): readonly StatusCause[] {
  const seen = new Set<string>()
  return containers.flatMap((container, i) =>
    listAt(container, 'ports').flatMap((port, j) => {
      const number = numberAt(port, 'hostPort') ?? 0
      if (number === 0) return []
      const key = `${stringAt(port, 'protocol')}/${stringAt(port, 'hostIP')}/${number}`
      if (seen.has(key)) return [fieldError.duplicate(`${path}.containers[${i}].ports[${j}].hostPort`, key)]
      seen.add(key)
      return []
    }),
  )
}

function validateTopologySpread(spec: unknown, path: string): readonly StatusCause[] {
  return listAt(spec, 'topologySpreadConstraints').flatMap((constraint, i) => {
    const field = `${path}.topologySpreadConstraints[${i}]`
    const maxSkew = numberAt(constraint, 'maxSkew') ?? 0
    return [
      ...(maxSkew > 0 ? [] : [fieldError.invalid(`${field}.maxSkew`, maxSkew, 'must be greater than zero')]),
      ...(stringAt(constraint, 'topologyKey') === ''
        ? [fieldError.required(`${field}.topologyKey`, 'can not be empty')]
        : []),
      ...validateEnum(constraint, field, 'whenUnsatisfiable', ['DoNotSchedule', 'ScheduleAnyway']),
    ]
  })
}

function validateEnum(object: unknown, path: string, key: string, values: readonly string[]): readonly StatusCause[] {
  const value = stringAt(object, key)
  return value === '' || values.includes(value) ? [] : [fieldError.notSupported(`${path}.${key}`, value, values)]
}

function validateNodeOrAccountName(object: unknown, path: string, key: string): readonly StatusCause[] {
  const value = stringAt(object, key)
  return value === '' ? [] : dnsSubdomain(value).map((why) => fieldError.invalid(`${path}.${key}`, value, why))
}
