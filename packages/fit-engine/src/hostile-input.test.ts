import type { DecidePlugin, Node, Pod, PodSpec, Toleration } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, framework, input, node, pod } from '../test/builders.ts'
import { createClusterState } from './state/create-cluster-state.ts'
import { type ClusterState, createFramework, decide, explain, plan, unsupportedFeatures, verdicts } from './index.ts'
import { tolerationMatcher } from './selectors/tolerations.ts'

const DONGLE = 'example.com/dongle'
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `k${i}`)
const labelled = (count: number): Record<string, string> => Object.fromEntries(names(count).map((key) => [key, 'x']))
const taints = (count: number) => names(count).map((key) => ({ key, value: 'x', effect: 'NoSchedule' }))
const tolerations = (count: number): Toleration[] => names(count).map((key) => ({ key, value: 'x' }))

/** The list, and how often one of its entries was read. */
function counted<T extends object>(list: readonly T[]): { readonly list: readonly T[]; readonly reads: () => number } {
  let reads = 0
  const watched = list.map(
    (entry) =>
      new Proxy(entry, {
        get(target, key, receiver): unknown {
          reads += 1
          return Reflect.get(target, key, receiver)
        },
      }),
  )
  return { list: watched, reads: () => reads }
}

interface Case {
  readonly it: string
  /** A node and a pod whose size grows with `size`, and how often their parts were read by now. */
  readonly make: (size: number) => { readonly node: Node; readonly pod: Pod; readonly reads: () => number }
  readonly fits: boolean
}

const affinityTo = (values: readonly string[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'k0', operator: 'In', values }] }],
      },
    },
  },
})

describe('work grows linearly with the input', () => {
  test.for<Case>([
    {
      it: 'taints that as many tolerations all tolerate',
      make: (size) => {
        const [a, b] = [counted(taints(size)), counted(tolerations(size).toReversed())]
        return {
          node: node('n', {}, { spec: { taints: a.list } }),
          pod: pod('p', {}, { tolerations: b.list }),
          reads: () => a.reads() + b.reads(),
        }
      },
      fits: true,
    },
    {
      it: 'taints of which only the last is not tolerated',
      make: (size) => {
        const [a, b] = [counted(taints(size)), counted(tolerations(size - 1))]
        return {
          node: node('n', {}, { spec: { taints: a.list } }),
          pod: pod('p', {}, { tolerations: b.list }),
          reads: () => a.reads() + b.reads(),
        }
      },
      fits: false,
    },
    {
      it: 'tolerations of a pod on nodes without taints',
      make: (size) => {
        const { list, reads } = counted(tolerations(size))
        return { node: node('n'), pod: pod('p', {}, { tolerations: list }), reads }
      },
      fits: true,
    },
    {
      it: 'containers with requests',
      make: (size) => {
        const { list, reads } = counted(
          names(size).map((name) => ({ name, resources: { requests: { [DONGLE]: '1' } } })),
        )
        return { node: node('n', { [DONGLE]: `${size}` }), pod: pod('p', {}, { containers: list }), reads }
      },
      fits: true,
    },
  ])('$it', ({ make, fits }) => {
    const readsOf = (size: number): number => {
      const made = make(size)
      const state = createClusterState()
      state.setNode(made.node)
      const { feasible } = decide(framework, state, made.pod, input)
      expect(feasible.length === 1).toBe(fits)
      return made.reads()
    }
    const [once, twice] = [readsOf(2_500), readsOf(5_000)]
    expect(twice).toBeLessThan(once * 2.2 + 100)
    expect(twice).toBeLessThan(5_000 * 40)
  })

  test('looks a taint up among 5,000 tolerations instead of searching', () => {
    const { list, reads } = counted(tolerations(5_000))
    const isTolerated = tolerationMatcher(list)
    const before = reads()
    expect(taints(5_000).every(isTolerated)).toBe(true)
    expect(reads()).toBe(before)
  })

  test('looks a taint up by its fields without building strings', () => {
    let texts = 0
    const word = (text: string): string => ({ toString: () => ((texts += 1), text) }) as unknown as string
    const [key, value] = [word('gpu'), word('old')]
    const isTolerated = tolerationMatcher([...tolerations(5_000), { key, operator: 'Equal', value }])
    expect(isTolerated({ key, value, effect: 'PreferNoSchedule' })).toBe(true)
    expect(isTolerated({ key, value: word('new'), effect: 'PreferNoSchedule' })).toBe(false)
    expect(texts).toBe(0)
  })
})

