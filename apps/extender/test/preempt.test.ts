import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import type { EffectHooks } from '@berth/plugin-api'
import type { ExtenderPreemptionResult, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fit, post, startTestExtender, type TestExtender, type TestExtenderOptions } from './test-extender.ts'

const DONGLE = 'example.com/dongle'

function preemptor(dongles: string): Pod {
  const requests = { [DONGLE]: dongles }
  return {
    metadata: { name: 'urgent', namespace: 'default', uid: 'u-urgent' },
    spec: { priority: 2_000_001_000, containers: [{ name: 'main', resources: { requests, limits: requests } }] },
  }
}

interface Holders extends TestExtender {
  readonly uid: Readonly<Record<'low' | 'mid' | 'other', string>>
}

/** Starts an extender with node-a, held by `low` and `mid`, and node-b, held by `other`; 2 dongles each. */
async function startWithHolders(options: TestExtenderOptions = {}): Promise<Holders> {
  const extender = await startTestExtender(options)
  for (const name of ['node-a', 'node-b']) await extender.createNode(name, { [DONGLE]: '2' })
  const low = await extender.createBoundPod('low', 'node-a', { [DONGLE]: '1' }, { labels: { app: 'kept' } })
  const mid = await extender.createBoundPod(
    'mid',
    'node-a',
    { [DONGLE]: '1' },
    { priorityClassName: 'system-cluster-critical' },
  )
  const other = await extender.createBoundPod('other', 'node-b', { [DONGLE]: '2' })
  await extender.createBudget('keep', { app: 'kept' })
  await extender.settle()
  const uidOf = ({ metadata }: Pod): string => metadata.uid ?? ''
  return { ...extender, uid: { low: uidOf(low), mid: uidOf(mid), other: uidOf(other) } }
}

async function preempt(extender: TestExtender, pod: Pod, victims: Readonly<Record<string, readonly string[]>>) {
  const entries = Object.entries(victims).map(([node, uids]) => [
    node,
    { Pods: uids.map((UID) => ({ UID })), NumPDBViolations: 0 },
  ])
  const body = { Pod: pod, NodeNameToVictims: null, NodeNameToMetaVictims: Object.fromEntries(entries) as unknown }
  const { json } = await extender.drive(post(extender.address, '/preempt', body))
  return (json() as ExtenderPreemptionResult).NodeNameToMetaVictims
}

const meta = (uids: readonly string[], NumPDBViolations: number) => ({
  Pods: uids.map((UID) => ({ UID })),
  NumPDBViolations,
})

/** A plugin with one processPreemption hook. */
function withHook(processPreemption: NonNullable<EffectHooks['processPreemption']>): TestExtenderOptions {
  const argsSchema = z.strictObject({})
  const reviewer = defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name: 'reviewer',
    description: 'D.',
    argsSchema,
    create: () => ({ processPreemption }),
  })
  return { registered: [reviewer], plugins: [fit, { name: 'reviewer', weight: 1, args: {} }] }
}

describe('preempt', () => {
  test('returns the proposed victims by uid and counts the violated budgets', async () => {
    await using extender = await startWithHolders()
    const { uid } = extender
    expect(await preempt(extender, preemptor('1'), { 'node-a': [uid.low], 'node-b': [uid.other] })).toEqual({
      'node-a': meta([uid.low], 1),
      'node-b': meta([uid.other], 0),
    })
  })

  test('adds the victims that its own filters need, the highest priority first', async () => {
    await using extender = await startWithHolders()
    const { uid } = extender
    expect(await preempt(extender, preemptor('2'), { 'node-a': [uid.low] })).toEqual({
      'node-a': meta([uid.mid, uid.low], 1),
    })
  })

  test('removes nodes where eviction does not help, and nodes whose victims are gone', async () => {
    const argsSchema = z.strictObject({})
    const create = () => perNode({ filter: (_pod, { name }) => (name === 'node-b' ? 'closed' : undefined) })
    const closed = defineSchedulingPlugin({
      apiVersion: 'berth.dev/v1',
      name: 'closed',
      description: 'D.',
      argsSchema,
      create,
    })
    const plugins = [fit, { name: 'closed', weight: 1, args: {} }]
    await using extender = await startWithHolders({ registered: [closed], plugins })
    const { uid } = extender
    const victims = { 'node-a': [uid.low], 'node-b': [uid.other], 'node-x': ['gone'] }
    expect(await preempt(extender, preemptor('1'), victims)).toEqual({ 'node-a': meta([uid.low], 1) })
    expect(await preempt(extender, preemptor('1'), { 'node-a': ['gone'] })).toEqual({})
  })

  test('reads victims that are sent as whole pods', async () => {
    await using extender = await startWithHolders()
    const { uid } = extender
    const whole = { 'node-a': { Pods: [{ metadata: { uid: uid.low }, spec: {} }], NumPDBViolations: 0 } }
    const { json } = await post(extender.address, '/preempt', { Pod: preemptor('1'), NodeNameToVictims: whole })
    expect(json()).toEqual({ NodeNameToMetaVictims: { 'node-a': meta([uid.low], 1) } })
  })
})

describe('processPreemption', () => {
  const isOn = (pod: Pod, node: string): boolean => pod.spec.nodeName === node

  test('may forbid preemption on a node', async () => {
    await using extender = await startWithHolders(
      withHook((_pod, victims) => new Map([...victims].filter(([node]) => node !== 'node-a'))),
    )
    const { uid } = extender
    const result = await preempt(extender, preemptor('1'), { 'node-a': [uid.low], 'node-b': [uid.other] })
    expect(result).toEqual({ 'node-b': meta([uid.other], 0) })
  })

  test('may add victims, whose budget violations are counted again', async () => {
    const added: Pod[] = []
    await using extender = await startWithHolders(
      withHook(
        (_pod, victims) =>
          new Map([...victims].map(([node, { Pods }]) => [node, { Pods: [...Pods, ...added], NumPDBViolations: 9 }])),
      ),
    )
    const { uid } = extender
    for (const pod of await extender.listPods()) if (pod.metadata.name === 'mid' && isOn(pod, 'node-a')) added.push(pod)
    expect(await preempt(extender, preemptor('1'), { 'node-a': [uid.low] })).toEqual({
      'node-a': meta([uid.mid, uid.low], 1),
    })
  })

  test.for<{ it: string; hook: NonNullable<EffectHooks['processPreemption']>; says: string }>([
    {
      it: 'removes a victim',
      hook: (_pod, victims) => new Map([...victims].map(([node]) => [node, { Pods: [], NumPDBViolations: 0 }])),
      says: 'a processPreemption hook removed a victim on node node-a',
    },
    {
      it: 'adds a node',
      hook: (_pod, victims) => new Map([...victims, ['node-z', { Pods: [], NumPDBViolations: 0 }]]),
      says: 'a processPreemption hook added node node-z',
    },
    {
      it: 'throws',
      hook: () => {
        throw new Error('no idea')
      },
      says: 'run processPreemption of plugin reviewer: no idea',
    },
  ])('prevents the preemption and is logged when it $it', async ({ hook, says }) => {
    await using extender = await startWithHolders(withHook(hook))
    expect(await preempt(extender, preemptor('1'), { 'node-a': [extender.uid.low] })).toEqual({})
    const refused = extender.lines.filter(({ message }) => message === 'Refused a request')
    expect(refused.map(({ fields }) => String(fields['err']))).toEqual([expect.stringContaining(says)])
  })
})
