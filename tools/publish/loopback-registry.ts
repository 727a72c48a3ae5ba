import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serveOnLoopback } from '../loopback/loopback-server.ts'
import type { AvailablePackage } from './installed-packages.ts'

/** An npm registry on loopback. Disposing it closes it. */
export interface LoopbackRegistry extends AsyncDisposable {
  readonly url: string
  /** Names that npm asked for and that are not available, sorted. Optional dependencies of other platforms are among them. */
  missing(): readonly string[]
}

/**
 * Serves packages to npm, so that a test installs them without a network. Of two packages with one name and version, the
 * first is served.
 */
export async function serveRegistry(packages: readonly AvailablePackage[]): Promise<LoopbackRegistry> {
  const dir = await mkdtemp(join(tmpdir(), 'berth-registry-'))
  const missing = new Set<string>()
  const byName = Map.groupBy(packages, ({ name }) => name)
  const server = await serveOnLoopback((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const [name = '', version] = path.split('/-/')
    const found = byName.get(name)
    if (found === undefined) {
      missing.add(name)
      response.writeHead(404).end('{}')
    } else if (version === undefined) {
      const host = request.headers.host ?? ''
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(packument(name, found, `http://${host}`)))
    } else {
      const wanted = found.find((one) => `${one.version}.tgz` === version)
      if (wanted === undefined) response.writeHead(404).end('{}')
      else void sendTarball(response, wanted.path, dir)
    }
  })
  return {
    url: `${server.url}/`,
    missing: () => [...missing].toSorted(),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rm(dir, { recursive: true })
    },
  }
}

/** Describes all versions of a package, as a registry does. */
function packument(name: string, versions: readonly AvailablePackage[], origin: string): object {
  const [newest] = versions.toSorted((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))
  const entries = versions.toReversed().map(({ version, manifest }) => {
    const dist = { tarball: `${origin}/${name}/-/${version}.tgz` }
    return [version, { ...manifest, dist }] as const
  })
  return { name, 'dist-tags': { latest: newest?.version }, versions: Object.fromEntries(entries) }
}

async function sendTarball(response: ServerResponse, path: string, dir: string): Promise<void> {
  try {
    if (path.endsWith('.tgz')) {
      response.end(await readFile(path))
      return
    }
    // Every entry of a tarball for npm is below one folder. Copied, because pnpm links files of equal content, and npm
    // skips links in a tarball.
    const parent = await mkdtemp(join(dir, 'tarball-'))
    await cp(path, join(parent, 'package'), { recursive: true, dereference: true })
    await promisify(execFile)('tar', ['-cf', `${parent}.tar`, '-C', parent, 'package'])
    response.end(await readFile(`${parent}.tar`))
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
}
