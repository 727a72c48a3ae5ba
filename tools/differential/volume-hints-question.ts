import type { Json } from './json.ts'
import { randomNode } from './random-node.ts'
import { randomPod } from './random-pod.ts'
import type { Choices } from './random.ts'
import { attachments, csiDrivers, csiNodes, storageCapacities, storageClasses } from './storage-objects.ts'
import { claims, persistentVolumeClaims, persistentVolumes } from './stored-volumes.ts'
import { withTopology, withVolumes } from './volume-question.ts'

const field = (object: Json, key: string): Json => (object[key] ?? {}) as Json

/** Calls `make` until it returns objects, and returns one of them. */
function one(choices: Choices, make: () => readonly Json[]): Json {
  for (;;) {
    const made = make()
    if (made.length > 0) return choices.pick(made)
  }
}

function podWithVolumes(choices: Choices, name: string): Json {
  return withVolumes(choices, randomPod(choices, name), 0.95)
}

/** Returns a pod that has a node or is nominated for one. The others are not in the scheduler's cache. */
function placedPod(choices: Choices): Json {
  const made = podWithVolumes(choices, 'other')
  if (choices.chance(0.8)) return { ...made, spec: { ...field(made, 'spec'), nodeName: 'n0' } }
  return { ...made, status: { nominatedNodeName: 'n0' } }
}

/** Returns a claim that the pod probably uses, by name or through an ephemeral volume. */
function claimNearPod(choices: Choices, pod: Json): Json {
  const { name, namespace } = pod['metadata'] as Json
  const made = one(choices, () => persistentVolumeClaims(choices, [], [pod]))
  const names = [...claims, ...['v0', 'v1', 'v2'].map((volume) => `${String(name)}-${volume}`)]
  const metadata = { ...field(made, 'metadata'), name: choices.pick(names) }
  return { ...made, metadata: choices.chance(0.8) ? { ...metadata, namespace } : metadata }
}

/** Generates one object of each kind whose changes the hints of volume plugins receive. */
const objectMakers: Readonly<Record<string, (choices: Choices, pod: Json) => Json>> = {
  Pod: placedPod,
  Node: (choices) => withTopology(choices, randomNode(choices, 0)),
  PersistentVolume: (choices, pod) => one(choices, () => persistentVolumes(choices, pod)),
  PersistentVolumeClaim: claimNearPod,
  StorageClass: (choices) => one(choices, () => storageClasses(choices)),
  CSINode: (choices) => one(choices, () => csiNodes(choices, [{ metadata: { name: 'n0' } }])),
  CSIDriver: (choices) => ({ ...one(choices, () => csiDrivers(choices)), metadata: { name: 'a.csi.example.com' } }),
  CSIStorageCapacity: (choices) => one(choices, () => storageCapacities(choices)),
  VolumeAttachment: (choices) => one(choices, () => attachments(choices, [{ metadata: { name: 'n0' } }], [])),
}
const resources = Object.keys(objectMakers)

/** Returns a later version of an object: parts of it are those of another object. */
function laterVersion(choices: Choices, old: Json, other: Json): Json {
  const { name, namespace, uid } = old['metadata'] as Json
  const identity = { name, ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) }
  const changed = choices.pick<() => Json>([
    () => other,
    () => ({ ...old, metadata: other['metadata'] }),
    () => ({ ...other, metadata: old['metadata'] }),
    () => old,
  ])()
  return { ...changed, metadata: { ...field(changed, 'metadata'), ...identity, resourceVersion: '900' } }
}

/** Generates a question of kind `volume-hints`: a waiting pod, and an object that was added, changed or deleted. */
export function volumeHintsQuestion(choices: Choices): Json {
  const pod = podWithVolumes(choices, 'p')
  const resource = choices.pick(resources)
  const make = (): Json => objectMakers[resource]?.(choices, pod) ?? {}
  const version = make()
  const roll = choices.number()
  if (roll < 0.25) return { pod, resource, new: version }
  if (roll < 0.45) return { pod, resource, old: version }
  return { pod, resource, old: version, new: laterVersion(choices, version, make()) }
}
