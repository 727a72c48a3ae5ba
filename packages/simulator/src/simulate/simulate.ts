import { errorText } from '@berth/text/error-text'
import { printableLine } from '@berth/text/printable'
import { access, constants, mkdir, open } from 'node:fs/promises'
import { once } from 'node:events'
import type { ApiHandler, Clock, KubernetesObject, Random } from '@berth/types'
import { openAuditLog } from './open-audit-log.ts'
import { startEmbeddedCluster } from '../cluster/embedded-cluster.ts'
import { holdSchedulerLease } from './hold-scheduler-lease.ts'
import { SimulatorStartError } from '../simulator-start-error.ts'
import { joinCluster } from '../join/join-cluster.ts'
import type { LoadedSnapshot } from '../snapshot/load-snapshot.ts'
import { parseTimeline } from '../timeline/parse-timeline.ts'
import { type ReplayResult, replayTimeline } from '../timeline/replay-timeline.ts'

/** Number of objects to name that a snapshot has and the cluster leaves out. */
const MAX_NAMED = 20

/** A connection to a running cluster. */
export interface ClusterConnection extends AsyncDisposable {
  readonly handle: ApiHandler
}

/** The environment of the command. */
export interface SimulateEnvironment {
  readonly clock: Clock
  readonly random: Random
  /** Stops the cluster, or removes the nodes from the cluster that they joined. */
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
  /** Whether to bind pods of `default-scheduler` to nodes with enough free resources. */
  readonly schedulesPods: boolean
  /** Devices of each node, by resource name. */
  readonly devices: Readonly<Record<string, number>>
  /** Whether RBAC authorizes requests. Default: false. */
  readonly rbac?: boolean
  /** File that gets one line of JSON for each request. */
  readonly auditLog?: string
  /** Objects of a recorded cluster to start with. */
  readonly snapshot?: readonly KubernetesObject[]
  /** A recorded audit log whose writes are replayed once the cluster is ready. */
  readonly timeline?: { readonly lines: AsyncIterable<string>; readonly speed: number }
}

/** Nodes to add to a running cluster. */
export interface JoinRequest {
  readonly kind: 'join'
  readonly nodes: number
  /** The kubeconfig of the cluster to join. */
  readonly kubeconfig: string
  /** Prefix of the names of the nodes. */
  readonly prefix?: string
  /** Directory for the sockets of the kubelets. Omit to open none. */
  readonly dir?: string
  /** Devices of each node, by resource name. */
  readonly devices: Readonly<Record<string, number>>
}

/**
 * Runs a cluster, or nodes that join another one, until `stop`.
 *
 * @throws BERTH_SIMULATOR_LISTEN, BERTH_SIMULATOR_DIRECTORY, BERTH_SIMULATOR_AUDIT_LOG, BERTH_SIMULATOR_KUBECONFIG,
 *   BERTH_SIMULATOR_TIMELINE, BERTH_SIMULATOR_JOIN_FORBIDDEN, BERTH_SIMULATOR_JOIN_TAKEN; the errors of `connect`
 */
export async function simulate(request: RunRequest | JoinRequest, environment: SimulateEnvironment): Promise<void> {
  await (request.kind === 'run' ? runCluster(request, environment) : runJoinedNodes(request, environment))
}

async function runJoinedNodes(
  { nodes, kubeconfig, dir, prefix, devices }: JoinRequest,
  environment: SimulateEnvironment,
): Promise<void> {
  if (dir !== undefined) await createDirectory(dir)
  await using connection = await environment.connect(kubeconfig)
  await using joined = await joinCluster({
    handler: connection.handle,
    nodes,
    devices,
    clock: environment.clock,
    random: environment.random,
    ...(dir === undefined ? {} : { dir }),
    ...(prefix === undefined ? {} : { prefix }),
  })
  const first = joined.kubelets[0]?.nodeName
  const last = joined.kubelets.at(-1)?.nodeName
  environment.write(`joined with ${nodes} nodes${first === undefined ? '' : `, ${first} to ${last}`}\n`)
  environment.write('ready\n')
  if (!environment.stop.aborted) await once(environment.stop, 'abort')
}

async function runCluster(request: RunRequest, environment: SimulateEnvironment): Promise<void> {
  const { nodes, pods, dir, port, kubeconfig, schedulesPods, devices, rbac = false, auditLog } = request
  const writes = request.timeline === undefined ? [] : await parseTimeline(request.timeline.lines)
  if (dir !== undefined) await createDirectory(dir)
  await using audit = auditLog === undefined ? undefined : await openAuditLog(auditLog)
  await using cluster = await startEmbeddedCluster({
    nodes,
    pods,
    api: { rbac, ...(audit === undefined ? {} : { audit: { level: 'Request', sink: audit.sink } }) },
    clock: environment.clock,
    random: environment.random,
    serve: { port },
    schedulesPods,
    kubelet: { devices },
    ...(request.snapshot && { snapshot: request.snapshot }),
    ...(dir === undefined ? {} : { dir }),
  })
  using _lease = schedulesPods ? holdSchedulerLease(cluster.apiServer) : undefined
  await writeKubeconfig(kubeconfig, cluster.served?.kubeconfig() ?? '')
  const { recorded, kubelets } = cluster
  if (recorded !== undefined) environment.write(recordedText(recorded))
  environment.write(`serving ${cluster.served?.url} with ${kubelets.length} nodes; kubeconfig in ${kubeconfig}\n`)
  environment.write('ready\n')
  if (request.timeline !== undefined) {
    const { clock, stop } = environment
    const result = await replayTimeline(writes, { handle: cluster.handle, clock, speed: request.timeline.speed, stop })
    environment.write(replayText(result))
  }
  if (!environment.stop.aborted) await once(environment.stop, 'abort')
}

function recordedText({ count, unserved, skipped }: LoadedSnapshot): string {
  return [
    `loaded ${count} recorded objects\n`,
    ...unserved.map((kind) => `not served here: ${printableLine(kind)}\n`),
    ...skipped.slice(0, MAX_NAMED).map((object) => `left out: ${printableLine(object)}\n`),
    ...(skipped.length > MAX_NAMED ? [`left out: ${skipped.length - MAX_NAMED} more\n`] : []),
  ].join('')
}

function replayText({ written, refused, withoutOwner }: ReplayResult): string {
  const [first] = refused
  return [
    `replayed ${written} writes of the timeline`,
    first !== undefined && `; ${refused.length} were refused, first ${printableLine(first.request)} (${first.status})`,
    withoutOwner > 0 && `; ${withoutOwner} owner references are left out: the owner is not here`,
    '\n',
  ]
    .filter((part) => part !== false)
    .join('')
}

async function createDirectory(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new SimulatorStartError(`create directory ${dir} for the kubelets: ${errorText(cause)}`, {
      code: 'BERTH_SIMULATOR_DIRECTORY',
      cause,
      hint: 'Choose a writable directory with --dir.',
    })
  }
}

async function writeKubeconfig(file: string, text: string): Promise<void> {
  try {
    await using handle = await open(file, 'w', 0o600)
    // The mode above counts only for a new file.
    await handle.chmod(0o600)
    await handle.writeFile(text)
  } catch (cause) {
    throw new SimulatorStartError(`write kubeconfig ${file}: ${errorText(cause)}`, {
      code: 'BERTH_SIMULATOR_KUBECONFIG',
      cause,
      hint: 'Choose a file in an existing, writable directory.',
    })
  }
}
