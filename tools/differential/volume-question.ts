import { fitQuestion } from './cluster-question.ts'
import { zones } from './parts.ts'
import type { Choices } from './random.ts'

type Json = Record<string, unknown>

const drivers = ['a.csi.example.com', 'b.csi.example.com', 'ebs.csi.aws.com'] as const
const claims = ['c0', 'c1', 'c2', 'c3'] as const
const accessModes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] as const

function volume(choices: Choices, name: string): Json {
  const roll = choices.number()
  if (roll < 0.6) return { name, persistentVolumeClaim: { claimName: choices.pick([...claims, 'missing']) } }
  if (roll < 0.7)
    return { name, gcePersistentDisk: { pdName: choices.pick(['d0', 'd1']), readOnly: choices.chance(0.5) } }
  if (roll < 0.8) return { name, awsElasticBlockStore: { volumeID: choices.pick(['e0', 'e1']) } }
  if (roll < 0.87)
    return { name, iscsi: { iqn: 'iqn.example', targetPortal: 'h', lun: 0, readOnly: choices.chance(0.5) } }
  if (roll < 0.94) return { name, rbd: { monitors: ['m'], image: 'i', pool: 'p', readOnly: choices.chance(0.5) } }
  return { name, emptyDir: {} }
}

function withVolumes(choices: Choices, pod: Json, probability: number): Json {
  return {
    ...pod,
    spec: {
      ...(pod['spec'] as Json),
      ...choices.maybe(probability, 'volumes', () => choices.list(1, 3, (index) => volume(choices, `v${index}`))),
    },
  }
}

function persistentVolume(choices: Choices, index: number): Json {
  return {
    metadata: {
      name: `pv${index}`,
      ...choices.maybe(0.3, 'labels', () => ({ 'topology.kubernetes.io/zone': choices.pick(['z1', 'z2', 'z1__z3']) })),
    },
    spec: {
      accessModes: [choices.pick(accessModes)],
      capacity: { storage: '10Gi' },
      csi: { driver: choices.pick(drivers), volumeHandle: choices.pick(['h0', 'h1', 'h2']) },
      storageClassName: choices.pick(['fast', 'static']),
      ...choices.maybe(0.5, 'nodeAffinity', () => ({
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                {
                  key: 'topology.kubernetes.io/zone',
                  operator: choices.pick(['In', 'NotIn']),
                  values: [choices.pick(zones)],
                },
              ],
            },
          ],
        },
      })),
    },
    status: { phase: 'Available' },
  }
}

function claim(choices: Choices, name: string, volumes: readonly Json[]): Json {
  const bound = volumes.length > 0 && choices.chance(0.7) ? choices.pick(volumes) : undefined
  const volumeName = bound && String((bound['metadata'] as Json)['name'])
  return {
    metadata: {
      name,
      namespace: choices.chance(0.9) ? 'default' : 'other',
      uid: name,
      ...(bound && { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }),
    },
    spec: {
      accessModes: [choices.pick(accessModes)],
      resources: { requests: { storage: '5Gi' } },
      storageClassName: choices.pick(['fast', 'static', 'late']),
      ...(bound && { volumeName }),
    },
    status: { phase: bound ? 'Bound' : 'Pending' },
  }
}

/** One question of kind `volumes`. */
export function volumesQuestion(choices: Choices): Json {
  const { args: _args, ...question } = fitQuestion(choices)
  const persistentVolumes = choices.list(0, 4, (index) => persistentVolume(choices, index))
  return {
    ...question,
    pods: (question['pods'] as Json[]).map((pod) => withVolumes(choices, pod, 0.5)),
    pod: withVolumes(choices, question['pod'] as Json, 0.9),
    persistentVolumes,
    persistentVolumeClaims: claims.map((name) => claim(choices, name, persistentVolumes)),
    storageClasses: [
      { metadata: { name: 'fast' }, provisioner: choices.pick(drivers), volumeBindingMode: 'Immediate' },
      { metadata: { name: 'late' }, provisioner: choices.pick(drivers), volumeBindingMode: 'WaitForFirstConsumer' },
    ],
    csiNodes: (question['nodes'] as Json[]).map((node) => ({
      metadata: { name: (node['metadata'] as Json)['name'] },
      spec: {
        drivers: drivers
          .filter(() => choices.chance(0.7))
          .map((name) => ({
            name,
            nodeID: 'id',
            ...choices.maybe(0.6, 'allocatable', () => ({ count: choices.integer(0, 3) })),
          })),
      },
    })),
  }
}
