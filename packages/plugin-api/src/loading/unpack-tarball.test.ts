import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { Header } from 'tar'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { unpackTarball } from './unpack-tarball.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-tarball-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

interface Entry {
  readonly path: string
  readonly text?: string
  readonly type?: 'File' | 'SymbolicLink' | 'Link' | 'CharacterDevice'
  readonly linkpath?: string
}

/** Returns a tar archive with these entries, as written: `npm pack` would not write most of them. */
function tarOf(entries: readonly Entry[]): Buffer {
  const blocks = entries.map(({ path, text = '', type = 'File', linkpath }) => {
    const header = new Header({ path, type, mode: 0o644, size: text.length, ...(linkpath && { linkpath }) })
    const block = Buffer.alloc(512)
    header.encode(block)
    return Buffer.concat([block, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)])
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

async function unpack(bytes: Uint8Array): Promise<string> {
  const archive = join(dir, 'plugin.tgz')
  await writeFile(archive, bytes)
  const target = join(dir, 'out', 'plugin')
  await unpackTarball(archive, target)
  return target
}

const manifest = { path: 'package/package.json', text: '{"exports": "./index.js"}' }

describe('unpackTarball', () => {
  test('unpacks a package without its first path segment', async () => {
    const long = `package/${'deep/'.repeat(25)}index.js`
    const target = await unpack(gzipSync(tarOf([manifest, { path: long, text: 'export {}' }])))
    expect(await readFile(join(target, 'package.json'), 'utf8')).toBe(manifest.text)
    expect(await readFile(join(target, 'deep/'.repeat(25), 'index.js'), 'utf8')).toBe('export {}')
  })

  test.for<{ readonly it: string; readonly entries: readonly Entry[]; readonly says: string }>([
    {
      it: 'a path above the package',
      entries: [{ path: 'package/../../escaped', text: 'x' }],
      says: 'package/../../escaped is outside the package',
    },
    { it: 'an absolute path', entries: [{ path: '/escaped', text: 'x' }], says: '/escaped is outside the package' },
    {
      it: 'a symbolic link',
      entries: [{ path: 'package/link', type: 'SymbolicLink', linkpath: '/etc' }],
      says: 'package/link is not a file or directory (SymbolicLink)',
    },
    {
      it: 'a hard link',
      entries: [{ path: 'package/link', type: 'Link', linkpath: '/etc/passwd' }],
      says: 'package/link is not a file or directory (Link)',
    },
    {
      it: 'a device',
      entries: [{ path: 'package/null', type: 'CharacterDevice' }],
      says: 'package/null is not a file or directory (CharacterDevice)',
    },
    {
      it: 'too many entries',
      entries: Array.from({ length: 2001 }, (_, i) => ({ path: `package/${i}` })),
      says: 'it has 2001 entries, and the limit is 2000',
    },
  ])('refuses $it and writes nothing', async ({ entries, says }) => {
    const failure = unpack(gzipSync(tarOf(entries)))
    await expect(failure).rejects.toMatchObject({ code: 'BERTH_PLUGIN_LOAD' })
    await expect(failure).rejects.toThrow(`load plugin from ${join(dir, 'plugin.tgz')}: ${says}`)
    await expect(access(join(dir, 'out'))).rejects.toThrow('ENOENT')
  })

  test.for([
    { it: 'an archive without files', bytes: gzipSync(tarOf([])), says: 'Unrecognized archive format' },
    { it: 'a file that is not an archive', bytes: Buffer.from('no archive'), says: 'incorrect header check' },
    {
      it: 'a truncated archive',
      bytes: gzipSync(tarOf([manifest]).subarray(0, 520)),
      says: 'Truncated input',
    },
    {
      it: 'an archive that unpacks to more than 32 MiB',
      bytes: gzipSync(Buffer.alloc(33 * 1024 * 1024)),
      says: 'it has more than 33554432 bytes when unpacked',
    },
    {
      // The reader of archives would decompress it without a limit.
      it: 'an archive that is compressed twice',
      bytes: gzipSync(gzipSync(tarOf([manifest]))),
      says: 'it is compressed twice',
    },
    {
      it: 'an archive that is compressed in another format inside',
      bytes: gzipSync(zstdCompressSync(tarOf([manifest]))),
      says: 'it is compressed twice',
    },
    { it: 'an archive of more than 16 MiB', bytes: Buffer.alloc(17 * 1024 * 1024), says: 'it has 17825792 bytes' },
  ])('refuses $it', async ({ bytes, says }) => {
    await expect(unpack(bytes)).rejects.toThrow(says)
  })

  test('unpacks a package whose scripts are null', async () => {
    const text = '{"exports": "./index.js", "scripts": null}'
    const target = await unpack(gzipSync(tarOf([{ path: 'package/package.json', text }])))
    expect(await readFile(join(target, 'package.json'), 'utf8')).toBe(text)
  })

  test.for(['preinstall', 'install', 'postinstall'])('refuses a package with the script %s', async (script) => {
    const text = JSON.stringify({ exports: './index.js', scripts: { [script]: 'node build.js', prepack: 'tsc' } })
    await expect(unpack(gzipSync(tarOf([{ path: 'package/package.json', text }])))).rejects.toThrow(
      `it has the script "${script}", and Berth runs no install scripts`,
    )
  })
})
