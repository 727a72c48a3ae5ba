import type { PluginEnv, PluginRegistry, ResourceSource } from '@berth/plugin-api'
import type { Clock, Logger, Random } from '@berth/types'
import type { Setup } from '../advertiser.ts'
import type { AdvertiserMetrics } from '../report/advertiser-metrics.ts'
import type { ResourceEntry } from '../config.ts'
import type { Declaration } from '../plan/declaration.ts'
import { declarationsOf } from './to-declarations.ts'
import { createSourceReadings } from '../sources/source-readings.ts'

/** How long a source may think about one node, milliseconds. */
const SOURCE_TIMEOUT_MS = 10_000

/** What setups are made with; the same for the whole life of the process. */
export interface SetupParts {
  readonly plugins: PluginRegistry
  readonly metrics: AdvertiserMetrics
  readonly log: Logger
  readonly clock: Clock
  readonly random: Random
}

/**
 * Turns a configuration into what the advertiser works with, creating its resource sources.
 *
 * @throws PluginError BERTH_PLUGIN_UNKNOWN, BERTH_PLUGIN_ARGS, BERTH_PLUGIN_CREATE.
 */
export function prepareSetup(
  config: { readonly resources: readonly ResourceEntry[]; readonly adopt: boolean },
  parts: SetupParts,
): Setup {
  const { plugins, metrics, log, clock, random } = parts
  const env: PluginEnv = { log, clock, random }
  const declarations = declarationsOf(config.resources)
  const sources = new Map<Declaration, ResourceSource>()
  for (const declaration of declarations) {
    const { amount } = declaration
    if (amount.kind !== 'source') continue
    sources.set(declaration, plugins.createResourceSource(amount.plugin, amount.args ?? {}, env))
  }
  const readings = createSourceReadings({
    sources,
    clock,
    timeoutMs: SOURCE_TIMEOUT_MS,
    onFailure: ({ resourceName }, node, err) => {
      metrics.sourceFailed(resourceName)
      log.debug({ node, resourceName, err }, 'A resource source gave no answer')
    },
  })
  return { wanted: { declarations, readSource: readings.read, adopt: config.adopt }, readings }
}
