import { podRequest, resourceAmounts } from '@berth/resources'
import type { Container, Pod, ResourceList } from '@berth/types'
import { asksOf } from './standings.ts'

function quantityText(resourceName: string, amount: bigint): string {
  return resourceName === 'cpu' ? `${amount}m` : `${amount}`
}

function withAmount(list: ResourceList | undefined, resourceName: string, amount: bigint): ResourceList {
  return { ...list, [resourceName]: quantityText(resourceName, amount) }
}

function without(container: Container, resourceName: string): Container {
  if (container.resources?.requests?.[resourceName] === undefined) return container
  const { [resourceName]: _gone, ...requests } = container.resources.requests
  return { ...container, resources: { ...container.resources, requests } }
}

/** The pod with its effective request of one resource changed, overhead left as it is. */
function withOne(pod: Pod, resourceName: string, amount: bigint): Pod | undefined {
  const { spec } = pod
  const own = amount - (resourceAmounts(spec.overhead).get(resourceName) ?? 0n)
  if (own < 0n) return undefined
  if (spec.resources?.requests?.[resourceName] !== undefined) {
    const requests = withAmount(spec.resources.requests, resourceName, own)
    return { ...pod, spec: { ...spec, resources: { ...spec.resources, requests } } }
  }
  const [first, ...others] = spec.containers.map((container) => without(container, resourceName))
  if (first === undefined) return pod
  const requests = withAmount(first.resources?.requests, resourceName, own)
  const containers = [{ ...first, resources: { ...first.resources, requests } }, ...others]
  const initContainers = spec.initContainers?.map((container) => without(container, resourceName))
  return { ...pod, spec: { ...spec, containers, ...(initContainers && { initContainers }) } }
}

/**
 * A pod that asks for other amounts in sum and is the same otherwise: what the engine is asked about instead of
 * `pod`. Undefined where that is not possible, because the overhead alone is more.
 */
export function withRequest(pod: Pod, amounts: ReadonlyMap<string, bigint>): Pod | undefined {
  let changed = pod
  for (const [resourceName, amount] of amounts) {
    const next = withOne(changed, resourceName, amount)
    if (next === undefined) return undefined
    changed = next
  }
  const asks = asksOf(changed)
  const isReached = amounts.entries().every(([resourceName, amount]) => (asks.get(resourceName) ?? 0n) === amount)
  return isReached && podRequest(changed).scalar.size === podRequest(pod).scalar.size ? changed : undefined
}
