import { quantityOf } from '@berth/resources'
import type { ClusterObjectsReader, CsiStorageCapacity, Node, PersistentVolumeClaim, StorageClass } from '@berth/types'
import { NO_PROVISIONER, volumeLimitOf } from '../../plugins/volume-binding/provisioning.ts'
import type { WaitingClaimCheck } from '../../plugins/volume-binding/waiting-claims.ts'
import { claimStorageClass } from '../../plugins/volume-claims/claim.ts'
import { parseLabelSelector } from '../../selectors/label-selector.ts'
import { labelsOfNodeText, selectorKeys, selectorText } from '../../selectors/selector-text.ts'
import type { VolumeFinding } from './volume-finding.ts'

/** Returns why no volume can be provisioned for the claim on the node; undefined when one can. */
export function provisioningFinding(
  { claim, provisioning }: WaitingClaimCheck,
  objects: ClusterObjectsReader,
  node: Node,
): VolumeFinding | undefined {
  const outcome = provisioning(node)
  if (outcome === 'possible') return undefined
  const { name = '' } = claim.metadata
  const className = claimStorageClass(claim)
  const storageClass = objects.get('storageClasses', className)
  const subject = `Storage class ${className} of claim ${name}`
  const provisioner = storageClass?.provisioner ?? ''
  if (storageClass === undefined || provisioner === '' || provisioner === NO_PROVISIONER) {
    const sentence = `${subject} provisions no volumes (provisioner ${provisioner === '' ? 'not set' : provisioner}).`
    return { claim: name, problem: 'no-provisioner', sentence }
  }
  if (outcome === 'not-there') {
    const sentence = `${subject} provisions volumes only for nodes with ${topologyText(storageClass, node)}.`
    return { claim: name, problem: 'other-topology', sentence }
  }
  return { claim: name, problem: 'no-space', sentence: spaceText(claim, storageClass, objects, node) }
}

function topologyText({ allowedTopologies }: StorageClass, node: Node): string {
  const nodeSelectorTerms = (allowedTopologies ?? []).map(({ matchLabelExpressions }) => ({
    matchExpressions: (matchLabelExpressions ?? []).map(({ key, values }) => ({ key, operator: 'In', values })),
  }))
  const selector = { nodeSelectorTerms }
  const keys = selectorKeys(selector)
  return `${selectorText(selector)}${keys.length === 0 ? '' : `; ${labelsOfNodeText(node, keys)}`}`
}

function spaceText(
  claim: PersistentVolumeClaim,
  { metadata, provisioner }: StorageClass,
  objects: ClusterObjectsReader,
  node: Node,
): string {
  const size = claim.spec.resources?.requests?.['storage'] ?? 0
  const pools = [...objects.list('csiStorageCapacities')].filter(
    ({ storageClassName }) => storageClassName === metadata.name,
  )
  const list = pools.map((pool) => poolText(pool, size, node)).join(', ')
  const reported = list === '' ? 'it reports none for the class' : list
  return `Provisioner ${provisioner} reports no CSIStorageCapacity with room for the ${size} of claim ${claim.metadata.name ?? ''} that node ${node.metadata.name ?? ''} can use: ${reported}.`
}

function poolText(pool: CsiStorageCapacity, size: string | number, { metadata }: Node): string {
  const { name = '' } = pool.metadata
  const limit = limitOf(pool)
  if (limit === undefined) return `${name} (no capacity)`
  const amount = pool.maximumVolumeSize ?? pool.capacity ?? 0
  if (limit < quantityOf(size).value()) return `${name} (${amount})`
  const parsed = parseLabelSelector(pool.nodeTopology)
  const isNear = parsed.kind === 'valid' && parsed.matches(metadata.labels ?? {})
  return `${name} (${amount}${isNear ? '' : ', for other nodes'})`
}

/** Returns the limit of a pool; undefined if it reports none or the amount is not a quantity. */
function limitOf(pool: CsiStorageCapacity): bigint | undefined {
  try {
    return volumeLimitOf(pool)
  } catch {
    return undefined
  }
}
