import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { Pod } from '@berth/types'

/**
 * Counts the kube-scheduler containers that started before they could read an authority. kube-scheduler reads its
 * authorities only when it starts.
 *
 * @param options.publishedMs - When the Secrets contained the authority, ms since the epoch.
 * @param options.mountMs - Time until their files contain it.
 */
export async function countOutdatedSchedulers(options: {
  readonly client: Pick<ApiClient, 'list'>
  readonly namespace: string
  readonly labelSelector: string
  readonly publishedMs: number
  readonly mountMs: number
  readonly signal: AbortSignal
}): Promise<number> {
  const { client, namespace, labelSelector, publishedMs, mountMs, signal } = options
  const { items } = await client.list<Pod>(resourceRefs.pods, { namespace, labelSelector, signal })
  return items.filter((pod) => startsOf(pod).some((startMs) => startMs < publishedMs + mountMs)).length
}

function startsOf({ status }: Pod): readonly number[] {
  return (status?.containerStatuses ?? []).flatMap(({ name, state }) => {
    const { startedAt } = (state?.['running'] ?? {}) as { readonly startedAt?: string }
    return name === 'kube-scheduler' && startedAt !== undefined ? [Date.parse(startedAt)] : []
  })
}
