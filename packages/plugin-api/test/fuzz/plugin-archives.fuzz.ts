import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { PluginError } from '../../src/errors.ts'
import { unpackTarball } from '../../src/loading/unpack-tarball.ts'

const dir = mkdtempSync(join(tmpdir(), 'berth-fuzz-'))
const archive = join(dir, 'a-plugin.tgz')
const target = join(dir, 'target')

export const contract: string =
  'Unpacking writes ordinary files below the target, not more than the archive has, and nothing beside it.'
export const refusals: readonly unknown[] = [PluginError]
export const dictionary: readonly string[] = [
  'package/',
  'package.json',
  '../',
  '/etc/',
  'ustar\x0000',
  'ustar  \0',
  '0000644\0',
  '00000000010\0',
  '{"scripts":{"install":"x"}}',
  '\0\0\0\0\0\0\0\0',
  '5',
  '2',
  'L',
  'x',
  'g',
  '././@LongLink',
  '\x1f\x8b\x08',
  '30 path=a\n',
]

/** The input is the content of the compressed archive, so that changes reach the reader of the archive. */
export async function parse(input: Uint8Array): Promise<number> {
  rmSync(target, { recursive: true, force: true })
  writeFileSync(archive, gzipSync(input))
  await unpackTarball(archive, target)
  return input.length
}

export function verify(bytes: number): void {
  assert.deepEqual(readdirSync(dir).toSorted(), ['a-plugin.tgz', 'target'])
  let written = 0
  for (const name of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    const stats = statSync(join(target, name))
    assert.ok(stats.isFile() || stats.isDirectory(), `${name} is not a file or a directory`)
    if (stats.isFile()) written += stats.size
  }
  assert.ok(written <= bytes, `the archive has ${bytes} bytes, and ${written} were written`)
}
