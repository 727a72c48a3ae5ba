import { createPluginRegistry, type SchedulingPlugin } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { buildProfiles } from './build-profiles.ts'
import { kubeSchedulerConfiguration } from './kube-scheduler-configuration.ts'
import type { Profile } from './profile.ts'

const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }) }
const env = () => ({ log: silentLogger, clock, random: () => 0 })

/** A plugin whose hooks use `this`. */
class Everything {
  readonly word = 'me'
  queueSort = (): number => 1
  filter = (): void => undefined
  score = (): void => undefined
  reserve(): undefined {
    if (this.word !== 'me') throw new Error('lost this')
    return undefined
  }
  permit = (): undefined => undefined
}

function plugin(name: string, hooks: ReturnType<SchedulingPlugin['create']>): SchedulingPlugin {
  const argsSchema = z.strictObject({ sides: z.int().default(6) })
  return {
    kind: 'scheduling',
    apiVersion: 'berth.dev/v1',
    name,
    description: 'A test.',
    argsSchema,
    create: () => hooks,
  }
}

const registry = createPluginRegistry(
  [
    plugin('everything', new Everything()),
    plugin('scores', { score() {}, preScore: () => undefined, normalizeScore() {} }),
    plugin('filters', { filter() {}, preFilter: () => undefined }),
    plugin('misspelt', { score() {}, filtr() {} } as ReturnType<SchedulingPlugin['create']>),
    plugin('binds', { bind: () => ({ kind: 'skip' }), reserve: () => undefined }),
    plugin('preempts', { processPreemption: (_pod, victims) => victims }),
  ].map((entry) => ({ plugin: entry, origin: 'here' })),
)

function build(yaml: string): readonly Profile[] {
  const { profiles, extenders } = z.strictObject(kubeSchedulerConfiguration).parse(parse(yaml))
  return buildProfiles({ profiles, extenders }, registry, env)
}

const pluginsOf = (yaml: string): Readonly<Record<string, readonly string[]>> => {
  const [profile] = build(`profiles: [{ plugins: ${yaml} }]`)
  const names = ['queueSort', 'preFilter', 'filter', 'preScore', 'score', 'normalizeScore'] as const
  return Object.fromEntries(
    (profile?.framework.plugins ?? []).map(({ plugin: hooks, weight }) => [
      hooks.name,
      [...names.filter((name) => hooks[name] !== undefined), `weight ${weight}`],
    ]),
  )
}

