import type { Node, PersistentVolume, PersistentVolumeClaim } from '@berth/types'
import type { VolumeMismatch } from '../../plugins/volume-binding/static-volumes.ts'
import { volumeMismatch } from '../../plugins/volume-binding/static-volumes.ts'
import type { UnmatchedClaim } from '../../plugins/volume-binding/waiting-claims.ts'
import { volumeStorageClass } from '../../plugins/volume-claims/claim.ts'
import { objectKey } from '../../state/cluster-objects.ts'
import { labelsOfNodeText, selectorKeys, selectorText } from '../../selectors/selector-text.ts'
import type { VolumeFinding } from './volume-finding.ts'

/** Number of volumes that are explained one by one for a claim. The others are counted. */
const MAX_VOLUMES = 10
/** Number of volumes of other classes that are named. */
const MAX_NAMED = 3

const noneTaken: ReadonlySet<string> = new Set()

/**
 * Explains why no volume matches the claim on the node: one finding for each volume of the claim's class, up to {@link
 * MAX_VOLUMES}. If the class has no volume, one finding names free volumes of other classes.
 *
 * @param taken - Names of the volumes that other claims of the pod get.
 */
export function matchFindings(
  { claim, waiting, volumes }: UnmatchedClaim,
  all: readonly PersistentVolume[],
  node: Node,
  taken: ReadonlySet<string>,
): readonly VolumeFinding[] {
  const { name = '' } = claim.metadata
  if (volumes.length === 0) return otherClasses(name, waiting.className, all)
  const findings = volumes.slice(0, MAX_VOLUMES).flatMap((candidate): VolumeFinding[] => {
    const { volume } = candidate
    const { name: volumeName = '' } = volume.metadata
    const mismatch =
      volumeMismatch(waiting, candidate, node, noneTaken) ?? (taken.has(volumeName) ? 'taken' : undefined)
    if (mismatch === undefined) return []
    const sentence = `Volume ${volumeName} does not match claim ${name}: ${mismatchText(mismatch, volume, claim, node)}.`
    return [{ claim: name, volume: volumeName, problem: mismatch, sentence }]
  })
  const more = volumes.length - MAX_VOLUMES
  if (more <= 0) return findings
  const sentence = `${more} more volumes of storage class ${waiting.className} were not explained for claim ${name}.`
  return [...findings, { claim: name, problem: 'more', sentence }]
}

function otherClasses(claim: string, className: string, all: readonly PersistentVolume[]): readonly VolumeFinding[] {
  const free = all.filter(({ status, spec }) => status?.phase === 'Available' && spec.claimRef == null)
  if (free.length === 0) return []
  const named = free.slice(0, MAX_NAMED).map((volume) => {
    const other = volumeStorageClass(volume)
    return `${volume.metadata.name ?? ''} (${other === '' ? 'no class' : `class ${other}`})`
  })
  const more = free.length - named.length
  const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const sentence = `No volume has the storage class ${className} of claim ${claim}; free volumes are ${list}.`
  return [{ claim, problem: 'other-class', sentence }]
}

function mismatchText(
  mismatch: VolumeMismatch,
  { metadata, spec, status }: PersistentVolume,
  claim: PersistentVolumeClaim,
  node: Node,
): string {
  const wanted = claim.spec
  switch (mismatch) {
    case 'taken':
      return 'another claim of the pod gets it'
    case 'being-deleted':
      return 'it is being deleted'
    case 'claimed': {
      const { namespace = '', name = '', uid = '' } = spec.claimRef ?? {}
      const owner = `${namespace}/${name}`
      return owner === objectKey(claim.metadata)
        ? `it is reserved for an earlier claim of this name (uid ${uid})`
        : `it is bound to claim ${owner}`
    }
    case 'too-small':
      return `it has ${spec.capacity?.['storage'] ?? 0}, and the claim requests ${wanted.resources?.requests?.['storage'] ?? 0}`
    case 'volume-mode':
      return `its volumeMode is ${spec.volumeMode ?? 'Filesystem'}, and that of the claim is ${wanted.volumeMode ?? 'Filesystem'}`
    case 'attributes-class':
      return `its volumeAttributesClassName is "${spec.volumeAttributesClassName ?? ''}", and that of the claim is "${wanted.volumeAttributesClassName ?? ''}"`
    case 'not-available':
      return `its phase is ${status?.phase ?? 'not set'}, not Available`
    case 'labels': {
      const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`)
      return `the selector of the claim does not match its labels (${labels.length === 0 ? 'none' : labels.join(', ')})`
    }
    case 'access-modes':
      return `it has the access modes ${(spec.accessModes ?? []).join(', ') || 'none'}, and the claim requests ${(wanted.accessModes ?? []).join(', ')}`
    case 'unreachable':
      return unreachableText(spec.nodeAffinity?.required ?? { nodeSelectorTerms: [] }, node)
  }
}

/** Returns a clause with the labels that a node needs to reach a volume, and those that this node has. */
export function unreachableText(required: Parameters<typeof selectorText>[0], node: Node): string {
  const keys = selectorKeys(required)
  const has = keys.length === 0 ? '' : `; ${labelsOfNodeText(node, keys)}`
  return `only nodes with ${selectorText(required)} reach it${has}`
}
