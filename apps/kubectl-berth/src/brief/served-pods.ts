import type { KubernetesObject, Pod, Service } from '@berth/types'

/** `discovery.k8s.io/v1.EndpointSlice`, cut. */
interface EndpointSlice extends KubernetesObject {
  readonly endpoints?: readonly { readonly targetRef?: { readonly kind?: string; readonly uid?: string } }[] | null
}

/** Label of a slice with the name of its Service. */
const SERVICE_NAME = 'kubernetes.io/service-name'

/** Tells which pods a Service sends traffic to. */
export interface ServedPods {
  /**
   * Returns whether the Service serves one of the pods: by the endpoints of its slices, and by its selector while it has no
   * endpoints, or where slices may not be read.
   *
   * @param labels - Labels of the pods that the workload would create.
   */
  serves(service: KubernetesObject, pods: readonly Pod[], labels: Readonly<Record<string, string>> | undefined): boolean
}

/** Indexes EndpointSlices by their Service. */
export function servedPods(slices: readonly KubernetesObject[]): ServedPods {
  const uidsByService = new Map<string, Set<string>>()
  for (const { metadata, endpoints } of slices as readonly EndpointSlice[]) {
    const key = `${metadata?.namespace ?? ''}/${metadata?.labels?.[SERVICE_NAME] ?? ''}`
    const uids = uidsByService.get(key) ?? new Set()
    for (const { targetRef } of endpoints ?? []) if (targetRef?.uid !== undefined) uids.add(targetRef.uid)
    uidsByService.set(key, uids)
  }
  return {
    serves(service, pods, labels) {
      const { namespace = '', name = '' } = service.metadata ?? {}
      const uids = uidsByService.get(`${namespace}/${name}`)
      if (uids !== undefined && uids.size > 0) return pods.some(({ metadata }) => uids.has(metadata.uid ?? ''))
      const selector = Object.entries((service as Service).spec?.selector ?? {})
      if (selector.length === 0) return false
      const candidates = [...(labels === undefined ? [] : [labels]), ...pods.map((pod) => pod.metadata.labels ?? {})]
      return candidates.some((candidate) => {
        const map = new Map(Object.entries(candidate))
        return selector.every(([key, value]) => map.get(key) === value)
      })
    },
  }
}
