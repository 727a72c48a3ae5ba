import { errorText } from '@berth/text/error-text'
import { access, constants, mkdir, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import type { ApiHandler, Clock, Random } from '@berth/types'
import { openAuditLog } from './open-audit-log.ts'
import { startEmbeddedCluster } from '../cluster/embedded-cluster.ts'
import { SimulatorStartError } from '../http/simulator-error.ts'
import { joinCluster } from '../join/join-cluster.ts'

/** A way to a cluster that runs already. */
export interface ClusterConnection extends AsyncDisposable {
  readonly handle: ApiHandler
}

/** What the command works with. */
export interface SimulateWorld {
  readonly clock: Clock
  readonly random: Random
  /** Ends the cluster, or takes the nodes out of the one that they joined. */
  readonly stop: AbortSignal
  /** Connects to the cluster of a kubeconfig file, to join it. */
  connect(kubeconfig: string): Promise<ClusterConnection>
  write(text: string): void
}

/** A cluster to run. */
export interface RunRequest {
  readonly kind: 'run'
  readonly nodes: number
  readonly pods: number
  /** Where to write the kubeconfig of the administrator. */
  readonly kubeconfig: string
  /** Directory for the sockets of the kubelets. Omit to open none. */
  readonly dir?: string
  readonly port: number
  /** Also places the pods of `default-scheduler`, on any node with enough free resources. */
  readonly schedulesPods: boolean
  /** Devices of each node, by resource name. */
  readonly devices: Readonly<Record<string, number>>
  /** Enforces roles and role bindings. */
  readonly rbac?: boolean
  /** File that gets one line of JSON for each request. */
  readonly auditLog?: string
}

/** Nodes to add to a running cluster. */
export interface JoinRequest {
  readonly kind: 'join'
  readonly nodes: number
  /** The kubeconfig of the cluster to join. */
  readonly kubeconfig: string
  readonly prefix?: string
  readonly dir?: string
  /** Devices of each node, by resource name. */
  readonly devices: Readonly<Record<string, number>>
}

/**
 * Runs a cluster, or nodes of another one, until `stop`.
 *
 * @throws BERTH_SIMULATOR_LISTEN, BERTH_SIMULATOR_DIRECTORY, BERTH_SIMULATOR_AUDIT_LOG, BERTH_SIMULATOR_KUBECONFIG,
 *   BERTH_SIMULATOR_JOIN_FORBIDDEN, BERTH_SIMULATOR_JOIN_TAKEN; what `connect` throws
 */
export async function simulate(request: RunRequest | JoinRequest, world: SimulateWorld): Promise<void> {
  await (request.kind === 'run' ? runCluster(request, world) : runJoined(request, world))
}

async function runJoined(
  { nodes, kubeconfig, dir, prefix, devices }: JoinRequest,
  world: SimulateWorld,
): Promise<void> {
  if (dir !== undefined) await makeDirectory(dir)
  await using connection = await world.connect(kubeconfig)
  await using joined = await joinCluster({
    handler: connection.handle,
    nodes,
    devices,
    clock: world.clock,
    random: world.random,
    ...(dir === undefined ? {} : { dir }),
    ...(prefix === undefined ? {} : { prefix }),
  })
  const first = joined.kubelets[0]?.nodeName
  const last = joined.kubelets.at(-1)?.nodeName
  world.write(`joined with ${nodes} nodes${first === undefined ? '' : `, ${first} to ${last}`}\n`)
  world.write('ready\n')
  if (!world.stop.aborted) await once(world.stop, 'abort')
}

async function runCluster(request: RunRequest, world: SimulateWorld): Promise<void> {
  const { nodes, pods, dir, port, kubeconfig, schedulesPods, devices, rbac = false, auditLog } = request
  if (dir !== undefined) await makeDirectory(dir)
  await using audit = auditLog === undefined ? undefined : await openAuditLog(auditLog)
  await using cluster = await startEmbeddedCluster({
    nodes,
    pods,
    api: { rbac, ...(audit === undefined ? {} : { audit: { level: 'Request', sink: audit.sink } }) },
    clock: world.clock,
    random: world.random,
    serve: { port },
    schedulesPods,
    kubelet: { devices },
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
    throw new SimulatorStartError(`make directory ${dir} for the kubelets: ${errorText(cause)}`, {
      code: 'BERTH_SIMULATOR_DIRECTORY',
      cause,
      hint: 'Name a directory that can be made and written with --dir.',
    })
  }
}

async function writeKubeconfig(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 })
  } catch (cause) {
    throw new SimulatorStartError(`write kubeconfig ${file}: ${errorText(cause)}`, {
      code: 'BERTH_SIMULATOR_KUBECONFIG',
      cause,
      hint: 'Name a file in a directory that exists and is writable.',
    })
  }
}
