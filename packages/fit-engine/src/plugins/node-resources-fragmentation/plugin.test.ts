import { describe, expect, test } from 'vitest'
import { boundPod, input, node, pod } from '../../../test/builders.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { createFramework, decide, defaultPlugins, examineScore } from '../../index.ts'
import { ProfileError } from '../../index.ts'
import type { FragmentationArgs } from './args.ts'
import { resourcesFragmentation } from './plugin.ts'
import { powersOfTwo, wholeBlocks } from './whole-blocks.ts'

const DONGLE = 'example.com/dongle'
const SEAT = 'example.com/seat'

test.for([
  { it: 'takes one from a block of 8', free: 8, asked: 1, score: 0 },
  { it: 'takes the odd one', free: 7, asked: 1, score: 100 },
  { it: 'breaks a pair', free: 6, asked: 1, score: 85 },
  { it: 'breaks a block of 4', free: 4, asked: 1, score: 57 },
  { it: 'takes the last one', free: 1, asked: 1, score: 100 },
  { it: 'takes all three', free: 3, asked: 3, score: 100 },
  { it: 'leaves one of four', free: 4, asked: 3, score: 57 },
  { it: 'leaves a block of 4', free: 7, asked: 3, score: 100 },
  { it: 'leaves a block of 4, as the example in its description does not', free: 5, asked: 2, score: 66 },
  { it: 'loses the same number of blocks on every node', free: 64, asked: 8, score: 100 },
  { it: 'exceeds what is free', free: -3, asked: 1, score: 100 },
])('wholeBlocks scores $score for a pod of $asked that $it of $free', ({ free, asked, score }) => {
  expect(wholeBlocks(free, asked, [2, 4, 8])).toBe(score)
})

test.for([
  { largest: 1, sizes: [] },
  { largest: 2, sizes: [2] },
  { largest: 9, sizes: [2, 4, 8] },
])('powersOfTwo up to $largest are $sizes', ({ largest, sizes }) => {
  expect(powersOfTwo(largest)).toEqual(sizes)
})

/** Nodes n<k> with k units free. */
function nodesWithFree(...free: readonly number[]) {
  const state = createClusterState()
  for (const units of free) {
    state.setNode(node(`n${units}`, { [DONGLE]: `${units + 1}` }))
    state.setPod(boundPod(`h${units}`, `n${units}`, { [DONGLE]: '1' }))
  }
  return state
}

const fragmentation = { plugin: resourcesFragmentation(), weight: 1 }

describe('NodeResourcesFragmentation', () => {
  test('scores free units in blocks up to the largest free amount', () => {
    const { raw } = examineScore(fragmentation.plugin, nodesWithFree(1, 4, 7, 8), pod('p', { [DONGLE]: '1' }), {
      ...input,
      feasible: [],
    })
    expect(Object.fromEntries(raw)).toEqual({ n1: 100, n4: 57, n7: 100, n8: 0 })
  })

  test('keeps the largest block whole although the default scores would spread', () => {
    const state = nodesWithFree(8, 5)
    const asks = pod('p', { [DONGLE]: '1' })
    const bestOf = (weight: number): readonly string[] => {
      const framework = createFramework({ plugins: [...defaultPlugins(), { ...fragmentation, weight }] })
      return decide(framework, state, asks, input).best
    }
    expect([bestOf(0), bestOf(2)]).toEqual([['n8', 'n5'], ['n5']])
  })

  test('places pods of 1 so that one of 8 still fits, as docs/guides/keep-blocks-whole.md describes', () => {
    const framework = createFramework({ plugins: [...defaultPlugins(), { ...fragmentation, weight: 5 }] })
    const state = nodesWithFree(8, 7, 4)
    const placed: string[] = []
    for (let i = 0; i < 4; i++) {
      const one = pod(`one-${i}`, { [DONGLE]: '1' })
      const [target = ''] = decide(framework, state, one, { ...input, nodeNames: ['n8', 'n7', 'n4'] }).best
      placed.push(target)
      state.assume(one, target)
    }
    expect(placed).not.toContain('n8')
    expect(decide(framework, state, pod('eight', { [DONGLE]: '8' }), input).feasible).toEqual(['n8'])
  })

  test('skips a pod without extended resources, and is not part of the default profile', () => {
    const { isSkipped } = examineScore(fragmentation.plugin, nodesWithFree(4), pod('p', { cpu: '1' }), {
      ...input,
      feasible: [],
    })
    expect(isSkipped).toBe(true)
    expect(defaultPlugins().map(({ plugin }) => plugin.name)).not.toContain(fragmentation.plugin.name)
  })

  test('weights resources, and ignores those that a node does not offer or that are not configured', () => {
    const state = createClusterState()
    state.setNode(node('both', { [DONGLE]: '4', [SEAT]: '3' }))
    state.setNode(node('one', { [DONGLE]: '4' }))
    const scoresWith = (args: FragmentationArgs): object => {
      const plugin = resourcesFragmentation(args)
      const { raw } = examineScore(plugin, state, pod('p', { [DONGLE]: '1', [SEAT]: '1' }), { ...input, feasible: [] })
      return Object.fromEntries(raw)
    }
    expect(scoresWith({})).toEqual({ both: 50, one: 0 })
    const resources = [{ name: DONGLE }, { name: SEAT, weight: 3 }]
    expect(scoresWith({ resources })).toEqual({ both: 75, one: 0 })
    expect(scoresWith({ resources: [{ name: DONGLE, blockSizes: [3, 3] }] })).toEqual({ both: 100, one: 100 })
    expect(scoresWith({ resources: [{ name: SEAT }] })).toEqual({ both: 100, one: 0 })
  })

  test.for<{ it: string; args: FragmentationArgs; says: string }>([
    { it: 'a native name', args: { resources: [{ name: 'cpu' }] }, says: 'resources[0].name: it has no domain' },
    { it: 'a duplicate name', args: { resources: [{ name: SEAT }, { name: SEAT }] }, says: 'resources[1].name' },
    { it: 'a weight of 0', args: { resources: [{ name: SEAT, weight: 0 }] }, says: '0 is not in 1..100' },
    { it: 'no sizes', args: { resources: [{ name: SEAT, blockSizes: [] }] }, says: 'blockSizes: 0 sizes' },
    { it: 'half a unit', args: { resources: [{ name: SEAT, blockSizes: [1, 0.5] }] }, says: 'blockSizes[1]: 0.5' },
    { it: 'a misspelled field', args: { resource: [] } as object, says: 'there is no field "resource"' },
  ])('refuses $it', ({ args, says }) => {
    expect(() => resourcesFragmentation(args)).toThrow(ProfileError)
    expect(() => resourcesFragmentation(args)).toThrow(says)
  })
})
