import type { Pod } from '@berth/types'
import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'
import { createChecked } from './create-checked.ts'
import { type CycleRecord, decideCycle } from './decide-cycle.ts'
import { kitEnv } from './kit-env.ts'
import { declaredOnly, sampleCluster } from './sample-cluster.ts'
import type { SampleConfigMap, SampleNamespace, SampleNode } from './sample-cluster.ts'

/** Options of {@link decideOnce}. */
export interface DecideOnceOptions {
  readonly pod: Pod
  readonly nodes: readonly SampleNode[]
  /** Arguments of the plugin. Default: none. */
  readonly args?: unknown
  /** Default: none. */
  readonly namespaces?: readonly SampleNamespace[]
  /** As in a host, the hooks see those that the plugin declares. Default: none. */
  readonly configMaps?: readonly SampleConfigMap[]
  /** Default: 1. */
  readonly seed?: number
  /** Milliseconds since the epoch. Default: the start of 2026. */
  readonly nowMs?: number
}

/**
 * Decides one pod with one plugin on a small cluster, and returns what its hooks said about each node. Use it to test what
 * a plugin decides; {@link runSchedulingPlugin} tests how.
 *
 * @throws PluginError for a value that is not a plugin, and for invalid arguments.
 */
export function decideOnce(plugin: unknown, options: DecideOnceOptions): CycleRecord {
  const { pod, nodes, args, namespaces, configMaps, seed = 1, nowMs = Date.UTC(2026, 0, 1) } = options
  const { hooks, declared } = createByKit(plugin, args)
  const cluster = sampleCluster(nodes, namespaces, declaredOnly(configMaps, declared))
  return decideCycle({ hooks, cluster, pod, rows: cluster.rows, seed, nowMs })
}

/**
 * Creates the hooks of a scheduling plugin as a host does, to call a single one of them in a test.
 *
 * @throws PluginError for a value that is not a plugin, and for invalid arguments.
 */
export function createHooks(plugin: unknown, args?: unknown): SchedulingHooks {
  return createByKit(plugin, args).hooks
}

function createByKit(
  plugin: unknown,
  args: unknown,
): { readonly hooks: SchedulingHooks; readonly declared: readonly string[] } {
  const registry = createChecked(plugin, 'scheduling')
  const name = registry.list()[0]?.name ?? ''
  return { hooks: registry.createScheduling(name, args, kitEnv()), declared: registry.configMapsOf(name, args) }
}
