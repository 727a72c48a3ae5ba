import type { ClusterObjectsReader, Node, PersistentVolumeClaim } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import type { SkippedObjects } from './skipped-objects.ts'
import { type Provisioning, createProvisioningCheck } from './provisioning.ts'
import { matchingVolume, type StaticVolume, staticVolumes, parseWaitingClaim } from './static-volumes.ts'

const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

/** Whether a node can have volumes for all waiting claims; an error when a claim is not valid. */
export type WaitingOutcome = 'found' | 'none' | 'no-space' | { readonly kind: 'error'; readonly reason: string }

/** Checks for volumes on one node. */
export type WaitingClaimsCheck = (node: Node) => WaitingOutcome

/** The prepared checks of one claim. */
interface WaitingClaimCheck {
  readonly claim: PersistentVolumeClaim
  /** The node chosen in an earlier attempt, if any. */
  readonly selectedNode: string | undefined
  readonly provisioning: (node: Node) => Provisioning
}

/**
 * Returns a check whether a node can have volumes for all the claims: existing ones, assigned to the smallest claim
 * first, else new ones.
 *
 * @param claims - Unbound claims of classes that wait for the first consumer.
 * @param skipped - Records volumes and storage capacities that cannot be read; these are ignored.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go FindPodVolumes (v1.36)
 */
export function createWaitingClaimsCheck(
  claims: readonly PersistentVolumeClaim[],
  objects: ClusterObjectsReader,
  skipped: SkippedObjects,
): WaitingClaimsCheck {
  const checks: readonly WaitingClaimCheck[] = claims.map((claim) => ({
    claim,
    selectedNode: labelOf(claim.metadata.annotations ?? {}, SELECTED_NODE),
    provisioning: createProvisioningCheck(claim, objects, skipped),
  }))
  const chosen = checks.filter(({ selectedNode }) => selectedNode !== undefined)
  const match = staticMatcher(
    checks.filter(({ selectedNode }) => selectedNode === undefined),
    objects,
    skipped,
  )
  return (node) => {
    if (chosen.some(({ selectedNode }) => selectedNode !== (node.metadata.name ?? ''))) return 'none'
    const rest = match(node)
    if ('reason' in rest) return rest
    for (const { provisioning } of [...chosen, ...rest.unmatched]) {
      const outcome = provisioning(node)
      if (outcome === 'no-space') return 'no-space'
      if (outcome === 'not-there') return 'none'
    }
    return 'found'
  }
}

type MatchResult =
  | { readonly unmatched: readonly WaitingClaimCheck[] }
  | { readonly kind: 'error'; readonly reason: string }

/** Returns a function that assigns existing volumes to claims and returns the unmatched claims. */
function staticMatcher(
  checks: readonly WaitingClaimCheck[],
  objects: ClusterObjectsReader,
  skipped: SkippedObjects,
): (node: Node) => MatchResult {
  const byClass = new Map<string, readonly StaticVolume[]>()
  const parsedClaims: {
    check: WaitingClaimCheck
    waiting: Extract<ReturnType<typeof parseWaitingClaim>, { kind: 'claim' }>
  }[] = []
  for (const check of checks) {
    const waiting = parseWaitingClaim(check.claim)
    if (waiting.kind === 'problem') {
      const { namespace = '', name = '' } = check.claim.metadata
      const reason = `error creating internal label selector for claim: ${namespace}/${name}: ${waiting.problem}`
      return () => ({ kind: 'error', reason })
    }
    parsedClaims.push({ check, waiting })
    const { className } = waiting
    if (!byClass.has(className))
      byClass.set(className, staticVolumes(objects.list('persistentVolumes'), className, skipped))
  }
  parsedClaims.sort((a, b) => a.waiting.request.cmp(b.waiting.request))
  return (node) => {
    const taken = new Set<string>()
    const unmatched = parsedClaims.flatMap(({ check, waiting }) => {
      const volume = matchingVolume(waiting, byClass.get(waiting.className) ?? [], node, taken)
      if (volume === undefined) return [check]
      taken.add(volume.metadata.name ?? '')
      return []
    })
    return { unmatched }
  }
}
