import { type DecidePlugin, type NodeSelectorTerm, StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, framework, input, node, pod } from '../../test/builders.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { decide } from './decide.ts'
import { type ClusterState, createFramework, defaultPlugins, examineFilter, examineScore, verdicts } from '../index.ts'

const DONGLE = 'example.com/dongle'

function cluster(...units: readonly number[]): ClusterState {
  const state = createClusterState()
  units.forEach((count, i) => state.setNode(node(`n${i}`, count === 0 ? {} : { [DONGLE]: `${count}` })))
  return state
}

function alone(plugin: DecidePlugin) {
  return createFramework({ plugins: [{ plugin, weight: 1 }] })
}

test.for(['always', 'when-none-fits'] as const)(
  'fails when a contributed filter writes a code without a reason, with rejections %s',
  (rejections) => {
    const filter: DecidePlugin['filter'] = (_pod, _candidates, { codes }) => void (codes[1] = StatusCode.Unschedulable)
    const options = { ...input, rejections }
    const contributed = decide(
      alone({ name: 'mute', isContributed: true, filter }),
      cluster(1, 1),
      pod('p', {}),
      options,
    )
    expect(contributed.error).toMatchObject({
      plugin: 'mute',
      message:
        'running Filter plugin "mute": filter wrote code 2 for node n1 without a reason, expected output.reject(i, code, reason)',
    })
    const builtIn = decide(alone({ name: 'mute', filter }), cluster(1, 1), pod('p', {}), options)
    expect([builtIn.error, builtIn.feasible]).toEqual([undefined, ['n0']])
  },
)

