import { existsSync, globSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { sha256Of } from '../artefact.ts'
import { hostTarget } from '../executables/targets.ts'
import { runProgram } from '../run-program.ts'
import { ReleaseError, type ReleaseContext } from '../step.ts'
import { bundles } from './image-spec.ts'
import type { Descriptor } from './oci-layout.ts'

interface Index {
  readonly manifests: readonly (Descriptor & { readonly platform: { readonly architecture: string } })[]
}
interface Manifest {
  readonly layers: readonly Descriptor[]
}

/**
 * Checks the archive of the images as its reader sees it: every blob has its digest, every library that Node needs is in
 * the image, and the apps for this machine run with nothing but the files of the image.
 *
 * @throws ReleaseError
 */
export async function checkImages(archive: string, context: ReleaseContext): Promise<readonly string[]> {
  const folder = join(context.workDir, 'unpacked-images')
  await mkdir(folder)
  try {
    await runProgram('tar', ['-xf', archive, '-C', folder])
    const blobs = globSync('blobs/sha256/*', { cwd: folder })
    for (const blob of blobs)
      if ((await sha256Of(join(folder, blob))) !== basename(blob)) throw new ReleaseError(`${blob} has another digest`)
    const sentences = [`${blobs.length} blobs have their digests`]
    const { manifests } = await readJson<Index>(folder, 'index.json')
    const [first] = manifests
    if (first === undefined) throw new ReleaseError('index.json names no image')
    for (const { platform, digest } of (await readJson<Index>(folder, blobPath(first.digest))).manifests) {
      const rootfs = join(folder, platform.architecture)
      await unpackLayers(folder, await readJson<Manifest>(folder, blobPath(digest)), rootfs)
      sentences.push(await checkRoot(rootfs, platform.architecture, context))
      await rm(rootfs, { recursive: true })
    }
    return sentences
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function unpackLayers(folder: string, { layers }: Manifest, rootfs: string): Promise<void> {
  await mkdir(rootfs)
  for (const { digest } of layers) await runProgram('tar', ['-xzf', join(folder, blobPath(digest)), '-C', rootfs])
}

async function checkRoot(rootfs: string, arch: string, { version }: ReleaseContext): Promise<string> {
  const node = join(rootfs, 'usr/local/bin/node')
  const libraries = globSync(['usr/lib/*/*.so*', 'usr/lib/ld-*', 'usr/lib64/ld-*'], { cwd: rootfs })
  const { stdout } = await runProgram('readelf', ['--dynamic', '--program-headers', node])
  const needed = [...stdout.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name = '']) => name)
  const missing = needed.filter((name) => !libraries.some((path) => basename(path) === name))
  if (needed.length === 0 || missing.length > 0)
    throw new ReleaseError(`the image for ${arch} lacks ${missing.join(', ') || 'a readable Node'}`)
  const [, interpreter = ''] = /interpreter: (.+)\]/.exec(stdout) ?? []
  if (!existsSync(join(rootfs, interpreter))) throw new ReleaseError(`the image for ${arch} lacks ${interpreter}`)
  if (hostTarget(process)?.arch !== arch) return `${arch}: has the ${needed.length} libraries that Node needs; not run`
  const dirs = [...new Set(libraries.map((path) => join(rootfs, path, '..')))].join(':')
  for (const [, path] of bundles) {
    const loader = ['--inhibit-cache', '--library-path', dirs, node, join(rootfs, 'app', path)]
    const { stdout: said } = await runProgram(join(rootfs, interpreter), [...loader, '--version'])
    if (!said.includes(version)) throw new ReleaseError(`${path} --version in the image: ${said.trim()}`)
  }
  return `${arch}: ${bundles.length} apps run with the libraries of the image alone`
}

async function readJson<T>(folder: string, path: string): Promise<T> {
  return JSON.parse(await readFile(join(folder, path), 'utf8')) as T
}

function blobPath(digest: string): string {
  return `blobs/sha256/${digest.replace('sha256:', '')}`
}
