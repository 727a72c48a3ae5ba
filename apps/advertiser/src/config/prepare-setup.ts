import {
  pluginErrorIn,
  type AllowedOrigin,
  type PluginEnv,
  type PluginRegistry,
  type ResourceSource,
} from '@berth/plugin-api'
import type { Clock, LogFields, Logger, Random } from '@berth/types'
import type { AdvertiserMetrics } from '../report/advertiser-metrics.ts'
import type { ResourceEntry } from '../config.ts'
import { refuseHostSources } from '../node-mode/check-mode.ts'
import type { Declaration } from '../plan/declaration.ts'
import { toDeclarations } from './to-declarations.ts'
import { allowedOrigins, type SourceOrigin } from '../sources/source-origins.ts'
import type { ReadHeldUnits } from '../sources/query-source.ts'
import type { NodeTrimmer } from '../plan/node-trimmer.ts'
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
  readonly nodeTrimmer: NodeTrimmer
  /** Returns the DeviceClass that has this extended resource name. */
  readonly deviceClassOf: (resourceName: string) => string | undefined
}

/**
 * Prepares a configuration to run: converts the declarations and creates the resource sources.
 *
 * @throws ConfigError BERTH_ADVERTISER_CONFIG_MODE if a source reads the host and the process is for all nodes.
 * @throws PluginError BERTH_PLUGIN_UNKNOWN, BERTH_PLUGIN_ARGS, BERTH_PLUGIN_CREATE
 */
export function prepareSetup(
  config: {
    readonly resources: readonly ResourceEntry[]
    readonly owner: string
    readonly clearStaleZeros: readonly string[]
    readonly sourceOrigins?: readonly SourceOrigin[]
    readonly credentialsDir?: string
    /** The only node of this process, on which it runs. Default: all nodes. */
    readonly onlyNode?: string | undefined
  },
  dependencies: SetupDependencies,
): Setup {
  const origins = allowedOrigins(config.sourceOrigins, config.credentialsDir)
  const declared = toDeclarations(config.resources)
  if (config.onlyNode === undefined) refuseHostSources(declared, dependencies.plugins)
  const { declarations, readings } = prepareDeclarations(declared, dependencies, origins)
  return {
    desired: {
      declarations,
      readSource: readings.read,
      owner: config.owner,
      staleZeros: config.clearStaleZeros,
      deviceClassOf: dependencies.deviceClassOf,
      ...(config.onlyNode !== undefined && { onlyNode: config.onlyNode }),
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
  { plugins, metrics, log, clock, random, readHeldUnits, nodeTrimmer }: SetupDependencies,
  origins: readonly AllowedOrigin[] = [],
): PreparedDeclarations {
  const env: PluginEnv = { log, clock, random }
  const sources = new Map<Declaration, ResourceSource>()
  for (const declaration of declarations) {
    const { amount } = declaration
    if (amount.kind !== 'source') continue
    const own = { ...env, resourceName: declaration.resourceName, origins }
    try {
      sources.set(declaration, plugins.createResourceSource(amount.plugin, amount.args ?? {}, own))
    } catch (error) {
      // The message of an object is in its own status.
      const { origin, path, resourceName } = declaration
      throw origin.kind === 'file' ? pluginErrorIn(error, `${path} (${resourceName})`) : error
    }
  }
  if (sources.size > 0) nodeTrimmer.keepSourceFields()
  const readings = createSourceReadings({
    sources,
    clock,
    readHeldUnits,
    completeNode: nodeTrimmer.forSources,
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
