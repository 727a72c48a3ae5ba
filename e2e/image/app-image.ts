import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OWN_NODE_IMAGE } from '../cluster/kind-cluster.ts'
import { runOrThrow, runCommand } from '../cluster/run-command.ts'
import { contentTag } from './content-tag.ts'

const root = join(import.meta.dirname, '..', '..')
const inputs = [
  'Dockerfile',
  '.dockerignore',
  'e2e/image/Dockerfile',
  'apps/advertiser/dist/main.js',
  'apps/device-plugin/dist/main.cjs',
  'apps/extender/dist/main.js',
  'apps/kubectl-berth/dist/main.js',
  'apps/scheduler/dist/main.js',
] as const
// Docker 20 has no buildx, and newer ones build this Dockerfile without it as well.
const env = { DOCKER_BUILDKIT: '0' }
/** Of the image's tag where none is given: no registry has it, so that nothing else is taken for it. */
export const REPOSITORY = 'berth.local/berth'
const OWN_NODE = `berth-node:${process.versions.node}`
const OWN_BASE = 'berth-base:debian-12'

/** What to build the image of all apps on. */
export interface AppImageOptions {
  /** `docker` or `podman`. */
  readonly engine: string
  /** Whether node and base are made here from Debian's packages and npm's Node, because nothing can be pulled. */
  readonly isOffline: boolean
  /** Image with Node and a shell, in place of the Dockerfile's. */
  readonly node?: string
  /** Image that the apps are put on, in place of the Dockerfile's. */
  readonly base?: string
  /** Tag; without one it is made from the contents. */
  readonly tag?: string
  readonly log: (text: string) => void
}

/** An image that the engine has. */
export interface AppImage {
  readonly tag: string
  readonly sizeMb: number
  /** False when an image of the same contents was there. */
  readonly isBuilt: boolean
}

/**
 * Builds the image of all apps from the bundles that are there, or finds the one of the same contents.
 *
 * @throws Error with the engine's last words; with the missing file's name when an app is not built.
 */
export async function buildAppImage(options: AppImageOptions): Promise<AppImage> {
  const { engine, isOffline, log } = options
  const node = options.node ?? (isOffline ? OWN_NODE : undefined)
  const base = options.base ?? (isOffline ? OWN_BASE : undefined)
  const tag =
    options.tag ??
    contentTag(REPOSITORY, [
      { name: 'node', bytes: node ?? '' },
      { name: 'base', bytes: base ?? '' },
      ...(await Promise.all(inputs.map(async (name) => ({ name, bytes: await readFile(join(root, name)) })))),
    ])
  const isThere = options.tag === undefined && (await runCommand(engine, ['image', 'inspect', tag])).status === 0
  if (!isThere) {
    if (isOffline) await buildOfflineBase(engine)
    log(`building the image ${tag}`)
    const args = Object.entries({ NODE: node, BASE: base }).flatMap(([name, value]) =>
      value === undefined ? [] : ['--build-arg', `${name}=${value}`],
    )
    await runOrThrow(engine, ['build', '-q', '-t', tag, ...args, root], { env, timeoutMs: 10 * 60_000 })
    if (options.tag === undefined) await removeOlderImages(engine, tag)
  }
  const bytes = Number(await runOrThrow(engine, ['image', 'inspect', '--format', '{{.Size}}', tag]))
  const image = { tag, sizeMb: Math.round(bytes / 1e6), isBuilt: !isThere }
  log(`image ${tag}, ${image.sizeMb} MB${isThere ? ' (was there)' : ''}`)
  return image
}

/** Forgets the images that earlier contents made. */
async function removeOlderImages(engine: string, tag: string): Promise<void> {
  const all = await runOrThrow(engine, ['image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', REPOSITORY])
  const older = all.split('\n').filter((name) => name.startsWith(`${REPOSITORY}:`) && name !== tag)
  // One that a container still uses stays.
  if (older.length > 0) await runCommand(engine, ['image', 'rm', ...older])
}

/** `berth-node` and `berth-base`, on the Debian that the node image is built on. */
async function buildOfflineBase(engine: string): Promise<void> {
  const isThere = async (...images: readonly string[]): Promise<boolean> =>
    (await runCommand(engine, ['image', 'inspect', ...images])).status === 0
  if (await isThere(OWN_NODE, OWN_BASE)) return
  // The node image holds all of its base, which may have been cleaned up since.
  const debian = (await isThere('debian-base')) ? 'debian-base' : OWN_NODE_IMAGE
  const build = ['build', '-q', '--build-arg', `DEBIAN=${debian}`]
  const context = await mkdtemp(join(tmpdir(), 'berth-image-'))
  try {
    await copyFile(join(import.meta.dirname, 'Dockerfile'), join(context, 'Dockerfile'))
    await copyFile(process.execPath, join(context, 'node'))
    await runOrThrow(engine, [...build, '-t', OWN_NODE, '--target', 'node', context], { env })
    await runOrThrow(engine, [...build, '-t', OWN_BASE, context], { env })
  } finally {
    await rm(context, { recursive: true })
  }
}
