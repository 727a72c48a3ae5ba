import type { Json } from './json.ts'
import { zones } from './shared-values.ts'
import type { Choices } from './random.ts'
import { classes, drivers } from './storage-objects.ts'

/** Names of claims in pods. */
export const claims = ['c0', 'c1', 'c2', 'c3', 'c4'] as const

const accessModes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] as const
const ZONE = 'topology.kubernetes.io/zone'
const ZONE_BETA = 'failure-domain.beta.kubernetes.io/zone'
const zoneLabels = ['z1', 'z2', 'z1__z3', 'z1__', ' z2 ', 'europe-west1-b', 'europe-west1-b__europe-west1-c', '']
const DELETED_AT = '2026-01-01T00:00:00Z'

/** Returns the fields of claims and volumes that must match for a binding. */
function volumeTraits(choices: Choices): Json {
  return {
    accessModes: choices.list(1, 2, () => choices.pick(accessModes)),
    ...choices.maybe(0.1, 'volumeMode', () => choices.pick(['Block', 'Filesystem'])),
    ...choices.maybe(0.05, 'volumeAttributesClassName', () => choices.pick(['gold', ''])),
  }
}

function source(choices: Choices): Json {
  const roll = choices.number()
  if (roll < 0.5) {
    return { csi: { driver: choices.pick(drivers), volumeHandle: choices.pick(['h0', 'h1', 'h2', 'vol-1', '']) } }
  }
  if (roll < 0.62) return { gcePersistentDisk: { pdName: choices.pick(['d0', 'd1']) } }
  if (roll < 0.74) {
    return { awsElasticBlockStore: { volumeID: choices.pick(['e0', 'aws://z1/vol-1', 'aws://z1/vol-2/', 'aws:///x']) } }
  }
  if (roll < 0.82) return { cinder: { volumeID: choices.pick(['k0', 'k1']) } }
  if (roll < 0.88) {
    const kind = choices.maybe(0.5, 'kind', () => choices.pick(['Managed', 'Dedicated']))
    return { azureDisk: { diskName: 'disk', diskURI: '/subscriptions/s/disk0', ...kind } }
  }
  if (roll < 0.92) return { portworxVolume: { volumeID: choices.pick(['p0', 'p1']) } }
  if (roll < 0.95) return { vsphereVolume: { volumePath: '[store] disk' } }
  return { local: { path: '/mnt/disk' } }
}

function requirement(choices: Choices): Json {
  const operator = choices.pick(['In', 'In', 'In', 'NotIn', 'Exists', 'Above'])
  return {
    key: choices.pick([
      ZONE,
      ZONE,
      ZONE_BETA,
      'failure-domain.beta.kubernetes.io/region',
      'topology.gke.io/zone',
      'disk',
    ]),
    operator,
    ...(operator !== 'Exists' && { values: choices.list(1, 2, () => choices.pick([...zones, 'ssd', 'r1'])) }),
  }
}

function term(choices: Choices): Json {
  return {
    matchExpressions: choices.list(0, 2, () => requirement(choices)),
    ...choices.maybe(0.1, 'matchFields', () => [{ key: 'metadata.name', operator: 'In', values: ['n0'] }]),
  }
}

/**
 * Returns volumes of all kinds. No two have the same size or are reserved for the same claim, because the real code would
 * choose between them at random.
 */
