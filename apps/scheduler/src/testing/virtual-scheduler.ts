import { mirrorPodGroups, startClusterView } from '@berth/cluster-view'
import { connectCluster } from '@berth/k8s-client'
import { createPluginRegistry } from '@berth/plugin-api'
import { createMetrics } from '@berth/process/metrics'
import { buildProfiles, configMapsOf } from '@berth/scheduler-config'
import type { ApiHandler, Clock, Logger, Random } from '@berth/types'
import { loadSettings, type Settings } from '../config/settings.ts'
import { createExtenderClient } from '../extenders/extender-client.ts'
import { joinElection } from '../leader-election.ts'
import { createEventMetrics } from '../metrics/attempt-metrics.ts'
import { metricDefinitions } from '../metrics/metric-definitions.ts'
import { reportUnreadablePods } from '../report/unreadable-pods.ts'
import { createScheduler, type Scheduler } from '../scheduler.ts'
import { createVirtualExtenderTransport, type SendToExtender } from './virtual-extender-transport.ts'

/** A scheduler process in memory. */
export interface VirtualScheduler {
  /** Ends the process as SIGTERM does. */
  stop(): Promise<void>
}

/** Options of {@link startVirtualScheduler}. */
export interface VirtualSchedulerOptions {
  /** Text of a KubeSchedulerConfiguration. */
  readonly config: string
  readonly userAgent: string
  readonly handler: ApiHandler
  readonly sendToExtender: SendToExtender
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Called when the process ends by itself. */
  readonly onExit: (error: unknown) => void
}

const parsed = new Map<string, Settings>()

/** Starts a process of the same parts as `main.ts`, without HTTP servers and contributed plugins. */
export async function startVirtualScheduler(options: VirtualSchedulerOptions): Promise<VirtualScheduler> {
  const { config, userAgent, handler, sendToExtender, clock, random, log, onExit } = options
  const settings = settingsOf(config)
  const world = { clock, random, log }
  const instruments = createMetrics('scheduler', { withProcess: false }).instruments(metricDefinitions)
  const profiles = buildProfiles(settings, createPluginRegistry([]), () => world)
  const extenders = settings.extenders.map((entry) => {
    const transport = { send: sendToExtender, timeoutMs: 5_000, clock }
    return createExtenderClient(entry, log, createVirtualExtenderTransport(entry.urlPrefix, transport))
  })
  const parts = new AsyncDisposableStack()
  const { qps, burst, encoding } = settings
  const observeEvents = createEventMetrics(instruments)
  const cluster = parts.use(connectCluster({ handler, ...world, qps, burst, encoding, userAgent, observeEvents }))
  const stopping = new AbortController()
  const terms = parts.use(await joinElection(settings.lease, { client: cluster.client, ...world }))
  await terms.whenTried(stopping.signal)
  const onUnreadablePod = reportUnreadablePods({
    events: cluster.events,
    count: () => instruments.unreadablePods.inc(),
    schedulerNames: profiles.map(({ schedulerName }) => schedulerName),
    log,
  })
  const maxAgeMs = settings.flags.maxViewAgeSeconds * 1_000
  const configMaps = configMapsOf(profiles)
  const view = parts.use(startClusterView({ cluster, log, clock, maxAgeMs, configMaps, onUnreadablePod }))
  const onUnreadable = (): void => instruments.unreadablePodGroups.inc()
  const podGroups = parts.use(mirrorPodGroups({ cluster, ...world, onUnreadable }))
  const scheduler: Scheduler = parts.use(
    createScheduler({
      cluster,
      view,
      podGroups,
      profiles,
      extenders,
      metrics: instruments,
      backoff: settings.backoff,
      ...world,
    }),
  )
  const running = terms
    .run(stopping.signal, (signal, term) => scheduler.run(signal, term))
    .catch((error: unknown) => {
      if (!stopping.signal.aborted) onExit(error)
    })
  return {
    async stop() {
      stopping.abort(new Error('SIGTERM'))
      await running
      await parts.disposeAsync()
    },
  }
}

/** Parses a configuration once, because many processes have the same. */
function settingsOf(config: string): Settings {
  const known = parsed.get(config)
  if (known !== undefined) return known
  const settings = loadSettings({ argv: ['--config', 'scheduler.yaml'], env: {}, readFile: () => config })
  if (settings.kind === 'exit') throw new Error(settings.text)
  parsed.set(config, settings)
  return settings
}
