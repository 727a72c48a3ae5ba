import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { PluginError } from '../../src/errors.ts'
import { pluginEntries, type PluginEntry } from '../../src/loading/plugin-entries.ts'

const dir = mkdtempSync(join(tmpdir(), 'berth-fuzz-'))
const root = join(dir, 'a-plugin')
mkdirSync(root)

export const contract: string = 'The entry of a package is a path inside of the package.'
export const refusals: readonly unknown[] = [PluginError]
export const dictionary: readonly string[] = [
  '"exports"',
  '"main"',
  '"."',
  '"node"',
  '"import"',
  '"default"',
  '"module-sync"',
  '"./plugin.js"',
  '"../"',
  '"/etc/passwd"',
  '"type"',
  '"..\\\\"',
  '"file:///"',
]

/** The input is the manifest, `package.json`. */
export async function parse(input: Uint8Array): Promise<readonly PluginEntry[]> {
  writeFileSync(join(root, 'package.json'), input)
  return pluginEntries(dir, () => Promise.reject(new Error('there is no archive')))
}

export function verify(entries: readonly PluginEntry[]): void {
  for (const { path } of entries) assert.ok(path.startsWith(root + sep), `${path} is outside of the package`)
}
