import { isApiStatus, type LeaderElection, type Reflector } from '@berth/k8s-client'
import { errorText } from '@berth/text/error-text'
import type { HealthCheck } from '@berth/process/health'
import type { Node } from '@berth/types'
import { definitionMissingError } from '../errors.ts'

/** A watch that is silent for longer than this is dead: bookmarks arrive about once a minute. */
export const MAX_WATCH_SILENCE_MS = 180_000

/**
 * Returns the checks behind /readyz: this process holds the Lease, the nodes are listed and recent, the objects are listed
 * if they are watched, and each node has been reconciled once.
 */
export function readinessChecks(options: {
  readonly election: Pick<LeaderElection, 'stillLeader' | 'leader'>
  readonly nodes: Pick<Reflector<Node>, 'hasSynced' | 'lastEventAgeMs'>
  /** Undefined if objects are not watched. */
  readonly objects?: Pick<Reflector<unknown>, 'hasSynced' | 'failure'> | undefined
  /** Returns whether every node has been reconciled once. */
  readonly isReconciled: () => boolean
}): readonly HealthCheck[] {
  const { election, nodes, objects, isReconciled } = options
  return [
    leaseCheck(election),
    ...mirrorChecks('node', nodes),
    ...(objects === undefined ? [] : [objectsCheck(objects)]),
    {
      name: 'nodes-reconciled',
      check: () => (isReconciled() ? undefined : 'some nodes have not been reconciled yet'),
    },
  ]
}

/** Returns the check that this process holds its Lease. */
export function leaseCheck(election: Pick<LeaderElection, 'stillLeader' | 'leader'>): HealthCheck {
  return {
    name: 'lease',
    check: () => {
      if (election.stillLeader()) return undefined
      const holder = election.leader()
      return holder === '' ? 'waiting for the Lease' : `waiting for the Lease, which ${holder} holds`
    },
  }
}

/** Returns the checks that the objects of a mirror are listed and recent. Takes their kind, such as `node`. */
export function mirrorChecks(
  kind: string,
  mirror: Pick<Reflector<unknown>, 'hasSynced' | 'lastEventAgeMs'>,
): readonly HealthCheck[] {
  return [
    {
      name: `${kind}s-synced`,
      check: () => (mirror.hasSynced() ? undefined : `the ${kind}s have not been listed yet`),
    },
    {
      name: `${kind}s-recent`,
      check: () => {
        const ageMs = mirror.lastEventAgeMs()
        return ageMs <= MAX_WATCH_SILENCE_MS ? undefined : `no ${kind} event for ${Math.round(ageMs / 1_000)} s`
      },
    },
  ]
}

function objectsCheck(objects: Pick<Reflector<unknown>, 'hasSynced' | 'failure'>): HealthCheck {
  return {
    name: 'objects-synced',
    check: () => {
      if (objects.hasSynced()) return undefined
      const failure = objects.failure()
      const reason = isApiStatus(failure, 404) ? definitionMissingError(failure) : failure
      return `the ExtendedResource objects have not been listed yet${reason === undefined ? '' : `: ${errorText(reason)}`}`
    },
  }
}