describe('decide', () => {
  test('finds where a pod fits, where it fits best and why it does not fit elsewhere', () => {
    const state = cluster(0, 2, 4, 4)
    state.setPod(boundPod('a', 'n1', { [DONGLE]: '2' }))
    state.setPod(boundPod('b', 'n2', { cpu: '4' }))
    const decision = decide(framework, state, pod('p', { [DONGLE]: '1' }), { ...input, pluginScores: true })
    expect(decision.feasible).toEqual(['n2', 'n3'])
    expect(decision.best).toEqual(['n3'])
    expect([...decision.totals.keys()]).toEqual(['n2', 'n3'])
    expect(decision.message).toBe('')
    expect(decision.error).toBeUndefined()
    expect(decision.rejected.get('n1')).toEqual({
      code: StatusCode.Unschedulable,
      rejection: {
        plugin: 'NodeResourcesFit',
        reasons: [`Insufficient ${DONGLE}`],
        insufficient: [
          {
            resourceName: DONGLE,
            requested: 1n,
            used: 2n,
            capacity: 2n,
            reason: `Insufficient ${DONGLE}`,
            isUnresolvable: false,
          },
        ],
      },
    })
    expect(decision.rejected.get('n0')).toMatchObject({
      code: StatusCode.UnschedulableAndUnresolvable,
      rejection: { insufficient: [{ capacity: 0n, isUnresolvable: true }] },
    })
    expect(verdicts(decision).map(({ node, kind }) => `${node} ${kind}`)).toEqual([
      'n0 unresolvable',
      'n1 unschedulable',
      'n2 fits',
      'n3 fits',
    ])
    const fit = decision.scores.find(({ plugin }) => plugin === 'NodeResourcesFit')
    expect(fit?.normalized.get('n3')).toBeGreaterThan(fit?.normalized.get('n2') ?? 100)
  })

  test('returns the message of kube-scheduler', () => {
    const state = cluster(0, 0, 1, 1, 1)
    state.setNode(node('cordoned', {}, { spec: { unschedulable: true } }))
    for (const i of [2, 3, 4]) state.setPod(boundPod(`p${i}`, `n${i}`, { [DONGLE]: '1' }))
    expect(decide(framework, state, pod('p', { [DONGLE]: '1', cpu: '9' }), input).message).toBe(
      `0/6 nodes are available: 1 node(s) were unschedulable, 5 Insufficient cpu, 5 Insufficient ${DONGLE}.`,
    )
  })

  test('returns a message when there are no nodes', () => {
    expect(decide(framework, createClusterState(), pod('p'), input).message).toBe('no nodes available to schedule pods')
  })

  test('evaluates only the named nodes, and rejects unknown names', () => {
    const decision = decide(framework, cluster(1, 1, 1), pod('p', { [DONGLE]: '2' }), {
      ...input,
      nodeNames: ['n1', 'ghost', 'n2', 'n1'],
    })
    expect([...decision.rejected.keys()]).toEqual(['n1', 'n2', 'ghost'])
    expect(decision.message).toBe(
      `0/3 nodes are available: 1 node(s) are not known to the scheduler, 2 Insufficient ${DONGLE}.`,
    )
  })

  test('returns the totals in the order of any list of names, 0 for a node without one', () => {
    const state = cluster(2, 0, 4, 1)
    const nodeNames = ['n3', 'ghost', 'n2', 'n1', 'n0']
    const totalsOf = (names: readonly string[]): readonly number[] => {
      const decision = decide(framework, state, pod('p', { [DONGLE]: '1' }), { ...input, nodeNames })
      const totals = [...decision.totalsOf(names)]
      expect(totals).toEqual(names.map((name) => decision.totals.get(name) ?? 0))
      return totals
    }
    expect(totalsOf(nodeNames).map((total) => total > 0)).toEqual([true, false, true, false, true])
    expect(totalsOf([...nodeNames])).toEqual(totalsOf(nodeNames))
    expect(totalsOf(['n2', 'ghost'])).toEqual([totalsOf(nodeNames)[2], 0])
    expect([...decide(framework, state, pod('p'), { ...input, nodeNames, score: false }).totalsOf(nodeNames)]).toEqual([
      0, 0, 0, 0, 0,
    ])
  })

  test('finds the nodes of a list again after nodes have come and gone', () => {
    const state = cluster(1, 1, 1)
    const nodeNames = ['n1', 'n3', 'n0']
    const feasible = (of = state): readonly string[] =>
      decide(framework, of, pod('p', { [DONGLE]: '1' }), { ...input, nodeNames }).feasible
    expect(feasible()).toEqual(['n0', 'n1'])
    state.setNode(node('n3', { [DONGLE]: '1' }))
    expect(feasible()).toEqual(['n0', 'n1', 'n3'])
    state.deleteNode('n1')
    expect(feasible()).toEqual(['n0', 'n3'])
    state.setNode(node('n4', { [DONGLE]: '1' }))
    expect(feasible()).toEqual(['n0', 'n3'])
    state.deleteNode('n0')
    state.setNode(node('n1', { [DONGLE]: '1' }))
    expect(feasible().toSorted()).toEqual(['n1', 'n3'])
    expect(feasible(cluster(1))).toEqual(['n0'])
  })

  test('does not score with score: false', () => {
    const decision = decide(framework, cluster(1, 1), pod('p'), { ...input, score: false })
    expect([decision.feasible, decision.best, [...decision.totals], decision.scores]).toEqual([
      ['n0', 'n1'],
      [],
      [],
      [],
    ])
  })

  test('does not score a single feasible node with score: when-several', () => {
    const alone = { ...input, score: 'when-several' } as const
    const lone = decide(framework, cluster(0, 1), pod('p', { [DONGLE]: '1' }), alone)
    expect([lone.best, lone.pickBest(() => 0.9), [...lone.totals]]).toEqual([['n1'], 'n1', []])
    const several = decide(framework, cluster(1, 1), pod('p', { [DONGLE]: '1' }), alone)
    expect([several.best, several.totals.size]).toEqual([['n0', 'n1'], 2])
    const none = decide(framework, cluster(0), pod('p', { [DONGLE]: '1' }), alone)
    expect([none.best, none.pickBest(() => 0)]).toEqual([[], undefined])
  })

  test('picks a best node by the random number, and none when nothing was scored', () => {
    const decision = decide(framework, cluster(1, 1, 1, 1), pod('p', { [DONGLE]: '1' }), input)
    expect([0, 0.3, 0.5, 0.99, 1].map((random) => decision.pickBest(() => random))).toEqual([
      'n0',
      'n1',
      'n2',
      'n3',
      'n3',
    ])
    const unscored = decide(framework, cluster(1), pod('p'), { ...input, score: false })
    expect(unscored.pickBest(() => 0)).toBeUndefined()
  })

  test('finds the same nodes without recording rejections', () => {
    const state = cluster(0, 1, 3, 3)
    state.setNode(node('cordoned', { [DONGLE]: '3' }, { spec: { unschedulable: true } }))
    const p = pod('p', { [DONGLE]: '2' })
    const quick = decide(framework, state, p, { ...input, rejections: 'when-none-fits' })
    const full = decide(framework, state, p, input)
    expect([quick.feasible, quick.best, quick.totals]).toEqual([full.feasible, full.best, full.totals])
    expect([quick.rejected.size, full.rejected.size]).toEqual([0, 3])
    const none = decide(framework, state, pod('p', { [DONGLE]: '4' }), { ...input, rejections: 'when-none-fits' })
    expect(none.rejected.size).toBe(5)
    const plain = decide(framework, state, pod('p'), { ...input, rejections: 'when-none-fits' })
    expect([plain.feasible.length, plain.rejected.size]).toEqual([4, 0])
    const unheardOf = decide(framework, state, pod('p', { 'x.org/y': '1' }), { ...input, rejections: 'when-none-fits' })
    expect(unheardOf.message).toBe('0/5 nodes are available: 1 node(s) were unschedulable, 4 Insufficient x.org/y.')
  })

  test('keeps reasons, but not amounts that may be outdated, when the state changes', () => {
    const state = cluster(1)
    const decision = decide(framework, state, pod('p', { [DONGLE]: '2' }), input)
    state.setNode(node('n0', { [DONGLE]: '9' }))
    expect(decision.rejected.get('n0')?.rejection).toEqual({
      plugin: 'NodeResourcesFit',
      reasons: [`Insufficient ${DONGLE}`],
    })
  })

  test('counts nodes before and after each filter', () => {
    const state = cluster(0, 1)
    state.setNode(node('cordoned', {}, { spec: { unschedulable: true } }))
    const { funnel } = decide(framework, state, pod('p', { [DONGLE]: '1' }), input)
    expect(funnel.slice(0, 6)).toEqual([
      { plugin: 'NodeUnschedulable', before: 3, after: 2 },
      { plugin: 'NodeName', before: 2, after: 2 },
      { plugin: 'TaintToleration', before: 2, after: 2 },
      { plugin: 'NodeAffinity', before: 2, after: 2 },
      { plugin: 'NodePorts', before: 2, after: 2 },
      { plugin: 'NodeResourcesFit', before: 2, after: 1 },
    ])
  })

  test('refuses a state that it did not make', () => {
    const foreign = { ...cluster(1) } as unknown as ClusterState
    expect(() => decide(framework, foreign, pod('p'), input)).toThrow(
      expect.objectContaining({ code: 'BERTH_FIT_FOREIGN_STATE' }),
    )
  })
})

