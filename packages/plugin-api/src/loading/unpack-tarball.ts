import { errorText } from '@berth/text/error-text'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { extract, list, type ReadEntry } from 'tar'
import { PluginError } from '../errors.ts'

const MIB = 1024 * 1024
const MAX_PACKED_BYTES = 16 * MIB
const MAX_UNPACKED_BYTES = 32 * MIB
const MAX_ENTRIES = 2000
/** How gzip and zstd begin. The reader of archives decompresses both, without a limit. */
const COMPRESSED: readonly Buffer[] = [Buffer.of(0x1f, 0x8b), Buffer.of(0x28, 0xb5, 0x2f, 0xfd)]
/** Scripts that npm runs when it installs a package. */
const installScripts = ['preinstall', 'install', 'postinstall']

/**
 * Unpacks a package that `npm pack` wrote into a new directory, without its first path segment (`package/`). Uses no
 * network and runs no scripts. Refuses what a package does not contain: links, devices, and paths outside the package.
 * The dependencies of the package must be bundled with it or provided by the host.
 *
 * @throws PluginError BERTH_PLUGIN_LOAD. Nothing is written when an entry is refused.
 */
export async function unpackTarball(archive: string, target: string): Promise<void> {
  const { size } = await stat(archive)
  if (size > MAX_PACKED_BYTES) throw refusal(archive, `it has ${size} bytes, and the limit is ${MAX_PACKED_BYTES}`)
  const bytes = await gunzipBounded(archive)
  if (COMPRESSED.some((start) => start.equals(bytes.subarray(0, start.length))))
    throw refusal(archive, 'it is compressed twice')
  const fault = entryFault(await readEntries(archive, bytes))
  if (fault !== undefined) throw refusal(archive, fault)
  try {
    await mkdir(target, { recursive: true })
    extract({ sync: true, cwd: target, strip: 1, strict: true, preserveOwner: false }).end(bytes)
  } catch (error) {
    throw refusal(archive, errorText(error), error)
  }
  await refuseInstallScripts(archive, target)
}

async function gunzipBounded(archive: string): Promise<Buffer> {
  try {
    return await promisify(gunzip)(await readFile(archive), { maxOutputLength: MAX_UNPACKED_BYTES })
  } catch (error) {
    const isTooLarge = (error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
    throw refusal(
      archive,
      isTooLarge ? `it has more than ${MAX_UNPACKED_BYTES} bytes when unpacked` : errorText(error),
      error,
    )
  }
}

async function readEntries(archive: string, bytes: Buffer): Promise<readonly ReadEntry[]> {
  const entries: ReadEntry[] = []
  const parser = list({ strict: true, onReadEntry: (entry) => void entries.push(entry) })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  parser.on('error', reject)
  parser.on('end', resolve)
  parser.end(bytes)
  try {
    await promise
  } catch (error) {
    throw refusal(archive, errorText(error), error)
  }
  return entries
}

function entryFault(entries: readonly ReadEntry[]): string | undefined {
  if (entries.length > MAX_ENTRIES) return `it has ${entries.length} entries, and the limit is ${MAX_ENTRIES}`
  for (const { path, type } of entries) {
    if (!['File', 'OldFile', 'Directory'].includes(type)) return `${path} is not a file or directory (${type})`
    if (path.startsWith('/') || path.split(/[/\\]/).includes('..')) return `${path} is outside the package`
  }
  return undefined
}

async function refuseInstallScripts(archive: string, target: string): Promise<void> {
  const text = await readFile(join(target, 'package.json'), 'utf8').catch(() => '{}')
  let scripts: unknown
  try {
    ;({ scripts } = JSON.parse(text) as { readonly scripts?: unknown })
  } catch {
    // The loader reports a package.json that cannot be read, as it does for packages in directories.
  }
  const found = installScripts.find((name) => Object.hasOwn(scripts ?? {}, name))
  if (found !== undefined) throw refusal(archive, `it has the script "${found}", and Berth runs no install scripts`)
}

function refusal(archive: string, reason: string, cause?: unknown): PluginError {
  return new PluginError(`load plugin from ${archive}: ${reason}`, {
    code: 'BERTH_PLUGIN_LOAD',
    ...(cause !== undefined && { cause }),
    hint: 'Create the archive with "npm pack", in a package whose "files" contains only what the plugin needs.',
  })
}