/** Far above what linear work takes on any machine, far below what quadratic work takes. */
const CEILING_MS = 30_000

describe('huge objects are judged like others', { timeout: CEILING_MS }, () => {
  test.for<{ it: string; node: () => Node; pod: () => Pod; fits: boolean }>([
    {
      it: 'an annotation of 1 MiB',
      node: () => node('n', {}, { metadata: { annotations: { a: 'x'.repeat(1 << 20) } } }),
      pod: () => pod('p', {}, {}, { annotations: { a: 'x'.repeat(1 << 20) } }),
      fits: true,
    },
    {
      it: '10,000 labels and a selector for each',
      node: () => node('n', {}, { metadata: { labels: labelled(10_000) } }),
      pod: () => pod('p', {}, { nodeSelector: labelled(10_000) }, { labels: labelled(10_000) }),
      fits: true,
    },
    {
      it: 'an affinity with 10,000 values, of which the last matches',
      node: () => node('n', {}, { metadata: { labels: { k0: 'k9999' } } }),
      pod: () => pod('p', {}, affinityTo(names(10_000))),
      fits: true,
    },
    {
      it: 'an affinity with 10,000 values, of which none matches',
      node: () => node('n', {}, { metadata: { labels: { k0: 'other' } } }),
      pod: () => pod('p', {}, affinityTo(names(10_000))),
      fits: false,
    },
    {
      it: '10,000 resources, all of them requested',
      node: () => node('n', Object.fromEntries(names(10_000).map((key) => [`example.com/${key}`, '1']))),
      pod: () => pod('p', Object.fromEntries(names(10_000).map((key) => [`example.com/${key}`, '1']))),
      fits: true,
    },
    {
      it: 'owners that own each other and themselves',
      node: () => node('n'),
      pod: () => {
        const owner = (name: string) => ({
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name,
          uid: name,
          controller: true,
        })
        return pod('p', {}, {}, { ownerReferences: [owner('p'), owner('q'), owner('p')] })
      },
      fits: true,
    },
  ])('$it', ({ node: makeNode, pod: makePod, fits }) => {
    const state = createClusterState()
    state.setNode(makeNode())
    const neighbour = makePod()
    state.setPod({
      ...neighbour,
      metadata: { ...neighbour.metadata, uid: 'q', name: 'q' },
      spec: { nodeName: 'n', containers: [] },
    })
    const made = makePod()
    expect(decide(framework, state, made, input).feasible).toEqual(fits ? ['n'] : [])
    expect(explain(framework, state, made, input).nodes).toHaveLength(1)
  })

  test('2,000 pods with a selector of 1,000 values each', () => {
    const state = createClusterState()
    state.setNode(node('n', { pods: '9999' }, { metadata: { labels: { zone: 'z' } } }))
    const labelSelector = { matchExpressions: [{ key: 'app', operator: 'In', values: names(1_000) }] }
    const podAntiAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector }],
    }
    for (const name of names(2_000)) state.setPod(boundPod(name, 'n', {}, { affinity: { podAntiAffinity } }))
    const asks = (app: string): Pod => pod('p', {}, { affinity: { podAntiAffinity } }, { labels: { app } })
    expect(decide(framework, state, asks('k999'), input).feasible).toEqual([])
    expect(decide(framework, state, asks('other'), input).feasible).toEqual(['n'])
  })
})

