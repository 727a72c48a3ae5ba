import type { PluginRegistry } from '@berth/plugin-api'
import { loadConfig, type ConfigOf, type LoadConfigOptions } from '@berth/process/config'
import type { Instruments } from '@berth/process/metrics'
import type { ProcessLogger } from '@berth/process/log'
import type { Clock, Random } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import { configDefinition } from './config.ts'
import { createSources } from './create-sources.ts'
import type { metricDefinitions } from './metrics.ts'
import type { ResourceSet } from './resource-set.ts'

/** The effective configuration. */
export type Config = ConfigOf<typeof configDefinition>

/**
 * Loads the configuration again and applies its resources. An invalid configuration, also one in which two resources
 * collide, is logged and counted, and the previous one stays in effect.
 *
 * @param options.current - The configuration with which the process started.
 */
export async function reloadConfig(options: {
  readonly origin: LoadConfigOptions
  readonly current: Config
  readonly plugins: PluginRegistry
  readonly resources: ResourceSet
  readonly metrics: Instruments<typeof metricDefinitions>
  readonly log: ProcessLogger
  readonly clock: Clock
  readonly random: Random
}): Promise<void> {
  const { origin, current, plugins, resources, metrics, log, clock, random } = options
  const refuse = (fields: Readonly<Record<string, unknown>>): void => {
    metrics.configReloads.inc({ result: 'refused' })
    log.error(fields, 'Kept the previous configuration: the new one is invalid')
  }
  try {
    const loaded = loadConfig(configDefinition, origin)
    if (loaded.kind === 'exit') {
      refuse({ reason: loaded.text })
      return
    }
    const hasNodeHelper = current.nodeHelper !== undefined
    const sources = createSources(loaded.values.resources, plugins, { log, clock, random, hasNodeHelper })
    const fixed = Object.keys(loaded.values).filter((key) => key !== 'resources') as (keyof Config)[]
    const changed = fixed.filter((key) => !isDeepStrictEqual(loaded.values[key], current[key]))
    if (changed.length > 0) log.warn({ keys: changed }, 'These changes take effect after a restart')
    await resources.apply(sources)
    metrics.configReloads.inc({ result: 'applied' })
    log.info({ resources: sources.map(({ entry }) => entry.name) }, 'Applied the new configuration')
  } catch (err) {
    refuse({ err })
  }
}
