import { mkdtemp } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { must, runCommand } from './run-command.ts'

/** The image that `node-image/build-node-image` makes. */
export const OWN_NODE_IMAGE = 'berth-kind-node:v1.36.3'
const CLUSTER_NAME = 'berth'

/** A real cluster to test against. */
export interface KindCluster extends AsyncDisposable {
  readonly kubeconfig: string
  /** Folder with kind and kubectl. */
  readonly binDir: string
}

/** What to make it from. */
export interface KindClusterOptions {
  readonly nodeImage: string
  /** Take a cluster of the same name when there is one. */
  readonly isReused: boolean
  /** Leave it running at the end. */
  readonly isKept: boolean
  readonly log: (text: string) => void
}

/**
 * Makes (or takes) a kind cluster of one control plane and two workers. Where the node image is our own, it is built first
 * with everything that takes: an engine, Kubernetes' binaries, a base image.
 *
 * @throws Error with the failed command's last words.
 */
export async function startKindCluster({ nodeImage, isReused, isKept, log }: KindClusterOptions): Promise<KindCluster> {
  const here = import.meta.dirname
  const cacheDir = process.env['KIND_OFFLINE_CACHE'] ?? join(homedir(), '.cache', 'kind-offline')
  const binDir = join(cacheDir, 'bin')
  const image = join(here, '..', 'node-image')
  log(`node image ${nodeImage} (about ten minutes where nothing is cached)`)
  await must(join(image, 'build-node-image'), nodeImage === OWN_NODE_IMAGE ? [nodeImage] : ['--tools-only'], {
    timeoutMs: 45 * 60_000,
    onOutput: log,
  })
  const kind = join(binDir, 'kind')
  const folder = await mkdtemp(join(tmpdir(), 'berth-e2e-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const exists = (await must(kind, ['get', 'clusters'])).split('\n').includes(CLUSTER_NAME)
  if (exists && isReused) {
    await must(kind, ['export', 'kubeconfig', '--name', CLUSTER_NAME, '--kubeconfig', kubeconfig])
  } else {
    if (exists) await must(kind, ['delete', 'cluster', '--name', CLUSTER_NAME])
    log('creating a cluster of three nodes')
    const config = ['--config', join(image, 'cluster.yaml'), '--image', nodeImage]
    await must(kind, ['create', 'cluster', ...config, '--kubeconfig', kubeconfig, '--wait', '180s'], {
      timeoutMs: 10 * 60_000,
    })
  }
  return {
    kubeconfig,
    binDir,
    async [Symbol.asyncDispose]() {
      if (!isKept) await runCommand(kind, ['delete', 'cluster', '--name', CLUSTER_NAME])
    },
  }
}
