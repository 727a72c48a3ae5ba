import {
  isObject,
  listAt,
  numberAt,
  objectAt,
  own,
  stringAt,
  valueAt,
  type JsonObject,
} from '../schema/json/json-object.ts'

/** What a pod spec breaks: a short reason and who is to blame. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

type Check = (spec: JsonObject, containers: readonly unknown[]) => readonly Violation[]

const names = (containers: readonly unknown[]): string =>
  `${containers.length === 1 ? 'container' : 'containers'} ${containers.map((each) => JSON.stringify(stringAt(each, 'name'))).join(', ')}`
const quoted = (values: readonly string[]): string => values.map((each) => JSON.stringify(each)).join(', ')
const where = (
  containers: readonly unknown[],
  isBad: (container: unknown) => boolean,
  reason: string,
  detail: (bad: readonly unknown[]) => string,
): readonly Violation[] => {
  const bad = containers.filter(isBad)
  return bad.length === 0 ? [] : [{ reason, detail: detail(bad) }]
}
const added = (container: unknown): readonly string[] =>
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
  where(
    containers,
    (each) => valueAt(each, 'securityContext', 'privileged') === true,
    'privileged',
    (bad) => `${names(bad)} must not set securityContext.privileged=true`,
  )

const baselineCapabilities: Check = (_, containers) => {
  const extra = (each: unknown): readonly string[] => added(each).filter((name) => !BASELINE_CAPABILITIES.has(name))
  return where(
    containers,
    (each) => extra(each).length > 0,
    'non-default capabilities',
    (bad) =>
      `${names(bad)} must not include ${quoted([...new Set(bad.flatMap(extra))].toSorted())} in securityContext.capabilities.add`,
  )
}

const hostPaths: Check = (spec) => {
  const bad = listAt(spec, 'volumes').filter((volume) => own(volume, 'hostPath') !== undefined)
  const word = bad.length === 1 ? 'volume' : 'volumes'
  return bad.length === 0
    ? []
    : [{ reason: 'hostPath volumes', detail: `${word} ${quoted(bad.map((volume) => stringAt(volume, 'name')))}` }]
}

const hostPorts: Check = (_, containers) => {
  const ports = (each: unknown): readonly number[] =>
    listAt(each, 'ports').flatMap((port) => {
      const number = numberAt(port, 'hostPort') ?? 0
      return number === 0 ? [] : [number]
    })
  return where(
    containers,
    (each) => ports(each).length > 0,
    'hostPort',
    (bad) => {
      const all = [...new Set(bad.flatMap(ports))].map(String).toSorted()
      return `${names(bad)} ${bad.length === 1 ? 'uses' : 'use'} ${all.length === 1 ? 'hostPort' : 'hostPorts'} ${all.join(', ')}`
    },
  )
}

const escalation: Check = (_, containers) =>
  where(
    containers,
    (each) => valueAt(each, 'securityContext', 'allowPrivilegeEscalation') !== false,
    'allowPrivilegeEscalation != false',
    (bad) => `${names(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  )

const restrictedCapabilities: Check = (_, containers) => {
  const undropped = containers.filter(
    (each) => !listAt(each, 'securityContext', 'capabilities', 'drop').includes('ALL'),
  )
  const extra = (each: unknown): readonly string[] => added(each).filter((name) => name !== 'NET_BIND_SERVICE')
  const adding = containers.filter((each) => extra(each).length > 0)
  const details = [
    ...(undropped.length === 0 ? [] : [`${names(undropped)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [
          `${names(adding)} must not include ${quoted([...new Set(adding.flatMap(extra))].toSorted())} in securityContext.capabilities.add`,
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
  const detail = `${volume} ${quoted(bad.map((each) => stringAt(each, 'name')))} ${uses} restricted volume ${types.length === 1 ? 'type' : 'types'} ${quoted(types)}`
  return [{ reason: 'restricted volume types', detail }]
}

const nonRoot: Check = (spec, containers) => {
  const pod = valueAt(spec, 'securityContext', 'runAsNonRoot')
  const own_ = (each: unknown): unknown => valueAt(each, 'securityContext', 'runAsNonRoot')
  const explicit = containers.filter((each) => own_(each) === false)
  const setters = [...(pod === false ? ['pod'] : []), ...(explicit.length === 0 ? [] : [names(explicit)])]
  const reason = 'runAsNonRoot != true'
  if (setters.length > 0) {
    return [{ reason, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` }]
  }
  const unset = pod === true ? [] : containers.filter((each) => own_(each) === undefined)
  return unset.length === 0
    ? []
    : [{ reason, detail: `pod or ${names(unset)} must set securityContext.runAsNonRoot=true` }]
}

const rootUser: Check = (spec, containers) => {
  const isRoot = (holder: unknown): boolean => valueAt(holder, 'securityContext', 'runAsUser') === 0
  const bad = containers.filter(isRoot)
  const setters = [...(isRoot(spec) ? ['pod'] : []), ...(bad.length === 0 ? [] : [names(bad)])]
  return setters.length === 0
    ? []
    : [{ reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` }]
}

const profileOf = (holder: unknown): string => stringAt(holder, 'securityContext', 'seccompProfile', 'type')
const isProfile = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost'

const baselineSeccomp: Check = (spec, containers) => {
  const bad = containers.filter((each) => profileOf(each) === 'Unconfined')
  const isPodBad = profileOf(spec) === 'Unconfined'
  const setters = [...(isPodBad ? ['pod'] : []), ...(bad.length === 0 ? [] : [names(bad)])]
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
  if (isProfile(profileOf(spec))) return []
  return where(
    containers,
    (each) => !isProfile(profileOf(each)),
    'seccompProfile',
    (bad) => `pod or ${names(bad)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  )
}

// In upstream's order: by the names of the checks.
const BASELINE: readonly Check[] = [
  baselineCapabilities,
  hostNamespaces,
  hostPaths,
  hostPorts,
  privileged,
  baselineSeccomp,
]
// What is stricter than a check of the baseline stands for it.
const RESTRICTED: readonly Check[] = [
  hostNamespaces,
  hostPorts,
  privileged,
  escalation,
  restrictedCapabilities,
  volumeTypes,
  nonRoot,
  rootUser,
  restrictedSeccomp,
]

/**
 * What a pod spec breaks of a pod security level.
 *
 * @see k8s.io/pod-security-admission policy (v0.36); of its checks those on AppArmor, SELinux, sysctls, proc mounts,
 *   probe hosts and Windows are not there
 */
export function podSecurityViolations(spec: JsonObject, level: string): readonly Violation[] {
  if (level !== 'baseline' && level !== 'restricted') return []
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) => listAt(spec, key))
  return (level === 'baseline' ? BASELINE : RESTRICTED).flatMap((check) =>
    check(objectAt({ spec }, 'spec'), containers),
  )
}

/** The violations as refusals and warnings name them. */
export function violationsText(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ')
}
