import type { LeaderElection, Reflector } from '@berth/k8s-client'
import type { HealthCheck } from '@berth/process/health'
import type { Node } from '@berth/types'

/** A watch that is silent for longer than this is dead: bookmarks arrive about once a minute. */
const MAX_WATCH_SILENCE_MS = 180_000

/**
 * Returns the checks behind /readyz: this process holds the Lease, the nodes are listed and recent, and each has been
 * reconciled once.
 */
export function readinessChecks(options: {
  readonly election: Pick<LeaderElection, 'stillLeader' | 'leader'>
  readonly nodes: Pick<Reflector<Node>, 'hasSynced' | 'lastEventAgeMs'>
  /** Returns whether every node has been reconciled once. */
  readonly isReconciled: () => boolean
}): readonly HealthCheck[] {
  const { election, nodes, isReconciled } = options
  return [
    {
      name: 'lease',
      check: () => {
        if (election.stillLeader()) return undefined
        const holder = election.leader()
        return holder === '' ? 'waiting for the Lease' : `waiting for the Lease, which ${holder} holds`
      },
    },
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
      check: () => (isReconciled() ? undefined : 'some nodes have not been reconciled yet'),
    },
  ]
}
