import type { PodSpec } from '@berth/types'
import { expect, test } from 'vitest'
import { pod } from '../test/builders.ts'
import { unsupportedFeatures } from './unsupported-features.ts'

const term = { topologyKey: 'zone' }
test.for<{ it: string; spec: Partial<PodSpec>; features: readonly string[] }>([
  { it: 'nothing special', spec: {}, features: [] },
  {
    it: 'volumes that every node has',
    spec: {
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'b', configMap: { name: 'x' } },
        { name: 'c', secret: {} },
      ],
    },
    features: [],
  },
  {
    it: 'a claim and a disk',
    spec: {
      volumes: [
        { name: 'a', persistentVolumeClaim: { claimName: 'x' } },
        { name: 'b', csi: { driver: 'x' } },
      ],
    },
    features: [
      'spec.volumes[a].persistentVolumeClaim: volumes that are tied to nodes are not implemented',
      'spec.volumes[b].csi: volumes that are tied to nodes are not implemented',
    ],
  },
  {
    it: 'resource claims',
    spec: { resourceClaims: [{ name: 'x' }] },
    features: ['spec.resourceClaims: dynamic resource allocation is not implemented'],
  },
  {
    it: 'spreading and affinity between pods',
    spec: {
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
      },
    },
    features: [],
  },
])('a pod with $it uses what the engine does not implement: $features', ({ spec, features }) => {
  expect(unsupportedFeatures(pod('p', {}, spec))).toEqual(features)
})
