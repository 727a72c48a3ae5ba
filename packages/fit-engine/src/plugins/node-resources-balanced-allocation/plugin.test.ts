import { describe, expect, test } from 'vitest'
import { boundPod, input, node, pod } from '../../../test/builders.ts'
import { examineScore } from '../../index.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import type { BalancedAllocationArgs } from './args.ts'
import { balancedAllocation } from './plugin.ts'

const DONGLE = 'example.com/dongle'
const all = { ...input, feasible: [] }

describe('NodeResourcesBalancedAllocation', () => {
  const resources = ['cpu', 'memory', DONGLE].map((name) => ({ name, weight: 1 }))
  test.for<{
    it: string
    args?: BalancedAllocationArgs
    offers: Record<string, string>
    held?: Record<string, string>
    asks: Record<string, string>
    score: number
  }>([
    { it: 'keeps its balance', offers: { cpu: '4', memory: '4Gi' }, asks: { cpu: '1', memory: '1Gi' }, score: 75 },
    { it: 'loses balance', offers: { cpu: '4', memory: '4Gi' }, asks: { cpu: '2' }, score: 62 },
    {
      it: 'gains balance',
      offers: { cpu: '4', memory: '4Gi' },
      held: { cpu: '2' },
      asks: { memory: '2Gi' },
      score: 87,
    },
    {
      it: 'counts an overcommitted resource as full',
      offers: { cpu: '1', memory: '4Gi' },
      asks: { cpu: '9', memory: '4Gi' },
      score: 75,
    },
    { it: 'has one resource only', offers: { cpu: '4', memory: '0' }, asks: { cpu: '1' }, score: 75 },
    {
      it: 'has three resources',
      args: { resources },
      offers: { cpu: '4', memory: '4Gi', [DONGLE]: '4' },
      asks: { cpu: '4', [DONGLE]: '2' },
      score: 54,
    },
    {
      it: 'has a resource that the pod does not request',
      args: { resources },
      offers: { cpu: '4', memory: '4Gi', [DONGLE]: '4' },
      asks: { cpu: '2' },
      score: 62,
    },
    {
      it: 'is so overcommitted that Go computes a balance far below 0',
      offers: { cpu: '4', memory: '8Gi' },
      held: { cpu: '1Ei' },
      asks: { cpu: '1', memory: '1Gi' },
      score: 91,
    },
    { it: 'is exact beyond 2^53', offers: { cpu: '4', memory: '16Pi' }, asks: { cpu: '1', memory: '4Pi' }, score: 75 },
  ])('scores $score for a node that $it', ({ args, offers, held, asks, score }) => {
    const state = createClusterState()
    state.setNode(node('n', offers))
    if (held !== undefined) state.setPod(boundPod('holder', 'n', held))
    expect(examineScore(balancedAllocation(args), state, pod('p', asks), all).raw.get('n')).toBe(score)
  })

  test('skips a pod that requests none of the resources', () => {
    const state = createClusterState()
    state.setNode(node('n', { [DONGLE]: '1' }))
    expect(examineScore(balancedAllocation(), state, pod('p', { [DONGLE]: '1' }), all).isSkipped).toBe(true)
  })

  test.for<{ args: unknown; says: string }>([
    { args: { resource: [] }, says: 'there is no field "resource"' },
    { args: { resources: [{ name: 'cpu', weight: 2 }] }, says: 'resources[0].weight: 2 is not 1' },
    { args: { resources: [{ name: 'cpu' }, { name: 'cpu' }] }, says: 'resources[1].name: cpu is listed twice' },
  ])('refuses arguments: $says', ({ args, says }) => {
    expect(() => balancedAllocation(args as BalancedAllocationArgs)).toThrow(
      expect.objectContaining({ code: 'BERTH_FIT_ARGS', message: expect.stringContaining(says) }),
    )
  })
})
