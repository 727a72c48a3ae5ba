import type { PreemptionCandidate } from '@berth/fit-engine'
import type {
  Container,
  ExtenderArgs,
  ExtenderBindingArgs,
  ExtenderPreemptionArgs,
  HostPriority,
  Logger,
  MetaVictims,
  Node,
  Pod,
} from '@berth/types'
import { type ExtenderEntry, parseDurationMs } from '@berth/scheduler-config'
import { hideUrlCredentials } from '@berth/text/hide-url-credentials'
import {
  type ExtenderVerdict,
  readBindResponse,
  readFilterResponse,
  readPreemptResponse,
  readPrioritizeResponse,
  toWireNode,
} from './extender-response.ts'
import type { AttemptGroup } from '../queue/attempt-groups.ts'
import { createExtenderTransport, type ExtenderCall, type ExtenderTransport } from './extender-transport.ts'

/** A client of one configured extender. Every failed call rejects with an ExtenderError. */
export interface ExtenderClient extends Disposable {
  /** The urlPrefix of the extender without user and password, for messages and metrics. */
  readonly url: string
  readonly isIgnorable: boolean
  readonly hasFilter: boolean
  readonly hasPrioritize: boolean
  readonly hasPreempt: boolean
  readonly hasBind: boolean
  readonly weight: number
  /**
   * Returns whether the pod requests a resource that the extender manages. An extender without managed resources gets
   * every pod.
   */
  isInterestedIn(pod: Pod): boolean
  filter(pod: Pod, nodes: CandidateNodes, signal: AbortSignal): Promise<ExtenderVerdict>
  /** Returns scores from 0 to 10, not clamped. */
  prioritize(pod: Pod, nodes: CandidateNodes, signal: AbortSignal): Promise<readonly HostPriority[]>
  /** Returns node name -> uids of the victims. A node that is missing must not be used. */
  preempt(
    pod: Pod,
    candidates: readonly PreemptionCandidate[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, MetaVictims>>
  /** Resolves when the extender reports that it bound the pod. */
  bind(pod: Pod, nodeName: string, call: ExtenderCall): Promise<void>
}

/** The nodes that are sent to an extender. */
export interface CandidateNodes {
  readonly names: readonly string[]
  /**
   * Returns the object; undefined when the node is gone by now. Called only for extenders that are not
   * nodeCacheCapable.
   */
  readonly node: (name: string) => Node | undefined
}

/**
 * Creates the client of one extender.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_EXTENDER_TLS
 */
export function createExtenderClient(
  entry: ExtenderEntry,
  log: Logger,
  transport: ExtenderTransport = createExtenderTransport(entry, timeoutMs(entry), log),
): ExtenderClient {
  const managed = new Set(entry.managedResources.map(({ name }) => name))
  const { nodeCacheCapable } = entry
  const url = hideUrlCredentials(entry.urlPrefix)

  const argumentsFor = (pod: Pod, { names, node }: CandidateNodes): string => {
    const items = nodeCacheCapable ? [] : names.flatMap((name) => node(name) ?? []).map(toWireNode)
    const body: ExtenderArgs = {
      Pod: toWirePod(pod),
      Nodes: nodeCacheCapable ? null : { metadata: {}, items },
      NodeNames: nodeCacheCapable ? names : null,
    }
    return JSON.stringify(body)
  }

  return {
    url,
    isIgnorable: entry.ignorable,
    hasFilter: entry.filterVerb !== '',
    hasPrioritize: entry.prioritizeVerb !== '',
    hasPreempt: entry.preemptVerb !== '',
    hasBind: entry.bindVerb !== '',
    weight: entry.weight,
    isInterestedIn: (pod) =>
      managed.size === 0 ||
      [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].some((c) => requestsAny(c, managed)),
    async filter(pod, nodes, signal) {
      const text = await transport.post(entry.filterVerb, argumentsFor(pod, nodes), { signal })
      return readFilterResponse(text, nodes.names, { url, nodeCacheCapable })
    },
    async prioritize(pod, nodes, signal) {
      return readPrioritizeResponse(
        await transport.post(entry.prioritizeVerb, argumentsFor(pod, nodes), { signal }),
        url,
      )
    },
    async preempt(pod, candidates, signal) {
      const body = preemptionArgs(pod, candidates, nodeCacheCapable)
      return readPreemptResponse(await transport.post(entry.preemptVerb, JSON.stringify(body), { signal }), url)
    },
    async bind(pod, nodeName, call) {
      const body: ExtenderBindingArgs = {
        PodName: pod.metadata.name ?? '',
        PodNamespace: pod.metadata.namespace ?? 'default',
        PodUID: pod.metadata.uid ?? '',
        Node: nodeName,
      }
      readBindResponse(await transport.post(entry.bindVerb, JSON.stringify(body), call), url)
    },
    [Symbol.dispose]() {
      transport[Symbol.dispose]()
    },
  }
}

/** Returns the extenders in call order: as in kube-scheduler, ignorable extenders come last. */
export function sortByCallOrder(clients: readonly ExtenderClient[]): readonly ExtenderClient[] {
  return [...clients.filter((client) => !client.isIgnorable), ...clients.filter((client) => client.isIgnorable)]
}

/**
 * Returns the group of the pods about which the same extenders decide. They are attempted one at a time, so that an
 * extender receives one call after the other. Undefined for a pod that no extender filters or scores.
 */
export function extenderGroupOf(extenders: readonly ExtenderClient[], pod: Pod): AttemptGroup | undefined {
  const urls = extenders
    .filter((extender) => extender.hasFilter || extender.hasPrioritize || extender.hasPreempt)
    .filter((extender) => extender.isInterestedIn(pod))
    .map(({ url }) => url)
  return urls.length === 0 ? undefined : { name: urls.join(' '), limit: 1, until: 'node-chosen' }
}

function timeoutMs(entry: ExtenderEntry): number {
  const parsed = parseDurationMs(entry.httpTimeout) ?? 0
  return parsed > 0 ? parsed : 5_000
}

function requestsAny(container: Container, managed: ReadonlySet<string>): boolean {
  const { requests = {}, limits = {} } = container.resources ?? {}
  return [...Object.keys(requests), ...Object.keys(limits)].some((name) => managed.has(name))
}

function preemptionArgs(
  pod: Pod,
  candidates: readonly PreemptionCandidate[],
  nodeCacheCapable: boolean,
): ExtenderPreemptionArgs {
  const byNode = <T>(victimOf: (victim: Pod) => T) =>
    Object.fromEntries(
      candidates.map(({ node, victims, violations }) => [
        node,
        { Pods: victims.map(victimOf), NumPDBViolations: violations },
      ]),
    )
  return nodeCacheCapable
    ? { Pod: toWirePod(pod), NodeNameToMetaVictims: byNode(({ metadata }) => ({ UID: metadata.uid ?? '' })) }
    : { Pod: toWirePod(pod), NodeNameToVictims: byNode(toWirePod) }
}

function toWirePod(pod: Pod): Pod {
  const { managedFields: _, ...metadata } = pod.metadata
  return { metadata, spec: pod.spec, status: pod.status ?? {} }
}