export function persistentVolumes(choices: Choices, pod: Json): Json[] {
  const { namespace } = pod['metadata'] as Json
  const sizes = ['1Gi', '2Gi', '5Gi', '6G', '10Gi', '50Gi']
  return choices.list(0, 5, (index) => ({
    metadata: {
      name: `pv${index}`,
      resourceVersion: `${100 + index}`,
      ...choices.maybe(0.4, 'labels', () => ({
        ...choices.maybe(0.5, ZONE, () => choices.pick(zoneLabels)),
        ...choices.maybe(0.3, ZONE_BETA, () => choices.pick(zoneLabels)),
        ...choices.maybe(0.2, 'topology.kubernetes.io/region', () => choices.pick(['r1', 'r2'])),
        ...choices.maybe(0.3, 'kind', () => choices.pick(['big', 'small'])),
      })),
      ...choices.maybe(0.05, 'deletionTimestamp', () => DELETED_AT),
      ...choices.maybe(0.05, 'annotations', () => ({ 'volume.beta.kubernetes.io/storage-class': 'late' })),
    },
    spec: {
      ...volumeTraits(choices),
      capacity: { storage: sizes.splice(choices.integer(0, sizes.length - 1), 1)[0] },
      ...source(choices),
      storageClassName: choices.pick(classes),
      ...choices.maybe(0.2, 'claimRef', () => ({
        name: claims[index],
        namespace,
        ...choices.maybe(0.4, 'uid', () => choices.pick([claims[index], 'other'])),
      })),
      ...choices.maybe(0.5, 'nodeAffinity', () =>
        choices.maybe(0.95, 'required', () => ({ nodeSelectorTerms: choices.list(0, 2, () => term(choices)) })),
      ),
    },
    status: { phase: choices.chance(0.9) ? 'Available' : 'Bound' },
  }))
}

function claim(choices: Choices, metadata: Json, volumes: readonly Json[]): Json {
  const names = [
    ...volumes.map(({ metadata }) => (metadata as Json)['name']),
    ...(choices.chance(0.1) ? ['pv-gone'] : []),
  ]
  const volumeName = names.length > 0 && choices.chance(0.55) ? choices.pick(names) : undefined
  return {
    metadata: {
      ...metadata,
      uid: metadata['name'],
      resourceVersion: '7',
      annotations: {
        ...(volumeName !== undefined && choices.maybe(0.95, 'pv.kubernetes.io/bind-completed', () => 'yes')),
        ...choices.maybe(0.1, 'volume.kubernetes.io/selected-node', () => choices.pick(['n0', 'n1', ''])),
        ...choices.maybe(0.05, 'volume.beta.kubernetes.io/storage-class', () => choices.pick(['late', ''])),
      },
      ...choices.maybe(0.02, 'deletionTimestamp', () => DELETED_AT),
    },
    spec: {
      ...volumeTraits(choices),
      resources: choices.maybe(0.9, 'requests', () => ({
        storage: choices.pick(['500Mi', '1Gi', '2Gi', '5Gi', '6G']),
      })),
      ...choices.maybe(0.95, 'storageClassName', () => choices.pick(['late', 'late', 'later', ...classes])),
      ...choices.maybe(0.1, 'selector', () => ({
        ...choices.maybe(0.7, 'matchLabels', () => ({ kind: choices.pick(['big', 'small']) })),
        ...choices.maybe(0.2, 'matchExpressions', () => [{ key: 'kind', operator: choices.pick(['Exists', 'Gt']) }]),
      })),
      ...(volumeName !== undefined && { volumeName }),
    },
    status: { phase: choices.chance(0.02) ? 'Lost' : volumeName === undefined ? 'Pending' : 'Bound' },
  }
}

function ownedBy(choices: Choices, pod: Json): Json {
  const { name, uid } = pod['metadata'] as Json
  const isOwner = choices.chance(0.95)
  const owner = { apiVersion: 'v1', kind: 'Pod', name, uid: isOwner ? uid : 'other', controller: choices.chance(0.97) }
  return { ownerReferences: [owner] }
}

/** Returns the claims in both namespaces, and those of the pods' ephemeral volumes. */
export function persistentVolumeClaims(choices: Choices, volumes: readonly Json[], pods: readonly Json[]): Json[] {
  const named = ['default', 'other'].flatMap((namespace) =>
    claims.filter(() => choices.chance(0.97)).map((name) => claim(choices, { name, namespace }, volumes)),
  )
  const made = pods.flatMap((pod) => {
    const { name, namespace } = pod['metadata'] as Json
    const ephemeral = (((pod['spec'] as Json)['volumes'] ?? []) as Json[]).filter((volume) => 'ephemeral' in volume)
    return ephemeral
      .filter(() => choices.chance(0.9))
      .map((volume) =>
        claim(
          choices,
          { name: `${String(name)}-${String(volume['name'])}`, namespace, ...ownedBy(choices, pod) },
          volumes,
        ),
      )
  })
  return [...named, ...made]
}
