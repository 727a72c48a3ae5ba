import assert from 'node:assert/strict'
import { isIPv4 } from 'node:net'
import { builtInPolicies } from '@berth/built-in-plugins'
import { fakeClock } from '@berth/clock/testing'
import { createPluginRegistry } from '@berth/plugin-api'
import { ConfigError } from '@berth/process/config'
import { parseHostPort } from '@berth/process/health'
import { readConfiguration, readPrinted } from '@berth/process/testing'
import { buildExtenderProfile, type ExtenderProfile } from '@berth/scheduler-config'
import { silentLogger } from '@berth/types'
import { checkBindConfig } from '../../src/bind/check-bind-config.ts'
import { configDefinition, type Config } from '../../src/config.ts'
import { chooseServingMode, type ServingMode } from '../../src/serving-mode.ts'

const registry = createPluginRegistry(builtInPolicies.map((plugin) => ({ plugin, origin: 'built in' })))
const env = { log: silentLogger, clock: fakeClock(), random: () => 0 }

export const contract: string =
  'The printed configuration reads as the same one; plain HTTP without insecureAnywhere is on loopback, and plugins keep their order.'
export const refusals: readonly unknown[] = [ConfigError]
export const dictionary: readonly string[] = [
  'listen',
  '127.0.0.1:0',
  '0.0.0.0:1',
  '[::1]:8888',
  'insecureHttp',
  'insecureAnywhere',
  'tlsCertFile',
  'tlsPrivateKeyFile',
  'clientCaFile',
  'plugins',
  'name',
  'weight',
  'args',
  'NodeResourcesFit',
  'PodTopologySpread',
  'InterPodAffinity',
  'NodeAffinity',
  'scoringStrategy',
  'type',
  'resources',
  'ignoredResources',
  'ignoredResourceGroups',
  'bind',
  'bindLease',
  'retrySignal',
  'a/b',
  'true',
  ': ',
  '- ',
]

/** A configuration that was read, and what the extender makes of it before it connects. */
interface Read {
  readonly text: string
  readonly config: Config
  readonly mode: ServingMode
  readonly profile: ExtenderProfile
}

export function parse(input: Uint8Array): Read {
  const text = Buffer.from(input).toString()
  const config = readConfiguration(configDefinition, text)
  const mode = chooseServingMode(config)
  const profile = buildExtenderProfile(config.plugins, registry, () => env)
  checkBindConfig(config, profile)
  return { text, config, mode, profile }
}

export function verify({ text, config, mode, profile }: Read): void {
  assert.deepEqual(readPrinted(configDefinition, text), config)
  const { host } = parseHostPort(config.listen)
  const isLoopback = host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
  assert.ok(isLoopback || config.insecureAnywhere || (mode.kind === 'tls' && config.clientCaFile !== undefined))
  const order = config.plugins.map(({ name }) => name)
  const running = profile.framework.plugins.map(({ plugin }) => plugin.name)
  assert.deepEqual(
    running,
    order.filter((name) => running.includes(name)),
  )
}
