import type { DecidePlugin, ObjectMeta } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, framework, input, node, pod } from '../../test/builders.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { type ClusterState, createFramework, explain, plan } from '../index.ts'
import { formatAmount } from './format-amount.ts'
import { withRequest } from './with-request.ts'

const DONGLE = 'example.com/dongle'
const SEAT = 'example.com/seat'

/** One full node, one with half of the request, one that cannot be used. */
function cluster(): ClusterState {
  const state = createClusterState()
  state.setNode(node('full', { [DONGLE]: '4' }))
  state.setNode(node('half', { [DONGLE]: '2' }))
  state.setNode(node('cordoned', { [DONGLE]: '9' }, { spec: { unschedulable: true } }))
  state.setPod(boundPod('big', 'full', { [DONGLE]: '3' }))
  state.setPod(boundPod('small', 'full', { [DONGLE]: '1' }))
  return state
}

describe('explain', () => {
  test('lists the holders of each resource on every node', () => {
    const { nodes, funnel } = explain(framework, cluster(), pod('p', { [DONGLE]: '4', cpu: '1' }), input)
    expect(nodes.map(({ node, verdict }) => `${node} ${verdict.kind}`)).toEqual([
      'cordoned unresolvable',
      'full unschedulable',
      'half unresolvable',
    ])
    const full = nodes[1]
    expect(full?.resources.find(({ resourceName }) => resourceName === DONGLE)).toEqual({
      resourceName: DONGLE,
      asks: 4n,
      has: 4n,
      used: 4n,
      free: 0n,
      heldBy: [
        { namespace: 'default', name: 'big', uid: 'big', amount: 3n, priority: 0 },
        { namespace: 'default', name: 'small', uid: 'small', amount: 1n, priority: 0 },
      ],
    })
    expect(nodes[0]?.filters.filter(({ code }) => code !== 0)).toEqual([
      { plugin: 'NodeUnschedulable', code: 3, reasons: ['node(s) were unschedulable'] },
    ])
    expect(funnel.find(({ after }) => after === 0)).toEqual({ plugin: 'NodeResourcesFit', before: 2, after: 0 })
  })

  test('proposes the smallest changes, cheapest first, each with a sentence', () => {
    const { fixes } = explain(framework, cluster(), pod('p', { [DONGLE]: '4' }), input)
    expect(fixes).toEqual([
      {
        kind: 'lower-request',
        node: 'half',
        changes: [{ resourceName: DONGLE, from: 4n, to: 2n }],
        cost: 5.5,
        sentence: `Request 2 ${DONGLE} instead of 4: node half has that much left.`,
        verified: true,
      },
      {
        kind: 'uncordon',
        node: 'cordoned',
        cost: 30,
        sentence: 'Uncordon node cordoned.',
        verified: true,
      },
      {
        kind: 'evict',
        node: 'full',
        pods: [
          { namespace: 'default', name: 'big', uid: 'big', priority: 0 },
          { namespace: 'default', name: 'small', uid: 'small', priority: 0 },
        ].toSorted((a, b) => (a.name < b.name ? 1 : -1)),
        cost: 40,
        sentence: 'Evict default/small, default/big from node full.',
        verified: true,
      },
      {
        kind: 'add-capacity',
        node: 'half',
        additions: [{ resourceName: DONGLE, amount: 2n }],
        cost: 150,
        sentence: `Increase the capacity of node half by 2 ${DONGLE}.`,
        verified: true,
      },
    ])
  })

  test('proposes to evict the fewest and least important pods', () => {
    const state = createClusterState()
    state.setNode(node('n', { [DONGLE]: '4' }))
    const held = (name: string, units: string, priority: number) =>
      state.setPod(boundPod(name, 'n', { [DONGLE]: units }, { priority }))
    held('important', '1', 9)
    held('equal', '1', 5)
    held('low', '1', 1)
    held('lowest', '1', 0)
    const find = (units: string) =>
      explain(framework, state, pod('p', { [DONGLE]: units }, { priority: 5 }), input).fixes.find(
        ({ kind }) => kind === 'evict',
      )
    expect(find('1')).toMatchObject({ pods: [{ name: 'lowest' }], cost: 10 })
    expect(find('2')).toMatchObject({ pods: [{ name: 'low' }, { name: 'lowest' }], cost: 20 })
    expect(find('3')).toMatchObject({ pods: [{ name: 'equal' }, { name: 'low' }, { name: 'lowest' }], cost: 40 })
    expect(find('4')).toBeUndefined()
  })

  test.for<{ it: string; metadata: ObjectMeta }>([
    {
      it: 'a DaemonSet',
      metadata: {
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }],
      },
    },
    { it: 'a static manifest', metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
  ])('does not propose to evict a pod of $it, which would be recreated', ({ metadata }) => {
    const state = createClusterState()
    state.setNode(node('n', { [DONGLE]: '1' }))
    state.setPod(pod('d', { [DONGLE]: '1' }, { nodeName: 'n' }, metadata))
    const { fixes } = explain(framework, state, pod('p', { [DONGLE]: '1' }), input)
    expect(fixes.map(({ kind }) => kind)).toEqual(['add-capacity'])
  })

  test('proposes a higher number of pods for a node that is full', () => {
    const state = createClusterState()
    state.setNode(node('n', { pods: '0' }))
    const { fixes } = explain(framework, state, pod('p', { cpu: '9', memory: '1Gi' }), input)
    expect(fixes).toMatchObject([
      {
        kind: 'add-capacity',
        additions: [
          { resourceName: 'pods', amount: 1n },
          { resourceName: 'cpu', amount: 1000n },
        ],
        sentence: 'Increase the capacity of node n by 1 pods and 1 cpu.',
      },
    ])
  })

  test('proposes nothing that another plugin would still reject', () => {
    const picky: DecidePlugin = {
      name: 'Picky',
      filter: (p, { count }, output, { cluster: reader }) => {
        for (let i = 0; i < count; i++) {
          const isChanged =
            reader.podsOn(0).length === 0 || reader.allocatable(0, DONGLE) !== 1n || p.metadata.uid === ''
          if (isChanged) output.reject(i, 2, 'not on changed nodes')
        }
      },
    }
    const profile = createFramework({ plugins: [...framework.plugins, { plugin: picky, weight: 0 }] })
    const state = createClusterState()
    state.setNode(node('n', { [DONGLE]: '1' }))
    state.setPod(boundPod('holder', 'n', { [DONGLE]: '1' }))
    expect(explain(profile, state, pod('p', { [DONGLE]: '1' }), input).fixes).toEqual([])
  })

  test('proposes nothing for a pod that fits, or when a plugin failed', () => {
    const fits = explain(framework, cluster(), pod('p', { [DONGLE]: '1' }), input)
    expect([fits.decision.feasible, fits.fixes]).toEqual([['half'], []])
    const broken: DecidePlugin = {
      name: 'Broken',
      filter: () => {
        throw new Error('out of order')
      },
    }
    const profile = createFramework({ plugins: [{ plugin: broken, weight: 0 }] })
    const failed = explain(profile, cluster(), pod('p'), input)
    expect([failed.decision.error?.plugin, failed.nodes, failed.fixes]).toEqual(['Broken', [], []])
  })

  test('proposes no eviction for a pod that a preFilter rejects', () => {
    const plugin: DecidePlugin = { name: 'No', preFilter: () => ({ kind: 'reject', code: 2, reasons: ['no'] }) }
    const profile = createFramework({ plugins: [...framework.plugins, { plugin, weight: 0 }] })
    expect(explain(profile, cluster(), pod('p', { [DONGLE]: '4' }), input).fixes).toEqual([])
  })

  test('leaves the state unchanged', () => {
    const state = cluster()
    const { generation } = state
    explain(framework, state, pod('p', { [DONGLE]: '4' }), input)
    expect([state.generation, state.requested(0, DONGLE), state.podsOn(0).length]).toEqual([generation, 4n, 2])
  })
})

