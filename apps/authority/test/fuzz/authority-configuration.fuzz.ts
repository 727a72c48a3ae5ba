import assert from 'node:assert/strict'
import { ConfigError } from '@berth/process/config'
import { readConfiguration, readPrinted } from '@berth/process/testing'
import { configDefinition, type Config } from '../../src/config.ts'
import { rotationSettings, type RotationSettings } from '../../src/rotation/rotation-settings.ts'

export const contract: string =
  'The printed configuration reads as the same one; each certificate lives at most half as long as its authority.'
export const refusals: readonly unknown[] = [ConfigError]
export const dictionary: readonly string[] = [
  'authorityLifetimeHours',
  'serverLifetimeHours',
  'clientLifetimeHours',
  'hostClientLifetimeHours',
  'rollHours',
  'clientUsesHostFiles',
  'serverNames',
  'serverAddresses',
  'serverSecret',
  'lease',
  'schedulerPods',
  'localhost',
  '127.0.0.1',
  '::1',
  'a/b',
  'true',
  '.5',
  '8760',
  ': ',
  '- ',
]

/** A configuration that was read, and what the authority makes of it. */
interface Read {
  readonly text: string
  readonly config: Config
  readonly settings: RotationSettings
}

export function parse(input: Uint8Array): Read {
  const text = Buffer.from(input).toString()
  const config = readConfiguration(configDefinition, text)
  return { text, config, settings: rotationSettings(config) }
}

export function verify({ text, config, settings }: Read): void {
  assert.deepEqual(readPrinted(configDefinition, text), config)
  const { authorityLifetimeMs, leaves, labels } = settings
  for (const { lifetimeMs } of leaves) assert.ok(lifetimeMs > 0 && lifetimeMs <= authorityLifetimeMs / 2)
  assert.deepEqual(
    [...labels.keys()],
    leaves.map(({ secret }) => secret),
  )
}