describe('nominated pods', () => {
  test.for([
    { it: 'of higher priority keep their room', priority: 9, fits: [] },
    { it: 'of equal priority keep their room', priority: 5, fits: [] },
    { it: 'of lower priority do not', priority: 4, fits: ['n0'] },
  ])('$it', ({ priority, fits }) => {
    const state = cluster(2)
    state.nominate(pod('w', { [DONGLE]: '2' }, { priority }), 'n0')
    state.nominate(pod('elsewhere', { [DONGLE]: '2' }, { priority }), 'unknown')
    const p = pod('p', { [DONGLE]: '1' }, { priority: 5 })
    expect(decide(framework, state, p, input).feasible).toEqual(fits)
    expect(state.requested(0, DONGLE)).toBe(0n)
  })

  test('keep no room from themselves, and not twice once they are bound', () => {
    const state = cluster(2, 2)
    const w = pod('w', { [DONGLE]: '2' })
    state.nominate(w, 'n0')
    expect(decide(framework, state, w, input).feasible).toEqual(['n0', 'n1'])
    state.assume(w, 'n1')
    expect(decide(framework, state, pod('p', { [DONGLE]: '2' }), input).feasible).toEqual(['n0'])
  })
})

describe('preFilter', () => {
  const named = (name: string): NodeSelectorTerm => ({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
  })
  const pinned = (...names: readonly string[]) => ({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: names.map(named) } },
    },
  })

  test('limits the nodes, and the other nodes name the plugin', () => {
    const decision = decide(framework, cluster(1, 1, 1), pod('p', { [DONGLE]: '2' }, pinned('n1')), input)
    expect(decision.message).toBe(
      `0/3 nodes are available: 1 Insufficient ${DONGLE}, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].`,
    )
    expect(decision.rejected.get('n0')?.rejection.plugin).toBe('NodeAffinity')
    const wide = decide(framework, cluster(1, 1, 1), pod('p', {}, pinned('n1')), {
      ...input,
      rejections: 'when-none-fits',
    })
    expect(wide.feasible).toEqual(['n1'])
  })

  const narrowing = (name: string, ...nodeNames: readonly string[]): DecidePlugin => ({
    name,
    preFilter: () => ({ kind: 'narrow', nodeNames: new Set(nodeNames) }),
  })

  test.for([
    { it: 'one plugin allows no node', plugins: [narrowing('B')], message: "node(s) didn't satisfy plugin B" },
    {
      it: 'two plugins allow no common node',
      plugins: [narrowing('B', 'n0'), narrowing('A', 'n1')],
      message: "node(s) didn't satisfy plugin(s) [A B] simultaneously",
    },
  ])('rejects the pod when $it', ({ plugins, message }) => {
    const profile = createFramework({ plugins: plugins.map((plugin) => ({ plugin, weight: 0 })) })
    expect(decide(profile, cluster(1, 1), pod('p'), input).message).toBe(`0/2 nodes are available: ${message}.`)
  })

  test('continues after a rejection that preemption may resolve, and stops at any other', () => {
    const seen: string[] = []
    const refusing = (name: string, code: StatusCode): DecidePlugin => ({
      name,
      preFilter: () => {
        seen.push(name)
        return { kind: 'reject', code, reasons: [`no ${name}`] }
      },
    })
    const profile = createFramework({
      plugins: [
        { plugin: refusing('a', StatusCode.Unschedulable), weight: 0 },
        { plugin: refusing('b', StatusCode.UnschedulableAndUnresolvable), weight: 0 },
        { plugin: refusing('c', StatusCode.Unschedulable), weight: 0 },
      ],
    })
    const decision = decide(profile, cluster(1), pod('p'), input)
    expect([seen, decision.message, decision.funnel]).toEqual([['a', 'b'], '0/1 nodes are available: no b.', []])
    expect(decision.rejected.get('n0')?.rejection).toEqual({ plugin: 'b', reasons: ['no b'] })
  })

  test('can skip the filter', () => {
    const plugin: DecidePlugin = {
      name: 'Never',
      preFilter: () => ({ kind: 'skip' }),
      filter: (_pod, _candidates, output) => output.reject(0, StatusCode.Unschedulable, 'never'),
    }
    expect(decide(alone(plugin), cluster(1), pod('p'), input).feasible).toEqual(['n0'])
  })
})

