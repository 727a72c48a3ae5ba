import { StatusCode, silentLogger } from '@berth/types'
import type { DecideContext, FilterOutput, Node, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { perNode } from '../contract/per-node.ts'
import type { DeviceSource } from '../contract/device-source.ts'
import type { EffectContext } from '../contract/effect-hooks.ts'
import { sampleCluster } from '../testing/sample-cluster.ts'
import { guardSchedulingHooks } from './guard-scheduling.ts'
import { guardDeviceSource, guardResourceSource } from './guard-sources.ts'

const cluster = sampleCluster([{ name: 'node-a' }, { name: 'node-b' }])
const context: DecideContext = { cluster: cluster.reader, nowMs: 0, random: () => 0, state: new Map() }
const candidates = { rows: Int32Array.from(cluster.rows), count: 2 }
const pod: Pod = { metadata: { name: 'pod' }, spec: { containers: [] } }
const output = { codes: new Uint8Array(2), reject: () => {} }
const invalid = (message: string): unknown => expect.objectContaining({ code: 'BERTH_PLUGIN_RESULT', message })
const started = async (call: () => unknown): Promise<unknown> => call()
const returning = (value: unknown) => (() => value) as never

describe('perNode', () => {
  const filterError = 'undefined to accept the node, a reason that is not empty, or { code, reasons }'
  test.for([
    { value: true, named: 'true' },
    { value: '', named: '""' },
    { value: null, named: 'null' },
    { value: Promise.resolve(), named: 'a promise' },
    { value: { code: StatusCode.Unschedulable, reasons: [] }, named: 'an object with the keys code, reasons' },
  ])('names the node when a filter returns $named', ({ value, named }) => {
    const hooks = perNode({ filter: returning(value) })
    expect(() => hooks.filter?.(pod, candidates, output, context)).toThrow(
      invalid(`filter returned ${named} for node node-a, expected ${filterError}`),
    )
  })

  test.for([
    { value: undefined, named: 'undefined' },
    { value: Number.NaN, named: 'NaN' },
    { value: '7', named: '"7"' },
    { value: Promise.resolve(1), named: 'a promise' },
  ])('names the node when a score is $named', ({ value, named }) => {
    const hooks = perNode({ score: (_pod, { name }) => (name === 'node-a' ? 1 : value) as number })
    expect(() => hooks.score?.(pod, candidates, new Float64Array(2), context)).toThrow(
      invalid(`score gave ${named} to node-b, expected a number from 0 to 100`),
    )
  })
})

describe('guardSchedulingHooks', () => {
  const run = (hooks: Record<string, unknown>): void => {
    const guarded = guardSchedulingHooks(hooks)
    guarded.preEnqueue?.(pod)
    guarded.queueingHint?.(pod, { kind: 'pod-left', pod })
    guarded.preFilter?.(pod, candidates, context)
    guarded.filter?.(pod, candidates, output, context)
    guarded.preScore?.(pod, candidates, context)
    const scores = new Float64Array(2)
    guarded.score?.(pod, candidates, scores, context)
    guarded.normalizeScore?.(pod, candidates, scores, context)
    guarded.bindingAnnotations?.(pod, candidates.rows[0] ?? 0, context)
  }
  const rejects =
    (...reasons: readonly string[]) =>
    (_pod: unknown, _candidates: unknown, out: FilterOutput): void =>
      out.reject(1, StatusCode.Unschedulable, ...reasons)
  const rejectsWith =
    (i: unknown, code: unknown = StatusCode.Unschedulable) =>
    (_pod: unknown, _candidates: unknown, out: FilterOutput): void =>
      out.reject(i as number, code as StatusCode, 'full')
  const codeExpected = 'a code of StatusCode that rejects: Unschedulable'

  test.for([
    { hooks: { preEnqueue: async () => undefined }, says: 'preEnqueue returned a promise, expected undefined or' },
    { hooks: { preEnqueue: () => ({ kind: 'reject', reasons: [] }) }, says: 'preEnqueue returned an object' },
    { hooks: { queueingHint: () => undefined }, says: 'queueingHint returned undefined, expected true or false' },
    { hooks: { preFilter: async () => undefined }, says: 'preFilter returned a promise, expected undefined' },
    { hooks: { preFilter: () => ({ kind: 'narrow', nodeNames: ['a'] }) }, says: 'preFilter returned an object' },
    { hooks: { filter: () => Promise.resolve() as unknown }, says: 'filter returned a promise, expected nothing' },
    { hooks: { filter: () => true }, says: 'filter returned true, expected nothing' },
    { hooks: { filter: () => false }, says: 'filter returned false, expected nothing' },
    { hooks: { filter: () => 0 }, says: 'filter returned 0, expected nothing' },
    {
      hooks: { filter: rejectsWith(1, null) },
      says: `filter rejected with null for node node-b, expected ${codeExpected}`,
    },
    {
      hooks: { filter: rejectsWith(1, 256) },
      says: `filter rejected with 256 for node node-b, expected ${codeExpected}`,
    },
    { hooks: { filter: rejectsWith(1, StatusCode.Success) }, says: `filter rejected with 0 for node node-b, expected` },
    { hooks: { filter: rejectsWith(1, StatusCode.Wait) }, says: `filter rejected with 4 for node node-b, expected` },
    { hooks: { filter: rejectsWith(2) }, says: 'filter rejected candidate 2, expected a position from 0 to 1' },
    { hooks: { filter: rejectsWith(-1) }, says: 'filter rejected candidate -1, expected' },
    { hooks: { filter: rejectsWith(0.5) }, says: 'filter rejected candidate 0.5, expected' },
    { hooks: { filter: rejectsWith('1') }, says: 'filter rejected candidate "1", expected' },
    { hooks: { filter: () => 'no' }, says: 'filter returned "no", expected nothing' },
    { hooks: { filter: rejects('') }, says: 'filter rejected with "" for node node-b, expected at least one reason' },
    { hooks: { filter: rejects() }, says: 'filter rejected with an empty array for node node-b' },
    { hooks: { preScore: async () => undefined }, says: 'preScore returned a promise' },
    { hooks: { preScore: () => true }, says: 'preScore returned true, expected undefined or { kind: "skip" }' },
    { hooks: { preScore: () => ({ kind: 'stop' }) }, says: 'preScore returned an object with the keys kind, expected' },
    { hooks: { score: async () => undefined }, says: 'score returned a promise, expected nothing' },
    {
      hooks: { score: (_pod: unknown, _rows: unknown, scores: Float64Array) => void (scores[1] = Number.NaN) },
      says: 'score gave NaN to node-b, expected a number from 0 to 100',
    },
    { hooks: { score() {}, normalizeScore: async () => undefined }, says: 'normalizeScore returned a promise' },
    {
      hooks: { bindingAnnotations: () => ({ device: 1 }) },
      says: 'bindingAnnotations returned an object with the keys device for node node-a, expected undefined or an object',
    },
    { hooks: { bindingAnnotations: () => ({ 'no name': '1' }) }, says: 'bindingAnnotations returned an object' },
    { hooks: { bindingAnnotations: () => ({ a: 'x'.repeat(1_025) }) }, says: 'bindingAnnotations returned an object' },
    { hooks: { bindingAnnotations: async () => ({}) }, says: 'bindingAnnotations returned a promise' },
  ])('refuses: $says', ({ hooks, says }) => {
    expect(() => run(hooks)).toThrow(invalid(expect.stringContaining(says) as string))
  })

  test.for([
    { order: Number.NaN, named: 'NaN' },
    { order: undefined, named: 'undefined' },
    { order: true, named: 'true' },
    { order: Promise.resolve(1), named: 'a promise' },
  ])('refuses a queueSort that returns $named', ({ order, named }) => {
    const guarded = guardSchedulingHooks({ queueSort: returning(order) })
    const queued = (name: string) => ({ pod: { ...pod, metadata: { name } }, queuedAtMs: 0, attempts: 0 })
    expect(() => guarded.queueSort?.(queued('a'), queued('b'))).toThrow(
      invalid(
        `queueSort returned ${named} for pods default/a and default/b, expected a number: negative when the first pod is scheduled first`,
      ),
    )
  })

  test('accepts what the contract allows', () => {
    expect(() =>
      run({
        preFilter: () => ({ kind: 'narrow', nodeNames: new Set(['node-a']) }),
        filter: rejects('full'),
        preScore: () => ({ kind: 'skip' }),
        score: (_pod: unknown, _rows: unknown, scores: Float64Array) => scores.fill(Number.NaN),
        normalizeScore: (_pod: unknown, _rows: unknown, scores: Float64Array) => scores.fill(1),
      }),
    ).not.toThrow()
  })

  const effect: EffectContext = {
    signal: new AbortController().signal,
    log: silentLogger,
    state: new Map(),
    waitingPods: { list: () => [], get: () => undefined },
  }
  const allowed = 'undefined or { kind: "reject", code, reasons }'
  test.for([
    { hook: 'reserve', value: true, says: `reserve returned true for node node-a, expected ${allowed}` },
    {
      hook: 'permit',
      value: { kind: 'wait' },
      says: 'permit returned an object with the keys kind for node node-a, expected undefined, { kind: "wait", timeoutMs } or',
    },
    { hook: 'preBind', value: 'no', says: `preBind returned "no" for node node-a, expected ${allowed}` },
    { hook: 'bind', value: undefined, says: 'bind returned undefined for node node-a, expected { kind: "bound" }' },
  ] as const)('refuses a wrong result of $hook, also of its promise', async ({ hook, value, says }) => {
    const call = (result: unknown): Promise<unknown> => {
      const guarded = guardSchedulingHooks({ [hook]: () => result })
      return started(() => guarded[hook]?.(pod, 'node-a', effect))
    }
    await expect(call(value)).rejects.toEqual(invalid(expect.stringContaining(says) as string))
    await expect(call(Promise.resolve(value))).rejects.toEqual(invalid(expect.stringContaining(says) as string))
  })

  test('refuses a nomination without a node', () => {
    const guarded = guardSchedulingHooks({ postFilter: returning({ kind: 'nominate' }) })
    expect(() => guarded.postFilter?.(pod, new Map(), effect)).toThrow(
      'postFilter returned an object with the keys kind',
    )
  })
})

describe('guardResourceSource', () => {
  const node: Node = { metadata: { name: 'node-a' } }
  test.for([
    { reading: undefined, says: 'compute returned undefined for node node-a, expected { units, observedAtMs }' },
    {
      reading: { units: 3 },
      says: 'compute returned undefined as the time of observation (observedAtMs) for node node-a, expected milliseconds since the epoch, such as Date.now()',
    },
    {
      reading: { units: '3', observedAtMs: 1 },
      says: 'compute returned "3" as units for node node-a, expected a number, zero or more',
    },
  ])('refuses: $says', async ({ reading, says }) => {
    const source = guardResourceSource({ compute: async () => reading as never })
    await expect(source.compute(node, new AbortController().signal)).rejects.toEqual(invalid(says))
  })
})

describe('guardDeviceSource', () => {
  const device = { id: 'a', health: 'Healthy' } as const
  const place = { hostPath: '/dev/a', containerPath: '/dev/a' }
  const guarded = (source: Record<string, unknown>): DeviceSource =>
    guardDeviceSource('mine', { async *discover() {}, allocate: () => ({}), ...source })
  const first = async (source: Record<string, unknown>): Promise<unknown> =>
    guarded(source).discover(new AbortController().signal)[Symbol.asyncIterator]().next()

  test.for([
    { yielded: 'a', says: 'discover yielded "a", expected an array of devices' },
    { yielded: [{ health: 'Healthy' }], says: 'discover yielded an object with the keys health as device 0, expected' },
    { yielded: [device, 'b'], says: 'discover yielded "b" as device 1, expected' },
    { yielded: [{ ...device, health: 'healthy' }], says: 'discover yielded "healthy" as the health of device a' },
    { yielded: [{ ...device, paths: ['dev/a'] }], says: 'discover yielded "dev/a" as a path of device a' },
    { yielded: [{ ...device, numaNodes: [-1] }], says: 'discover yielded -1 as a NUMA node of device a' },
    {
      yielded: [{ ...device, physicalId: 1 }],
      says: 'discover yielded an object with the keys id, health, physicalId as device 0, expected',
    },
  ])('refuses: $says', async ({ yielded, says }) => {
    const discover = async function* () {
      yield yielded
    }
    await expect(first({ discover })).rejects.toEqual(
      invalid(expect.stringContaining(`run discover of plugin mine: ${says}`) as string),
    )
  })

  test('refuses a discover that is not a generator', async () => {
    await expect(first({ discover: async () => [device] })).rejects.toEqual(
      invalid(expect.stringContaining('discover returned a promise, expected an async iterable') as string),
    )
  })

  test.for([
    { allocation: undefined, says: 'allocate returned undefined for a, expected { env?' },
    { allocation: { env: { N: 1 } }, says: 'allocate returned 1 as env.N for a, expected a text' },
    { allocation: { mounts: {} }, says: 'allocate returned an object without keys as mounts for a, expected an array' },
    { allocation: { deviceNodes: ['/dev/a'] }, says: 'allocate returned "/dev/a" in deviceNodes for a' },
    { allocation: { env: { 'A B': 'x' } }, says: 'allocate returned "A B" as the name of a variable for a' },
    { allocation: { mounts: [{ ...place, hostPath: 'a' }] }, says: 'allocate returned "a" as a path in mounts for a' },
    {
      allocation: { deviceNodes: [place] },
      says: 'allocate returned undefined as the permissions of /dev/a for a, expected a combination of r, w and m',
    },
    {
      allocation: { deviceNodes: [{ ...place, permissions: 'rr' }] },
      says: 'allocate returned "rr" as the permissions',
    },
    { allocation: { cdiDevices: [1] }, says: 'allocate returned 1 in cdiDevices for a' },
    { allocation: { cdiDevices: ['a'] }, says: 'allocate returned "a" in cdiDevices for a' },
  ])('refuses: $says', async ({ allocation, says }) => {
    const source = guarded({ allocate: () => allocation })
    await expect(source.allocate(['a'], [device])).rejects.toEqual(
      invalid(expect.stringContaining(`run allocate of plugin mine: ${says}`) as string),
    )
  })

  test('accepts permissions in any order', async () => {
    const allocation = { deviceNodes: [{ ...place, permissions: 'mwr' }] }
    expect(await guarded({ allocate: () => allocation }).allocate(['a'], [device])).toBe(allocation)
  })

  test('leaves device ids to the device plugin, which ignores only the devices that the kubelet would not accept', async () => {
    const discover = async function* () {
      yield [device, device, { ...device, id: '' }]
    }
    expect(await first({ discover })).toMatchObject({ value: { length: 3 } })
  })

  test.for([
    { result: 'Healthy', says: 'probe returned "Healthy" for device a' },
    { result: { health: 'healthy' }, says: 'probe returned "healthy" as health for device a' },
  ])('refuses a probe result: $says', async ({ result, says }) => {
    const source = guarded({ probe: () => result })
    await expect(source.probe?.(device, new AbortController().signal)).rejects.toEqual(
      invalid(expect.stringContaining(says) as string),
    )
  })
})
