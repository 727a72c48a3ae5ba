import { boundPodRequest, isBound, isExtendedResourceName, isTerminal, podLimits } from '@berth/resources'
import type { Pod } from '@berth/types'

/** Amounts of one resource that a pod on a node requests. Whole units; cpu in milli. */
export interface PodUnits {
  readonly namespace: string
  readonly pod: string
  readonly requested: bigint
  /** 0 without a limit. */
  readonly limits: bigint
}

/** The resources that a question is about. */
export interface WantedResources {
  /** Includes cpu, memory and other native resources. */
  readonly withNative: boolean
  /** Undefined: all. */
  readonly resourceName?: string | undefined
}

/** Returns whether a question is about a resource. */
export function isWanted({ withNative, resourceName }: WantedResources, name: string): boolean {
  return resourceName === undefined ? withNative || isExtendedResourceName(name) : resourceName === name
}

/** Pods by resource name and node; each list is sorted by namespace and name. */
export type PodUnitsByNode = ReadonlyMap<string, ReadonlyMap<string, readonly PodUnits[]>>

/**
 * Returns what the pods on nodes request and are limited to. A pod without any of a resource is not in its list. A pod
 * with an amount that is not a quantity is left out.
 *
 * @param options.namespace - Counts only the pods of this namespace.
 */
export function podUnits(
  pods: readonly Pod[],
  options: WantedResources & { readonly namespace?: string | undefined },
): PodUnitsByNode {
  const byResource = new Map<string, Map<string, PodUnits[]>>()
  for (const pod of pods) {
    const { namespace = 'default', name = '' } = pod.metadata
    if (!isBound(pod) || isTerminal(pod) || (options.namespace ?? namespace) !== namespace) continue
    for (const [resourceName, amounts] of amountsOf(pod)) {
      if (!isWanted(options, resourceName)) continue
      const byNode = byResource.get(resourceName) ?? new Map<string, PodUnits[]>()
      byResource.set(resourceName, byNode)
      const list = byNode.get(pod.spec.nodeName ?? '') ?? []
      byNode.set(pod.spec.nodeName ?? '', list)
      list.push({ namespace, pod: name, ...amounts })
    }
  }
  for (const list of [...byResource.values()].flatMap((byNode) => [...byNode.values()])) list.sort(byName)
  return byResource
}

/** Returns what pods request and are limited to together. */
export function sumOfPods(pods: readonly PodUnits[]): Pick<PodUnits, 'requested' | 'limits'> {
  const sum = (key: 'requested' | 'limits'): bigint => pods.reduce((total, pod) => total + pod[key], 0n)
  return { requested: sum('requested'), limits: sum('limits') }
}

function amountsOf(pod: Pod): readonly (readonly [name: string, Pick<PodUnits, 'requested' | 'limits'>])[] {
  try {
    const { milliCpu, memory, ephemeralStorage, scalar } = boundPodRequest(pod)
    const requests = new Map([
      ['cpu', milliCpu],
      ['memory', memory],
      ['ephemeral-storage', ephemeralStorage],
      ['pods', 1n],
      ...scalar,
    ])
    const limits = new Map(
      [...podLimits(pod)].map(([name, quantity]) => [name, name === 'cpu' ? quantity.milliValue() : quantity.value()]),
    )
    return [...new Set([...requests.keys(), ...limits.keys()])].flatMap((name) => {
      const [requested, limited] = [requests.get(name) ?? 0n, limits.get(name) ?? 0n]
      return requested === 0n && limited === 0n ? [] : [[name, { requested, limits: limited }] as const]
    })
  } catch {
    return []
  }
}

function byName(a: PodUnits, b: PodUnits): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1
  return a.pod < b.pod ? -1 : 1
}
