import {
  isObject,
  listAt,
  numberAt,
  objectAt,
  own,
  stringAt,
  valueAt,
  type JsonObject,
} from '../../schema/json/json-object.ts'

/** One violated check: a short reason, and the containers and fields that violate it. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

type Check = (spec: JsonObject, containers: readonly unknown[]) => readonly Violation[]

const containerList = (containers: readonly unknown[]): string =>
  `${containers.length === 1 ? 'container' : 'containers'} ${containers.map((each) => JSON.stringify(stringAt(each, 'name'))).join(', ')}`
const quotedList = (values: readonly string[]): string => values.map((each) => JSON.stringify(each)).join(', ')
const violationIfAny = (
  containers: readonly unknown[],
  isBad: (container: unknown) => boolean,
  reason: string,
  detail: (bad: readonly unknown[]) => string,
): readonly Violation[] => {
  const bad = containers.filter(isBad)
  return bad.length === 0 ? [] : [{ reason, detail: detail(bad) }]
}
const addedCapabilities = (container: unknown): readonly string[] =>
  listAt(container, 'securityContext', 'capabilities', 'add').map(String)

const BASELINE_CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])
const RESTRICTED_VOLUMES: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
])

const hostNamespaces: Check = (spec) => {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((key) => own(spec, key) === true)
  return used.length === 0 ? [] : [{ reason: 'host namespaces', detail: used.map((key) => `${key}=true`).join(', ') }]
}

const privileged: Check = (_, containers) =>
  violationIfAny(
    containers,
    (each) => valueAt(each, 'securityContext', 'privileged') === true,
    'privileged',
    (bad) => `${containerList(bad)} must not set securityContext.privileged=true`,
  )

const baselineCapabilities: Check = (_, containers) => {
  const extra = (each: unknown): readonly string[] =>
    addedCapabilities(each).filter((name) => !BASELINE_CAPABILITIES.has(name))
  return violationIfAny(
    containers,
    (each) => extra(each).length > 0,
    'non-default capabilities',
    (bad) =>
      `${containerList(bad)} must not include ${quotedList([...new Set(bad.flatMap(extra))].toSorted())} in securityContext.capabilities.add`,
  )
}

const hostPaths: Check = (spec) => {
  const bad = listAt(spec, 'volumes').filter((volume) => own(volume, 'hostPath') !== undefined)
  const word = bad.length === 1 ? 'volume' : 'volumes'
  return bad.length === 0
    ? []
    : [{ reason: 'hostPath volumes', detail: `${word} ${quotedList(bad.map((volume) => stringAt(volume, 'name')))}` }]
}

const hostPorts: Check = (_, containers) => {
  const ports = (each: unknown): readonly number[] =>
    listAt(each, 'ports').flatMap((port) => {
      const number = numberAt(port, 'hostPort') ?? 0
      return number === 0 ? [] : [number]
    })
  return violationIfAny(
    containers,
    (each) => ports(each).length > 0,
    'hostPort',
    (bad) => {
      const all = [...new Set(bad.flatMap(ports))].map(String).toSorted()
      return `${containerList(bad)} ${bad.length === 1 ? 'uses' : 'use'} ${all.length === 1 ? 'hostPort' : 'hostPorts'} ${all.join(', ')}`
    },
  )
}

const privilegeEscalation: Check = (_, containers) =>
  violationIfAny(
    containers,
    (each) => valueAt(each, 'securityContext', 'allowPrivilegeEscalation') !== false,
    'allowPrivilegeEscalation != false',
    (bad) => `${containerList(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  )

const restrictedCapabilities: Check = (_, containers) => {
  const undropped = containers.filter(
    (each) => !listAt(each, 'securityContext', 'capabilities', 'drop').includes('ALL'),
  )
  const extra = (each: unknown): readonly string[] =>
    addedCapabilities(each).filter((name) => name !== 'NET_BIND_SERVICE')
  const adding = containers.filter((each) => extra(each).length > 0)
  const details = [
    ...(undropped.length === 0
      ? []
      : [`${containerList(undropped)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [
          `${containerList(adding)} must not include ${quotedList([...new Set(adding.flatMap(extra))].toSorted())} in securityContext.capabilities.add`,
        ]),
  ]
  return details.length === 0 ? [] : [{ reason: 'unrestricted capabilities', detail: details.join('; ') }]
}

const volumeTypes: Check = (spec) => {
  const typeOf = (volume: unknown): string =>
    Object.keys(isObject(volume) ? volume : {}).find((key) => key !== 'name') ?? ''
  const bad = listAt(spec, 'volumes').filter((volume) => !RESTRICTED_VOLUMES.has(typeOf(volume)))
  if (bad.length === 0) return []
  const types = [...new Set(bad.map(typeOf))].toSorted()
  const [volume, uses] = bad.length === 1 ? ['volume', 'uses'] : ['volumes', 'use']
  const detail = `${volume} ${quotedList(bad.map((each) => stringAt(each, 'name')))} ${uses} restricted volume ${types.length === 1 ? 'type' : 'types'} ${quotedList(types)}`
  return [{ reason: 'restricted volume types', detail }]
}

const nonRoot: Check = (spec, containers) => {
  const pod = valueAt(spec, 'securityContext', 'runAsNonRoot')
  const containerSetting = (each: unknown): unknown => valueAt(each, 'securityContext', 'runAsNonRoot')
  const explicit = containers.filter((each) => containerSetting(each) === false)
  const setters = [...(pod === false ? ['pod'] : []), ...(explicit.length === 0 ? [] : [containerList(explicit)])]
  const reason = 'runAsNonRoot != true'
  if (setters.length > 0) {
    return [{ reason, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` }]
  }
  const unset = pod === true ? [] : containers.filter((each) => containerSetting(each) === undefined)
  return unset.length === 0
    ? []
    : [{ reason, detail: `pod or ${containerList(unset)} must set securityContext.runAsNonRoot=true` }]
}

const rootUser: Check = (spec, containers) => {
  const isRoot = (holder: unknown): boolean => valueAt(holder, 'securityContext', 'runAsUser') === 0
  const bad = containers.filter(isRoot)
  const setters = [...(isRoot(spec) ? ['pod'] : []), ...(bad.length === 0 ? [] : [containerList(bad)])]
  return setters.length === 0
    ? []
    : [{ reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` }]
}

const seccompProfileOf = (holder: unknown): string => stringAt(holder, 'securityContext', 'seccompProfile', 'type')
const isConfinedProfile = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost'

const baselineSeccomp: Check = (spec, containers) => {
  const bad = containers.filter((each) => seccompProfileOf(each) === 'Unconfined')
  const isPodBad = seccompProfileOf(spec) === 'Unconfined'
  const setters = [...(isPodBad ? ['pod'] : []), ...(bad.length === 0 ? [] : [containerList(bad)])]
  return setters.length === 0
    ? []
    : [
        {
          reason: 'seccompProfile',
          detail: `${setters.join(' and ')} must not set securityContext.seccompProfile.type to "Unconfined"`,
        },
      ]
}

const restrictedSeccomp: Check = (spec, containers) => {
  const unconfined = baselineSeccomp(spec, containers)
  if (unconfined.length > 0) return unconfined
  if (isConfinedProfile(seccompProfileOf(spec))) return []
  return violationIfAny(
    containers,
    (each) => !isConfinedProfile(seccompProfileOf(each)),
    'seccompProfile',
    (bad) =>
      `pod or ${containerList(bad)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  )
}

// In upstream's order: sorted by the names of upstream's checks.
const BASELINE: readonly Check[] = [
  baselineCapabilities,
  hostNamespaces,
  hostPaths,
  hostPorts,
  privileged,
  baselineSeccomp,
]
// Restricted checks replace the baseline checks that they are stricter than.
const RESTRICTED: readonly Check[] = [
  hostNamespaces,
  hostPorts,
  privileged,
  privilegeEscalation,
  restrictedCapabilities,
  volumeTypes,
  nonRoot,
  rootUser,
  restrictedSeccomp,
]

/**
 * Returns the violations of a pod security level by a pod spec.
 *
 * @see k8s.io/pod-security-admission policy (v0.36). Its checks on AppArmor, SELinux, sysctls, proc mounts, probe hosts
 *   and Windows are not supported.
 */
export function podSecurityViolations(spec: JsonObject, level: string): readonly Violation[] {
  if (level !== 'baseline' && level !== 'restricted') return []
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) => listAt(spec, key))
  return (level === 'baseline' ? BASELINE : RESTRICTED).flatMap((check) =>
    check(objectAt({ spec }, 'spec'), containers),
  )
}

/** Formats violations as upstream's refusals and warnings do. */
export function violationsText(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ')
}
