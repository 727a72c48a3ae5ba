import assert from 'node:assert/strict'
import { readConfigFile } from '../../src/config/read-config-file.ts'
import { ConfigError } from '../../src/errors.ts'

type Keys = Readonly<Record<string, unknown>>

export const contract: string =
  'The keys are a tree of values that can be written as JSON, and JSON reads as the same keys.'
export const refusals: readonly unknown[] = [ConfigError]
export const dictionary: readonly string[] = [
  '&a ',
  '*a',
  '<<: ',
  '- ',
  ': ',
  '? ',
  '| ',
  '> ',
  '--- ',
  '!!map ',
  '!!set ',
  '!!omap ',
  '!!binary ',
  '!!timestamp ',
  '%YAML 1.1',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
]

export const parse = (input: Uint8Array): Keys => readConfigFile('app.yaml', () => Buffer.from(input).toString())

export function verify(keys: Keys): void {
  const text = JSON.stringify(keys)
  assert.equal(JSON.stringify(readConfigFile('app.json', () => text)), text)
}
