import { parseQuantity, podLimits, podRequestList, quantityMap, type Quantity } from '@berth/resources'
import type { Container, Pod } from '@berth/types'
import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { isObject, listAt, objectAt, own, stringAt, withField, type JsonObject } from '../../schema/json/json-object.ts'
import { forbidden } from '../../schema/status/api-errors.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'

const PODS = { group: '', plural: 'pods', kind: 'Pod' }
const ANNOTATION = 'kubernetes.io/limit-ranger'

function limitsOfNamespace({ store }: ServerContext, namespace: string): readonly unknown[] {
  const ranges = store.collection('/limitranges')
  if (ranges.size === 0) return []
  return ranges
    .list()
    .filter(({ metadata }) => metadata.namespace === namespace)
    .flatMap((range) => listAt(range, 'spec', 'limits'))
}

/**
 * Returns the pod with the default requests and limits of its namespace's limit ranges, for containers without their own.
 *
 * @see kubernetes plugin/pkg/admission/limitranger (v1.36)
 */
export function withLimitRangeDefaults(context: ServerContext, pod: ApiObject): ApiObject {
  const limits = limitsOfNamespace(context, pod.metadata.namespace ?? '').filter(
    (each) => own(each, 'type') === 'Container',
  )
  if (limits.length === 0) return pod
  const defaults = {
    limits: Object.assign({}, ...limits.map((each) => objectAt(each, 'default'))) as JsonObject,
    requests: Object.assign({}, ...limits.map((each) => objectAt(each, 'defaultRequest'))) as JsonObject,
  }
  const notes: string[] = []
  let spec = objectAt(pod, 'spec')
  for (const [key, title] of [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const) {
    if (own(spec, key) === undefined) continue
    const filled = listAt(spec, key).map((container) => withContainerDefaults(container, defaults, title, notes))
    spec = withField(spec, key, filled)
  }
  if (notes.length === 0) return pod
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` }
  return { ...withMetadata(pod, { annotations }), spec }
}

function withContainerDefaults(
  container: unknown,
  defaults: { readonly limits: JsonObject; readonly requests: JsonObject },
  title: string,
  notes: string[],
): unknown {
  if (!isObject(container)) return container
  let resources = objectAt(container, 'resources')
  for (const [key, word] of [
    ['requests', 'request'],
    ['limits', 'limit'],
  ] as const) {
    const given = objectAt(resources, key)
    const names = Object.keys(defaults[key])
      .filter((name) => !Object.hasOwn(given, name))
      .toSorted()
    if (names.length === 0) continue
    notes.push(`${names.join(', ')} ${word} for ${title} ${stringAt(container, 'name')}`)
    resources = withField(resources, key, {
      ...given,
      ...Object.fromEntries(names.map((name) => [name, defaults[key][name]])),
    })
  }
  return withField(container, 'resources', resources)
}

/**
 * Checks a pod and its containers against the limit ranges of the namespace.
 *
 * @throws BERTH_SIMULATOR_REFUSED (403) if an amount is outside a range.
 */
export function requireWithinLimitRanges(context: ServerContext, object: ApiObject): void {
  const pod = object as unknown as Pod
  const violations = limitsOfNamespace(context, object.metadata.namespace ?? '').flatMap((limit) => {
    const type = stringAt(limit, 'type')
    if (type === 'Pod') return limitViolations(limit, type, podRequestList(pod), podLimits(pod))
    if (type !== 'Container') return []
    const containers: readonly Container[] = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]
    return containers.flatMap(({ resources }) =>
      limitViolations(limit, type, quantityMap(resources?.requests), quantityMap(resources?.limits)),
    )
  })
  if (violations.length === 0) return
  const why = violations.length === 1 ? (violations[0] ?? '') : `[${[...new Set(violations)].join(', ')}]`
  throw forbidden(PODS, object.metadata.name ?? '', why)
}

type Amounts = ReadonlyMap<string, Quantity>

function limitViolations(limit: unknown, type: string, requests: Amounts, limits: Amounts): readonly string[] {
  const bounds = (key: string): readonly (readonly [string, Quantity])[] =>
    Object.entries(objectAt(limit, key)).map(([name, amount]) => [name, parseQuantity(String(amount))] as const)
  return [
    ...bounds('min').flatMap(([name, least]) => {
      const start = `minimum ${name} usage per ${type} is ${least.toString()}`
      const [request, most] = [requests.get(name), limits.get(name)]
      if (request === undefined) return [`${start}.  No request is specified`]
      if (request.cmp(least) < 0) return [`${start}, but request is ${request.toString()}`]
      return most !== undefined && most.cmp(least) < 0 ? [`${start}, but limit is ${most.toString()}`] : []
    }),
    ...bounds('max').flatMap(([name, most]) => {
      const start = `maximum ${name} usage per ${type} is ${most.toString()}`
      const [request, given] = [requests.get(name), limits.get(name)]
      if (given === undefined) return [`${start}.  No limit is specified`]
      if (given.cmp(most) > 0) return [`${start}, but limit is ${given.toString()}`]
      return request !== undefined && request.cmp(most) > 0 ? [`${start}, but request is ${request.toString()}`] : []
    }),
    ...bounds('maxLimitRequestRatio').flatMap(([name, ratio]) => {
      const start = `${name} max limit to request ratio per ${type} is ${ratio.toString()}`
      const [request, given] = [requests.get(name), limits.get(name)]
      if (request === undefined || request.sign() === 0)
        return [`${start}, but no request is specified or request is 0`]
      if (given === undefined || given.sign() === 0) return [`${start}, but no limit is specified or limit is 0`]
      const observed = Number(given.milliValue()) / Number(request.milliValue())
      return observed * 1000 > Number(ratio.milliValue())
        ? [`${start}, but provided ratio is ${observed.toFixed(6)}`]
        : []
    }),
  ]
}
