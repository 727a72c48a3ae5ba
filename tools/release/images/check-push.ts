import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stringify } from 'yaml'
import { debianProgram, unpackedWithDependencies } from '../../debian/debian-program.ts'
import { runProgram } from '../run-program.ts'
import { ReleaseError, type ReleaseContext } from '../step.ts'
import { INDEX } from './oci-layout.ts'

/** Debian's registry on a loopback port. Disposing it ends it. */
interface Registry extends AsyncDisposable {
  /** HOST:PORT. */
  readonly address: string
}

/**
 * Pushes images with skopeo to a registry on loopback, as the install guide does, and compares the digests that the registry
 * reports. Both programs are Debian's.
 *
 * @param images - The digest of each tag in the archive.
 * @throws ReleaseError for a digest that differs.
 */
export async function checkPush(
  archive: string,
  images: ReadonlyMap<string, string>,
  { workDir }: ReleaseContext,
): Promise<string> {
  const skopeo = await unpackedWithDependencies('skopeo')
  const env = { LD_LIBRARY_PATH: globSync(join(skopeo, 'usr/lib/*-linux-gnu')).join(':') }
  await using registry = await startRegistry(join(workDir, 'registry'))
  for (const [tag, digest] of images) {
    const to = `docker://${registry.address}/berth:${tag}`
    const copy = ['--insecure-policy', 'copy', '--all', '--dest-tls-verify=false', `oci-archive:${archive}:${tag}`, to]
    await runProgram(join(skopeo, 'usr/bin/skopeo'), copy, { env })
    const manifest = await fetch(`http://${registry.address}/v2/berth/manifests/${tag}`, { headers: { accept: INDEX } })
    const pushed = manifest.headers.get('docker-content-digest')
    if (pushed !== digest) throw new ReleaseError(`${to} has the digest ${pushed}, and the archive ${digest}`)
  }
  return `skopeo pushes ${images.size} images to a registry, which reports their digests`
}

async function startRegistry(folder: string): Promise<Registry> {
  const program = await debianProgram('docker-registry', 'docker-registry')
  await mkdir(folder, { recursive: true })
  const storage = { filesystem: { rootdirectory: join(folder, 'storage') } }
  const config = { version: '0.1', log: { formatter: 'text' }, storage, http: { addr: '127.0.0.1:0' } }
  await writeFile(join(folder, 'config.yml'), stringify(config))
  const child = spawn(program, ['serve', join(folder, 'config.yml')], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  for await (const line of createInterface({ input: child.stderr })) {
    const [, address] = /listening on (127\.0\.0\.1:\d+)/.exec(line) ?? []
    if (address === undefined) continue
    // The registry would wait for a reader of its log.
    child.stderr.resume()
    return { address, [Symbol.asyncDispose]: end }
  }
  await end()
  throw new ReleaseError(`${program} ended before it listened`)
}
