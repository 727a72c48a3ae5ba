import type { ClusterObjectsReader, Node, PersistentVolume, PersistentVolumeClaim } from '@berth/types'
import { selectedNodeOf } from '../volume-claims/claim.ts'
import type { SkippedObjects } from './skipped-objects.ts'
import { type Provisioning, createProvisioningCheck } from './provisioning.ts'
import {
  matchingVolume,
  parseWaitingClaim,
  type StaticVolume,
  staticVolumes,
  type WaitingClaim,
} from './static-volumes.ts'

/** An existing volume for a waiting claim. */
export interface VolumeMatch {
  readonly volume: PersistentVolume
  readonly claim: PersistentVolumeClaim
}

/** The volumes that the waiting claims of a pod would have on one node. */
export interface FoundVolumes {
  readonly kind: 'found'
  /** Existing volumes, smallest claim first. */
  readonly matches: readonly VolumeMatch[]
  /** The claims for which a volume is to be provisioned. */
  readonly provisioned: readonly PersistentVolumeClaim[]
}

/**
 * Whether a node can have volumes for all waiting claims. `none`: some claim has neither an existing volume nor a
 * provisioner for the node. `no-space`: a provisioner lacks capacity. An error when a claim is not valid.
 */
export type WaitingOutcome = FoundVolumes | 'none' | 'no-space' | { readonly kind: 'error'; readonly reason: string }

/** Checks for volumes on one node. */
export type WaitingClaimsCheck = (node: Node) => WaitingOutcome

/** The prepared checks of one claim. */
export interface WaitingClaimCheck {
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
  const checks = claims.map((claim) => createClaimCheck(claim, objects, skipped))
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
    const unmatched = [...chosen, ...rest.unmatched]
    for (const { provisioning } of unmatched) {
      const outcome = provisioning(node)
      if (outcome === 'no-space') return 'no-space'
      if (outcome === 'not-there') return 'none'
    }
    return { kind: 'found', matches: rest.matches, provisioned: unmatched.map(({ claim }) => claim) }
  }
}

/** Returns the prepared checks of a claim. */
export function createClaimCheck(
  claim: PersistentVolumeClaim,
  objects: ClusterObjectsReader,
  skipped: SkippedObjects,
): WaitingClaimCheck {
  const provisioning = createProvisioningCheck(claim, objects, skipped)
  return { claim, selectedNode: selectedNodeOf(claim), provisioning }
}

/** A claim without a volume on a node, and the volumes of its class. */
export interface UnmatchedClaim extends WaitingClaimCheck {
  readonly waiting: Extract<WaitingClaim, { kind: 'claim' }>
  readonly volumes: readonly StaticVolume[]
}

type MatchResult =
  | { readonly matches: readonly VolumeMatch[]; readonly unmatched: readonly UnmatchedClaim[] }
  | { readonly kind: 'error'; readonly reason: string }

/** Returns a function that assigns existing volumes to claims and returns the matches and the unmatched claims. */
export function staticMatcher(
  checks: readonly WaitingClaimCheck[],
  objects: ClusterObjectsReader,
  skipped: SkippedObjects,
): (node: Node) => MatchResult {
  const byClass = new Map<string, readonly StaticVolume[]>()
  const parsedClaims: UnmatchedClaim[] = []
  for (const check of checks) {
    const waiting = parseWaitingClaim(check.claim)
    if (waiting.kind === 'problem') {
      const { namespace = '', name = '' } = check.claim.metadata
      const reason = `error creating internal label selector for claim: ${namespace}/${name}: ${waiting.problem}`
      return () => ({ kind: 'error', reason })
    }
    const { className } = waiting
    const volumes = byClass.get(className) ?? staticVolumes(objects.list('persistentVolumes'), className, skipped)
    byClass.set(className, volumes)
    parsedClaims.push({ ...check, waiting, volumes })
  }
  parsedClaims.sort((a, b) => a.waiting.request.cmp(b.waiting.request))
  return (node) => {
    const taken = new Set<string>()
    const matches: VolumeMatch[] = []
    const unmatched: UnmatchedClaim[] = []
    for (const parsed of parsedClaims) {
      const volume = matchingVolume(parsed.waiting, parsed.volumes, node, taken)
      if (volume === undefined) {
        unmatched.push(parsed)
        continue
      }
      taken.add(volume.metadata.name ?? '')
      matches.push({ volume, claim: parsed.claim })
    }
    return { matches, unmatched }
  }
}
