import { builtInPlugins, createClusterState, decide, decidesOnNodes } from '@berth/fit-engine'
import { createPluginRegistry, type SchedulingPlugin } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { buildExtenderProfile } from './extender-profile.ts'

const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }) }
const env = () => ({ log: silentLogger, clock, random: () => 0 })

function plugin(name: string, hooks: ReturnType<SchedulingPlugin['create']>): SchedulingPlugin {
  return {
    kind: 'scheduling',
    apiVersion: 'berth.dev/v1',
    name,
    description: 'A test.',
    argsSchema: z.strictObject({}),
    create: () => hooks,
  }
}

const registry = createPluginRegistry(
  [
    plugin('scores', { score() {} }),
    plugin('filters', { filter() {} }),
    plugin('binds', { bind: () => ({ kind: 'bound' }) }),
    plugin('idle', {}),
    plugin('misspelt', { score() {}, filtr() {} } as ReturnType<SchedulingPlugin['create']>),
    plugin('preempts', { processPreemption: (_pod, victims) => victims }),
    plugin('reserves', { reserve: () => undefined }),
  ].map((entry) => ({ plugin: entry, origin: 'here' })),
)
const entry = (
  name: string,
  args: Record<string, unknown> = {},
  weight = 1,
): { name: string; weight: number; args: Record<string, unknown> } => ({ name, weight, args })

describe('buildExtenderProfile', () => {
  test('keeps the order of the plugins and computes the maximum total', () => {
    const { framework, maxTotal } = buildExtenderProfile(
      [entry('scores', {}, 3), entry('filters'), entry('NodeResourcesFit')],
      registry,
      env,
    )
    expect(framework.plugins.map(({ plugin: { name } }) => name)).toEqual(['scores', 'filters', 'NodeResourcesFit'])
    expect(maxTotal).toBe(400)
  })

  const argsByPlugin: Readonly<Record<string, Record<string, unknown>>> = {
    NodeResourcesFit: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 2 }] } },
    NodeResourcesBalancedAllocation: { resources: [{ name: 'cpu' }, { name: 'example.com/dongle', weight: 1 }] },
    NodeAffinity: {
      addedAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
        },
      },
    },
    PodTopologySpread: {
      defaultingType: 'List',
      defaultConstraints: [
        { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    },
    InterPodAffinity: { hardPodAffinityWeight: 5, ignorePreferredTermsOfExistingPods: true },
    NodeResourcesFragmentation: { resources: [{ name: 'example.com/dongle', blockSizes: [2, 4] }] },
  }
  test('accepts every field of a default constraint that kube-scheduler accepts', () => {
    const constraint = {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      minDomains: 2,
      nodeAffinityPolicy: 'Ignore',
      nodeTaintsPolicy: 'Honor',
      matchLabelKeys: ['pod-template-hash'],
    }
    const args = { defaultingType: 'List', defaultConstraints: [constraint] }
    const { framework } = buildExtenderProfile([entry('PodTopologySpread', args)], registry, env)
    expect(framework.plugins.map(({ plugin: { name } }) => name)).toEqual(['PodTopologySpread'])
  })

  test.for(builtInPlugins.filter((plugin) => plugin.argsSchema !== undefined && decidesOnNodes(plugin)))(
    'accepts arguments for $name',
    ({ name }) => {
      const args = argsByPlugin[name] ?? {}
      expect(Object.keys(args)).not.toEqual([])
      const { framework } = buildExtenderProfile([entry(name, { kind: `${name}Args`, ...args })], registry, env)
      expect(framework.plugins.map(({ plugin: { name: built } }) => built)).toEqual([name])
      expect(() => buildExtenderProfile([entry(name, { ...args, sides: 6 })], registry, env)).toThrow(
        `read plugins[0]: invalid arguments for ${name}: ✖ Unrecognized key: "sides"`,
      )
    },
  )

  test('runs a built-in plugin with its arguments', () => {
    const state = createClusterState()
    for (const [name, disk] of Object.entries({ fast: 'ssd', slow: 'hdd' })) {
      state.setNode({ metadata: { name, labels: { disk } } })
    }
    const { framework } = buildExtenderProfile([entry('NodeAffinity', argsByPlugin['NodeAffinity'])], registry, env)
    const pod = { metadata: { name: 'p' }, spec: { containers: [] } }
    expect(decide(framework, state, pod, { nowMs: 0, random: () => 0 }).feasible).toEqual(['fast'])
  })

  test.for([
    {
      it: 'a plugin that does not exist',
      entries: [entry('nothing')],
      says: 'read plugins[0]: there is no plugin nothing',
    },
    {
      it: 'default preemption, which an extender cannot run',
      entries: [entry('DefaultPreemption')],
      says: 'read plugins[0]: plugin DefaultPreemption runs in the scheduler only',
    },
    {
      it: 'an unknown argument',
      entries: [entry('scores'), entry('filters', { sides: 6 })],
      says: 'read plugins[1]: read the arguments of plugin filters: args.sides: no such key',
    },
    {
      it: 'an unknown argument of NodeResourcesFit',
      entries: [entry('NodeResourcesFit', { ignored: [] })],
      says: 'read plugins[0]: invalid arguments for NodeResourcesFit',
    },
    {
      it: 'arguments for a plugin without arguments',
      entries: [entry('ImageLocality', { a: 1 })],
      says: 'read plugins[0]: plugin ImageLocality takes no arguments',
    },
    {
      it: 'a plugin without hooks',
      entries: [entry('idle')],
      says: 'use plugin idle in the extender: it has no hook',
    },
    {
      it: 'a plugin with a misspelt hook',
      entries: [entry('misspelt')],
      says: 'read plugins[0]: create plugin misspelt: "filtr" is not a hook',
    },
    {
      it: 'a plugin with a reserve hook',
      entries: [entry('reserves')],
      says: 'use plugin reserves in the extender: it cannot run reserve',
    },
    {
      it: 'arguments that contradict each other',
      entries: [
        entry('filters'),
        entry('PodTopologySpread', {
          defaultingType: 'System',
          defaultConstraints: [{ maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }],
        }),
      ],
      says: 'read plugins[1]: read arguments of plugin PodTopologySpread: defaultConstraints: they need defaultingType List',
    },
    {
      it: 'a plugin with other effect hooks of the scheduler',
      entries: [entry('reserves')],
      says: 'it cannot run reserve',
    },
    {
      it: 'a plugin that is configured twice',
      entries: [entry('scores'), entry('scores')],
      says: 'plugin scores is listed twice',
    },
  ])('refuses $it', ({ entries, says }) => {
    expect(() => buildExtenderProfile(entries, registry, env)).toThrow(
      expect.objectContaining({
        code: 'BERTH_EXTENDER_CONFIG_PLUGIN',
        message: expect.stringContaining(says) as string,
      }),
    )
  })
})
