import { podRequest, resourceAmounts } from '@berth/resources'
import type { Container, Pod, ResourceList } from '@berth/types'
import { requestedAmounts } from './resource-usage.ts'

function quantityText(resourceName: string, amount: bigint): string {
  return resourceName === 'cpu' ? `${amount}m` : `${amount}`
}

function withAmount(list: ResourceList | undefined, resourceName: string, amount: bigint): ResourceList {
  return { ...list, [resourceName]: quantityText(resourceName, amount) }
}

function withoutRequest(container: Container, resourceName: string): Container {
  if (container.resources?.requests?.[resourceName] === undefined) return container
  const { [resourceName]: _removed, ...requests } = container.resources.requests
  return { ...container, resources: { ...container.resources, requests } }
}

/**
 * Returns the pod with another effective request of one resource. Undefined if its overhead, which stays, is larger.
 */
function withOneRequest(pod: Pod, resourceName: string, amount: bigint): Pod | undefined {
  const { spec } = pod
  const own = amount - (resourceAmounts(spec.overhead).get(resourceName) ?? 0n)
  if (own < 0n) return undefined
  if (spec.resources?.requests?.[resourceName] !== undefined) {
    const requests = withAmount(spec.resources.requests, resourceName, own)
    return { ...pod, spec: { ...spec, resources: { ...spec.resources, requests } } }
  }
  const [first, ...others] = spec.containers.map((container) => withoutRequest(container, resourceName))
  if (first === undefined) return pod
  const requests = withAmount(first.resources?.requests, resourceName, own)
  const containers = [{ ...first, resources: { ...first.resources, requests } }, ...others]
  const initContainers = spec.initContainers?.map((container) => withoutRequest(container, resourceName))
  return { ...pod, spec: { ...spec, containers, ...(initContainers && { initContainers }) } }
}

/**
 * Returns a copy of the pod whose effective request has these amounts; undefined when that is not possible, for example
 * because the overhead alone is larger.
 */
export function withRequest(pod: Pod, amounts: ReadonlyMap<string, bigint>): Pod | undefined {
  let changed = pod
  for (const [resourceName, amount] of amounts) {
    const next = withOneRequest(changed, resourceName, amount)
    if (next === undefined) return undefined
    changed = next
  }
  const requests = requestedAmounts(changed)
  const isReached = amounts.entries().every(([resourceName, amount]) => (requests.get(resourceName) ?? 0n) === amount)
  return isReached && podRequest(changed).scalar.size === podRequest(pod).scalar.size ? changed : undefined
}
