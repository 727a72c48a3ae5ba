import { errorText } from '@berth/text/error-text'
import { isDeepStrictEqual } from 'node:util'
import type { Pod, QueuedPod } from '@berth/types'
import { hookHosts, type HookName } from '../hosting/hook-names.ts'
import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'
import { contractBreach, frozen } from './contract-breach.ts'
import { createChecked } from './create-checked.ts'
import { decideCycle } from './decide-cycle.ts'
import { kitEnv } from './kit-env.ts'
import { declaredOnly, sampleCluster } from './sample-cluster.ts'
import type { SampleConfigMap, SampleNamespace, SampleNode } from './sample-cluster.ts'

/** Options of {@link runSchedulingPlugin}. */
export interface RunSchedulingPluginOptions {
  /** Arguments of the plugin. Default: none. */
  readonly args?: unknown
  /** Pods to decide, besides one with only a name. */
  readonly pods?: readonly Pod[]
  /** At least two. Default: four nodes, some with labels and resources, one with only a name. */
  readonly nodes?: readonly SampleNode[]
  /** Default: none. */
  readonly namespaces?: readonly SampleNamespace[]
  /** As in a host, the hooks see those that the plugin declares. Default: none. */
  readonly configMaps?: readonly SampleConfigMap[]
  /** Default: eight seeds. */
  readonly seeds?: readonly number[]
}

const barePod: Pod = { metadata: { name: 'bare', namespace: 'default', uid: 'uid-bare' }, spec: { containers: [] } }

const sampleNodes: readonly SampleNode[] = [
  { name: 'node-a', labels: { zone: 'a' }, allocatable: { cpu: 4000, 'example.com/dongle': 4 } },
  { name: 'node-b', labels: { zone: 'b' }, allocatable: { cpu: 8000 }, requested: { cpu: 8000 } },
  {
    name: 'node-c',
    annotations: { note: 'x' },
    allocatable: { 'example.com/dongle': 1 },
    requested: { 'example.com/dongle': 1 },
  },
  { name: 'node-d' },
]

/**
 * Checks a scheduling plugin against its contract: strict arguments, at least one hook, and decide hooks that are
 * synchronous, pure, within bounds, repeatable for the same seed and without state between calls.
 *
 * @returns The rules that were checked, one sentence each.
 * @throws PluginError BERTH_PLUGIN_CONTRACT naming the plugin and the broken rule; BERTH_PLUGIN_SHAPE, BERTH_PLUGIN_ARGS.
 */
export function runSchedulingPlugin(plugin: unknown, options: RunSchedulingPluginOptions = {}): readonly string[] {
  const { args, pods = [], nodes = sampleNodes, namespaces, configMaps, seeds = [1, 2, 3, 5, 8, 13, 21, 34] } = options
  const registry = createChecked(plugin, 'scheduling')
  const name = registry.list()[0]?.name ?? ''
  const create = (): SchedulingHooks => registry.createScheduling(name, args, kitEnv())
  const rule = (sentence: string, check: () => string | undefined): string => {
    let fault: string | undefined
    try {
      fault = check()
    } catch (error) {
      const message = errorText(error)
      // perNode adds the node to an error, and keeps the error as the cause.
      const isCausedByTypeError = error instanceof Error && error.cause instanceof TypeError
      const isWrite =
        (error instanceof TypeError || isCausedByTypeError) &&
        /read only|not extensible|Cannot (?:delete|define)/.test(message)
      throw contractBreach(name, isWrite ? `it changed its input: ${message}` : message, error)
    }
    if (fault !== undefined) throw contractBreach(name, fault)
    return sentence
  }

  const cluster = sampleCluster(nodes, namespaces, declaredOnly(configMaps, registry.configMapsOf(name, args)))
  const nowMs = Date.UTC(2026, 0, 1)
  const cycles = [barePod, ...pods].flatMap((pod) => seeds.map((seed) => ({ cluster, pod: frozen(pod), seed, nowMs })))
  const half = cluster.rows.toReversed().slice(0, Math.ceil(cluster.rows.length / 2))
  return [
    rule('has at least one hook, and only known ones', () => hookFault(create())),
    rule('stays within bounds and does not change its input', () => {
      for (const cycle of cycles) decideCycle({ ...cycle, hooks: create(), rows: cluster.rows })
      return undefined
    }),
    rule('accepts an empty list of candidates', () => {
      for (const cycle of cycles) decideCycle({ ...cycle, hooks: create(), rows: [] })
      return undefined
    }),
    rule('decides the same for the same seed', () => {
      const isSame = cycles.every((cycle) => {
        const records = [create(), create()].map((hooks) => decideCycle({ ...cycle, hooks, rows: cluster.rows }))
        return isDeepStrictEqual(records[0], records[1])
      })
      return isSame ? undefined : 'it decided differently for the same pod, nodes and seed'
    }),
    rule('keeps no state between calls', () => {
      const isSame = cycles.every((cycle) => {
        const used = create()
        decideCycle({ ...cycle, hooks: used, rows: cluster.rows })
        const after = decideCycle({ ...cycle, hooks: used, rows: half })
        return isDeepStrictEqual(after, decideCycle({ ...cycle, hooks: create(), rows: half }))
      })
      return isSame ? undefined : 'an earlier call changed its decision; rows and state are valid only during the call'
    }),
    rule('orders the queue consistently', () => queueSortFault(create(), nowMs)),
  ]
}

function hookFault(hooks: SchedulingHooks): string | undefined {
  const names = Object.entries(hooks).filter(([, value]) => typeof value === 'function')
  if (names.length === 0) return 'create returned no hooks'
  const unknown = names.find(([hook]) => !Object.hasOwn(hookHosts, hook))
  if (unknown !== undefined) return `"${unknown[0]}" is not a hook`
  const unused = names.find(([hook]) => hookHosts[hook as HookName].length === 0)
  if (unused !== undefined) return `no program runs ${unused[0]}`
  const idle = ['preScore', 'normalizeScore'].find((hook) => names.some(([name]) => name === hook))
  if (idle !== undefined && hooks.score === undefined) return `it has ${idle} but no score`
  return hooks.reserve !== undefined && hooks.unreserve === undefined ? 'it has reserve but no unreserve' : undefined
}

function queueSortFault(hooks: SchedulingHooks, nowMs: number): string | undefined {
  const queueSort = hooks.queueSort?.bind(hooks)
  if (queueSort === undefined) return undefined
  const queued = [0, 100, 100].map((priority, index): QueuedPod => {
    const metadata = { name: `queued-${index}`, namespace: 'default', uid: `uid-${index}` }
    return frozen({ pod: { metadata, spec: { containers: [], priority } }, queuedAtMs: nowMs - index, attempts: index })
  })
  for (const a of queued) {
    for (const b of queued) {
      const order = queueSort(a, b)
      if (!Number.isFinite(order)) return `queueSort returned ${order}`
      if (Math.sign(order) !== -Math.sign(queueSort(b, a))) return 'queueSort(a, b) and queueSort(b, a) disagree'
    }
  }
  return undefined
}
