import {
  type DecidePlugin,
  type Pod,
  type PodDisruptionBudget,
  type PodSpec,
  type PodStatus,
  StatusCode,
} from '@berth/types'
import { describe, expect, test } from 'vitest'
import { framework, input, node, pod } from '../../test/builders.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { decide } from '../decide/decide.ts'
import {
  type ClusterState,
  createFramework,
  type Framework,
  type Preemption,
  preempt,
  type PreemptOptions,
} from '../index.ts'

const DONGLE = 'example.com/dongle'

interface Held {
  readonly priority?: number
  readonly units?: number
  readonly startTime?: string
  readonly labels?: Record<string, string>
  readonly spec?: Partial<PodSpec>
  readonly status?: PodStatus
  readonly deletionTimestamp?: string
}

function holder(name: string, nodeName: string, held: Held): Pod {
  const { priority = 0, units = 1, startTime, labels, status, deletionTimestamp } = held
  const metadata = { ...(labels && { labels }), ...(deletionTimestamp !== undefined && { deletionTimestamp }) }
  return {
    ...pod(name, { [DONGLE]: `${units}` }, { nodeName, priority, ...held.spec }, metadata),
    status: { ...status, ...(startTime !== undefined && { startTime }) },
  }
}

function cluster(nodes: Record<string, Record<string, Held>>): ClusterState {
  const state = createClusterState()
  for (const [name, pods] of Object.entries(nodes)) {
    const units = Object.values(pods).reduce((sum, { units: own = 1 }) => sum + own, 0)
    state.setNode(node(name, { [DONGLE]: `${units}` }))
    for (const [podName, held] of Object.entries(pods)) state.setPod(holder(podName, name, held))
  }
  return state
}

/** The default profile with a filter that breaks on some nodes. */
function fragile(breaksOn: (nodeName: string, pods: readonly Pod[]) => boolean): Framework {
  const plugin: DecidePlugin = {
    name: 'Fragile',
    filter(_pod, { rows, count }, _output, { cluster }) {
      for (const row of rows.subarray(0, count)) {
        if (breaksOn(cluster.nodeName(row), cluster.podsOn(row))) throw new Error('it broke')
      }
    },
  }
  return createFramework({ plugins: [...framework.plugins, { plugin, weight: 0 }] })
}

const preemptor = (units: number, spec: Partial<PodSpec> = {}, status?: PodStatus): Pod => ({
  ...pod('p', { [DONGLE]: `${units}` }, { priority: 10, ...spec }),
  ...(status && { status }),
})

function ask(state: ClusterState, p: Pod, options: Partial<PreemptOptions> = {}): Preemption {
  const decision = decide(framework, state, p, input)
  expect(decision.feasible).toEqual([])
  return preempt(framework, state, p, decision, { ...input, ...options })
}

const chosen = ({ chosen: best }: Preemption) =>
  best.map(({ node: name, victims }) => `${name}: ${victims.map(({ metadata }) => metadata.name).join(' ')}`)

