import { quantityOf } from '@berth/resources'
import type { ClusterObjectsReader, CsiStorageCapacity, Node, PersistentVolumeClaim, StorageClass } from '@berth/types'
import { type Labels, parseLabelRequirement } from '../../selectors/label-requirement.ts'
import { parseLabelSelector } from '../../selectors/label-selector.ts'
import { claimStorageClass } from '../volume-claims/claim.ts'
import type { SkippedObjects } from './skipped-objects.ts'

/**
 * Whether a volume for the claim can be provisioned for a node. `not-there`: its class has no provisioner or does not
 * allow the node. `no-space`: the driver reports too little capacity for the node.
 */
export type Provisioning = 'possible' | 'not-there' | 'no-space'

type LabelTest = (labels: Labels) => boolean

/** Provisioner of a storage class that has only existing volumes. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner'
const noLabels: Labels = {}

/**
 * Returns a check whether a new volume for the claim can be provisioned for a node: by the topologies of its class and,
 * if the driver publishes its storage capacity, by the capacity.
 *
 * @param claim - A claim whose storage class exists.
 * @param skipped - Records storage capacities that cannot be read.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go checkVolumeProvisions (v1.36)
 */
export function createProvisioningCheck(
  claim: PersistentVolumeClaim,
  objects: ClusterObjectsReader,
  skipped: SkippedObjects,
): (node: Node) => Provisioning {
  const storageClass = objects.get('storageClasses', claimStorageClass(claim))
  const provisioner = storageClass?.provisioner ?? ''
  if (storageClass === undefined || provisioner === '' || provisioner === NO_PROVISIONER) return () => 'not-there'
  const isAllowed = allowedTopologyTest(storageClass)
  const hasCapacity = storageCapacityTest(claim, storageClass, objects, skipped)
  return ({ metadata }) => {
    const labels = metadata.labels ?? noLabels
    if (!isAllowed(labels)) return 'not-there'
    return hasCapacity(labels) ? 'possible' : 'no-space'
  }
}

/**
 * Returns a test of the class's allowed topologies. No topologies allow every node; an empty or invalid term allows
 * none.
 */
function allowedTopologyTest({ allowedTopologies }: StorageClass): LabelTest {
  if (allowedTopologies == null || allowedTopologies.length === 0) return () => true
  const terms = allowedTopologies.flatMap(({ matchLabelExpressions }) => {
    const parsed = (matchLabelExpressions ?? []).map(({ key, values }) =>
      parseLabelRequirement({ key, operator: 'In', values: values ?? [] }),
    )
    const valid = parsed.filter((requirement) => requirement.kind === 'valid')
    return valid.length === 0 || valid.length < parsed.length ? [] : [valid]
  })
  return (labels) => terms.some((term) => term.every(({ matches }) => matches(labels)))
}

/**
 * Returns the size of the largest volume that the pool has room for, in bytes; undefined when its driver reports none.
 *
 * @throws QuantityError when the amount is not a quantity.
 */
export function volumeLimitOf({ maximumVolumeSize, capacity }: CsiStorageCapacity): bigint | undefined {
  const limit = maximumVolumeSize ?? capacity
  return limit == null ? undefined : quantityOf(limit).value()
}

function storageCapacityTest(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  objects: ClusterObjectsReader,
  skipped: SkippedObjects,
): LabelTest {
  const request = claim.spec.resources?.requests?.['storage']
  const driver = objects.get('csiDrivers', storageClass.provisioner)
  if (request == null || driver?.spec?.storageCapacity !== true) return () => true
  const bytes = quantityOf(request).value()
  const pools = objects.list('csiStorageCapacities').flatMap((pool) => {
    if (pool.storageClassName !== storageClass.metadata.name) return []
    const capacity = skipped.read('storage capacity', pool.metadata, () => volumeLimitOf(pool))
    const parsed = parseLabelSelector(pool.nodeTopology)
    return parsed.kind === 'valid' && capacity !== undefined && capacity >= bytes ? [parsed] : []
  })
  return (labels) => pools.some(({ matches }) => matches(labels))
}