describe('buildProfiles', () => {
  test('enables all default plugins by default', () => {
    expect(Object.keys(pluginsOf('{}'))).toEqual(expect.arrayContaining(['NodeResourcesFit', 'ImageLocality']))
  })

  test('disables all default plugins of an extension point with *', () => {
    const plugins = pluginsOf('{ score: { disabled: [{ name: "*" }] } }')
    expect(plugins['ImageLocality']).toBeUndefined()
    expect(plugins['NodeResourcesFit']).toEqual(expect.arrayContaining(['filter']))
    expect(plugins['NodeResourcesFit']).not.toEqual(expect.arrayContaining(['score']))
  })

  test('enables a plugin at every extension point with multiPoint, except where it is disabled', () => {
    const plugins = pluginsOf(
      '{ multiPoint: { disabled: [{ name: "*" }], enabled: [{ name: everything, weight: 4 }, { name: DefaultBinder }] }, filter: { disabled: [{ name: everything }] } }',
    )
    expect(plugins).toEqual({ everything: ['queueSort', 'score', 'weight 4'] })
  })

  test('enables the hooks that prepare an extension point', () => {
    const plugins = pluginsOf(
      '{ filter: { enabled: [{ name: filters }] }, score: { enabled: [{ name: scores, weight: 2 }] } }',
    )
    expect(plugins['filters']).toEqual(['preFilter', 'filter', 'weight 1'])
    expect(plugins['scores']).toEqual(['preScore', 'score', 'normalizeScore', 'weight 2'])
  })

  test('accepts plugins that are part of the scheduler, without effect', () => {
    const yaml =
      '{ queueSort: { enabled: [{ name: PrioritySort }] }, bind: { enabled: [{ name: DefaultBinder }] }, preEnqueue: { enabled: [{ name: SchedulingGates }] } }'
    expect(pluginsOf(yaml)).toEqual(pluginsOf('{}'))
  })

  test('accepts arguments of built-in plugins with their kind', () => {
    const kinds = ['NodeResourcesFit', 'NodeAffinity', 'PodTopologySpread', 'InterPodAffinity']
    const config = kinds.map((name) => `{ name: ${name}, args: { kind: ${name}Args } }`).join(', ')
    expect(build(`profiles: [{ pluginConfig: [${config}] }]`)).toHaveLength(1)
  })

  test('accepts extension points of upstream plugins that the scheduler runs itself', () => {
    const yaml =
      '{ reserve: { enabled: [{ name: VolumeBinding }] }, score: { enabled: [{ name: VolumeBinding }] }, preScore: { enabled: [{ name: NodeResourcesFit }] } }'
    expect(Object.keys(pluginsOf(yaml)).toSorted()).toEqual(Object.keys(pluginsOf('{}')).toSorted())
  })

  test('binds volumes with the timeout of VolumeBinding', () => {
    const timeouts = (yaml: string): unknown => build(yaml).map(({ volumeBinding }) => volumeBinding?.bindTimeoutMs)
    expect(timeouts('profiles: [{}]')).toEqual([600_000])
    expect(
      timeouts('profiles: [{ pluginConfig: [{ name: VolumeBinding, args: { bindTimeoutSeconds: 7 } }] }]'),
    ).toEqual([7_000])
    expect(timeouts('profiles: [{ plugins: { filter: { disabled: [{ name: VolumeBinding }] } } }]')).toEqual([
      undefined,
    ])
    expect(timeouts('profiles: [{ plugins: { multiPoint: { disabled: [{ name: VolumeBinding }] } } }]')).toEqual([
      undefined,
    ])
  })

  test('runs filters in the order of the filter point', () => {
    const [profile] = build(
      'profiles: [{ plugins: { filter: { enabled: [{ name: NodeResourcesFit }, { name: filters }, { name: NodeAffinity }] } } }]',
    )
    const { plugins = [], filterOrder = [] } = profile?.framework ?? {}
    const names = filterOrder.map((position) => plugins[position]?.plugin.name)
    expect(names.slice(0, 4)).toEqual(['NodeResourcesFit', 'NodeAffinity', 'NodeUnschedulable', 'NodeName'])
    expect(names).toContain('filters')
  })

  test.for([
    { it: 'at postFilter by name', postFilter: 'DefaultPreemption', multiPoint: '' },
    { it: 'at postFilter with *', postFilter: '*', multiPoint: '' },
    { it: 'at multiPoint by name', postFilter: '', multiPoint: 'DefaultPreemption' },
    { it: 'at multiPoint with *', postFilter: '', multiPoint: '*' },
  ])(
    'preempts unless DefaultPreemption is disabled $it, and again where it is enabled',
    ({ postFilter, multiPoint }) => {
      const disabled = (name: string): string => (name === '' ? '' : `disabled: [{ name: "${name}" }],`)
      const effectsWith = (enabled: string): unknown => {
        const [profile] = build(`profiles: [{ plugins: {
        multiPoint: { ${disabled(multiPoint)} enabled: [{ name: PrioritySort }, { name: DefaultBinder }] },
        postFilter: { ${disabled(postFilter)} enabled: [${enabled}] } } }]`)
        return profile?.effects.map(({ name, preemption }) => ({ name, preemption }))
      }
      expect(effectsWith('')).toEqual([])
      expect(effectsWith('{ name: DefaultPreemption }')).toEqual([
        { name: 'DefaultPreemption', preemption: { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 } },
      ])
    },
  )

  test('runs effect hooks in the order of each extension point', () => {
    const [profile] = build(`profiles: [{ plugins: {
      reserve: { enabled: [{ name: binds }, { name: everything }] },
      permit: { enabled: [{ name: everything }] },
      postFilter: { disabled: [{ name: DefaultPreemption }] },
      bind: { enabled: [{ name: binds }] } } }]`)
    expect(profile?.effects.map(({ name, hooks }) => `${name} ${Object.keys(hooks).join(' ')}`)).toEqual([
      'binds reserve',
      'everything reserve',
      'everything permit',
      'binds bind',
    ])
  })

  test('fails the attempt of a pod that every bind plugin skips if DefaultBinder is disabled', () => {
    const [profile] = build(
      'profiles: [{ plugins: { bind: { disabled: [{ name: DefaultBinder }], enabled: [{ name: binds }] } } }]',
    )
    const [, , last] = profile?.effects ?? []
    expect(last?.hooks.bind?.({} as never, 'n', {} as never)).toMatchObject({
      kind: 'reject',
      reasons: ['every bind plugin skipped the pod, and DefaultBinder is disabled'],
    })
  })

  test('calls hooks with their this', async () => {
    const [profile] = build('profiles: [{ plugins: { reserve: { enabled: [{ name: everything }] } } }]')
    expect(profile?.effects.map(({ name }) => name)).toEqual(['DefaultPreemption', 'everything'])
    await expect(
      Promise.resolve(profile?.effects[1]?.hooks.reserve?.({} as never, 'n', {} as never)),
    ).resolves.toBeUndefined()
    expect(profile?.effects[1]?.hooks.permit).toBeUndefined()
  })

  test.for([
    {
      it: 'a plugin that does not exist',
      yaml: 'profiles: [{ plugins: { filter: { enabled: [{ name: nothing }] } } }]',
      says: 'read profiles[0].plugins.filter.enabled[0]: plugin nothing is neither built in nor in --plugin-dir',
    },
    {
      it: 'a plugin without a hook at the extension point',
      yaml: 'profiles: [{ plugins: { score: { enabled: [{ name: filters }] } } }]',
      says: 'plugin filters does not extend score',
    },
    {
      it: 'an extension point that the plugin lacks, beside one that it has',
      yaml: 'profiles: [{ plugins: { filter: { enabled: [{ name: filters }] }, score: { enabled: [{ name: filters }] } } }]',
      says: 'read profiles[0].plugins.score.enabled[0]: plugin filters does not extend score',
    },
    {
      it: 'an extension point that the plugin lacks, beside multiPoint',
      yaml: 'profiles: [{ plugins: { multiPoint: { enabled: [{ name: scores }] }, permit: { enabled: [{ name: scores }] } } }]',
      says: 'read profiles[0].plugins.permit.enabled[0]: plugin scores does not extend permit',
    },
    {
      it: 'an extension point that a built-in plugin lacks',
      yaml: 'profiles: [{ plugins: { score: { enabled: [{ name: NodeName }] } } }]',
      says: 'read profiles[0].plugins.score.enabled[0]: plugin NodeName does not extend score',
    },
    {
      it: 'default preemption as a filter',
      yaml: 'profiles: [{ plugins: { filter: { enabled: [{ name: DefaultPreemption }] } } }]',
      says: 'plugin DefaultPreemption does not extend filter',
    },
    {
      it: 'a misspelt hook',
      yaml: 'profiles: [{ plugins: { multiPoint: { enabled: [{ name: misspelt }] } } }]',
      says: 'read profiles[0]: create plugin misspelt: "filtr" is not a hook',
    },
    {
      it: 'arguments of a plugin that does not exist',
      yaml: 'profiles: [{ pluginConfig: [{ name: nothing, args: {} }] }]',
      says: 'read profiles[0].pluginConfig[0].name: plugin nothing is neither',
    },
    {
      it: 'the storage capacity scores of VolumeBinding',
      yaml: 'profiles: [{ pluginConfig: [{ name: VolumeBinding, args: { shape: [{ utilization: 0, score: 0 }] } }] }]',
      says: 'read profiles[0].pluginConfig[0].args of VolumeBinding',
    },
    {
      it: 'nodes that are chosen by volumes which nothing binds',
      yaml: 'profiles: [{ plugins: { preBind: { disabled: [{ name: VolumeBinding }] } } }]',
      says: 'read profiles[0].plugins.preBind: plugin VolumeBinding is disabled at preBind',
    },
    {
      it: 'a plugin that places pod groups',
      yaml: 'profiles: [{ plugins: { multiPoint: { enabled: [{ name: GangScheduling }] } } }]',
      says: 'plugin GangScheduling is neither built in nor in --plugin-dir',
    },
    {
      it: 'DefaultBinder disabled without another binder',
      yaml: 'profiles: [{ plugins: { bind: { disabled: [{ name: "*" }] } } }]',
      says: 'read profiles[0].plugins.bind: DefaultBinder is disabled and no other plugin binds pods',
    },
    {
      it: 'a binder behind DefaultBinder',
      yaml: 'profiles: [{ plugins: { bind: { enabled: [{ name: DefaultBinder }, { name: binds }] } } }]',
      says: 'read profiles[0].plugins.bind.enabled[0]: plugin binds never binds, because DefaultBinder is before it',
    },
    {
      it: 'PrioritySort disabled without another sorter',
      yaml: 'profiles: [{ plugins: { queueSort: { disabled: [{ name: PrioritySort }] } } }]',
      says: 'read profiles[0].plugins.queueSort: PrioritySort is disabled and no other plugin sorts the queue',
    },
    {
      it: 'two sorters',
      yaml: 'profiles: [{ plugins: { queueSort: { enabled: [{ name: PrioritySort }, { name: everything }] } } }]',
      says: 'read profiles[0].plugins.queueSort.enabled[0]: only one queue sort plugin can be enabled',
    },
    {
      it: 'PrioritySort as a filter',
      yaml: 'profiles: [{ plugins: { filter: { enabled: [{ name: PrioritySort }] } } }]',
      says: 'read profiles[0].plugins.filter.enabled[0]: plugin PrioritySort does not extend filter',
    },
    {
      it: 'arguments of a plugin that takes none',
      yaml: 'profiles: [{ pluginConfig: [{ name: ImageLocality, args: {} }] }]',
      says: 'plugin ImageLocality takes no arguments',
    },
    {
      it: 'an unknown argument',
      yaml: 'profiles: [{ plugins: { filter: { enabled: [{ name: filters }] } }, pluginConfig: [{ name: filters, args: { size: 1 } }] }]',
      says: 'args.size: no such key',
    },
    {
      it: 'an unknown argument of the fit plugin',
      yaml: 'profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { ignored: [] } }] }]',
      says: 'read profiles[0].pluginConfig[0].args of NodeResourcesFit',
    },
    {
      it: 'an invalid argument of the fit plugin',
      yaml: 'profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: RequestedToCapacityRatio } } }] }]',
      says: 'read profiles[0]: ',
    },
    {
      it: 'an unknown argument of default preemption',
      yaml: 'profiles: [{ pluginConfig: [{ name: DefaultPreemption, args: { nodes: 1 } }] }]',
      says: 'read profiles[0].pluginConfig[0].args of DefaultPreemption',
    },
    {
      it: 'default preemption without candidate nodes',
      yaml: 'profiles: [{ pluginConfig: [{ name: DefaultPreemption, args: { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 } }] }]',
      says: 'cannot both be zero',
    },
    {
      it: 'a plugin that only an extender can run',
      yaml: 'profiles: [{ plugins: { multiPoint: { enabled: [{ name: preempts }] } } }]',
      says: 'it cannot run processPreemption',
    },
    {
      it: 'a preEnqueue plugin',
      yaml: 'profiles: [{ plugins: { preEnqueue: { enabled: [{ name: filters }] } } }]',
      says: 'read profiles[0].plugins.preEnqueue.enabled[0]: plugin filters does not extend preEnqueue',
    },
    {
      it: 'profiles that sort their queue differently',
      yaml: 'profiles: [{ schedulerName: a }, { schedulerName: b, plugins: { queueSort: { enabled: [{ name: everything }] } } }]',
      says: 'they sort the queue by PrioritySort and everything',
    },
  ])('refuses $it', ({ yaml, says }) => {
    expect(() => build(yaml)).toThrow(
      expect.objectContaining({
        code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
        message: expect.stringContaining(says) as string,
      }),
    )
  })
})