describe('names of Object.prototype members', () => {
  const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const own = (key: string, value: string): Record<string, string> =>
    JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`) as Record<string, string>

  test.for(odd)('%s is an ordinary label', (key) => {
    const state = createClusterState()
    state.setNode(node('with', {}, { metadata: { labels: own(key, 'x') } }))
    state.setNode(node('without'))
    expect(decide(framework, state, pod('p', {}, { nodeSelector: own(key, 'x') }), input).feasible).toEqual(['with'])
    const exists = { matchExpressions: [{ key, operator: 'Exists' }] }
    const required = { nodeSelectorTerms: [exists] }
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required }
    const { feasible } = decide(framework, state, pod('q', {}, { affinity: { nodeAffinity } }), input)
    // A key must begin and end with a letter or digit.
    expect(feasible).toEqual(key === '__proto__' ? [] : ['with'])
  })

  test.for(odd)('%s is an ordinary name of nodes, pods, namespaces and resources', (name) => {
    const state = createClusterState()
    const resource = `example.com/${name}`
    state.setNode(node(name, { ...own(name, '7'), [resource]: '1' }))
    state.setPod(pod(name, { [resource]: '1' }, { nodeName: name }, { namespace: name, uid: name }))
    const asks = pod('p', { ...own(name, '9'), [resource]: '1' }, {}, { namespace: name })
    const decision = decide(framework, state, asks, input)
    // No valid resource has such a name without a domain, or a name that ends in an underscore.
    const isLegal = name !== '__proto__'
    expect(verdicts(decision).map(({ kind, node: where }) => `${where} ${kind}`)).toEqual([
      `${name} ${isLegal ? 'unschedulable' : 'fits'}`,
    ])
    state.deletePod(pod(name, {}, {}, { namespace: name, uid: name }))
    expect(decide(framework, state, asks, input).best).toEqual([name])
    state.deleteNode(name)
    expect([...state.pods(), ...state.nodeNames()]).toEqual([])
    expect(Object.prototype).not.toHaveProperty('x')
  })
})

describe('objects that cannot be read', () => {
  const healthy = (): ClusterState => {
    const state = createClusterState()
    state.setNode(node('n', { [DONGLE]: '1' }))
    return state
  }

  test.for<{ it: string; change: (state: ClusterState) => void; says: string }>([
    {
      it: 'a node',
      change: (state) => state.setNode(node('bad', { cpu: 'lots' })),
      says: 'read node bad: parse quantity',
    },
    {
      it: 'a bound pod',
      change: (state) => state.setPod(boundPod('bad', 'n', { [DONGLE]: '1x' })),
      says: 'read pod default/bad: parse quantity "1x": quantities must match',
    },
    {
      it: 'an assumed pod',
      change: (state) => state.assume(pod('bad', { [DONGLE]: '1m5' }), 'n'),
      says: 'read pod default/bad: parse quantity "1m5": unable to parse quantity\'s suffix',
    },
    {
      it: 'a nominated pod',
      change: (state) => state.nominate(pod('bad', { [DONGLE]: '1x' }), 'n'),
      says: 'read pod default/bad: parse quantity "1x"',
    },
  ])('refuses only $it whose amount is not a quantity, with a reason', ({ change, says }) => {
    const state = healthy()
    const { generation } = state
    expect(() => change(state)).toThrow(says)
    expect([state.generation, state.nodeNames(), [...state.pods()]]).toEqual([generation, ['n'], []])
    expect(decide(framework, state, pod('p', { [DONGLE]: '1' }), input).best).toEqual(['n'])
  })

  test('refuses a candidate whose amount is not a quantity, and judges the next', () => {
    const state = healthy()
    const { error, feasible } = decide(framework, state, pod('bad', { [DONGLE]: '1x' }), input)
    expect([error?.plugin, feasible]).toEqual(['NodeResourcesFit', []])
    expect(error?.message).toContain('quantities must match')
    state.objects.set('deviceClasses', { metadata: { name: 'c' }, spec: { extendedResourceName: DONGLE } })
    expect(unsupportedFeatures(pod('bad', { [DONGLE]: '1x' }), state.objects)).toEqual([])
    expect(decide(framework, state, pod('p', { [DONGLE]: '1' }), input).best).toEqual(['n'])
  })

  test.for([
    { it: 'with a node that passes earlier filters', nodes: [node('n')] },
    { it: 'with a node that an earlier filter rejects', nodes: [node('n', {}, { spec: { unschedulable: true } })] },
    { it: 'without nodes', nodes: [] },
  ])('every entry point reports a candidate whose amount is not a quantity, $it', ({ nodes }) => {
    const state = createClusterState()
    for (const each of nodes) state.setNode(each)
    const bad = pod('bad', { [DONGLE]: '1x' })
    const says = expect.stringContaining(nodes.length > 0 ? 'parse quantity "1x"' : 'no nodes available') as string
    for (const rejections of ['always', 'when-none-fits'] as const) {
      expect(decide(framework, state, bad, { ...input, rejections })).toMatchObject({ feasible: [], message: says })
    }
    expect(explain(framework, state, bad, input)).toMatchObject({ decision: { message: says }, nodes: [], fixes: [] })
    expect(plan(framework, state, bad, input)).toMatchObject({ count: 0, message: says, largestFree: [] })
  })

  test('explain reports a plugin that fails during its search as a finding', () => {
    const state = createClusterState()
    state.setNode(node('n', { [DONGLE]: '1' }))
    state.setNode(node('fragile', {}, { spec: { unschedulable: true } }))
    state.setPod(boundPod('holder', 'n', { [DONGLE]: '1' }))
    const fragile: DecidePlugin = {
      name: 'fragile',
      filter(_pod, { rows, count }, _output, { cluster }) {
        for (let i = 0; i < count; i++) {
          const row = rows[i] ?? -1
          if (cluster.nodeName(row) === 'fragile') throw new Error('not this node')
          if (cluster.podsOn(row).length === 0) throw new Error('no pods here')
        }
      },
    }
    const plugins = [...framework.plugins, { plugin: fragile, weight: 0 }]
    const { decision, nodes, fixes } = explain(createFramework({ plugins }), state, pod('p', { [DONGLE]: '1' }), input)
    expect(decision.error).toBeUndefined()
    expect(nodes.map(({ filters }) => filters.at(-1)?.reasons)).toEqual([
      ['running Filter plugin "fragile": not this node'],
      ['running Filter plugin "fragile": not this node'],
    ])
    expect(fixes.map(({ kind }) => kind)).toEqual([])
  })

  test('skips only the invalid selector of a bound pod', () => {
    const state = healthy()
    const labelSelector = { matchExpressions: [{ key: 'app', operator: 'Near', values: ['x'] }] }
    const required = [{ topologyKey: 'kubernetes.io/hostname', labelSelector }]
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } }
    state.setPod(boundPod('odd', 'n', {}, { affinity }))
    expect(decide(framework, state, pod('p', { [DONGLE]: '1' }), input).best).toEqual(['n'])
    const refused = decide(framework, state, pod('q', {}, { affinity }), input)
    expect([refused.feasible, refused.message]).toEqual([
      [],
      expect.stringContaining('"Near" is not a valid label selector operator'),
    ])
  })

  test('a node with malformed images can be used and removed', () => {
    const state = healthy()
    const odd = JSON.parse('{"metadata":{"name":"odd"},"status":{"images":{"a":1},"allocatable":{"pods":"9"}}}')
    state.setNode(odd)
    expect(state.nodeNames()).toEqual(['n', 'odd'])
    state.deleteNode('odd')
    expect(state.nodeNames()).toEqual(['n'])
  })

  test('plan leaves the state unchanged', () => {
    const state = healthy()
    const { generation } = state
    expect(plan(framework, state, pod('p', { [DONGLE]: '1' }), input).count).toBe(1)
    expect([state.generation, [...state.pods()]]).toEqual([generation, []])
  })
})