describe('preempt', () => {
  test('selects the least important pods, and no more than needed', () => {
    const state = cluster({ n: { low: { priority: 1 }, mid: { priority: 5 }, high: { priority: 10 } } })
    expect(chosen(ask(state, preemptor(1)))).toEqual(['n: low'])
    expect(chosen(ask(state, preemptor(2)))).toEqual(['n: mid low'])
    expect(ask(state, preemptor(3))).toMatchObject({ candidates: [], chosen: [] })
    expect([state.requested(0, DONGLE), state.podsOn(0).length]).toEqual([3n, 3])
  })

  test('returns why preemption does not help on a node', () => {
    const state = cluster({
      big: { low: { priority: 1 }, equal: { priority: 10 } },
      equals: { x: { priority: 10 }, y: { priority: 10 } },
    })
    const { failed, potentialNodes } = ask(state, preemptor(2))
    expect(potentialNodes).toEqual(['big', 'equals'])
    expect([...failed]).toEqual([
      ['big', { code: 2, reasons: [`Insufficient ${DONGLE}`] }],
      ['equals', { code: 3, reasons: ['No preemption victims found for incoming pod'] }],
    ])
  })

  test('returns the part that kube-scheduler adds to its message', () => {
    const state = cluster({
      a: { x: { priority: 10 } },
      b: { y: { priority: 10, units: 2 } },
      c: { z: { priority: 1 } },
    })
    expect(ask(state, preemptor(2)).message).toBe(
      '0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
    )
    expect(ask(state, preemptor(1)).message).toBe('')
    expect(ask(state, preemptor(1, { preemptionPolicy: 'Never' })).message).toBe(
      'not eligible due to preemptionPolicy=Never.',
    )
  })

  test('skips a node that was deleted after the decision', () => {
    const state = cluster({ a: { x: {} }, b: { y: {} } })
    const decision = decide(framework, state, preemptor(1), input)
    expect(decision.rejected.size).toBe(2)
    state.deleteNode('a')
    expect(chosen(preempt(framework, state, preemptor(1), decision, input))).toEqual(['b: y'])
  })

  test.for<{ it: string; nodes: Record<string, Record<string, Held>>; best: readonly string[] }>([
    {
      it: 'lowest priority of the most important victim',
      nodes: { a: { x: { priority: 5 } }, b: { y: { priority: 1 } } },
      best: ['b: y'],
    },
    {
      it: 'smallest sum of priorities',
      nodes: { a: { x: { priority: 5 }, x2: { priority: 4 } }, b: { y: { priority: 5 }, y2: { priority: 1 } } },
      best: ['b: y y2'],
    },
    {
      it: 'fewest victims',
      nodes: { a: { x: { priority: 0 }, x2: { priority: -2147483648 } }, b: { y: { priority: 0, units: 2 } } },
      best: ['b: y'],
    },
    {
      it: 'latest start',
      nodes: { a: { x: { startTime: '2026-01-01T00:00:00Z' } }, b: { y: { startTime: '2026-01-02T00:00:00Z' } } },
      best: ['b: y'],
    },
    {
      it: 'nothing when all criteria are equal, and returns all',
      nodes: { a: { x: {} }, b: { y: {} } },
      best: ['a: x', 'b: y'],
    },
  ])('chooses by $it', ({ nodes, best }) => {
    const units = Math.max(
      ...Object.values(nodes).map((pods) => Object.values(pods).reduce((n, { units: own = 1 }) => n + own, 0)),
    )
    expect(chosen(ask(cluster(nodes), preemptor(units), { nowMs: Date.parse('2026-02-01T00:00:00Z') }))).toEqual(best)
  })

  describe('with disruption budgets', () => {
    const budget = (more: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget => ({
      metadata: { name: 'b', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'db' } } },
      status: { disruptionsAllowed: 0 },
      ...more,
    })
    const state = () =>
      cluster({ n: { db: { priority: 1, labels: { app: 'db' } }, web: { priority: 2, labels: { app: 'web' } } } })

    test.for<{ it: string; budgets: readonly PodDisruptionBudget[]; victims: string; violations: number }>([
      {
        it: 'keeps a protected pod although it is less important',
        budgets: [budget()],
        victims: 'n: web',
        violations: 0,
      },
      {
        it: 'evicts the less important pod when the budget allows one eviction',
        budgets: [budget({ status: { disruptionsAllowed: 1 } })],
        victims: 'n: db',
        violations: 0,
      },
      {
        it: 'ignores a budget of another namespace',
        budgets: [budget({ metadata: { name: 'b', namespace: 'x' } })],
        victims: 'n: db',
        violations: 0,
      },
      {
        it: 'ignores a budget that selects nothing',
        budgets: [budget({ spec: {} })],
        victims: 'n: db',
        violations: 0,
      },
      {
        it: 'ignores a budget with an empty selector',
        budgets: [budget({ spec: { selector: {} } })],
        victims: 'n: db',
        violations: 0,
      },
      {
        it: 'ignores a budget with an invalid selector',
        budgets: [
          budget({ spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Gt', values: ['1'] }] } } }),
        ],
        victims: 'n: db',
        violations: 0,
      },
      {
        it: 'ignores a budget for a pod that it already counts as disrupted',
        budgets: [budget({ status: { disruptionsAllowed: 0, disruptedPods: { db: 'now' } } })],
        victims: 'n: db',
        violations: 0,
      },
    ])('$it', ({ budgets, victims, violations }) => {
      const answer = ask(state(), preemptor(1), { disruptionBudgets: budgets })
      expect(chosen(answer)).toEqual([victims])
      expect(answer.chosen[0]?.violations).toBe(violations)
    })

    test('violates a budget when nothing else helps, and prefers a node without violations', () => {
      const alone = ask(cluster({ n: { db: { labels: { app: 'db' } } } }), preemptor(1), {
        disruptionBudgets: [budget()],
      })
      expect(alone.chosen).toMatchObject([{ node: 'n', violations: 1 }])
      const two = cluster({ a: { db: { labels: { app: 'db' } } }, b: { web: { priority: 9 } } })
      expect(chosen(ask(two, preemptor(1), { disruptionBudgets: [budget()] }))).toEqual(['b: web'])
    })
  })

  test('does nothing for pods that never preempt', () => {
    expect(ask(cluster({ n: { x: {} } }), preemptor(1, { preemptionPolicy: 'Never' }))).toMatchObject({
      isEligible: false,
      ineligibleReason: 'not eligible due to preemptionPolicy=Never.',
    })
  })

  test.for([
    { it: 'a victim terminates because of preemption', status: 'True', waits: true },
    { it: 'a pod terminates for another reason', status: 'False', waits: false },
  ])('waits on its nominated node while $it: $waits', ({ status, waits }) => {
    const conditions = [{ type: 'DisruptionTarget', status, reason: 'PreemptionByScheduler' }]
    const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z', status: { conditions } }
    const answer = ask(cluster({ n: { x: leaving } }), preemptor(1, {}, { nominatedNodeName: 'n' }))
    expect(answer.isEligible).toBe(!waits)
    expect(answer.ineligibleReason).toBe(waits ? 'not eligible due to a terminating pod on the nominated node.' : '')
  })

  test('respects the room of pods nominated for the node', () => {
    const state = cluster({ n: { x: {}, y: {} } })
    state.nominate(pod('w', { [DONGLE]: '1' }, { priority: 10 }), 'n')
    expect(chosen(ask(state, preemptor(1)))).toEqual(['n: x y'])
    expect(ask(state, preemptor(2)).chosen).toEqual([])
  })

  test('stops at enough candidates, starting at a random node', () => {
    const state = cluster({ a: { x: {} }, b: { y: {} }, c: { z: {} } })
    const answer = ask(state, preemptor(1), { maxCandidates: 1, random: () => 0.5 })
    expect(answer.candidates.map(({ node: name }) => name)).toEqual(['b'])
  })

  test('skips a node on which a filter fails, and fails when no other node helps', () => {
    const broken = 'running Filter plugin "Fragile": it broke'
    const profile = fragile((name, pods) => name === 'a' && pods.length === 0)
    const both = cluster({ a: { x: {} }, b: { y: { startTime: 'no time' } } })
    const p = preemptor(1)
    const answer = preempt(profile, both, p, decide(profile, both, p, input), input)
    expect(chosen(answer)).toEqual(['b: y'])
    expect(answer.failed).toEqual(new Map([['a', { code: StatusCode.Error, reasons: [broken] }]]))
    const alone = cluster({ a: { x: {} } })
    expect(() => preempt(profile, alone, p, decide(profile, alone, p, input), input)).toThrow(broken)
    expect(decide(framework, alone, p, input).message).toContain(`1 Insufficient ${DONGLE}`)
  })

  test('evicts a pod beside which a filter fails', () => {
    const profile = fragile((_name, pods) => pods.length === 1 && pods[0]?.metadata.name === 'x')
    const state = cluster({ n: { x: { priority: 2 }, y: { priority: 1 } } })
    const p = preemptor(1)
    const answer = preempt(profile, state, p, decide(profile, state, p, input), input)
    expect(chosen(answer)).toEqual(['n: x'])
  })

  test('notifies plugins that count pods of every added and removed pod', () => {
    const told: string[] = []
    const plugin = {
      name: 'Counts',
      filter: () => {},
      addPod: (_p: Pod, added: Pod) => void told.push(`+${added.metadata.name}`),
      removePod: (_p: Pod, removed: Pod) => void told.push(`-${removed.metadata.name}`),
    }
    const profile = createFramework({ plugins: [...framework.plugins, { plugin, weight: 0 }] })
    const state = cluster({ n: { x: { priority: 2 }, y: { priority: 1 } } })
    const p = preemptor(1)
    preempt(profile, state, p, decide(profile, state, p, input), input)
    // Off, back as far as it fits, then everything in reverse.
    expect(told.join(' ')).toBe('-x -y +x +y -y +y -y -x +y +x')
  })
})
