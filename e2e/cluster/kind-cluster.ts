import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse, stringify } from 'yaml'
import { CannotRunError } from './cannot-run.ts'
import type { EngineName } from './find-engine.ts'
import { kubernetesVersion, type KubernetesVersion } from './kubernetes-version.ts'
import { runOrThrow, runCommand } from './run-command.ts'

/** Name of the kind cluster. Only this suite uses it, because an existing cluster with this name is deleted. */
export const CLUSTER_NAME = 'berth-e2e'
const nodeImageDir = join(import.meta.dirname, '..', 'node-image')

/** A running kind cluster. Disposing deletes it unless it is kept. */
export interface KindCluster extends AsyncDisposable {
  readonly kubeconfig: string
  readonly nodes: readonly string[]
  /** Folder with kind and kubectl. */
  readonly binDir: string
  /** Whether its node image was built on this machine, because none could be pulled. */
  readonly isOffline: boolean
}

/** Options of a kind cluster. */
export interface KindClusterOptions {
  readonly engine: EngineName
  /** Minor version of Kubernetes. Default: the newest one. */
  readonly kubernetes?: string
  /** Undefined: kind's own image, or one that is built on this machine if that cannot be pulled. */
  readonly nodeImage: string | undefined
  /** Whether to use an existing cluster with the same name. */
  readonly isReused: boolean
  /** Whether to leave the cluster running at the end. */
  readonly isKept: boolean
  /** Path to write the kubeconfig to. */
  readonly kubeconfig: string
  readonly log: (text: string) => void
}

/**
 * Creates (or reuses) a kind cluster with one control plane and two workers. First builds the node image if the nodes use one
 * of this machine, including the Kubernetes binaries and the base image.
 *
 * @throws Error with the end of the output of the failed command.
 */
export async function startKindCluster(options: KindClusterOptions): Promise<KindCluster> {
  const { engine, isReused, isKept, kubeconfig, log } = options
  const kubernetes = kubernetesVersion(options.kubernetes)
  const { binDir, ownNodeImage } = kubernetes
  const kind = join(binDir, 'kind')
  // kind looks for Docker first, even if only Podman responds.
  const env = { KIND_EXPERIMENTAL_PROVIDER: engine }
  const image = options.nodeImage ?? (await findNodeImage(engine, kubernetes, log))
  const isOffline = image === ownNodeImage
  if (isOffline && engine !== 'docker')
    throw new CannotRunError(`${ownNodeImage} is built with Docker; install it, or give --node-image an image to pull`)
  log(`node image ${image}${isOffline ? ' (about ten minutes if nothing is cached)' : ''}`)
  const what = ['--kubernetes', kubernetes.minor, isOffline ? image : '--tools-only']
  await runOrThrow(join(nodeImageDir, 'build-node-image'), what, {
    timeoutMs: 60 * 60_000,
    onOutput: log,
  })
  const exists = (await runOrThrow(kind, ['get', 'clusters'], { env })).split('\n').includes(CLUSTER_NAME)
  await mkdir(dirname(kubeconfig), { recursive: true })
  if (exists && isReused) {
    await runOrThrow(kind, ['export', 'kubeconfig', '--name', CLUSTER_NAME, '--kubeconfig', kubeconfig], { env })
  } else {
    if (exists) await runOrThrow(kind, ['delete', 'cluster', '--name', CLUSTER_NAME], { env })
    log('creating a cluster of three nodes')
    const config = `${kubeconfig}.kind.yaml`
    await writeFile(config, await clusterConfig(isOffline))
    const args = ['--config', config, '--image', image, '--kubeconfig', kubeconfig, '--wait', '180s']
    await runOrThrow(kind, ['create', 'cluster', ...args], { env, timeoutMs: 10 * 60_000 })
    // kind waits for the control plane only.
    const ready = ['wait', 'nodes', '--all', '--for=condition=Ready', '--timeout=180s']
    await runOrThrow(join(binDir, 'kubectl'), ['--kubeconfig', kubeconfig, ...ready], { timeoutMs: 200_000 })
  }
  const nodes = (await runOrThrow(kind, ['get', 'nodes', '--name', CLUSTER_NAME], { env }))
    .trim()
    .split('\n')
    .toSorted()
  return {
    kubeconfig,
    nodes,
    binDir,
    isOffline,
    async [Symbol.asyncDispose]() {
      if (!isKept) await runCommand(kind, ['delete', 'cluster', '--name', CLUSTER_NAME], { env })
    },
  }
}

/** Returns an image that the engine has; else kind's own if it can be pulled; else the one that is built here. */
async function findNodeImage(
  engine: EngineName,
  { ownNodeImage, stockNodeImage }: KubernetesVersion,
  log: (text: string) => void,
): Promise<string> {
  for (const image of [stockNodeImage, ownNodeImage]) {
    if ((await runCommand(engine, ['image', 'inspect', image])).status === 0) return image
  }
  log(`pulling ${stockNodeImage}`)
  const { status, stderr } = await runCommand(engine, ['pull', stockNodeImage], { timeoutMs: 10 * 60_000 })
  if (status === 0) return stockNodeImage
  log(`it cannot be pulled (${stderr.trim().split('\n').at(-1)}): building ${ownNodeImage}`)
  return ownNodeImage
}

/** Returns kind's configuration. A node image of this machine includes a pod network, so kind's is disabled for it. */
async function clusterConfig(isOffline: boolean): Promise<string> {
  const config = parse(await readFile(join(nodeImageDir, 'cluster.yaml'), 'utf8')) as {
    readonly networking: Readonly<Record<string, unknown>>
  }
  return stringify({
    ...config,
    name: CLUSTER_NAME,
    networking: { ...config.networking, disableDefaultCNI: isOffline },
  })
}
