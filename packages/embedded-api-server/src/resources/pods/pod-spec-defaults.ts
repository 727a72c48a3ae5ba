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
 * Returns a pod spec with upstream's defaults.
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
    ...mapListAt(spec, 'volumes', defaultVolume),
    ...mapListAt(spec, 'containers', (container) => defaultContainer(container, spec)),
    ...mapListAt(spec, 'initContainers', (container) => defaultContainer(container, spec)),
    ...mapListAt(spec, 'ephemeralContainers', (container) => ({
      ...defaultContainer(container, {}),
      resources: objectAt(container, 'resources'),
    })),
  }
}

function mapListAt(owner: JsonObject, key: string, change: (item: JsonObject) => JsonObject): JsonObject {
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
    ...mapListAt(container, 'ports', (port) => defaultPort(port, spec)),
    ...mapListAt(container, 'env', defaultEnvVar),
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

// A missing request defaults to the limit.
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

function defaultEnvVar(variable: JsonObject): JsonObject {
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
 * Returns the QoS class: `Guaranteed`, `Burstable` or `BestEffort`. Only cpu and memory count.
 *
 * @see kubernetes pkg/apis/core/v1/helper/qos (v1.36)
 */
export function qosClassOf(spec: JsonObject): string {
  const podLevelResources = objectAt(spec, 'resources')
  const hasPodLevelResources = Object.keys(podLevelResources).length > 0
  const containers = hasPodLevelResources
    ? [{ resources: podLevelResources }]
    : [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')]
  const countedAmounts = (resources: JsonObject, key: string): readonly [string, unknown][] =>
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
    const requests = countedAmounts(resources, 'requests')
    const limits = new Map(countedAmounts(resources, 'limits'))
    if (requests.length > 0 || limits.size > 0) hasAny = true
    if (limits.size !== 2 || requests.some(([name, value]) => limits.get(name) !== value)) isGuaranteed = false
  }
  if (!hasAny) return 'BestEffort'
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}
