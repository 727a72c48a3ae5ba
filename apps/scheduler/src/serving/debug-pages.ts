import type { ClusterView } from '@berth/cluster-view'
import { builtInPlugins, decide, isOffered, unsupportedFeatures } from '@berth/fit-engine'
import type { Page } from '@berth/process/health'
import { hasUnusedArgs, type Profile } from '@berth/scheduler-config'
import { hideUrlCredentials } from '@berth/text/hide-url-credentials'
import type { Clock } from '@berth/types'
import type { Settings } from '../config/settings.ts'
import type { WaitingPodRegistry } from '../permit/waiting-pods.ts'
import { podName, schedulerNameOf } from '../queue/queued-pod.ts'
import type { PlacedPod, QueueCounts } from '../queue/scheduling-queue.ts'

/** The sources of the pages. */
export interface DebugPagesOptions {
  /** The effective KubeSchedulerConfiguration. */
  readonly configuration: Pick<Settings, 'profiles' | 'extenders'>
  readonly scheduler: {
    counts(): QueueCounts
    pods(): Iterable<PlacedPod>
    readonly waitingPods: Pick<WaitingPodRegistry, 'list' | 'size'>
  }
  readonly view: Pick<ClusterView, 'pod' | 'state' | 'nominatedNode'>
  readonly profiles: readonly Profile[]
  readonly clock: Clock
  readonly random: () => number
}

/** Maximum number of pods and nodes that a page lists. */
const MAX_LISTED = 500

/**
 * Returns the pages `/configz` (the effective configuration without secrets), `/debug/queue` (the pods of every queue, those
 * in flight, and those that permit delays) and `/debug/explain?pod=NAMESPACE/NAME` (what the scheduler would decide now).
 * Each list is cut after 500 entries.
 */
export function createDebugPages(options: DebugPagesOptions): ReadonlyMap<string, Page> {
  const json = (read: (query: URLSearchParams) => object | undefined): Page => ({
    contentType: 'application/json',
    text: (query) => {
      const value = read(query)
      return value === undefined ? undefined : `${JSON.stringify(value, undefined, 2)}\n`
    },
  })
  return new Map([
    ['/configz', json(() => ({ componentconfig: withoutSecrets(options.configuration) }))],
    ['/debug/queue', json(() => queuePage(options))],
    ['/debug/explain', json((query) => explainPage(query.get('pod') ?? '', options))],
  ])
}

const REDACTED = '(redacted)'
const builtInNames: ReadonlySet<string> = new Set(builtInPlugins.map(({ name }) => name))

/** Redacts keys of certificates, credentials in URLs, and the arguments of plugins whose meaning is unknown here. */
function withoutSecrets({ profiles, extenders, ...rest }: DebugPagesOptions['configuration']): object {
  return {
    ...rest,
    profiles: profiles.map((profile) => ({
      ...profile,
      pluginConfig: profile.pluginConfig.map(({ name, args }) => ({
        name,
        args:
          builtInNames.has(name) || hasUnusedArgs(name)
            ? args
            : Object.fromEntries(Object.keys(args).map((key) => [key, REDACTED])),
      })),
    })),
    extenders: extenders.map(({ tlsConfig, ...extender }) => ({
      ...extender,
      urlPrefix: hideUrlCredentials(extender.urlPrefix),
      tlsConfig: tlsConfig?.keyData === undefined ? tlsConfig : { ...tlsConfig, keyData: REDACTED },
    })),
  }
}

function queuePage({ scheduler, view, clock }: DebugPagesOptions): object {
  const queues: Record<PlacedPod['place'], object[]> = {
    active: [],
    backoff: [],
    unschedulable: [],
    gated: [],
    inFlight: [],
  }
  for (const placed of scheduler.pods()) {
    const listed = queues[placed.place]
    if (listed.length < MAX_LISTED) listed.push(describe(placed, view, clock))
  }
  const waiting = scheduler.waitingPods
    .list()
    .slice(0, MAX_LISTED)
    .map(({ pod, nodeName, pendingPlugins }) => ({ pod: podName(pod), node: nodeName, waitingFor: pendingPlugins() }))
  const counts = scheduler.counts()
  const omitted = Object.fromEntries(
    (Object.keys(queues) as PlacedPod['place'][]).map((place) => [place, counts[place] - queues[place].length]),
  )
  const omittedWaiting = scheduler.waitingPods.size - waiting.length
  return { counts, ...queues, omitted, waiting, omittedWaiting }
}

function describe({ place, info }: PlacedPod, view: DebugPagesOptions['view'], clock: Clock): object {
  const placement = view.state.placementOf(info.pod)
  return {
    pod: podName(info.pod),
    queue: place,
    attempts: info.attempts,
    rejectedBy: [...info.rejectors],
    ...(placement !== undefined && { assumedNode: placement.nodeName }),
    secondsInQueue: (clock.monotonic() - info.enteredMs) / 1_000,
    secondsSinceFirstSeen: (clock.monotonic() - info.firstSeenMs) / 1_000,
  }
}

function explainPage(name: string, options: DebugPagesOptions): object | undefined {
  const { view, scheduler, profiles, clock, random } = options
  const pod = view.pod(name)
  if (pod === undefined) return undefined
  const profile = profiles.find(({ schedulerName }) => schedulerName === schedulerNameOf(pod))
  if (profile === undefined) return undefined
  let queued: object | undefined
  for (const placed of scheduler.pods()) if (podName(placed.info.pod) === name) queued = describe(placed, view, clock)
  const { nodeName = '' } = pod.spec
  const nominatedNodeName = view.nominatedNode(pod)
  const about = { pod: name, profile: profile.schedulerName, nodeName, nominatedNodeName, queued }
  if (nodeName !== '') return about
  const unsupported = unsupportedFeatures(pod, view.state.objects, (resource) => isOffered(view.state, resource))
  const decision = decide(profile.framework, view.state, pod, {
    nowMs: clock.now(),
    random,
    rejections: 'always',
    score: false,
  })
  const rejected = [...decision.rejected].map(([node, { rejection }]) => {
    const { plugin, reasons } = rejection
    return { node, plugin, reasons }
  })
  return {
    ...about,
    unsupported,
    message: decision.message,
    feasibleNodes: decision.feasible.slice(0, MAX_LISTED),
    rejectedNodes: rejected.slice(0, MAX_LISTED),
    omitted: Math.max(0, decision.feasible.length - MAX_LISTED) + Math.max(0, rejected.length - MAX_LISTED),
    filters: decision.funnel,
  }
}