describe('withRequest', () => {
  const asks = new Map([[DONGLE, 2n]])
  test('changes the sum over containers and init containers', () => {
    const containers = ['2', '3'].map((units, i) => ({ name: `c${i}`, resources: { requests: { [DONGLE]: units } } }))
    const initContainers = [{ name: 'i', resources: { requests: { [DONGLE]: '9' } } }]
    const changed = withRequest(pod('p', {}, { containers, initContainers }), asks)
    expect(changed?.spec.containers.map(({ resources }) => resources?.requests)).toEqual([{ [DONGLE]: '2' }, {}])
  })

  test('changes pod-level requests if there are any', () => {
    const changed = withRequest(pod('p', {}, { resources: { requests: { cpu: '4' } } }), new Map([['cpu', 1500n]]))
    expect(changed?.spec.resources?.requests).toEqual({ cpu: '1500m' })
  })

  test('cannot go below the overhead, and needs a container', () => {
    const p = pod('p', { cpu: '1' }, { overhead: { cpu: '2' } })
    expect(withRequest(p, new Map([['cpu', 1000n]]))).toBeUndefined()
    expect(withRequest(pod('p', {}, { containers: [] }), asks)).toBeUndefined()
  })
})

describe('plan', () => {
  test('counts how many more copies fit, where, and what is left', () => {
    const state = cluster()
    state.setNode(node('more', { [DONGLE]: '5' }))
    const answer = plan(framework, state, pod('p', { [DONGLE]: '2' }), input)
    expect(answer).toEqual({
      count: 3,
      isLimited: false,
      byNode: new Map([
        ['half', 1],
        ['more', 2],
      ]),
      message: `0/4 nodes are available: 1 node(s) were unschedulable, 3 Insufficient ${DONGLE}.`,
      // The cordoned node has nine, which do not count.
      largestFree: [{ resourceName: DONGLE, node: 'more', free: 1n }],
    })
    expect(state.requested(1, DONGLE)).toBe(0n)
  })

  test('answers what-if questions on a fork without changing the state', () => {
    const state = cluster()
    const candidate = pod('p', { [DONGLE]: '2' })
    const changed = state.fork()
    changed.setNode(node('new', { [DONGLE]: '8' }))
    changed.deletePod(boundPod('big', 'full'))
    expect([plan(framework, state, candidate, input).count, plan(framework, changed, candidate, input).count]).toEqual([
      1, 6,
    ])
    expect(explain(framework, changed, pod('q', { [DONGLE]: '9' }), input).fixes[0]).toMatchObject({ node: 'new' })
    expect([plan(framework, state, candidate, input).count, state.nodeNames()]).toEqual([
      1,
      ['full', 'half', 'cordoned'],
    ])
  })

  test('stops at its limit', () => {
    const answer = plan(framework, cluster(), pod('p', {}), { ...input, limit: 7 })
    expect([answer.count, answer.isLimited, answer.message]).toEqual([7, true, ''])
    const empty = plan(framework, createClusterState(), pod('p', { [SEAT]: '1' }), input)
    expect([empty.count, empty.largestFree]).toEqual([0, [{ resourceName: SEAT, node: '', free: 0n }]])
  })
})

test.for([
  ['cpu', 1500n, '1500m'],
  ['cpu', 2000n, '2'],
  ['memory', 1536n * 1024n * 1024n, '1536Mi'],
  ['memory', 1000n, '1000'],
  ['hugepages-2Mi', 0n, '0'],
  [DONGLE, 1024n, '1024'],
] as const)('formats %s %s as %s', ([name, amount, text]) => {
  expect(formatAmount(name, amount)).toBe(text)
})
