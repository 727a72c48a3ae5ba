import type { ClusterObjectsReader, CsiNode, Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@berth/types'
import { podClaims } from '../../plugins/volume-binding/pod-claims.ts'
import { SkippedObjects } from '../../plugins/volume-binding/skipped-objects.ts'
import { createReachCheck, reachSelector } from '../../plugins/volume-binding/volume-affinity.ts'
import { createClaimCheck, staticMatcher } from '../../plugins/volume-binding/waiting-claims.ts'
import { claimStorageClass, findClaim } from '../../plugins/volume-claims/claim.ts'
import { isInZones, zonesOf } from '../../plugins/volume-zone/zones.ts'
import { matchFindings, unreachableText } from './match-findings.ts'
import { provisioningFinding } from './provisioning-finding.ts'
import { labelsOfNodeText } from '../../selectors/selector-text.ts'
import type { VolumeFinding } from './volume-finding.ts'

type NodeFindings = (node: Node) => readonly VolumeFinding[]

/**
 * Returns a function that explains why VolumeBinding or VolumeZone rejects a node for the pod: for each claim, what each
 * volume and the storage class lack. Its result is empty for a node that both accept, and for a claim that the reason of
 * the rejection names already.
 */
export function explainVolumes(pod: Pod, objects: ClusterObjectsReader): NodeFindings {
  const claims = podClaims(pod, objects)
  const zones = zoneFindings(pod, objects)
  if (claims.kind !== 'claims') return zones
  const unbound = claims.unboundImmediate.map((claim) => unboundFinding(claim, objects))
  if (unbound.length > 0) return () => unbound
  const bound = claims.bound.map((claim) => boundFindings(claim, objects))
  const waiting = waitingFindings(claims.waiting, objects)
  return (node) => [...bound.flatMap((find) => find(node)), ...zones(node), ...waiting(node)]
}

/** Explains a claim that must be bound before the pod is placed. */
function unboundFinding(claim: PersistentVolumeClaim, objects: ClusterObjectsReader): VolumeFinding {
  const { metadata, spec } = claim
  const { name = '' } = metadata
  const { volumeName = '' } = spec
  const className = claimStorageClass(claim)
  const subject = `Claim ${name} is not bound`
  if (volumeName !== '') {
    const hasVolume = objects.get('persistentVolumes', volumeName) !== undefined
    const sentence = `${subject} to volume ${volumeName}, which it names${hasVolume ? '' : ' and which does not exist'}.`
    return { claim: name, volume: volumeName, problem: hasVolume ? 'not-bound' : 'missing', sentence }
  }
  if (className === '') {
    const sentence = `${subject} and has no storage class, so it waits for a volume without a class.`
    return { claim: name, problem: 'not-bound', sentence }
  }
  if (objects.get('storageClasses', className) === undefined) {
    return {
      claim: name,
      problem: 'class-missing',
      sentence: `${subject}, and its storage class ${className} does not exist.`,
    }
  }
  const sentence = `${subject}. Its storage class ${className} binds volumes at once, so the pod waits for the claim.`
  return { claim: name, problem: 'not-bound', sentence }
}

function boundFindings({ metadata, spec }: PersistentVolumeClaim, objects: ClusterObjectsReader): NodeFindings {
  const { name = '' } = metadata
  const { volumeName = '' } = spec
  const volume = objects.get('persistentVolumes', volumeName)
  if (volume === undefined) {
    const sentence = `Claim ${name} is bound to volume ${volumeName}, which does not exist.`
    return () => [{ claim: name, volume: volumeName, problem: 'missing', sentence }]
  }
  const reaches = createReachCheck(volume)
  return (node) => {
    const csiNode = objects.get('csiNodes', node.metadata.name ?? '')
    if (reaches(node, csiNode) !== 'out-of-reach') return []
    const sentence = `Claim ${name} is bound to volume ${volumeName}, but ${outOfReachText(volume, node, csiNode)}.`
    return [{ claim: name, volume: volumeName, problem: 'unreachable', sentence }]
  }
}

function outOfReachText(volume: PersistentVolume, node: Node, csiNode: CsiNode | undefined): string {
  return unreachableText(reachSelector(volume, csiNode) ?? { nodeSelectorTerms: [] }, node)
}

/** Explains the volumes in other zones. Like VolumeZone, looks only at claims that the pod names. */
function zoneFindings(pod: Pod, objects: ClusterObjectsReader): NodeFindings {
  const zoned = (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
    const claim = persistentVolumeClaim == null ? undefined : findClaim(objects, pod, persistentVolumeClaim.claimName)
    const volume = objects.get('persistentVolumes', claim?.spec.volumeName ?? '')
    return claim === undefined || volume === undefined ? [] : { claim, volume, zones: zonesOf(volume) }
  })
  return (node) =>
    zoned.flatMap(({ claim, volume, zones }) =>
      zones
        .filter((zone) => !isInZones(node, [zone]))
        .map(({ label, values }): VolumeFinding => {
          const { name = '' } = claim.metadata
          const { name: volumeName = '' } = volume.metadata
          const sentence = `Claim ${name} is bound to volume ${volumeName} with ${label} ${[...values].join(' or ')}; ${labelsOfNodeText(node, [label])}.`
          return { claim: name, volume: volumeName, problem: 'other-zone', sentence }
        }),
    )
}

/** Explains the claims that wait for their first consumer. */
function waitingFindings(claims: readonly PersistentVolumeClaim[], objects: ClusterObjectsReader): NodeFindings {
  const skipped = new SkippedObjects()
  const checks = claims.map((claim) => createClaimCheck(claim, objects, skipped))
  const selected = checks.filter(({ selectedNode }) => selectedNode !== undefined)
  const match = staticMatcher(
    checks.filter(({ selectedNode }) => selectedNode === undefined),
    objects,
    skipped,
  )
  return (node) => {
    const elsewhere = selected.filter(({ selectedNode }) => selectedNode !== (node.metadata.name ?? ''))
    if (elsewhere.length > 0) return elsewhere.map(({ claim, selectedNode }) => otherNode(claim, selectedNode ?? ''))
    const result = match(node)
    if ('reason' in result) return []
    const taken = new Set(result.matches.map(({ volume }) => volume.metadata.name ?? ''))
    const all = objects.list('persistentVolumes')
    const unprovisioned = selected.flatMap((check) => provisioningFinding(check, objects, node) ?? [])
    const unmatched = result.unmatched.flatMap((check) => {
      const problem = provisioningFinding(check, objects, node)
      return problem === undefined ? [] : [...matchFindings(check, all, node, taken), problem]
    })
    return [...unprovisioned, ...unmatched]
  }
}

function otherNode({ metadata }: PersistentVolumeClaim, selectedNode: string): VolumeFinding {
  const { name = '' } = metadata
  const sentence = `Claim ${name} waits for its volume on node ${selectedNode}, which an earlier attempt selected (annotation volume.kubernetes.io/selected-node).`
  return { claim: name, problem: 'other-node', sentence }
}
