import { seededRandom } from '@berth/clock/testing'
import { StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { perNode } from '../contract/per-node.ts'
import type { PluginEnv } from '../contract/plugin-env.ts'
import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'
import { defineSchedulingPlugin } from '../contract/scheduling-plugin.ts'
import { decideOnce } from './decide-once.ts'
import { runSchedulingPlugin } from './run-scheduling-plugin.ts'
import { samplePod } from './sample-pod.ts'

const plugin = (create: (env: PluginEnv) => SchedulingHooks) =>
  defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name: 'subject',
    description: 'D.',
    argsSchema: z.strictObject({}),
    create: (_args, env) => create(env),
  })

describe('runSchedulingPlugin', () => {
  test('accepts a plugin that follows its contract, and lists the rules', () => {
    const good = plugin(() => ({
      preFilter: () => undefined,
      ...perNode({
        filter: (_pod, node, { random }) => (random() < 0.5 ? `${node.name}: tails` : undefined),
        score: (_pod, node) => Number(node.allocatable('cpu')),
      }),
      normalizeScore: (_pod, { count }, scores) => {
        const highest = Math.max(1, ...scores.subarray(0, count))
        for (let i = 0; i < count; i++) scores[i] = ((scores[i] ?? 0) / highest) * 100
      },
      queueSort: (a, b) => (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0) || a.queuedAtMs - b.queuedAtMs,
    }))
    expect(runSchedulingPlugin(good)).toHaveLength(6)
  })

  test('refuses a plugin that states no version, although a host accepts it', () => {
    const { apiVersion: _stated, ...versionless } = plugin(() => ({ filter() {} }))
    expect(() => runSchedulingPlugin(versionless)).toThrow(
      "plugin subject: it is written for berth.dev/v1alpha1; state apiVersion: 'berth.dev/v1'",
    )
  })

  test('shows the hooks the ConfigMaps that the plugin declares, and no others, as a host does', () => {
    const seen: unknown[] = []
    const reads = defineSchedulingPlugin({
      apiVersion: 'berth.dev/v1',
      name: 'subject',
      description: 'D.',
      argsSchema: z.strictObject({}),
      configMaps: () => ['ops/limits'],
      create: () => ({
        filter(_pod, _candidates, _output, { cluster: { objects } }) {
          seen.push(objects.get('configMaps', 'ops/limits')?.data, objects.list('configMaps').length)
        },
      }),
    })
    const configMaps = [{ name: 'ops/limits', data: { units: '4' } }, { name: 'ops/other' }]
    decideOnce(reads, { pod: samplePod({}), nodes: [{ name: 'node-a' }], configMaps })
    expect(seen).toEqual([{ units: '4' }, 1])
    expect(runSchedulingPlugin(reads, { configMaps })).toHaveLength(6)
  })

  let calls = 0
  test.for([
    { it: 'has no hooks', create: () => ({}), says: 'create returned no hooks' },
    { it: 'has a misspelt hook', create: () => ({ fliter() {} }) as SchedulingHooks, says: '"fliter" is not a hook' },
    { it: 'prepares no score', create: () => ({ preScore: () => undefined }), says: 'preScore but no score' },
    { it: 'reserves for ever', create: () => ({ reserve: () => undefined }), says: 'reserve but no unreserve' },
    {
      it: 'scores above 100',
      create: () => perNode({ score: () => 101 }),
      says: 'score gave 101 to node-a, outside 0..100',
    },
    { it: 'scores NaN', create: () => perNode({ score: () => Number.NaN }), says: 'score gave NaN' },
    {
      it: 'uses Math.random',
      create: () => perNode({ score: () => Math.random() }),
      says: 'randomness comes from context.random',
    },
    { it: 'decides by the clock', create: () => perNode({ score: () => Date.now() % 2 }), says: 'context.nowMs' },
    {
      it: 'counts its calls',
      create: () => perNode({ score: () => (calls = (calls + 1) % 7) }),
      says: 'decided differently for the same pod, nodes and seed',
    },
    {
      it: 'keeps state between calls',
      create: () => {
        const seen = new Set<string>()
        return perNode({ score: (_pod, { name }) => (seen.has(name) ? 1 : (seen.add(name), 0)) })
      },
      says: 'an earlier call changed its decision',
    },
    {
      it: 'keeps the rows after the call',
      create: () => {
        let first: Int32Array | undefined
        return {
          score: (_pod, { rows, count }, scores) => {
            first ??= rows
            for (let i = 0; i < count; i++) scores[i] = first[i] === -1 ? 5 : 6
          },
        } satisfies SchedulingHooks
      },
      says: 'an earlier call changed its decision',
    },
    {
      it: 'writes beyond the candidates',
      create: () => ({ score: (_pod: unknown, _c: unknown, scores: Float64Array) => void scores.fill(1) }),
      says: 'score wrote beyond the candidates',
    },
    {
      it: 'reads other rows',
      create: () =>
        ({
          score: (_pod, _candidates, _scores, { cluster }) => void cluster.nodeName(1),
        }) satisfies SchedulingHooks,
      says: 'it read row 1, which is not a candidate',
    },
    {
      it: 'changes the rows',
      create: () => ({ score: (_pod, { rows }) => void rows.reverse() }) satisfies SchedulingHooks,
      says: 'score changed the candidate rows',
    },
    {
      it: 'changes the pod',
      create: () => perNode({ score: (pod) => ((pod.metadata as { name: string }).name = 'x').length }),
      says: 'it changed its input',
    },
    {
      it: 'returns a promise',
      create: () => ({ filter: () => Promise.resolve() as unknown as undefined }),
      says: 'filter returned a promise',
    },
    {
      it: 'rejects without a reason',
      create: () =>
        ({
          filter: (_pod, _candidates, output) => void output.codes.fill(StatusCode.Unschedulable, 0, 1),
        }) satisfies SchedulingHooks,
      says: 'without a reason',
    },
    {
      it: 'rejects a position that is not a candidate',
      create: () =>
        ({
          filter: (_pod, { count }, output) => output.reject(count, StatusCode.Unschedulable, 'x'),
        }) satisfies SchedulingHooks,
      says: 'filter rejected candidate',
    },
    {
      it: 'rejects with success',
      create: () => perNode({ filter: () => ({ code: StatusCode.Success, reasons: ['x'] }) }),
      says: 'which is not a rejection',
    },
    {
      it: 'throws for a pod with only a name',
      create: () =>
        perNode({
          score: (pod) => (pod.metadata.labels as Record<string, string>)['weight']?.length ?? 0,
        }),
      says: 'Cannot read properties of undefined',
    },
    {
      it: 'returns another result of preScore',
      create: () => ({ preScore: () => true as never, score() {} }) satisfies SchedulingHooks,
      says: 'preScore returned true',
    },
    { it: 'sorts both ways', create: () => ({ queueSort: () => 1 }), says: 'disagree' },
  ] as readonly { it: string; create: (env: PluginEnv) => SchedulingHooks; says: string }[])(
    'catches one that $it',
    ({ create, says }) => {
      expect(() => runSchedulingPlugin(plugin(create))).toThrow(
        expect.objectContaining({ code: 'BERTH_PLUGIN_CONTRACT', message: expect.stringContaining(says) }),
      )
    },
  )

  test('catches a plugin that reads the cluster after its call', () => {
    let late: (() => unknown) | undefined
    const subject = plugin(() => ({
      score: (_pod, { rows }, _scores, { cluster }) => {
        late?.()
        late = () => cluster.nodeName(rows[0] ?? 0)
      },
    }))
    expect(() => runSchedulingPlugin(subject)).toThrow('after the call')
  })

  test('refuses a plugin of another kind', () => {
    expect(() => runSchedulingPlugin({ ...plugin(() => ({})), kind: 'device-source' })).toThrow(
      'this kit is for scheduling',
    )
  })
})

test('seededRandom repeats itself, within [0, 1)', () => {
  const draw = (seed: number) => Array.from({ length: 50 }, seededRandom(seed))
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
  expect(draw(7).every((value) => value >= 0 && value < 1)).toBe(true)
})
