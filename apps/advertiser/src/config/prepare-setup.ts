import type { AllowedOrigin, PluginEnv, PluginRegistry, ResourceSource } from '@berth/plugin-api'
import type { Clock, LogFields, Logger, Random } from '@berth/types'
import type { AdvertiserMetrics } from '../report/advertiser-metrics.ts'
import type { ResourceEntry } from '../config.ts'
import type { Declaration } from '../plan/declaration.ts'
import { toDeclarations } from './to-declarations.ts'
import { allowedOrigins, type SourceOrigin } from '../sources/source-origins.ts'
import type { ReadHeldUnits } from '../sources/query-source.ts'
import { createSourceReadings } from '../sources/source-readings.ts'
import type { PreparedDeclarations, Setup } from './setup.ts'

/** Dependencies of every setup of a process. */
export interface SetupDependencies {
  readonly plugins: PluginRegistry
  readonly metrics: AdvertiserMetrics
  readonly log: Logger
  readonly clock: Clock
  readonly random: Random
  readonly readHeldUnits: ReadHeldUnits
  /** Returns the DeviceClass that has this extended resource name. */
  readonly deviceClassOf: (resourceName: string) => string | undefined
}

/**
 * Prepares a configuration to run: converts the declarations and creates the resource sources.
 *
 * @throws PluginError BERTH_PLUGIN_UNKNOWN, BERTH_PLUGIN_ARGS, BERTH_PLUGIN_CREATE
 */
export function prepareSetup(
  config: {
    readonly resources: readonly ResourceEntry[]
    readonly owner: string
    readonly clearStaleZeros: readonly string[]
    readonly sourceOrigins?: readonly SourceOrigin[]
    readonly credentialsDir?: string
  },
  dependencies: SetupDependencies,
): Setup {
  const origins = allowedOrigins(config.sourceOrigins, config.credentialsDir)
  const { declarations, readings } = prepareDeclarations(toDeclarations(config.resources), dependencies, origins)
  return {
    desired: {
      declarations,
      readSource: readings.read,
      owner: config.owner,
      staleZeros: config.clearStaleZeros,
      deviceClassOf: dependencies.deviceClassOf,
    },
    readings,
  }
}

/**
 * Creates the resource sources of declarations.
 *
 * @param origins - HTTP servers that the sources may query. Default: none, as for objects.
 * @throws PluginError BERTH_PLUGIN_UNKNOWN, BERTH_PLUGIN_ARGS, BERTH_PLUGIN_CREATE
 */
export function prepareDeclarations(
  declarations: readonly Declaration[],
  { plugins, metrics, log, clock, random, readHeldUnits }: SetupDependencies,
  origins: readonly AllowedOrigin[] = [],
): PreparedDeclarations {
  const env: PluginEnv = { log, clock, random }
  const sources = new Map<Declaration, ResourceSource>()
  for (const declaration of declarations) {
    const { amount } = declaration
    if (amount.kind !== 'source') continue
    const own = { ...env, resourceName: declaration.resourceName, origins }
    sources.set(declaration, plugins.createResourceSource(amount.plugin, amount.args ?? {}, own))
  }
  const readings = createSourceReadings({
    sources,
    clock,
    readHeldUnits,
    onFailure(declaration, node, err) {
      metrics.sourceFailed(declaration.resourceName)
      log.debug({ ...logFields(declaration, node), err }, 'A resource source query failed')
    },
    onExpired(declaration, node) {
      log.warn(logFields(declaration, node), 'Stopped keeping the last value of a resource source')
    },
  })
  return { declarations, readings }
}

function logFields({ resourceName, amount }: Declaration, node: string): LogFields {
  return { node, resourceName, plugin: amount.kind === 'source' ? amount.plugin : undefined }
}
