import { isExtendedResourceName, isHugePageResourceName } from '@berth/resources'
import {
  isObject,
  listAt,
  numberAt,
  objectAt,
  own,
  stringAt,
  withField,
  type JsonObject,
} from '../../schema/json/json-object.ts'

/**
 * A pod spec with upstream's defaults filled in.
 *
 * @see kubernetes pkg/apis/core/v1/defaults.go (v1.36)
 */
export function defaultPodSpec(spec: JsonObject): JsonObject {
  return {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...spec,
    ...((numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0 ? { terminationGracePeriodSeconds: 1 } : {}),
    ...mapped(spec, 'volumes', defaultVolume),
    ...mapped(spec, 'containers', (container) => defaultContainer(container, spec)),
    ...mapped(spec, 'initContainers', (container) => defaultContainer(container, spec)),
    ...mapped(spec, 'ephemeralContainers', (container) => ({
      ...defaultContainer(container, {}),
      resources: objectAt(container, 'resources'),
    })),
  }
}

function mapped(owner: JsonObject, key: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const list = own(owner, key)
  return Array.isArray(list) ? { [key]: list.map((item) => (isObject(item) ? change(item) : item)) } : {}
}

function defaultContainer(container: JsonObject, spec: JsonObject): JsonObject {
  const result: Record<string, unknown> = {
    imagePullPolicy: pullPolicy(stringAt(container, 'image')),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    ...container,
    resources: defaultResources(objectAt(container, 'resources')),
    ...mapped(container, 'ports', (port) => defaultPort(port, spec)),
    ...mapped(container, 'env', defaultVariable),
  }
  for (const key of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = own(container, key)
    if (isObject(probe))
      result[key] = {
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
        ...probe,
        ...(isObject(own(probe, 'httpGet'))
          ? { httpGet: { path: '/', scheme: 'HTTP', ...objectAt(probe, 'httpGet') } }
          : {}),
      }
  }
  return result
}

function pullPolicy(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1)
  if (name.includes('@')) return 'IfNotPresent'
  const tag = name.includes(':') ? name.slice(name.indexOf(':') + 1) : 'latest'
  return tag === 'latest' ? 'Always' : 'IfNotPresent'
}

// A limit stands for the request that is not given.
function defaultResources(resources: JsonObject): JsonObject {
  const limits = objectAt(resources, 'limits')
  if (Object.keys(limits).length === 0) return resources
  return withField(resources, 'requests', { ...limits, ...objectAt(resources, 'requests') })
}

function defaultPort(port: JsonObject, spec: JsonObject): JsonObject {
  const result = { protocol: 'TCP', ...port }
  return own(spec, 'hostNetwork') === true && own(port, 'hostPort') === undefined
    ? { ...result, hostPort: own(port, 'containerPort') }
    : result
}

function defaultVariable(variable: JsonObject): JsonObject {
  const reference = objectAt(variable, 'valueFrom', 'fieldRef')
  if (Object.keys(reference).length === 0) return variable
  return {
    ...variable,
    valueFrom: { ...objectAt(variable, 'valueFrom'), fieldRef: { apiVersion: 'v1', ...reference } },
  }
}

function defaultVolume(volume: JsonObject): JsonObject {
  if (Object.keys(volume).length <= 1) return { ...volume, emptyDir: {} }
  for (const source of ['secret', 'configMap', 'projected', 'downwardAPI']) {
    const value = own(volume, source)
    if (isObject(value)) return { ...volume, [source]: { defaultMode: 420, ...value } }
  }
  const hostPath = own(volume, 'hostPath')
  return isObject(hostPath) ? { ...volume, hostPath: { type: '', ...hostPath } } : volume
}

/**
 * `Guaranteed`, `Burstable` or `BestEffort`: only cpu and memory count.
 *
 * @see kubernetes pkg/apis/core/v1/helper/qos (v1.36)
 */
export function qosClassOf(spec: JsonObject): string {
  const whole = objectAt(spec, 'resources')
  const isWhole = Object.keys(whole).length > 0
  const containers = isWhole
    ? [{ resources: whole }]
    : [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')]
  const counted = (resources: JsonObject, key: string): readonly [string, unknown][] =>
    Object.entries(objectAt(resources, key)).filter(
      ([name, value]) =>
        (name === 'cpu' || name === 'memory') &&
        !isExtendedResourceName(name) &&
        !isHugePageResourceName(name) &&
        value !== '0',
    )
  let hasAny = false
  let isGuaranteed = true
  for (const container of containers) {
    const resources = objectAt(container, 'resources')
    const requests = counted(resources, 'requests')
    const limits = new Map(counted(resources, 'limits'))
    if (requests.length > 0 || limits.size > 0) hasAny = true
    if (limits.size !== 2 || requests.some(([name, value]) => limits.get(name) !== value)) isGuaranteed = false
  }
  if (!hasAny) return 'BestEffort'
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}
