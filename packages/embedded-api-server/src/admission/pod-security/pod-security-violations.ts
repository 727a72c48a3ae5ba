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

const quotedList = (values: readonly string[]): string => values.map((each) => JSON.stringify(each)).join(', ')
const nameList = (items: readonly unknown[]): string => quotedList(items.map((each) => stringAt(each, 'name')))
const containerList = (containers: readonly unknown[]): string =>
  `${containers.length === 1 ? 'container' : 'containers'} ${nameList(containers)}`
const sortedUnique = (values: readonly string[]): readonly string[] => [...new Set(values)].toSorted()

/** Returns a check that fails when some containers are bad. `detail` gets the list of their names. */
function containerCheck(
  reason: string,
  isBad: (container: unknown) => boolean,
  detail: (names: string, bad: readonly unknown[]) => string,
): Check {
  return (_, containers) => {
    const bad = containers.filter(isBad)
    return bad.length === 0 ? [] : [{ reason, detail: detail(containerList(bad), bad) }]
  }
}

/** Returns a check that fails when the pod or some containers set a forbidden value. */
function valueCheck(reason: string, isBad: (podOrContainer: unknown) => boolean, setting: string): Check {
  return (spec, containers) => {
    const bad = containers.filter(isBad)
    const setters = [...(isBad(spec) ? ['pod'] : []), ...(bad.length === 0 ? [] : [containerList(bad)])]
    return setters.length === 0 ? [] : [{ reason, detail: `${setters.join(' and ')} must not set ${setting}` }]
  }
}

/** Returns a check that fails when some containers add other capabilities than the allowed ones. */
function capabilityCheck(reason: string, allowed: ReadonlySet<string>): Check {
  const extra = (container: unknown): readonly string[] =>
    listAt(container, 'securityContext', 'capabilities', 'add')
      .map(String)
      .filter((name) => !allowed.has(name))
  return containerCheck(
    reason,
    (each) => extra(each).length > 0,
    (names, bad) =>
      `${names} must not include ${quotedList(sortedUnique(bad.flatMap(extra)))} in securityContext.capabilities.add`,
  )
}

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

const privileged = containerCheck(
  'privileged',
  (each) => valueAt(each, 'securityContext', 'privileged') === true,
  (names) => `${names} must not set securityContext.privileged=true`,
)

const baselineCapabilities = capabilityCheck('non-default capabilities', BASELINE_CAPABILITIES)

const hostPaths: Check = (spec) => {
  const bad = listAt(spec, 'volumes').filter((volume) => own(volume, 'hostPath') !== undefined)
  const word = bad.length === 1 ? 'volume' : 'volumes'
  return bad.length === 0 ? [] : [{ reason: 'hostPath volumes', detail: `${word} ${nameList(bad)}` }]
}

const hostPortsOf = (container: unknown): readonly string[] =>
  listAt(container, 'ports').flatMap((port) => {
    const number = numberAt(port, 'hostPort') ?? 0
    return number === 0 ? [] : [String(number)]
  })
const hostPorts = containerCheck(
  'hostPort',
  (each) => hostPortsOf(each).length > 0,
  (names, bad) => {
    const ports = sortedUnique(bad.flatMap(hostPortsOf))
    return `${names} ${bad.length === 1 ? 'uses' : 'use'} ${ports.length === 1 ? 'hostPort' : 'hostPorts'} ${ports.join(', ')}`
  },
)

const privilegeEscalation = containerCheck(
  'allowPrivilegeEscalation != false',
  (each) => valueAt(each, 'securityContext', 'allowPrivilegeEscalation') !== false,
  (names) => `${names} must set securityContext.allowPrivilegeEscalation=false`,
)

const capabilityChecks: readonly Check[] = [
  containerCheck(
    '',
    (each) => !listAt(each, 'securityContext', 'capabilities', 'drop').includes('ALL'),
    (names) => `${names} must set securityContext.capabilities.drop=["ALL"]`,
  ),
  capabilityCheck('', new Set(['NET_BIND_SERVICE'])),
]
const restrictedCapabilities: Check = (spec, containers) => {
  const found = capabilityChecks.flatMap((check) => check(spec, containers))
  const detail = found.map((each) => each.detail).join('; ')
  return found.length === 0 ? [] : [{ reason: 'unrestricted capabilities', detail }]
}

const volumeTypes: Check = (spec) => {
  const typeOf = (volume: unknown): string =>
    Object.keys(isObject(volume) ? volume : {}).find((key) => key !== 'name') ?? ''
  const bad = listAt(spec, 'volumes').filter((volume) => !RESTRICTED_VOLUMES.has(typeOf(volume)))
  if (bad.length === 0) return []
  const types = sortedUnique(bad.map(typeOf))
  const [volume, uses] = bad.length === 1 ? ['volume', 'uses'] : ['volumes', 'use']
  const detail = `${volume} ${nameList(bad)} ${uses} restricted volume ${types.length === 1 ? 'type' : 'types'} ${quotedList(types)}`
  return [{ reason: 'restricted volume types', detail }]
}

const nonRootSetting = (holder: unknown): unknown => valueAt(holder, 'securityContext', 'runAsNonRoot')
const ROOT_ALLOWED = 'runAsNonRoot != true'
const explicitRoot = valueCheck(
  ROOT_ALLOWED,
  (each) => nonRootSetting(each) === false,
  'securityContext.runAsNonRoot=false',
)
const implicitRoot = containerCheck(
  ROOT_ALLOWED,
  (each) => nonRootSetting(each) === undefined,
  (names) => `pod or ${names} must set securityContext.runAsNonRoot=true`,
)
const nonRoot: Check = (spec, containers) => {
  const explicit = explicitRoot(spec, containers)
  return explicit.length > 0 || nonRootSetting(spec) === true ? explicit : implicitRoot(spec, containers)
}

const rootUser = valueCheck('runAsUser=0', (each) => valueAt(each, 'securityContext', 'runAsUser') === 0, 'runAsUser=0')

const seccompProfileOf = (holder: unknown): string => stringAt(holder, 'securityContext', 'seccompProfile', 'type')
const isConfined = (holder: unknown): boolean => ['RuntimeDefault', 'Localhost'].includes(seccompProfileOf(holder))
const baselineSeccomp = valueCheck(
  'seccompProfile',
  (each) => seccompProfileOf(each) === 'Unconfined',
  'securityContext.seccompProfile.type to "Unconfined"',
)
const seccompIsSet = containerCheck(
  'seccompProfile',
  (each) => !isConfined(each),
  (names) => `pod or ${names} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
)
const restrictedSeccomp: Check = (spec, containers) => {
  const unconfined = baselineSeccomp(spec, containers)
  return unconfined.length > 0 || isConfined(spec) ? unconfined : seccompIsSet(spec, containers)
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
