import { fitQuestion } from './cluster-question.ts'
import type { Json } from './json.ts'
import { zones } from './shared-values.ts'
import type { Choices } from './random.ts'
import { claims, persistentVolumeClaims, persistentVolumes } from './stored-volumes.ts'
import { claimNames, withWaitingClaims } from './waiting-claims.ts'
import { attachments, csiDrivers, csiNodes, storageCapacities, storageClasses } from './storage-objects.ts'

/** Sources of a volume in a pod, each with its relative frequency. */
const sources: readonly (readonly [number, (choices: Choices) => Json])[] = [
  [10, (choices) => ({ persistentVolumeClaim: { claimName: choices.pick(claims) } })],
  [0.3, () => ({ persistentVolumeClaim: { claimName: 'missing' } })],
  [0.1, () => ({ persistentVolumeClaim: { claimName: '' } })],
  [1.5, () => ({ ephemeral: { volumeClaimTemplate: { spec: {} } } })],
  [0.5, () => ({ csi: { driver: 'a.csi.example.com' } })],
  [1, (choices) => ({ gcePersistentDisk: { pdName: choices.pick(['d0', 'd1']), readOnly: choices.chance(0.6) } })],
  [
    1,
    (choices) => ({
      awsElasticBlockStore: { volumeID: choices.pick(['e0', 'vol-1', 'aws://z1/vol-1', 'aws:///vol-2', 'aws://z1/x']) },
    }),
  ],
  [1, (choices) => ({ iscsi: { iqn: choices.pick(['i0', 'i1']), lun: 0, readOnly: choices.chance(0.6) } })],
  [1, rbd],
  [0.4, (choices) => ({ cinder: { volumeID: choices.pick(['k0', 'k1']) } })],
  [0.4, (choices) => ({ azureDisk: azureDisk(choices) })],
  [0.3, (choices) => ({ portworxVolume: { volumeID: choices.pick(['p0', 'p1']) } })],
  [0.2, () => ({ azureFile: { secretName: 's', shareName: 's' } })],
  [0.2, () => ({ vsphereVolume: { volumePath: '[store] disk' } })],
  [0.6, () => ({ emptyDir: {} })],
]
const totalShare = sources.reduce((sum, [share]) => sum + share, 0)

function rbd(choices: Choices): Json {
  return {
    rbd: {
      monitors: choices.list(1, 2, () => choices.pick(['m0', 'm1', 'm2'])),
      image: choices.pick(['i0', 'i1']),
      ...choices.maybe(0.5, 'pool', () => choices.pick(['rbd', 'fast'])),
      readOnly: choices.chance(0.6),
    },
  }
}

/** Returns an Azure disk. Only managed ones have a CSI driver. */
function azureDisk(choices: Choices): Json {
  return {
    diskName: 'disk',
    diskURI: choices.pick(['/subscriptions/s/disk0', '/subscriptions/s/disk1']),
    ...choices.maybe(0.5, 'kind', () => choices.pick(['Managed', 'managed', 'Managed', 'Dedicated'])),
  }
}

function volume(choices: Choices, name: string): Json {
  let roll = choices.number() * totalShare
  const chosen = sources.find(([share]) => (roll -= share) < 0)
  return { name, ...chosen?.[1](choices) }
}

/** Adds volumes to the pod with the given probability. */
export function withVolumes(choices: Choices, pod: Json, probability: number): Json {
  const spec = pod['spec'] as Json
  const volumes = choices.maybe(probability, 'volumes', () =>
    choices.list(1, 3, (index) => volume(choices, `v${index}`)),
  )
  return { ...pod, spec: { ...spec, ...volumes } }
}

/** Adds zone and region labels: current, deprecated and CSI driver specific ones. */
export function withTopology(choices: Choices, node: Json): Json {
  const metadata = node['metadata'] as Json
  const zone = choices.pick(zones)
  const labels = {
    ...(metadata['labels'] as Json),
    ...choices.maybe(0.2, 'failure-domain.beta.kubernetes.io/zone', () => zone),
    ...choices.maybe(0.2, 'topology.kubernetes.io/region', () => choices.pick(['r1', 'r2'])),
    ...choices.maybe(0.1, 'failure-domain.beta.kubernetes.io/region', () => choices.pick(['r1', 'r2'])),
    ...choices.maybe(0.4, 'topology.gke.io/zone', () => choices.pick(['z1', 'z2', 'europe-west1-b'])),
    ...choices.maybe(0.4, 'topology.ebs.csi.aws.com/zone', () => zone),
    ...choices.maybe(0.3, 'topology.cinder.csi.openstack.org/zone', () => zone),
  }
  return { ...node, metadata: { ...metadata, labels } }
}

/** Removes most other constraints, because volume filters matter only on nodes that pass the other filters. */
function withFewConstraints(choices: Choices, pod: Json): Json {
  if (choices.chance(0.3)) return pod
  const { affinity: _affinity, nodeSelector: _selector, nodeName: _name, ...spec } = pod['spec'] as Json
  return { ...pod, spec: { ...spec, containers: [{ name: 'c' }], tolerations: [{ operator: 'Exists' }] } }
}

/** Generates a question of kind `volumes`. */
export function volumesQuestion(choices: Choices): Json {
  const { args: _args, balancedArgs: _balanced, nodeAffinityArgs: _added, ...question } = fitQuestion(choices)
  const complete = withNextPod(choices, addVolumes(choices, question))
  return choices.chance(0.5) ? withWaitingClaims(choices, complete) : complete
}

/**
 * Adds a pod with some claims in the same namespace, which is tried after the volumes of the first one are assumed. There
 * is none when the first one uses a claim twice: the real code then reserves two volumes for the claim, and chooses
 * between them at random for the next pod.
 */
function withNextPod(choices: Choices, question: Json): Json {
  const pod = question['pod'] as Json
  const names = claimNames(pod)
  if (new Set(names).size < names.length) return question
  // Mostly other claims, which compete for the same volumes.
  const others = claims.filter((name) => !names.includes(name))
  const volumes = choices.list(1, 2, (index) => ({
    name: `v${index}`,
    persistentVolumeClaim: { claimName: choices.pick(choices.chance(0.8) ? others : claims) },
  }))
  const { namespace } = pod['metadata'] as Json
  const spec = { containers: [{ name: 'c' }], volumes }
  return { ...question, nextPod: { metadata: { name: 'next', namespace, uid: 'next' }, spec } }
}

/** Adds volumes to the question's pods, and every object that the volumes depend on. */
export function addVolumes(choices: Choices, question: Json): Json {
  const nodes = (question['nodes'] as Json[]).map((node) => withTopology(choices, node))
  const pods = (question['pods'] as Json[]).map((pod) => withVolumes(choices, pod, 0.5))
  const nominated = (question['nominatedPods'] as Json[] | undefined)?.map((pod) => withVolumes(choices, pod, 0.6))
  const pod = withVolumes(choices, withFewConstraints(choices, question['pod'] as Json), 0.95)
  const volumes = persistentVolumes(choices, pod)
  return {
    ...question,
    nodes,
    pods,
    ...(nominated && { nominatedPods: nominated }),
    pod,
    persistentVolumes: volumes,
    persistentVolumeClaims: persistentVolumeClaims(choices, volumes, [pod, ...pods]),
    storageClasses: storageClasses(choices),
    csiNodes: csiNodes(choices, nodes),
    csiDrivers: csiDrivers(choices),
    csiStorageCapacities: storageCapacities(choices),
    volumeAttachments: attachments(choices, nodes, volumes),
  }
}
