import type { Node, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { measuredPodName, nodeName, racePod } from '../race-cluster.ts'
import { checkPlacement, checkSpread } from './check-placement.ts'

const nodes: readonly Node[] = [0, 1].map((i) => ({
  metadata: { name: nodeName(i) },
  status: { allocatable: { cpu: '1', memory: '1Gi', pods: '3', 'example.com/dongle': '2' } },
}))

function on(node: string | undefined, i: number, extended?: Pod['spec']['overhead']): Pod {
  const request = { cpu: '500m', ...(extended !== undefined && { extended }) }
  return racePod(measuredPodName(i), request, node === undefined ? {} : { nodeName: node })
}

describe('checkPlacement', () => {
  test.for([
    {
      it: 'refuses a pod without a node',
      pods: [on('node-0', 0), on(undefined, 1)],
      message: '1 of 2 pods have a node',
    },
    { it: 'refuses a missing pod', pods: [on('node-0', 0)], message: '1 of 2 pods have a node' },
    {
      it: 'refuses an unknown node',
      pods: [on('node-0', 0), on('node-7', 1)],
      message: 'pod pod-1 is on node-7, which does not exist',
    },
    {
      it: 'refuses too much cpu',
      pods: [on('node-0', 0), on('node-0', 1), racePod('other', { cpu: '1m' }, { nodeName: 'node-0' })],
      message: 'node-0 is over its capacity: 1 too many of cpu',
    },
    {
      it: 'refuses a resource that the node does not offer',
      pods: [on('node-0', 0), on('node-1', 1, { 'example.com/other': '1' })],
      message: 'node-1 is over its capacity: 1 too many of example.com/other',
    },
    {
      it: 'refuses too many pods',
      pods: [
        on('node-0', 0),
        on('node-1', 1),
        ...[0, 1, 2].map((i) => racePod(`other-${i}`, { cpu: '0' }, { nodeName: 'node-1' })),
      ],
      message: 'node-1 is over its capacity: 1 too many of pods',
    },
  ])('$it', ({ pods, message }) => {
    expect(() => checkPlacement(nodes, pods, 2)).toThrow(message)
  })

  test('accepts pods that fit', () => {
    const pods = [on('node-0', 0, { 'example.com/dongle': '2' }), on('node-0', 1), racePod('waiting-0')]
    expect(() => checkPlacement(nodes, pods, 2)).not.toThrow()
  })
})

describe('checkSpread', () => {
  test('refuses uneven zones', () => {
    const pods = [0, 3, 6].map((node, i) => on(nodeName(node), i))
    expect(() => checkSpread(pods, 2)).toThrow('the zones hold 3, 0, 0 pods')
  })

  test('accepts zones within the skew', () => {
    const pods = [0, 1, 2, 3].map((node, i) => on(nodeName(node), i))
    expect(() => checkSpread(pods, 1)).not.toThrow()
  })
})
