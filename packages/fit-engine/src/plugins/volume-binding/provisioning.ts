import { quantityOf } from '@berth/resources'
import type { ClusterObjectsReader, Node, PersistentVolumeClaim, StorageClass } from '@berth/types'
import { type Labels, parseLabelRequirement } from '../../selectors/label-requirement.ts'
import { parseLabelSelector } from '../../selectors/label-selector.ts'
import { claimClass } from '../volume-claims/claim.ts'
import type { Omissions } from './omissions.ts'

/** Whether a volume for the claim can be made near a node. */
export type Provisioning = 'possible' | 'not-there' | 'no-space'

type LabelTest = (labels: Labels) => boolean

const NO_PROVISIONER = 'kubernetes.io/no-provisioner'
const noLabels: Labels = {}

/**
 * Prepares the question whether a new volume for the claim can be made near a node: by the topologies of its class
 * and, where the driver tells how much room it has, by that.
 *
 * @param claim - One whose class exists.
 * @param omissions - Where rooms are noted that cannot be read.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go checkVolumeProvisions (v1.36)
 */
export function provisioningOf(
  claim: PersistentVolumeClaim,
  objects: ClusterObjectsReader,
  omissions: Omissions,
): (node: Node) => Provisioning {
  const storageClass = objects.get('storageClasses', claimClass(claim))
  const provisioner = storageClass?.provisioner ?? ''
  if (storageClass === undefined || provisioner === '' || provisioner === NO_PROVISIONER) return () => 'not-there'
  const isAllowed = topologyTest(storageClass)
  const hasRoom = roomTest(claim, storageClass, objects, omissions)
  return ({ metadata }) => {
    const labels = metadata.labels ?? noLabels
    if (!isAllowed(labels)) return 'not-there'
    return hasRoom(labels) ? 'possible' : 'no-space'
  }
}

/** No topologies allow every node; a term that is empty or not valid allows none. */
function topologyTest({ allowedTopologies }: StorageClass): LabelTest {
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

function roomTest(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  objects: ClusterObjectsReader,
  omissions: Omissions,
): LabelTest {
  const request = claim.spec.resources?.requests?.['storage']
  const driver = objects.get('csiDrivers', storageClass.provisioner)
  if (request == null || driver?.spec?.storageCapacity !== true) return () => true
  const bytes = quantityOf(request).value()
  const pools = objects.list('csiStorageCapacities').flatMap((pool) => {
    const limit = pool.maximumVolumeSize ?? pool.capacity
    if (pool.storageClassName !== storageClass.metadata.name || limit == null) return []
    const room = omissions.read('storage capacity', pool.metadata, () => quantityOf(limit).value())
    const parsed = parseLabelSelector(pool.nodeTopology)
    return parsed.kind === 'valid' && room !== undefined && room >= bytes ? [parsed] : []
  })
  return (labels) => pools.some(({ matches }) => matches(labels))
}