describe('a plugin that fails', () => {
  const broken = (): never => {
    throw new Error('out of order')
  }
  test.for<{ it: string; plugin: DecidePlugin; message: string }>([
    {
      it: 'in preFilter',
      plugin: { name: 'Bad', preFilter: broken },
      message: 'running PreFilter plugin "Bad": out of order',
    },
    { it: 'in filter', plugin: { name: 'Bad', filter: broken }, message: 'running Filter plugin "Bad": out of order' },
    {
      it: 'in preScore',
      plugin: { name: 'Bad', preScore: broken, score: () => {} },
      message: 'running PreScore plugin "Bad": out of order',
    },
    { it: 'in score', plugin: { name: 'Bad', score: broken }, message: 'running Score plugin "Bad": out of order' },
    {
      it: 'by throwing a value that is not an error',
      plugin: {
        name: 'Bad',
        filter: () => {
          // oxlint-disable-next-line typescript/only-throw-error -- contributors' code may do this
          throw 'text'
        },
      },
      message: 'running Filter plugin "Bad": text',
    },
    {
      it: 'by returning Error for a node',
      plugin: { name: 'Bad', filter: (_p, _c, output) => output.reject(0, StatusCode.Error, 'no answer') },
      message: 'running Filter plugin "Bad": no answer',
    },
    {
      it: 'by a code that is not a verdict on a node',
      plugin: {
        name: 'Bad',
        filter: (_p, _c, output) => {
          output.codes[1] = StatusCode.Wait
        },
      },
      message: 'running Filter plugin "Bad": it returned code 4',
    },
    {
      it: 'by a score above 100',
      plugin: { name: 'Bad', score: (_p, _c, scores) => void scores.fill(101) },
      message: 'plugin "Bad" returns an invalid score 101, it should in the range of [0, 100] after normalizing',
    },
    {
      it: 'by a score that is not a number',
      plugin: { name: 'Bad', score: (_p, _c, scores) => void scores.fill(Number.NaN) },
      message: 'plugin "Bad" returns an invalid score NaN, it should in the range of [0, 100] after normalizing',
    },
  ])('$it ends the decision with an error that names it and its extension point', ({ plugin, message }) => {
    const decision = decide(alone(plugin), cluster(1, 1), pod('p'), input)
    const point = /^running (\w+) plugin/.exec(message)?.[1] ?? 'Score'
    expect(decision.error).toMatchObject({ plugin: 'Bad', point, message })
    expect([decision.message, decision.best]).toEqual([message, []])
  })

  test('while scoring does not block a single feasible node', () => {
    const decision = decide(alone({ name: 'Bad', score: broken }), cluster(1), pod('p'), input)
    expect([decision.error, decision.best]).toEqual([undefined, ['n0']])
  })

  test('during the dry run of a nominated pod leaves the state unchanged', () => {
    const state = cluster(4)
    state.nominate(pod('w', { [DONGLE]: '2' }), 'n0')
    expect(decide(alone({ name: 'Bad', filter: broken }), state, pod('p'), input).error).toBeDefined()
    expect([state.requested(0, DONGLE), state.podsOn(0)]).toEqual([0n, []])
  })
})

