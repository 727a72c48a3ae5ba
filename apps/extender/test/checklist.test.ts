import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInPolicies } from '@berth/built-in-plugins'
import { createFaultInjector } from '@berth/simulator/testing'
import type { ExtenderBindingArgs, ExtenderFilterResult, HostPriority, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { readBindRequest, readNodesRequest } from '../src/extender-args.ts'
import { chooseServingMode } from '../src/serving-mode.ts'
import { filesIn, selfSigned } from './test-certificates.ts'
import { createTestApi, fit, post, startTestExtender, type TestExtender } from './test-extender.ts'

const DONGLE = 'example.com/dongle'
const one = { [DONGLE]: '1' }

/** Two devices of ten slices on a node with 20 slices. */
const SLICE = 'berth.dev/gpu-slice'
const DEVICE = `${SLICE}-device`
const slices = { name: 'device-slices', weight: 1, args: { resource: SLICE, slicesPerDevice: 10 } }

function bindingOf(pod: Pod | undefined): ExtenderBindingArgs {
  const { name = '', uid = '' } = pod?.metadata ?? {}
  return { PodName: name, PodNamespace: 'default', PodUID: uid, Node: 'node-1' }
}

/** Returns the body of a Binding with another node. */
function withTarget(body: Uint8Array | undefined, name: string): Uint8Array {
  const binding = JSON.parse(Buffer.from(body ?? []).toString()) as { readonly target: object }
  return Buffer.from(JSON.stringify({ ...binding, target: { ...binding.target, name } }))
}

interface Recording {
  readonly calls: readonly { readonly verb: string; readonly body: string }[]
}

/** Calls as a real kube-scheduler v1.36.3 sent them for pods in an API server of that version. */
const { calls } = JSON.parse(
  readFileSync(new URL('recordings/kube-scheduler-1.36.3.json', import.meta.url), 'utf8'),
) as Recording
const bodyOf = (verb: string): string => calls.find((call) => call.verb === verb)?.body ?? ''

/** Starts an extender with three of the nodes that the recorded calls name; node-3 has no free dongle. */
async function start(): Promise<TestExtender> {
  const extender = await startTestExtender({ bindAs: 'replica-a' })
  for (const name of ['node-1', 'node-2', 'node-3']) await extender.createNode(name, one)
  await extender.createBoundPod('holder', 'node-3', one)
  await extender.settle()
  return extender
}

describe('checklist 7.12 with the bytes of kube-scheduler 1.36', () => {
  test('7.12.1 and 7.12.4: filter answers 200 with every key, and each node is in one place', async () => {
    await using extender = await start()
    const answer = await post(extender.address, '/filter', bodyOf('filter'))
    const result = answer.json() as Required<ExtenderFilterResult>
    expect(answer.status).toBe(200)
    expect(Object.keys(result)).toEqual(['Nodes', 'NodeNames', 'FailedNodes', 'FailedAndUnresolvableNodes', 'Error'])
    expect(result).toMatchObject({
      Nodes: null,
      FailedNodes: { 'node-3': 'Insufficient example.com/dongle' },
      Error: '',
    })
    expect(result.NodeNames?.toSorted()).toEqual(['node-1', 'node-2'])
    const { names } = readNodesRequest(JSON.parse(bodyOf('filter')))
    expect(Object.keys(result.FailedAndUnresolvableNodes)).toHaveLength(names.length - 3)
  })

  test('7.12.4: NodeNames is an empty list when no node passes', async () => {
    await using extender = await startTestExtender()
    const { json } = await post(extender.address, '/filter', bodyOf('filter'))
    expect(json()).toMatchObject({ NodeNames: [], Error: '' })
  })

  test('7.12.5: prioritize answers whole numbers in the order of the call, and the same ones again', async () => {
    await using extender = await start()
    const first = (await post(extender.address, '/prioritize', bodyOf('prioritize'))).json() as readonly HostPriority[]
    const { names } = readNodesRequest(JSON.parse(bodyOf('prioritize')))
    expect(first.map(({ Host }) => Host)).toEqual(names)
    expect(first.every(({ Score }) => Number.isInteger(Score) && Score >= 0 && Score <= 10)).toBe(true)
    expect((await post(extender.address, '/prioritize', bodyOf('prioritize'))).json()).toEqual(first)
  })

  test('7.12.6: filter reserves nothing', async () => {
    await using extender = await start()
    const passes = async (): Promise<unknown> =>
      ((await post(extender.address, '/filter', bodyOf('filter'))).json() as ExtenderFilterResult).NodeNames
    expect(await passes()).toEqual(await passes())
    expect(extender.view.stats().assumed).toBe(0)
  })

  test('7.12.6: a restarted extender takes the units of bound pods from the pods, with their annotations', async () => {
    const on = createTestApi()
    const options = { on, plugins: [fit, slices], registered: builtInPolicies }
    const bind = (extender: TestExtender, pod: Pod | undefined): Promise<unknown> =>
      extender
        .drive(post(extender.address, '/bind', bindingOf(pod)))
        .then((answer) => (answer.json() as { readonly Error: string }).Error)
    const pods: Pod[] = []
    {
      await using first = await startTestExtender({ ...options, bindAs: 'replica-a' })
      await first.createNode('node-1', { [SLICE]: '20' })
      for (const name of ['bound', 'second', 'third']) pods.push(await first.createPod(name, { [SLICE]: '6' }))
      await first.settle()
      expect(await bind(first, pods[0])).toBe('')
    }
    await using restarted = await startTestExtender({ ...options, bindAs: 'replica-b' })
    await restarted.clock.advance(1_000)
    expect(restarted.view.stats().assumed).toBe(0)
    // The first call joins the election, in which the Lease of the former process has to expire.
    expect(await bind(restarted, pods[1])).toContain('the Lease is held by replica-a')
    await restarted.clock.advance(20_000)
    // Each of the two devices has room for one pod. The annotation of the bound pod says that it holds device 0.
    expect(await bind(restarted, pods[1])).toBe('')
    expect((await restarted.getPod('second'))?.metadata.annotations).toMatchObject({ [DEVICE]: '1' })
    expect(await bind(restarted, pods[2])).toMatch(/^bind pod default\/third to node node-1: /)
    expect((await restarted.getPod('third'))?.spec.nodeName).toBeUndefined()
  })

  test('7.12.7: filter counts the pods that this replica binds', async () => {
    await using extender = await start()
    const pod: Pod = await extender.createPod('web', one)
    await extender.settle()
    extender.view.assume(pod, 'node-1')
    const { json } = await post(extender.address, '/filter', bodyOf('filter'))
    expect(json()).toMatchObject({ NodeNames: ['node-2'] })
    extender.view.forget(pod)
  })

  test('7.12.7: filter leaves the units alone that are reserved for a nominated pod of the same or a higher priority', async () => {
    await using extender = await start()
    const passes = async (): Promise<unknown> =>
      ((await post(extender.address, '/filter', bodyOf('filter'))).json() as ExtenderFilterResult).NodeNames
    for (const [name, node, priority] of [
      ['important', 'node-1', 1_000],
      ['unimportant', 'node-2', -1],
    ] as const) {
      const pod = await extender.createPod(name, one)
      await extender.settle()
      // The priority of the pod in the recorded call is 1.
      extender.view.nominate({ ...pod, spec: { ...pod.spec, priority } }, node)
    }
    expect(await passes()).toEqual(['node-2'])
  })

  test('7.12.8: bind takes the units on the node, sends the uid, and treats a pod that is already bound there as success', async () => {
    const on = createTestApi()
    const bindings: unknown[] = []
    await using extender = await startTestExtender({
      on,
      bindAs: 'replica-a',
      intercept: (handle) => (request) => {
        if (request.path.endsWith('/binding')) bindings.push(JSON.parse(Buffer.from(request.body ?? []).toString()))
        return handle(request)
      },
    })
    await extender.createNode('node-1', one)
    const [first, second] = [await extender.createPod('first', one), await extender.createPod('second', one)]
    await extender.settle()
    const bind = async ({ metadata: { name, uid } }: Pod, sentUid = uid): Promise<unknown> => {
      const request = { PodName: name, PodNamespace: 'default', PodUID: sentUid, Node: 'node-1' }
      const answer = await extender.drive(post(extender.address, '/bind', request))
      return (answer.json() as { readonly Error: string }).Error
    }
    expect(await bind(first, 'another')).toContain('does not contain the pod with uid another')
    expect(await bind(first)).toBe('')
    await extender.settle()
    expect(await bind(first)).toBe('')
    expect(await bind(second)).toContain('Insufficient example.com/dongle')
    expect(bindings).toEqual([
      expect.objectContaining({ metadata: expect.objectContaining({ uid: first.metadata.uid }) as object }),
    ])
  })

  test('7.12.8: bind writes the placement annotations in the same call', async () => {
    const bindings: unknown[] = []
    await using extender = await startTestExtender({
      bindAs: 'replica-a',
      plugins: [fit, slices],
      registered: builtInPolicies,
      intercept: (handle) => (request) => {
        if (request.path.endsWith('/binding')) bindings.push(JSON.parse(Buffer.from(request.body ?? []).toString()))
        return handle(request)
      },
    })
    await extender.createNode('node-1', { [SLICE]: '10' })
    const pod = await extender.createPod('web', { [SLICE]: '6' })
    await extender.settle()
    const answer = await extender.drive(post(extender.address, '/bind', bindingOf(pod)))
    expect(answer.json()).toEqual({ Error: '' })
    expect(bindings).toMatchObject([
      { metadata: { uid: pod.metadata.uid, annotations: { [DEVICE]: '0' } }, target: { name: 'node-1' } },
    ])
    expect((await extender.getPod('web'))?.metadata.annotations).toMatchObject({ [DEVICE]: '0' })
  })

  test('7.12.8: a 409 of the API server is a success when the pod is bound to the same node, and an error for another node', async () => {
    for (const [boundTo, expected] of [
      ['node-1', /^$/],
      ['node-2', /it was deleted or bound to another node/],
    ] as const) {
      const on = createTestApi()
      const statuses: number[] = []
      await using extender = await startTestExtender({
        on,
        bindAs: 'replica-a',
        // Another program binds the pod right before the Binding arrives.
        intercept: (handle) => async (request) => {
          if (!request.path.endsWith('/binding')) return handle(request)
          await on.api.handle({ ...request, body: withTarget(request.body, boundTo) })
          const response = await handle(request)
          statuses.push(response.status)
          return response
        },
      })
      for (const name of ['node-1', 'node-2']) await extender.createNode(name, one)
      const pod = await extender.createPod('web', one)
      await extender.settle()
      const answer = await extender.drive(post(extender.address, '/bind', bindingOf(pod)))
      expect(statuses).toEqual([409])
      expect((answer.json() as { readonly Error: string }).Error).toMatch(expected)
    }
  })

  test('7.12.8: bind names the pod with its uid and the node', () => {
    expect(readBindRequest(JSON.parse(bodyOf('bind')))).toEqual({
      PodName: 'pod-225',
      PodNamespace: 'default',
      PodUID: 'e90c8b1d-4cd7-413f-9f23-06aad7237920',
      Node: 'node-3',
    })
  })

  test('7.12.2: calls are answered in their time while the API server does not answer', async () => {
    const on = createTestApi()
    const faults = createFaultInjector({ clock: on.clock, random: () => 0 })
    faults.add({ name: 'hang', matches: ({ path }) => path.endsWith('/binding'), fault: { kind: 'drop' } })
    await using extender = await startTestExtender({
      on,
      bindAs: 'replica-a',
      secondLookMs: 50,
      intercept: (handle) => faults.wrap(handle),
    })
    await extender.createNode('node-1', one)
    const pod = await extender.createPod('web', one)
    await extender.settle()
    const timed = async (verb: string, body: unknown): Promise<{ readonly ms: number; readonly json: unknown }> => {
      const startMs = extender.clock.monotonic()
      const answer = await extender.drive(post(extender.address, verb, body))
      return { ms: extender.clock.monotonic() - startMs, json: answer.json() }
    }
    const request = { PodName: 'web', PodNamespace: 'default', PodUID: pod.metadata.uid, Node: 'node-1' }
    const bound = await timed('/bind', request)
    expect(bound.json).toMatchObject({ Error: expect.stringContaining('has not answered within 1500 ms') as string })
    // kube-scheduler's httpTimeout is 2 s in the wiring that Berth prints.
    expect(bound.ms).toBeGreaterThanOrEqual(1_500)
    expect(bound.ms).toBeLessThan(2_000)
    const filtered = await timed('/filter', { Pod: { ...pod, spec: { containers: [] } }, NodeNames: ['none'] })
    expect(filtered.json).toMatchObject({ NodeNames: [], Error: '' })
    expect(filtered.ms).toBeLessThan(500)
  })

  test('7.12.9: bind needs an allowed certificate, and is not served on an open port without one', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'berth-checklist-'))
    try {
      const [server, caller] = await Promise.all([selfSigned('server'), selfSigned('node-7')])
      const flags = { ...filesIn(dir, server, caller), bind: true }
      const { tlsCertFile, tlsPrivateKeyFile } = flags
      const open = { bind: true, listen: '0.0.0.0:8888', insecureAnywhere: true }
      expect(() => chooseServingMode({ ...open, insecureHttp: true })).toThrow(/every caller to bind pods/)
      expect(() => chooseServingMode({ ...open, insecureHttp: false, tlsCertFile, tlsPrivateKeyFile })).toThrow(
        /every caller to bind pods/,
      )
      const servingMode = chooseServingMode(flags)
      await using extender = await startTestExtender({ servingMode, bindAs: 'replica-a' })
      await extender.createNode('node-1', one)
      const pod = await extender.createPod('web', one)
      await extender.settle()
      const request = { PodName: 'web', PodNamespace: 'default', PodUID: pod.metadata.uid, Node: 'node-1' }
      const refused = await post(extender.address, '/bind', request, { tls: { ca: server.cert, ...caller } })
      expect(refused.status).toBe(403)
      const anonymous = post(extender.address, '/bind', request, { tls: { ca: server.cert } })
      await expect(anonymous).rejects.toThrow(/alert|disconnected|hang up|ECONNRESET|EPIPE/)
      await extender.clock.advance(5_000)
      expect((await extender.getPod('web'))?.spec.nodeName).toBeUndefined()
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  test('7.12.10: health is on another port, and not ready before the view is complete', async () => {
    const on = createTestApi()
    const complete = Promise.withResolvers<void>()
    await using extender = await startTestExtender({
      on,
      intercept: (handle) => async (request) => {
        if (request.path.endsWith('/pods')) await complete.promise
        return handle(request)
      },
    })
    await extender.createNode('node-1', one)
    await extender.settle()
    for (const path of ['/healthz', '/livez', '/readyz', '/metrics']) {
      expect((await post(extender.address, path, '', { method: 'GET' })).status).toBe(404)
    }
    const ask = async (): Promise<unknown> =>
      (await post(extender.address, '/filter', { Pod: { metadata: {} }, NodeNames: ['node-1'] })).json()
    const reason = extender.evaluator.notReady()
    expect(reason).toContain('pods')
    expect(await ask()).toMatchObject({ NodeNames: [], Error: `evaluate pod: ${reason}` })
    complete.resolve()
    await extender.clock.advance(1_000)
    expect(extender.evaluator.notReady()).toBeUndefined()
    expect(await ask()).toMatchObject({ NodeNames: ['node-1'], Error: '' })
  })
})
