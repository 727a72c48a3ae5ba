import type { ApiHandler, Clock, KubernetesObject, Logger, Random } from '@berth/types'
import type { ClusterAccess } from './access/cluster-access.ts'
import { createApiClient } from './api-client/create-api-client.ts'
import { isApiStatus } from './errors/api-error.ts'
import { createRestClient, type RestClient } from './calls/rest-client.ts'
import type { ApiClient } from './api-client/api-client.ts'
import type { CallOptions } from './calls/call-options.ts'
import type { EventObserver } from './events/dropped-events.ts'
import type { EncodingSupport, WireEncoding } from './encoding/wire-encoding.ts'
import { createEventRecorder, type EventRecorder } from './events/event-recorder.ts'
import { createRateLimit, type RateLimit } from './calls/rate-limit.ts'
import { startReflector } from './reflector/start-reflector.ts'
import type { ReflectOptions, Reflector } from './reflector/reflector.ts'
import type { ResourceRef } from './api-conventions/resource-ref.ts'
import { connectTransport } from './transport/connect-transport.ts'

/** The version that the API server reports. */
export interface ServerVersion {
  readonly major: string
  readonly minor: string
  readonly gitVersion: string
}

/** A connection to one cluster. Disposing it stops reflectors and events, then closes the connections. */
export interface Cluster extends AsyncDisposable {
  readonly client: ApiClient
  readonly events: EventRecorder
  /** Starts to mirror a resource type; the reflector runs until it or the cluster is disposed. */
  reflect<T extends KubernetesObject = KubernetesObject>(
    resource: ResourceRef,
    options?: ReflectOptions<T>,
  ): Reflector<T>
  /** Reads the server's version. Call it first, to fail early and clearly if the server cannot be reached. */
  serverVersion(options?: CallOptions): Promise<ServerVersion>
  /**
   * Returns the plurals of the resources that the server serves in a group and version, such as `apps/v1`. Empty when it
   * does not serve the version, or does not let this identity read it.
   */
  servedResources(groupVersion: string, options?: CallOptions): Promise<ReadonlySet<string>>
}

/** Defaults of kube-scheduler. */
const DEFAULT_QPS = 50
const DEFAULT_BURST = 100
/** Events of which only the latest matters may use this part of the events' rate: one in four. */
const LATEST_EVENTS_SHARE = 4

/** Options of {@link connectCluster}. Set exactly one of `access` and `handler`. */
export interface ConnectOptions {
  /** Connects over the network. */
  readonly access?: ClusterAccess
  /** Handles requests directly: an API server in the same process, or a scripted one in a test. */
  readonly handler?: ApiHandler
  readonly log: Logger
  readonly clock: Clock
  readonly random: Random
  /** Calls per second, watches included. 0 or less means no limit. Default: 50. */
  readonly qps?: number
  /** Burst above the QPS limit. Default: 100. */
  readonly burst?: number
  /** Written events per second, which have a limit of their own. 0 or less means no limit. Default: `qps`. */
  readonly eventQps?: number
  /** Burst above the limit of events. Default: `burst`. */
  readonly eventBurst?: number
  /**
   * Encoding of pods, nodes and events that mirrors read, and of bindings and events that are written. With protobuf,
   * JSON is used as soon as the server refuses it, and wherever it answers in JSON. Everything else, patches included,
   * is JSON. Default: json.
   */
  readonly encoding?: WireEncoding
  /** The part before the first `/` is also the reporting controller of events. */
  readonly userAgent: string
  /** `reportingInstance` of events. Default: the controller's name. */
  readonly instance?: string
  /** Deadline of one attempt of a call that names none. Default: 30 s. */
  readonly deadlineMs?: number
  /** Observes what happens to recorded events, for metrics. */
  readonly observeEvents?: EventObserver
}

/** Creates a connection to a cluster. It sends nothing before the first call; `serverVersion()` tests it. */
export function connectCluster(options: ConnectOptions): Cluster {
  const { access, log, clock, random, userAgent } = options
  const transport = access === undefined ? undefined : connectTransport(access, { log, clock })
  const handler = options.handler ?? transport?.handle
  if (handler === undefined) throw new TypeError('connectCluster needs access or handler')
  const { qps = DEFAULT_QPS, burst = DEFAULT_BURST } = options
  const { eventQps = qps, eventBurst = burst } = options
  const encoding: EncodingSupport = { preferred: options.encoding ?? 'json' }
  const createRest = (limit: RateLimit): RestClient => {
    const { deadlineMs } = options
    return createRestClient({
      handler,
      limit,
      userAgent,
      clock,
      random,
      log,
      encoding,
      ...(deadlineMs !== undefined && { deadlineMs }),
    })
  }
  const rest = createRest(createRateLimit({ qps, burst, clock }))
  const client = createApiClient(rest)
  // As in kube-scheduler, events have a rate limit of their own: calls and events do not delay each other.
  const eventRest = createRest(createRateLimit({ qps: eventQps, burst: eventBurst, clock }))
  const controller = userAgent.split('/', 1)[0] ?? userAgent
  const events = createEventRecorder({
    client: createApiClient(eventRest),
    controller,
    instance: options.instance ?? controller,
    latestLimit: createRateLimit({
      qps: eventQps / LATEST_EVENTS_SHARE,
      burst: eventBurst / LATEST_EVENTS_SHARE,
      clock,
    }),
    ...(options.observeEvents !== undefined && { observer: options.observeEvents }),
    clock,
    log,
  })
  const watchList = { isSupported: true }
  const reflectors = new Set<AsyncDisposable>()

  return {
    client,
    events,
    reflect<T extends KubernetesObject>(resource: ResourceRef, what: ReflectOptions<T> = {}): Reflector<T> {
      const send = (request: Parameters<ApiHandler>[0]) => rest.raw(request, 'normal')
      const reflector = startReflector<T>(resource, what, { send, watchList, encoding, clock, random, log })
      const owned: Reflector<T> = {
        ...reflector,
        async [Symbol.asyncDispose]() {
          await reflector[Symbol.asyncDispose]()
          reflectors.delete(owned)
        },
      }
      reflectors.add(owned)
      return owned
    },
    serverVersion: (callOptions = {}) =>
      rest.json<ServerVersion>({
        ...callOptions,
        subject: { verb: 'get', resource: 'version' },
        method: 'GET',
        path: '/version',
      }),
    async servedResources(groupVersion, callOptions = {}) {
      try {
        const { resources } = await rest.json<{ readonly resources?: readonly { readonly name: string }[] }>({
          ...callOptions,
          subject: { verb: 'get', resource: `apis/${groupVersion}` },
          method: 'GET',
          path: `/apis/${groupVersion}`,
        })
        return new Set(resources?.map(({ name }) => name))
      } catch (error) {
        if (isApiStatus(error, 404) || isApiStatus(error, 403)) return new Set()
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...reflectors].map((reflector) => reflector[Symbol.asyncDispose]()))
      await events[Symbol.asyncDispose]()
      rest.close()
      eventRest.close()
      await transport?.[Symbol.asyncDispose]()
    },
  }
}
