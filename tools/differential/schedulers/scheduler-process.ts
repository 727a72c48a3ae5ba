import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@berth/testing'

/**
 * A scheduler under test. `kube-scheduler-random-ties` is the same program as `kube-scheduler`, configured so that it breaks ties
 * of scores at random, as Berth does.
 */
export type SchedulerName = 'berth' | 'kube-scheduler' | 'kube-scheduler-random-ties'

/** Pods in the parts of the scheduling queue. Pods in flight are in none of them. */
export interface QueueSizes {
  readonly active: number
  readonly backoff: number
  /** Unschedulable and gated pods. */
  readonly waiting: number
}

/** A running scheduler. Disposing stops it. */
export interface SchedulerProcess extends AsyncDisposable {
  readonly name: SchedulerName
  /** Reads `scheduler_pending_pods`, which both schedulers serve. @throws Error when the scheduler has exited. */
  queueSizes(): Promise<QueueSizes>
}

const READY_TIMEOUT_MS = 120_000
const REQUEST_TIMEOUT_MS = 5_000
// Kept connections: a handshake costs more than the metrics.
const plainAgent = new Agent({ keepAlive: true })
const secureAgent = new SecureAgent({ keepAlive: true, rejectUnauthorized: false })
const berthMain = join(import.meta.dirname, '..', '..', '..', 'apps', 'scheduler', 'src', 'main.ts')

/**
 * Starts a scheduler for pods of `default-scheduler` and waits until it serves metrics.
 *
 * Both run with their default configurations, without leader election. Berth serves the scheduler name of the pods.
 * kube-scheduler has the client limits of Berth: at its default of 50 requests per second it would decide the same, only later.
 *
 * kube-scheduler v1.36.3 breaks ties at random only when it has an extender (`prioritizeNodes` in pkg/scheduler/schedule_one.go);
 * otherwise the order of its node list decides. `kube-scheduler-random-ties` therefore has an extender without verbs, which
 * kube-scheduler never calls.
 *
 * @param options.program - Path of the kube-scheduler program.
 */
export async function startScheduler(
  name: SchedulerName,
  options: { readonly kubeconfig: string; readonly program: string },
): Promise<SchedulerProcess> {
  const dir = mkdtempSync(join(tmpdir(), `berth-differential-${name}-`))
  const kubeconfig = join(dir, 'kubeconfig')
  writeFileSync(kubeconfig, options.kubeconfig, { mode: 0o600 })
  const port = await freePort()
  const [program, argv] =
    name === 'berth'
      ? berthCommand(dir, kubeconfig, port)
      : kubeSchedulerCommand(name, { program: options.program, dir, kubeconfig, port })
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'], cwd: dir })
  const log = createWriteStream(join(dir, 'log'))
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  const closed = once(child, 'close')

  const queueSizes = async (): Promise<QueueSizes> => {
    if (child.exitCode !== null) throw new Error(`${name} exited with ${child.exitCode}: see ${join(dir, 'log')}`)
    const text = await readMetrics(name === 'berth' ? 'http' : 'https', port)
    const size = (queue: string): number => pendingPods(text, queue)
    return { active: size('active'), backoff: size('backoff'), waiting: size('unschedulable') + size('gated') }
  }
  try {
    await eventually(queueSizes, {
      what: `${name} to serve metrics (its log is ${join(dir, 'log')})`,
      timeoutMs: READY_TIMEOUT_MS,
      signal: AbortSignal.timeout(2 * READY_TIMEOUT_MS),
    })
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return {
    name,
    queueSizes,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await closed
      log.end()
      rmSync(dir, { recursive: true })
    },
  }
}

function berthCommand(dir: string, kubeconfig: string, port: number): readonly [string, string[]] {
  const config = join(dir, 'config.yaml')
  const lines = [
    'apiVersion: kubescheduler.config.k8s.io/v1',
    'kind: KubeSchedulerConfiguration',
    'leaderElection: { leaderElect: false }',
    'profiles: [{ schedulerName: default-scheduler }]',
    'clientConnection:',
    `  kubeconfig: ${kubeconfig}`,
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  const flags = ['--config', config, '--health-address', `127.0.0.1:${port}`]
  return [process.execPath, ['-C', '@berth/source', berthMain, ...flags]]
}

function kubeSchedulerCommand(
  name: SchedulerName,
  { program, dir, kubeconfig, port }: { program: string; dir: string; kubeconfig: string; port: number },
): readonly [string, string[]] {
  const config = join(dir, 'config.yaml')
  const lines = [
    'apiVersion: kubescheduler.config.k8s.io/v1',
    'kind: KubeSchedulerConfiguration',
    'leaderElection: { leaderElect: false }',
    `clientConnection: { kubeconfig: ${kubeconfig}, qps: 1000, burst: 2000 }`,
    ...(name === 'kube-scheduler-random-ties' ? ["extenders: [{ urlPrefix: 'http://127.0.0.1' }]"] : []),
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  const flags = [
    `--config=${config}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--authorization-always-allow-paths=/metrics',
    '-v=2',
  ]
  return [program, flags]
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function readMetrics(scheme: 'http' | 'https', port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const get = scheme === 'https' ? secureRequest : request
    const options = { timeout: REQUEST_TIMEOUT_MS, agent: scheme === 'https' ? secureAgent : plainAgent }
    const sent = get(`${scheme}://127.0.0.1:${port}/metrics`, options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () => {
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`GET /metrics: ${response.statusCode}: ${text.slice(0, 200)}`))
      })
    })
    sent.once('timeout', () => sent.destroy(new Error(`GET /metrics: no answer within ${REQUEST_TIMEOUT_MS} ms`)))
    sent.once('error', reject)
    sent.end()
  })
}

/** Returns a sample of `scheduler_pending_pods`. @throws Error when the scheduler does not serve it yet. */
function pendingPods(metrics: string, queue: string): number {
  const [, value] = new RegExp(`^scheduler_pending_pods\\{queue="${queue}"\\} (\\S+)$`, 'm').exec(metrics) ?? []
  if (value === undefined) throw new Error(`/metrics has no scheduler_pending_pods for queue ${queue}`)
  return Number(value)
}
