import type { Reflector } from '@berth/k8s-client'
import type { HealthCheck } from '@berth/process/health'
import type { Node } from '@berth/types'
import type { Advertiser } from '../advertiser.ts'

/** A watch that is silent for longer than this is dead: bookmarks come about every minute. */
const LONGEST_SILENCE_MS = 180_000

/** What /readyz asks: are the nodes known and recent, and has each been worked on? */
export function readinessChecks(options: {
  readonly nodes: Pick<Reflector<Node>, 'hasSynced' | 'lastEventAgeMs'>
  readonly advertiser: Pick<Advertiser, 'isReady'>
}): readonly HealthCheck[] {
  const { nodes, advertiser } = options
  return [
    { name: 'nodes-synced', check: () => (nodes.hasSynced() ? undefined : 'the nodes have not been listed yet') },
    {
      name: 'nodes-recent',
      check: () => {
        const ageMs = nodes.lastEventAgeMs()
        return ageMs <= LONGEST_SILENCE_MS ? undefined : `nothing heard of the nodes for ${Math.round(ageMs / 1_000)} s`
      },
    },
    {
      name: 'nodes-brought',
      check: () => (advertiser.isReady() ? undefined : 'some nodes have not been brought to what is declared yet'),
    },
  ]
}
