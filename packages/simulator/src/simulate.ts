import { access, constants, mkdir, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import type { Clock, Random } from '@berth/types'
import { startEmbeddedCluster } from './embedded-cluster.ts'
import { SimulatorStartError } from './http/simulator-error.ts'
import type { SimulateRequest } from './simulate-arguments.ts'

/** What the command works with. */
export interface SimulateWorld {
  readonly clock: Clock
  readonly random: Random
  /** Ends the cluster. */
  readonly stop: AbortSignal
  write(text: string): void
}

/**
 * Runs a cluster until `stop`.
 *
 * @throws BERTH_SIMULATOR_LISTEN, BERTH_SIMULATOR_DIRECTORY, BERTH_SIMULATOR_KUBECONFIG
 */
export async function simulate(
  request: Extract<SimulateRequest, { kind: 'run' }>,
  world: SimulateWorld,
): Promise<void> {
  const { nodes, pods, dir, port, kubeconfig } = request
  if (dir !== undefined) await makeDirectory(dir)
  await using cluster = await startEmbeddedCluster({
    nodes,
    pods,
    clock: world.clock,
    random: world.random,
    serve: { port },
    ...(dir === undefined ? {} : { dir }),
  })
  await writeKubeconfig(kubeconfig, cluster.served?.kubeconfig() ?? '')
  world.write(`serving ${cluster.served?.url} with ${nodes} nodes; kubeconfig in ${kubeconfig}\n`)
  world.write('ready\n')
  if (!world.stop.aborted) await once(world.stop, 'abort')
}

async function makeDirectory(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new SimulatorStartError(
      `make directory ${dir} for the kubelets: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        code: 'BERTH_SIMULATOR_DIRECTORY',
        cause,
        hint: 'Name a directory that can be made and written with --dir.',
      },
    )
  }
}

async function writeKubeconfig(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 })
  } catch (cause) {
    throw new SimulatorStartError(
      `write kubeconfig ${file}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        code: 'BERTH_SIMULATOR_KUBECONFIG',
        cause,
        hint: 'Name a file in a directory that exists and is writable.',
      },
    )
  }
}
