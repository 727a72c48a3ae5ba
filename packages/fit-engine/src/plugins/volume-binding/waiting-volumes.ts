import type { ClusterObjectsReader, Node, PersistentVolumeClaim } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import type { Omissions } from './omissions.ts'
import { type Provisioning, provisioningOf } from './provisioning.ts'
import { matchingVolume, type StaticVolume, staticVolumes, waitingClaim } from './static-volumes.ts'

const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

/** Whether a node can have volumes for all claims that wait; an error where a claim is not valid. */
export type WaitingOutcome = 'found' | 'none' | 'no-space' | { readonly kind: 'error'; readonly reason: string }

/** Asks for volumes on one node. */
export type WaitingVolumes = (node: Node) => WaitingOutcome

/** A claim with what is prepared to ask for it. */
interface Question {
  readonly claim: PersistentVolumeClaim
  /** Set when a node was chosen in an earlier attempt. */
  readonly selectedNode: string | undefined
  readonly provisioning: (node: Node) => Provisioning
}

/**
 * Prepares the question whether a node can have volumes for all the claims: ones that exist, smallest claim first,
 * else new ones.
 *
 * @param claims - Not bound, of classes that wait for the first consumer.
 * @param omissions - Where volumes and rooms are noted that cannot be read: they count as not there.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go FindPodVolumes (v1.36)
 */
export function waitingVolumes(
  claims: readonly PersistentVolumeClaim[],
  objects: ClusterObjectsReader,
  omissions: Omissions,
): WaitingVolumes {
  const questions: readonly Question[] = claims.map((claim) => ({
    claim,
    selectedNode: labelOf(claim.metadata.annotations ?? {}, SELECTED_NODE),
    provisioning: provisioningOf(claim, objects, omissions),
  }))
  const chosen = questions.filter(({ selectedNode }) => selectedNode !== undefined)
  const match = staticMatcher(
    questions.filter(({ selectedNode }) => selectedNode === undefined),
    objects,
    omissions,
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

type Matched = { readonly unmatched: readonly Question[] } | { readonly kind: 'error'; readonly reason: string }

/** Gives each claim a volume that exists, where there is one. */
function staticMatcher(
  questions: readonly Question[],
  objects: ClusterObjectsReader,
  omissions: Omissions,
): (node: Node) => Matched {
  const byClass = new Map<string, readonly StaticVolume[]>()
  const wanted: { question: Question; waiting: Extract<ReturnType<typeof waitingClaim>, { kind: 'claim' }> }[] = []
  for (const question of questions) {
    const waiting = waitingClaim(question.claim)
    if (waiting.kind === 'problem') {
      const { namespace = '', name = '' } = question.claim.metadata
      const reason = `error creating internal label selector for claim: ${namespace}/${name}: ${waiting.problem}`
      return () => ({ kind: 'error', reason })
    }
    wanted.push({ question, waiting })
    const { className } = waiting
    if (!byClass.has(className))
      byClass.set(className, staticVolumes(objects.list('persistentVolumes'), className, omissions))
  }
  wanted.sort((a, b) => a.waiting.request.cmp(b.waiting.request))
  return (node) => {
    const taken = new Set<string>()
    const unmatched = wanted.flatMap(({ question, waiting }) => {
      const volume = matchingVolume(waiting, byClass.get(waiting.className) ?? [], node, taken)
      if (volume === undefined) return [question]
      taken.add(volume.metadata.name ?? '')
      return []
    })
    return { unmatched }
  }
}
