import { startClusterView } from '@berth/cluster-view'
import { connectCluster } from '@berth/k8s-client'
import { createPluginRegistry } from '@berth/plugin-api'
import { createMetrics } from '@berth/process/metrics'
import { buildExtenderProfile } from '@berth/scheduler-config'
import type { ApiHandler, Clock, Logger, Random } from '@berth/types'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { startBinder } from '../bind/start-binder.ts'
import { createEffectHooks } from '../effects/effect-hooks.ts'
import { createEvaluator } from '../evaluator.ts'
import { metricDefinitions } from '../metrics.ts'
import { createPreemptionReview } from '../preemption/review-preemption.ts'
import { startRetries } from '../retries/start-retries.ts'
import { createCallHandler } from '../call-handler.ts'
import { createBodyDiscarder } from '../serving/discard-body.ts'

const MAX_VIEW_AGE_MS = 120_000
const BIND_TIMEOUT_MS = 1_500
const SECOND_LOOK_MS = 50
const LIMITS = { maxRequestBytes: 1_048_576, maxNodes: 1_000 }

/** An extender process in memory. */
export interface VirtualExtender {
  /** Sends a call, as over a connection. */
  call(verb: string, body: string): Promise<{ readonly status: number; readonly text: string }>
  /** Ends the process as SIGTERM does. */
  stop(): Promise<void>
}

/** Starts a process of the same parts as `main.ts` with the bind verb, without a port. */
export async function startVirtualExtender(options: {
  readonly ignoredResources: readonly string[]
  /** The CSIStorageCapacity object, as `namespace/name`, that wakes rejected pods. */
  readonly retrySignal: string
  readonly identity: string
  readonly handler: ApiHandler
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}): Promise<VirtualExtender> {
  const { ignoredResources, retrySignal, identity, handler, clock, random, log } = options
  const world = { clock, random, log }
  const profile = buildExtenderProfile(
    [{ name: 'NodeResourcesFit', weight: 1, args: {} }],
    createPluginRegistry([]),
    () => world,
  )
  const effects = createEffectHooks(profile.effects, clock)
  const parts = new AsyncDisposableStack()
  const cluster = parts.use(connectCluster({ handler, ...world, userAgent: 'berth-extender' }))
  const { configMaps } = profile.framework
  const view = parts.use(startClusterView({ cluster, log, clock, maxAgeMs: MAX_VIEW_AGE_MS, configMaps }))
  const now = (): number => clock.now()
  const evaluator = createEvaluator({
    profile,
    view,
    refuseUnsupported: false,
    ignoredResources: new Set(ignoredResources),
    now,
    random,
  })
  const config = { bindLease: 'kube-system/berth-extender-bind', bindTimeoutMs: BIND_TIMEOUT_MS }
  const binder = parts.use(startBinder({ config, cluster, view, evaluator, hooks: effects.bind, identity, ...world }))
  const metrics = createMetrics('extender', { withProcess: false }).instruments(metricDefinitions)
  const rejectedPods = parts.use(startRetries({ retrySignal, cluster, view, evaluator, metrics, ...world }))
  const serve = createCallHandler({
    evaluator,
    reviewPreemption: createPreemptionReview({ profile, view, hooks: effects.processPreemption, now, random }),
    binder,
    isAllowed: undefined,
    allowedClientNames: [],
    secondLookMs: SECOND_LOOK_MS,
    rejectedPods,
    limits: LIMITS,
    discarder: createBodyDiscarder(clock),
    metrics,
    ...world,
  })
  const connection = { key: {}, socket: new Socket() }
  return {
    call(verb, body) {
      const answered = Promise.withResolvers<{ readonly status: number; readonly text: string }>()
      const listeners: (() => void)[] = []
      serve({
        method: 'POST',
        url: `/${verb}`,
        contentType: 'application/json',
        announcedBytes: Buffer.byteLength(body),
        body: Readable.from([Buffer.from(body)]),
        connection,
        readsResponseLast: true,
        respond(status, json) {
          answered.resolve({ status, text: json.toString() })
          for (const listener of listeners) listener()
        },
        closeConnection: () => undefined,
        onClose: (listener) => void listeners.push(listener),
      })
      return answered.promise
    },
    stop: () => parts.disposeAsync(),
  }
}
