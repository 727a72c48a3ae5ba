import assert from 'node:assert/strict'
import { ConfigError, type ConfigOf } from '@berth/process/config'
import { readConfiguration, readPrinted } from '@berth/process/testing'
import { configDefinition } from '../../src/config.ts'
import { findCollisions } from '../../src/config-collisions.ts'

export const contract: string =
  'The printed configuration reads as the same one; each resource is configured once, and none collides with another.'
export const refusals: readonly unknown[] = [ConfigError]
export const dictionary: readonly string[] = [
  'resources',
  'name',
  'example.com/dongle',
  'source',
  'path-glob',
  'count',
  'usb',
  'args',
  'paths',
  '/dev/x*',
  'containerPath',
  '{name}',
  'permissions',
  'slots',
  'idPrefix',
  'include',
  'exclude',
  'replicas',
  'health',
  'container',
  'mounts',
  'hostPath',
  'deviceNodes',
  'cdiDevices',
  'env',
  'preStart',
  'command',
  'allocationPolicy',
  'registration',
  ': ',
  '- ',
]

/** A configuration that was read. */
interface Read {
  readonly text: string
  readonly config: ConfigOf<typeof configDefinition>
}

export function parse(input: Uint8Array): Read {
  const text = Buffer.from(input).toString()
  return { text, config: readConfiguration(configDefinition, text) }
}

export function verify({ text, config }: Read): void {
  assert.deepEqual(readPrinted(configDefinition, text), config)
  const { resources } = config
  assert.equal(new Set(resources.map(({ name }) => name)).size, resources.length)
  assert.deepEqual(findCollisions(resources), [])
}