describe('contributed plugins', () => {
  test('read rows, names and amounts, keep state for one cycle, and are weighted', () => {
    const plugin: DecidePlugin = {
      name: 'Largest',
      preFilter: (_pod, candidates, { state }) => void state.set('count', candidates.count),
      filter: (_pod, { rows, count }, output, { cluster: reader, state, nowMs, random }) => {
        for (let i = 0; i < count; i++) {
          const row = rows[i] ?? 0
          if (reader.allocatable(row, DONGLE) > 1n) continue
          const sentence = `${reader.nodeName(row)} of ${String(state.get('count'))} at ${nowMs + random()}`
          output.reject(i, StatusCode.Unschedulable, sentence)
        }
      },
      score: (_pod, { rows, count }, scores, { cluster: reader }) => {
        for (let i = 0; i < count; i++) scores[i] = Number(reader.allocatable(rows[i] ?? 0, DONGLE))
      },
    }
    const profile = createFramework({ plugins: [{ plugin, weight: 3 }] })
    const decision = decide(profile, cluster(1, 2, 5), pod('p'), { nowMs: 7, random: () => 0.5 })
    expect([decision.best, [...decision.totals]]).toEqual([
      ['n2'],
      [
        ['n1', 6],
        ['n2', 15],
      ],
    ])
    expect(decision.rejected.get('n0')?.rejection.reasons).toEqual(['n0 of 3 at 7.5'])
  })

  test.for([1, 3])(
    'write scores that are as many as the candidates, whatever others wrote before: %s nodes',
    (count) => {
      const seen: number[][] = []
      const filler = (name: string): DecidePlugin => ({ name, score: (_p, _c, scores) => void scores.fill(77) })
      const mine: DecidePlugin = {
        name: 'Mine',
        score(_pod, candidates, scores) {
          seen.push([...scores])
          for (let i = 0; i < candidates.count; i++) scores[i] = i * 10
        },
        normalizeScore(_pod, _candidates, scores) {
          const highest = Math.max(1, ...scores)
          scores.forEach((score, i) => (scores[i] = Math.trunc((score * 100) / highest)))
        },
      }
      const plugins = [filler('A'), filler('B'), mine].map((plugin) => ({ plugin, weight: 1 }))
      const state = cluster(...Array.from({ length: count }, () => 1))
      for (const _ of ['once', 'again']) {
        const { scores } = decide(createFramework({ plugins }), state, pod('p'), { ...input, pluginScores: true })
        const mineOf = scores.find(({ plugin }) => plugin === 'Mine')
        expect([...(mineOf?.normalized.values() ?? [])]).toEqual([0, 50, 100].slice(0, count))
      }
      expect(seen).toEqual(Array.from({ length: 2 }, () => Array.from({ length: count }, () => 0)))
    },
  )

  test('with weight 0 do not score', () => {
    const plugin: DecidePlugin = { name: 'Loud', score: (_p, _c, scores) => void scores.fill(100) }
    const profile = createFramework({ plugins: [{ plugin, weight: 0 }] })
    expect([...decide(profile, cluster(1, 1), pod('p'), input).totals.values()]).toEqual([0, 0])
  })
})

