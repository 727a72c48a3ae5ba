import type { Reflector } from '@berth/k8s-client'
import type { HealthCheck } from '@berth/process/health'
import type { Node } from '@berth/types'

/** A watch that is silent for longer than this is dead: bookmarks arrive about once a minute. */
const MAX_WATCH_SILENCE_MS = 180_000

/** Returns the checks behind /readyz: the nodes are listed and recent, and each has been reconciled once. */
export function readinessChecks(options: {
  readonly nodes: Pick<Reflector<Node>, 'hasSynced' | 'lastEventAgeMs'>
  readonly advertiser: { readonly isReady: () => boolean }
}): readonly HealthCheck[] {
  const { nodes, advertiser } = options
  return [
    { name: 'nodes-synced', check: () => (nodes.hasSynced() ? undefined : 'the nodes have not been listed yet') },
    {
      name: 'nodes-recent',
      check: () => {
        const ageMs = nodes.lastEventAgeMs()
        return ageMs <= MAX_WATCH_SILENCE_MS ? undefined : `no node event for ${Math.round(ageMs / 1_000)} s`
      },
    },
    {
      name: 'nodes-reconciled',
      check: () => (advertiser.isReady() ? undefined : 'some nodes have not been reconciled yet'),
    },
  ]
}
