import { existsSync, globSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { debianProgram } from '../../debian/debian-program.ts'
import { sha256Of } from '../artefact.ts'
import { hostTarget, type Target } from '../executables/targets.ts'
import { runProgram } from '../run-program.ts'
import { ReleaseError, type ReleaseContext } from '../step.ts'
import { checkPush } from './check-push.ts'
import { elfMachine } from '../executables/elf-machine.ts'
import { programs } from './image-spec.ts'
import type { Descriptor } from './oci-layout.ts'

interface Index {
  readonly manifests: readonly (Descriptor & {
    readonly platform: { readonly architecture: Target['arch'] }
    readonly annotations?: Readonly<Record<string, string>>
  })[]
}
interface Manifest {
  readonly layers: readonly Descriptor[]
}

/**
 * Checks the archive of the images as its reader sees it: every blob has its digest, skopeo pushes it, every binary is for the
 * architecture of its image, every library that Node needs is in it, and the apps run with nothing but the files of the image:
 * those for another architecture in Debian's qemu-user-static.
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
    const digests = manifests.map(
      ({ annotations, digest }) => [annotations?.['org.opencontainers.image.ref.name'] ?? '', digest] as const,
    )
    sentences.push(await checkPush(archive, new Map(digests), context))
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

async function checkRoot(rootfs: string, arch: Target['arch'], { version }: ReleaseContext): Promise<string> {
  const binaries = await checkMachines(rootfs, arch)
  const node = join(rootfs, 'usr/local/bin/node')
  const libraries = globSync(['usr/lib/*/*.so*', 'usr/lib/ld-*', 'usr/lib64/ld-*'], { cwd: rootfs })
  const { stdout } = await runProgram('readelf', ['--dynamic', '--program-headers', node])
  const needed = [...stdout.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name = '']) => name)
  const missing = needed.filter((name) => !libraries.some((path) => basename(path) === name))
  if (needed.length === 0 || missing.length > 0)
    throw new ReleaseError(`the image for ${arch} lacks ${missing.join(', ') || 'a readable Node'}`)
  const [, interpreter = ''] = /interpreter: (.+)\]/.exec(stdout) ?? []
  if (!existsSync(join(rootfs, interpreter))) throw new ReleaseError(`the image for ${arch} lacks ${interpreter}`)
  const emulator = hostTarget(process)?.arch === arch ? [] : [await emulatorOf(arch)]
  const dirs = [...new Set(libraries.map((path) => join(rootfs, path, '..')))].join(':')
  for (const [, path] of programs) {
    const loader = [join(rootfs, interpreter), '--inhibit-cache', '--library-path', dirs]
    const [program, ...args] = [...emulator, ...loader, node, join(rootfs, 'app', path), '--version']
    const { stdout: said } = await runProgram(program, args)
    if (!said.includes(version)) throw new ReleaseError(`${path} --version in the image: ${said.trim()}`)
  }
  const where = emulator.length === 0 ? '' : ' in qemu'
  return `${arch}: ${binaries} binaries are for it, ${programs.length} apps run${where} with the libraries of the image alone`
}

/** Requires that every ELF file below a folder is for an architecture. Returns their number. */
async function checkMachines(rootfs: string, arch: Target['arch']): Promise<number> {
  const entries = await readdir(rootfs, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  let binaries = 0
  for (const file of files) {
    const machine = await elfMachine(file)
    if (machine === undefined) continue
    if (machine !== arch) throw new ReleaseError(`${file} in the image for ${arch} is for ${machine}`)
    binaries += 1
  }
  if (binaries === 0) throw new ReleaseError(`the image for ${arch} has no binaries`)
  return binaries
}

function emulatorOf(arch: Target['arch']): Promise<string> {
  return debianProgram('qemu-user-static', arch === 'arm64' ? 'qemu-aarch64-static' : 'qemu-x86_64-static')
}

async function readJson<T>(folder: string, path: string): Promise<T> {
  return JSON.parse(await readFile(join(folder, path), 'utf8')) as T
}

function blobPath(digest: string): string {
  return `blobs/sha256/${digest.replace('sha256:', '')}`
}
