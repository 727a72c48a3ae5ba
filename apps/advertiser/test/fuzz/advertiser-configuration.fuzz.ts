import assert from 'node:assert/strict'
import { ConfigError } from '@berth/process/config'
import { readConfiguration, readPrinted } from '@berth/process/testing'
import { configDefinition, type AdvertiserConfig } from '../../src/config.ts'
import { toDeclarations } from '../../src/config/to-declarations.ts'
import { nodeOf } from '../../src/node-mode/check-mode.ts'
import type { Declaration } from '../../src/plan/declaration.ts'
import { allowedOrigins } from '../../src/sources/source-origins.ts'

export const contract: string =
  'The printed configuration reads as the same one; units are from 0 to 2^63-1, and credentials stay below their directory.'
export const refusals: readonly unknown[] = [ConfigError]
export const dictionary: readonly string[] = [
  'resources',
  'name',
  'example.com/dongle',
  'units',
  'source',
  'plugin',
  'args',
  'everySeconds',
  'reading',
  'rounding',
  'min',
  'max',
  'step',
  'nodes',
  'names',
  'selector',
  'matchLabels',
  'matchExpressions',
  'operator',
  'DoesNotExist',
  'values',
  'sourceOrigins',
  'origin',
  'credentials',
  'https://a:1',
  'eviction',
  'clearStaleZeros',
  'mode',
  'node',
  'nodeName',
  '9223372036854775807',
  ': ',
  '- ',
]

/** A configuration that was read, and what it declares. */
interface Read {
  readonly text: string
  readonly config: AdvertiserConfig
  readonly declarations: readonly Declaration[]
}

export function parse(input: Uint8Array): Read {
  const text = Buffer.from(input).toString()
  const config = readConfiguration(configDefinition, text)
  nodeOf(config)
  return { text, config, declarations: toDeclarations(config.resources) }
}

export function verify({ text, config, declarations }: Read): void {
  assert.deepEqual(readPrinted(configDefinition, text), config)
  for (const { amount } of declarations) {
    if (amount.kind === 'units') assert.equal(BigInt.asUintN(63, amount.units), amount.units)
    else if (amount.kind === 'source')
      assert.ok(Number.isFinite(amount.everyMs) && amount.everyMs > 0 && amount.timeoutMs > 0)
  }
  for (const { credentialsDir = '/d/x' } of allowedOrigins(config.sourceOrigins, '/d'))
    assert.match(credentialsDir, /^\/d\/[^/.]+$/)
}
