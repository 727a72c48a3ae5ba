import { errorText } from '@berth/text/error-text'
import type { Node } from '@berth/types'
import type { AllowedOrigin } from '../contract/plugin-env.ts'
import type { ResourceReading } from '../contract/resource-source.ts'
import { contractBreach, frozen } from './contract-breach.ts'
import { createChecked } from './create-checked.ts'
import { inTime } from './in-time.ts'
import { kitEnv } from './kit-env.ts'

/** Options of {@link runResourceSource}. */
export interface RunResourceSourceOptions {
  /** Arguments of the plugin. Default: none. */
  readonly args?: unknown
  /** Default: one node with only a name. */
  readonly nodes?: readonly Node[]
  /** Deadline for one computation, in milliseconds. Default: 2000. */
  readonly deadlineMs?: number
  /** HTTP servers that the source may query. Default: none. */
  readonly origins?: readonly AllowedOrigin[]
}

const largest = 2n ** 63n - 1n

/**
 * Checks a resource source against its contract: a number of units that the API server accepts, a time that is not
 * in the future, an unchanged node, and an end when its signal is aborted.
 *
 * @returns One reading per node.
 * @throws PluginError BERTH_PLUGIN_CONTRACT naming the plugin and the broken rule; BERTH_PLUGIN_SHAPE, BERTH_PLUGIN_ARGS.
 */
export async function runResourceSource(
  plugin: unknown,
  { args, nodes = [{ metadata: { name: 'node-a' } }], deadlineMs = 2_000, origins = [] }: RunResourceSourceOptions = {},
): Promise<readonly ResourceReading[]> {
  const registry = createChecked(plugin, 'resource-source')
  const name = registry.list()[0]?.name ?? ''
  const source = registry.createResourceSource(name, args, { ...kitEnv(), origins })
  const readings: ResourceReading[] = []
  for (const node of nodes) {
    const reading = await inTime(
      name,
      'compute returned nothing',
      deadlineMs,
      source.compute(frozen(node), new AbortController().signal),
    ).catch((error: unknown) => {
      const reason = errorText(error)
      throw contractBreach(name, `compute failed for node ${node.metadata.name ?? ''}: ${reason}`, error)
    })
    const fault = readingFault(reading)
    if (fault !== undefined) throw contractBreach(name, fault)
    readings.push(reading)
    const stopped = source.compute(node, AbortSignal.abort()).then(
      () => undefined,
      () => undefined,
    )
    await inTime(name, 'compute did not end after its signal was aborted', deadlineMs, stopped)
  }
  return readings
}

function readingFault({ units, observedAtMs }: ResourceReading): string | undefined {
  if (typeof units !== 'bigint' && !Number.isFinite(units))
    return `compute returned ${units} units, which is not finite`
  if (units < 0) return `compute returned ${units} units, which is negative`
  if (units > largest) return `compute returned ${units} units, more than the API server accepts`
  if (!Number.isFinite(observedAtMs)) return `compute returned ${observedAtMs} as the time of observation`
  return observedAtMs > Date.now() + 1_000 ? 'compute returned a time of observation in the future' : undefined
}
