import type { BerthPlugin, SchedulingHooks } from '@berth/plugin-api'
import { StatusCode } from '@berth/types'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Lab, startLab } from './lab.ts'

const DONGLE = 'example.com/dongle'

/** A scheduler whose profile runs a plugin with these hooks at every point. */
function startWith(hooks: SchedulingHooks): Promise<Lab> {
  const plugin: BerthPlugin = {
    kind: 'scheduling',
    apiVersion: 1,
    name: 'probe',
    description: 'Records what is called.',
    argsSchema: z.strictObject({}),
    create: () => hooks,
  }
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler, plugins: { multiPoint: { enabled: [{ name: probe }] } } }]
`
  return startLab({ config, plugins: [plugin] })
}

const refusal = { kind: 'reject', code: StatusCode.Unschedulable, reasons: ['not today'] } as const

async function startFull(lab: Lab): Promise<void> {
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
}

test('runs the effect hooks in order, with one state for all of them', async () => {
  const calls: string[] = []
  const note = (hook: string, state: Map<string, unknown>): undefined => {
    state.set('calls', [...((state.get('calls') as string[] | undefined) ?? []), hook])
    calls.splice(0, calls.length, ...(state.get('calls') as string[]))
    return undefined
  }
  await using lab = await startWith({
    reserve: (_pod, _node, { state }) => note('reserve', state),
    permit: (_pod, _node, { state }) => note('permit', state),
    preBind: (_pod, _node, { state }) => note('preBind', state),
    bind: (_pod, _node, { state }) => {
      note('bind', state)
      return { kind: 'skip' }
    },
    postBind: (_pod, _node, { state }) => {
      note('postBind', state)
    },
    unreserve: (_pod, _node, { state }) => {
      note('unreserve', state)
    },
  })
  await startFull(lab)
  await lab.settle()
  expect((await lab.pod('web')).spec.nodeName).toBe('node-a')
  expect(calls).toEqual(['reserve', 'permit', 'preBind', 'bind', 'postBind'])
})

test.for(['reserve', 'permit', 'preBind', 'bind'] as const)(
  'a rejection in %s gives everything back and keeps the pod pending',
  async (hook) => {
    const undone: string[] = []
    let isRefusing = true
    await using lab = await startWith({
      [hook]: () => (isRefusing ? refusal : hook === 'bind' ? { kind: 'skip' } : undefined),
      unreserve: (pod) => void undone.push(pod.metadata.name ?? ''),
    })
    await startFull(lab)
    await lab.clock.advance(500)
    expect((await lab.pod('web')).status?.conditions).toMatchObject([{ reason: 'Unschedulable', message: 'not today' }])
    expect(undone).not.toHaveLength(0)
    const row = lab.view.state.rowOf('node-a') ?? -1
    expect(lab.view.state.requested(row, DONGLE)).toBe(0n)
    isRefusing = false
    await lab.createNode('node-b', {})
    await lab.clock.advance(2_000)
    expect((await lab.pod('web')).spec.nodeName).toBe('node-a')
  },
)

test.for(['reserve', 'permit', 'preBind', 'postFilter'] as const)(
  'an exception in %s is an error of the attempt, and the next one may succeed',
  async (hook) => {
    let failures = 0
    await using lab = await startWith({
      [hook]: () => {
        if (failures > 0) return undefined
        failures += 1
        throw new Error('broken')
      },
      ...(hook === 'postFilter' && { reserve: () => undefined }),
    })
    if (hook === 'postFilter') {
      await lab.createNode('node-0', {})
      await lab.createPod('web', { requests: { [DONGLE]: '1' } })
    }
    if (hook !== 'postFilter') await startFull(lab)
    await lab.clock.advance(500)
    expect((await lab.pod('web')).status?.conditions).toMatchObject([
      { reason: 'SchedulerError', message: expect.stringContaining(`run ${hook} of plugin probe: broken`) as string },
    ])
    await lab.createNode('node-b', { [DONGLE]: '1' })
    await lab.clock.advance(12_000)
    expect((await lab.pod('web')).spec.nodeName).toMatch(/^node-[ab]$/)
  },
)

test('a hook that never answers is given up at its deadline', async () => {
  let calls = 0
  await using lab = await startWith({
    preBind: () => {
      calls += 1
      return calls === 1 ? new Promise<undefined>(() => {}) : undefined
    },
  })
  await startFull(lab)
  await lab.clock.advance(9_000)
  expect(lab.scheduler.counts().inFlight).toBe(1)
  await lab.clock.advance(5_000)
  expect((await lab.pod('web')).spec.nodeName).toBe('node-a')
})

test('a pod that permit holds back does not hold up the next one', async () => {
  let let_go = (): void => {}
  await using lab = await startWith({
    permit: (pod) =>
      pod.metadata.name === 'held'
        ? new Promise((resolve) => {
            let_go = () => resolve(undefined)
          })
        : undefined,
  })
  await lab.createNode('node-a', {})
  await lab.createPod('held')
  await lab.createPod('next')
  await lab.clock.advance(60_000)
  expect((await lab.pod('next')).spec.nodeName).toBe('node-a')
  expect((await lab.pod('held')).spec.nodeName).toBeUndefined()
  let_go()
  await lab.clock.advance(1_000)
  expect((await lab.pod('held')).spec.nodeName).toBe('node-a')
})

test('a bind plugin is believed only when the pod is bound', async () => {
  await using lab = await startWith({ bind: () => ({ kind: 'bound' }) })
  await startFull(lab)
  await lab.clock.advance(500)
  expect((await lab.pod('web')).status?.conditions).toMatchObject([
    {
      reason: 'SchedulerError',
      message:
        'bind pod default/web to node node-a: a bind plugin reported that it bound the pod, but the pod is not bound',
    },
  ])
})

test('postFilter may nominate a node, which the status then says', async () => {
  await using lab = await startWith({ postFilter: () => ({ kind: 'nominate', nodeName: 'node-a' }) })
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('web', { requests: { [DONGLE]: '2' } })
  await lab.clock.advance(500)
  expect((await lab.pod('web')).status?.nominatedNodeName).toBe('node-a')
})

test('a queueSort plugin orders the queue', async () => {
  const order: string[] = []
  await using lab = await startWith({
    queueSort: (a, b) => ((a.pod.metadata.name ?? '') < (b.pod.metadata.name ?? '') ? 1 : -1),
    reserve: (pod) => void order.push(pod.metadata.name ?? ''),
  })
  for (const name of ['a', 'b', 'c']) await lab.createPod(name)
  await lab.settle()
  await lab.createNode('node-a', {})
  await lab.clock.advance(3_000)
  expect(order).toEqual(['c', 'b', 'a'])
})

test('a plugin that scores out of bounds breaks the attempt and not the scheduler', async () => {
  await using lab = await startWith({
    score(pod, candidates, scores) {
      for (let i = 0; i < candidates.count; i++) scores[i] = pod.metadata.name === 'bad' ? 101 : 1
    },
  })
  for (const name of ['node-a', 'node-b']) await lab.createNode(name, {})
  await lab.createPod('bad')
  await lab.createPod('good')
  await lab.clock.advance(500)
  expect((await lab.pod('good')).spec.nodeName).toMatch(/^node-[ab]$/)
  expect((await lab.pod('bad')).status?.conditions).toMatchObject([
    {
      reason: 'SchedulerError',
      message: expect.stringContaining('plugin "probe" returns an invalid score 101') as string,
    },
  ])
})
