import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubernetesVersion } from '../cluster/kubernetes-version.ts'
import { runOrThrow, runCommand } from '../cluster/run-command.ts'
import { contentTag } from './content-tag.ts'

const root = join(import.meta.dirname, '..', '..')
const inputs = [
  'Dockerfile',
  '.dockerignore',
  'e2e/image/Dockerfile',
  'apps/advertiser/dist/main.js',
  'apps/advertiser/dist/new-kube-config.js',
  'apps/authority/dist/main.js',
  'apps/authority/dist/new-kube-config.js',
  'apps/device-plugin/dist/main.cjs',
  'apps/extender/dist/main.js',
  'apps/extender/dist/new-kube-config.js',
  'apps/kubectl-berth/dist/main.js',
  'apps/scheduler/dist/main.js',
  'apps/scheduler/dist/new-kube-config.js',
  'apps/advertiser/dist/NOTICES.txt',
  'apps/authority/dist/NOTICES.txt',
  'apps/device-plugin/dist/NOTICES.txt',
  'apps/extender/dist/NOTICES.txt',
  'apps/kubectl-berth/dist/NOTICES.txt',
  'apps/scheduler/dist/NOTICES.txt',
] as const
// Docker 20 does not include buildx, and newer versions also build this Dockerfile without it.
const env = { DOCKER_BUILDKIT: '0' }
/** Default repository of the image. It exists in no registry, so that an engine cannot pull another image by this name. */
export const REPOSITORY = 'berth.local/berth'
const OWN_NODE = `berth-node:${process.versions.node}`
const OWN_BASE = 'berth-base:debian-12'

/** Options of the image of all apps. */
export interface AppImageOptions {
  /** `docker` or `podman`. */
  readonly engine: string
  /** Whether to build the node and base images from Debian's packages and npm's Node, because no image can be pulled. */
  readonly isOffline: boolean
  /** Image with Node and a shell. Default: the Dockerfile's. */
  readonly node?: string
  /** Image that the apps are added to. Default: the Dockerfile's. */
  readonly base?: string
  /** Stage of the Dockerfile. Default: its last one. */
  readonly target?: string
  /** Tag. Default: a hash of the contents. */
  readonly tag?: string
  readonly log: (text: string) => void
}

/** An image in the engine. */
export interface AppImage {
  readonly tag: string
  readonly sizeMb: number
  /** False if an image with the same contents already existed. */
  readonly isBuilt: boolean
}

/**
 * Builds the image of all apps from their bundles, or finds an image with the same contents.
 *
 * @throws Error with the end of the engine's output, or with the name of a missing bundle.
 */
export async function buildAppImage(options: AppImageOptions): Promise<AppImage> {
  const { engine, isOffline, log } = options
  const node = options.node ?? (isOffline ? OWN_NODE : undefined)
  const base = options.base ?? (isOffline ? OWN_BASE : undefined)
  // Each target has its own repository, so that building one does not remove the image of another as outdated.
  const repository = options.target === undefined ? REPOSITORY : `${REPOSITORY}-${options.target}`
  const tag =
    options.tag ??
    contentTag(repository, [
      { name: 'node', bytes: node ?? '' },
      { name: 'base', bytes: base ?? '' },
      { name: 'target', bytes: options.target ?? '' },
      ...(await Promise.all(inputs.map(async (name) => ({ name, bytes: await readFile(join(root, name)) })))),
    ])
  const exists = options.tag === undefined && (await runCommand(engine, ['image', 'inspect', tag])).status === 0
  if (!exists) {
    if (isOffline) await buildOfflineBase(engine)
    log(`building the image ${tag}`)
    const args = Object.entries({ NODE: node, BASE: base }).flatMap(([name, value]) =>
      value === undefined ? [] : ['--build-arg', `${name}=${value}`],
    )
    if (options.target !== undefined) args.push('--target', options.target)
    await runOrThrow(engine, ['build', '-q', '-t', tag, ...args, root], { env, timeoutMs: 10 * 60_000 })
    if (options.tag === undefined) await removeOlderImages(engine, repository, tag)
  }
  const bytes = Number(await runOrThrow(engine, ['image', 'inspect', '--format', '{{.Size}}', tag]))
  const image = { tag, sizeMb: Math.round(bytes / 1e6), isBuilt: !exists }
  log(`image ${tag}, ${image.sizeMb} MB${exists ? ' (already built)' : ''}`)
  return image
}

/** Removes images of earlier contents. */
async function removeOlderImages(engine: string, repository: string, tag: string): Promise<void> {
  const all = await runOrThrow(engine, ['image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', repository])
  const older = all.split('\n').filter((name) => name.startsWith(`${repository}:`) && name !== tag)
  // The engine refuses to remove an image that a container still uses.
  if (older.length > 0) await runCommand(engine, ['image', 'rm', ...older])
}

/** Builds `berth-node` and `berth-base` on the Debian image that the node image is built on. */
async function buildOfflineBase(engine: string): Promise<void> {
  if (await hasImages(engine, OWN_NODE, OWN_BASE)) return
  const build = ['build', '-q', '--build-arg', `DEBIAN=${await findDebian(engine)}`]
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

/** Returns an image of Debian that was built on this machine, for images that need a shell. */
export async function findDebian(engine: string): Promise<string> {
  // The node image contains all layers of its base, whose tag may have been removed since.
  return (await hasImages(engine, 'debian-base')) ? 'debian-base' : kubernetesVersion().ownNodeImage
}

async function hasImages(engine: string, ...images: readonly string[]): Promise<boolean> {
  return (await runCommand(engine, ['image', 'inspect', ...images])).status === 0
}
