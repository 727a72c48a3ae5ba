import { pause, systemClock } from '@berth/clock'
import { homedir } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type ApiClient, connectCluster, isApiStatus, loadKubeconfig, resourceRefs } from '@berth/k8s-client'
import { createLogger, type LogFormat, type LogLevel } from '@berth/process/log'
import type { Clock, Logger } from '@berth/types'
import { createHangDetector, type MarkedHook } from './hook-mark.ts'
import { hungConditionType } from './hung-condition.ts'

/** Start data of the watchdog's thread. */
export interface WatchdogData {
  readonly buffer: SharedArrayBuffer
  readonly hangMs: number
  readonly kubeconfig: string | undefined
  readonly logLevel: LogLevel
  readonly logFormat: LogFormat
}

const POLL_MS = 250
const RETRY_MS = 500
/** Time limit for recording the hang. After it, the process ends without a record, so that another replica can lead. */
const RECORD_MS = 8_000

/**
 * Starts a thread that watches the hooks of contributed plugins. A hook that runs an endless loop stops the main thread,
 * and nothing in the main thread could notice it.
 *
 * @param program - URL of a module that calls {@link runWatchdog} in a worker thread.
 */
export function startWatchdog(program: string, data: WatchdogData, log: Logger): AsyncDisposable {
  const worker = new Worker(new URL(program), { workerData: data })
  worker.unref()
  worker.on('error', (err) => log.error({ err }, 'The watchdog of plugins stopped'))
  return {
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

/**
 * Waits until a hook hangs, records the plugin in the conditions of the pod and in an event, and ends the process. The
 * record keeps every replica from running the plugin for the pod again.
 */
export async function runWatchdog({ buffer, hangMs, kubeconfig, logLevel, logFormat }: WatchdogData): Promise<void> {
  const clock = systemClock()
  const log = createLogger({ component: 'scheduler', level: logLevel, format: logFormat })
  const detector = createHangDetector(buffer, hangMs, clock)
  const never = new AbortController().signal
  let hung: MarkedHook | undefined
  while (hung === undefined) {
    await pause(clock, POLL_MS, never)
    hung = detector.check()
  }
  const { plugin, hook, namespace, pod } = hung
  const fields = { plugin, hook, pod: `${namespace}/${pod}`, code: 'BERTH_SCHEDULER_PLUGIN_HUNG' }
  log.error({ ...fields, hangMs }, 'A hook of a plugin did not return, and the process ends')
  try {
    const access = loadKubeconfig({ path: kubeconfig, env: process.env, home: homedir() })
    const { client } = connectCluster({ access, log, clock, random: Math.random, userAgent: 'berth-scheduler' })
    await recordHang(client, hung, { hangMs, clock, signal: AbortSignal.timeout(RECORD_MS) })
  } catch (err) {
    log.error({ ...fields, err }, 'The plugin that did not return could not be recorded')
  }
  // The last line of the log is written in the next turn.
  await nextTurn()
  process.kill(process.pid, 'SIGKILL')
}

/**
 * Writes the condition and the event, and retries until the signal aborts.
 *
 * @throws ApiError, TransportError of the last attempt
 */
export async function recordHang(
  client: Pick<ApiClient, 'patch' | 'create'>,
  { plugin, hook, namespace, pod, uid }: MarkedHook,
  { hangMs, clock, signal }: { readonly hangMs: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const now = new Date(clock.now()).toISOString()
  const type = hungConditionType(plugin)
  const message = `${hook} of plugin ${plugin} did not return within ${hangMs} ms. The pod is not scheduled with this plugin until the condition ${type} is removed.`
  const condition = { type, status: 'True', reason: 'PluginHung', message, lastTransitionTime: `${now.slice(0, 19)}Z` }
  const body = { metadata: { uid }, status: { conditions: [condition] } }
  const event = {
    metadata: { namespace, name: `${pod}.${clock.now().toString(16)}` },
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name: pod, uid },
    type: 'Warning',
    reason: 'PluginHung',
    action: 'Scheduling',
    note: message,
    eventTime: `${now.slice(0, 23)}000Z`,
    reportingController: 'berth-scheduler',
    reportingInstance: 'berth-scheduler',
  }
  for (;;) {
    try {
      const options = { type: 'strategic', subresource: 'status', priority: 'exempt', signal } as const
      await client.patch(resourceRefs.pods, { namespace, name: pod }, body, options)
      await client.create(resourceRefs.events, event, { priority: 'exempt', signal })
      return
    } catch (error) {
      // The pod is gone, so nothing has to be recorded.
      if (isApiStatus(error, 404)) return
      if (signal.aborted) throw error
    }
    await pause(clock, RETRY_MS, signal)
  }
}
