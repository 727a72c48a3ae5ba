import type { Pod } from '@berth/plugin-api'
import { createHooks, decideOnce, runSchedulingPlugin, samplePod } from '@berth/plugin-api/testing'
import { describe, expect, test } from 'vitest'
import { samples } from '../test/sample.ts'
import { plugin } from './index.ts'

const DONGLE = 'example.com/dongle'

const podWith = (units: number, metadata = {}) => samplePod({ [DONGLE]: units }, metadata)

const nodes = [
  { name: 'empty', allocatable: { [DONGLE]: 8 } },
  { name: 'half', allocatable: { [DONGLE]: 8 }, requested: { [DONGLE]: 4 } },
  { name: 'small', allocatable: { [DONGLE]: 2 } },
  { name: 'none' },
]

test('pack-or-spread keeps the contract', () => {
  expect(runSchedulingPlugin(plugin, samples['pack-or-spread']).length).toBeGreaterThan(0)
})

describe('pack-or-spread', () => {
  test.for([
    { mode: 'pack', scores: { empty: 25, half: 75, small: 100, none: 0 } },
    { mode: 'spread', scores: { empty: 75, half: 25, small: 0, none: 0 } },
  ])('scores the share of the units that is used with the pod, with mode $mode', ({ mode, scores }) => {
    const args = { resources: [{ name: DONGLE, mode }] }
    expect(decideOnce(plugin, { args, nodes, pod: podWith(2) }).scores).toEqual(scores)
  })

  test('packs by default', () => {
    const decided = decideOnce(plugin, { args: { resources: [{ name: DONGLE }] }, nodes, pod: podWith(2) })
    expect(decided.scores).toMatchObject({ empty: 25, half: 75 })
  })

  test('leaves a pod that requests none of the resources to other plugins', () => {
    const { preScore } = decideOnce(plugin, { args: { resources: [{ name: DONGLE }] }, nodes, pod: podWith(0) })
    expect(preScore).toEqual({ kind: 'skip' })
  })

  test('weighs several resources by their weights', () => {
    const requests = { [DONGLE]: 2, cpu: '1' }
    const pod: Pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', resources: { requests } }] } }
    const args = {
      resources: [
        { name: DONGLE, weight: 3 },
        { name: 'cpu', mode: 'spread' },
      ],
    }
    const one = [{ name: 'node-a', allocatable: { [DONGLE]: 4, cpu: 4_000 }, requested: { cpu: 1_000 } }]
    // Three times 50 % used dongles and once 50 % free cpu.
    expect(decideOnce(plugin, { args, nodes: one, pod }).scores).toEqual({ 'node-a': 50 })
  })
})

describe('arguments', () => {
  test.for([
    { it: 'no resource', args: {}, says: 'args.resources: ' },
    {
      it: 'a text that names no resource',
      args: { resources: [{ name: 'cpus' }] },
      says: 'args.resources[0].name: "cpus"',
    },
    { it: 'an unknown mode', args: { resources: [{ name: DONGLE, mode: 'fill' }] }, says: 'args.resources[0].mode: ' },
    {
      it: 'a resource twice',
      args: { resources: [{ name: DONGLE }, { name: DONGLE }] },
      says: 'args.resources: a resource is listed twice',
    },
    {
      it: 'a misspelt key',
      args: { resources: [{ name: DONGLE, wieght: 2 }] },
      says: 'args.resources[0].wieght: no such key',
    },
  ])('are refused with $it', ({ args, says }) => {
    expect(() => createHooks(plugin, args)).toThrow(says)
  })
})
