import type { Pod } from '@berth/types'
import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'
import { createChecked } from './create-checked.ts'
import { type CycleRecord, decideCycle } from './decide-cycle.ts'
import { kitEnv } from './kit-env.ts'
import { sampleCluster } from './sample-cluster.ts'
import type { SampleNamespace, SampleNode } from './sample-cluster.ts'

/** Options of {@link decideOnce}. */
export interface DecideOnceOptions {
  readonly pod: Pod
  readonly nodes: readonly SampleNode[]
  /** Arguments of the plugin. Default: none. */
  readonly args?: unknown
  /** Default: none. */
  readonly namespaces?: readonly SampleNamespace[]
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
  const { pod, nodes, args, namespaces, seed = 1, nowMs = Date.UTC(2026, 0, 1) } = options
  const cluster = sampleCluster(nodes, namespaces)
  return decideCycle({ hooks: createHooks(plugin, args), cluster, pod, rows: cluster.rows, seed, nowMs })
}

/**
 * Creates the hooks of a scheduling plugin as a host does, to call a single one of them in a test.
 *
 * @throws PluginError for a value that is not a plugin, and for invalid arguments.
 */
export function createHooks(plugin: unknown, args?: unknown): SchedulingHooks {
  const registry = createChecked(plugin, 'scheduling')
  return registry.createScheduling(registry.list()[0]?.name ?? '', args, kitEnv())
}
