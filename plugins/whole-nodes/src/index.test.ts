import type { Pod } from '@berth/plugin-api'
import { createHooks, decideOnce, runSchedulingPlugin, samplePod } from '@berth/plugin-api/testing'
import { describe, expect, test } from 'vitest'
import { samples } from '../test/sample.ts'
import { plugin } from './index.ts'

const DONGLE = 'example.com/dongle'

const podWith = (units: number, metadata = {}) => samplePod({ [DONGLE]: units }, metadata)

const nodes = [
  { name: 'whole-8', allocatable: { [DONGLE]: 8 } },
  { name: 'whole-4', allocatable: { [DONGLE]: 4 } },
  { name: 'broken-8', allocatable: { [DONGLE]: 8 }, requested: { [DONGLE]: 1 } },
  { name: 'none' },
]
const args = { resources: [DONGLE] }

test('whole-nodes keeps the contract', () => {
  expect(runSchedulingPlugin(plugin, samples['whole-nodes']).length).toBeGreaterThan(0)
})

describe('whole-nodes', () => {
  test('scores nodes that are in use highest, and of the whole ones the smaller higher', () => {
    expect(decideOnce(plugin, { args, nodes, pod: podWith(2) }).scores).toEqual({
      'whole-8': 0,
      'whole-4': 20,
      'broken-8': 100,
      none: 100,
    })
  })

  test('lets a pod that takes all units of a node have it', () => {
    expect(decideOnce(plugin, { args, nodes, pod: podWith(4) }).scores).toMatchObject({ 'whole-8': 0, 'whole-4': 100 })
  })

  test('leaves a pod that requests none of the resources to other plugins', () => {
    expect(decideOnce(plugin, { args, nodes, pod: podWith(0) }).preScore).toEqual({ kind: 'skip' })
  })

  test('scores a node by the resource that suffers most', () => {
    const SEAT = 'example.com/seat'
    const requests = { [DONGLE]: 1, [SEAT]: 1 }
    const pod: Pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', resources: { requests } }] } }
    const both = { [DONGLE]: 4, [SEAT]: 4 }
    const twoNodes = [
      { name: 'both-used', allocatable: both, requested: { [DONGLE]: 1, [SEAT]: 1 } },
      { name: 'seats-whole', allocatable: both, requested: { [DONGLE]: 1 } },
    ]
    const { scores } = decideOnce(plugin, { args: { resources: [DONGLE, SEAT] }, nodes: twoNodes, pod })
    expect(scores).toEqual({ 'both-used': 100, 'seats-whole': 0 })
  })
})

describe('arguments', () => {
  test.for([
    { it: 'no resource', args: { resources: [] }, says: 'args.resources: ' },
    { it: 'a number', args: { resources: [4] }, says: 'args.resources[0]: ' },
    {
      it: 'a resource of Kubernetes itself',
      args: { resources: [DONGLE, 'memory'] },
      says: 'args.resources[1]: "memory" is not an extended resource',
    },
    { it: 'an unknown key', args: { resources: [DONGLE], weight: 4 }, says: 'args.weight: no such key' },
  ])('are refused with $it', ({ args, says }) => {
    expect(() => createHooks(plugin, args)).toThrow(says)
  })
})