describe('createFramework', () => {
  const plugin: DecidePlugin = { name: 'Same', queueSort: () => 0 }
  test.for([
    { it: 'a plugin that is listed twice', plugins: [plugin, plugin].map((same) => ({ plugin: same, weight: 1 })) },
    {
      it: 'two plugins that sort the queue',
      plugins: [plugin, { ...plugin, name: 'Other' }].map((sorter) => ({ plugin: sorter, weight: 1 })),
    },
    { it: 'a weight that is not an integer', plugins: [{ plugin, weight: 0.5 }] },
    { it: 'a weight below 0', plugins: [{ plugin, weight: -1 }] },
  ])('refuses $it', ({ plugins }) => {
    expect(() => createFramework({ plugins })).toThrow(expect.objectContaining({ code: 'BERTH_FIT_PROFILE' }))
  })
})

describe('examine', () => {
  const [unschedulable, fit] = ['NodeUnschedulable', 'NodeResourcesFit'].map((name) =>
    defaultPlugins().find(({ plugin }) => plugin.name === name),
  )

  test('runs one filter on every node', () => {
    const state = cluster(1)
    state.setNode(node('cordoned', {}, { spec: { unschedulable: true } }))
    expect(unschedulable && [...examineFilter(unschedulable.plugin, state, pod('p'), input).nodes]).toEqual([
      ['n0', { code: StatusCode.Success, reasons: [] }],
      ['cordoned', { code: StatusCode.UnschedulableAndUnresolvable, reasons: ['node(s) were unschedulable'] }],
    ])
    const refusing: DecidePlugin = {
      name: 'No',
      preFilter: () => ({ kind: 'reject', code: StatusCode.Unschedulable, reasons: ['no'] }),
    }
    expect(examineFilter(refusing, state, pod('p'), input).nodes.get('n0')).toEqual({
      code: StatusCode.Unschedulable,
      reasons: ['no'],
    })
  })

  test('runs one scorer on every node, and normalizes the scores of feasible ones', () => {
    const examination =
      fit && examineScore(fit.plugin, cluster(1, 1), pod('p', { cpu: '4' }), { ...input, feasible: ['n1'] })
    expect(examination).toMatchObject({ isSkipped: false })
    expect([[...(examination?.raw.keys() ?? [])], [...(examination?.normalized.keys() ?? [])]]).toEqual([
      ['n0', 'n1'],
      ['n1'],
    ])
    const skipping: DecidePlugin = { name: 'Skip', preScore: () => ({ kind: 'skip' }), score: () => {} }
    expect(examineScore(skipping, cluster(1), pod('p'), { ...input, feasible: [] }).isSkipped).toBe(true)
  })
})
