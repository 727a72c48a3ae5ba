import { isObject, type JsonObject } from '@berth/embedded-api-server'
import { AuditLineError, type AuditEvent, readAuditLog } from '@berth/types'
import { SimulatorStartError } from '../simulator-start-error.ts'

/** A write of a recorded timeline. */
export interface TimelineWrite {
  /** Time since the first event of the timeline. */
  readonly afterMs: number
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with query, as in the recorded request. */
  readonly path: string
  readonly contentType: string
  /** The object, the patch or the options of the deletion; undefined for a deletion without options. */
  readonly body: unknown
}

const METHODS: ReadonlyMap<string, TimelineWrite['method']> = new Map([
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETE'],
])
/** Accounts of the controllers that the simulated cluster runs itself. Those of others, such as of CronJobs, are replayed. */
const CONTROLLERS = [
  'daemon-set-controller',
  'deployment-controller',
  'disruption-controller',
  'endpoint-controller',
  'endpointslice-controller',
  'generic-garbage-collector',
  'job-controller',
  'namespace-controller',
  'node-controller',
  'persistent-volume-binder',
  'pod-garbage-collector',
  'replicaset-controller',
  'root-ca-cert-publisher',
  'service-account-controller',
  'statefulset-controller',
  'taint-eviction-controller',
]
const CONTROL_PLANE = new RegExp(
  `^system:(?:node:|apiserver$|kube-controller-manager$|kube-scheduler$|serviceaccount:kube-system:(?:${CONTROLLERS.join('|')})$)`,
)
const SIMULATED_COMPONENTS = /^(?:berth-simulated-kubelet|kube-controller-manager|kube-scheduler)\b/
/** Resources that kubelets, schedulers and leader elections write, and webhooks, which would be called from this machine. */
const RESOURCES_LEFT_OUT: ReadonlySet<string> = new Set([
  'events',
  'leases',
  'secrets',
  'certificatesigningrequests',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
])
/** Groups of reviews, such as a TokenReview: the API server answers and does not store them. */
const REVIEW_GROUPS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io'])
const SUBRESOURCES: ReadonlySet<string> = new Set(['', 'scale', 'eviction', 'resize', 'ephemeralcontainers'])

/**
 * Returns the successful writes of an audit log (`audit.k8s.io/v1`, one event on each line, level Request or above), in
 * the order of their times, without uids and resource versions. Leaves out the writes of the control plane and of kubelets, status updates, bindings, Events,
 * Leases and Secrets: the simulated cluster makes its own. Also leaves out access reviews, certificate requests and webhooks.
 *
 * @throws SimulatorStartError BERTH_SIMULATOR_TIMELINE with the line of the first event that cannot be replayed.
 */
export async function parseTimeline(
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<readonly TimelineWrite[]> {
  const writes: { readonly timeMs: number; readonly write: Omit<TimelineWrite, 'afterMs'> }[] = []
  let startMs = Infinity
  try {
    for await (const { line, event } of readAuditLog(lines)) {
      const { timeMs } = event
      startMs = Math.min(startMs, timeMs)
      const write = writeOf(event, line)
      if (write !== undefined) writes.push({ timeMs, write })
    }
  } catch (error) {
    throw error instanceof AuditLineError ? refusal(error.message) : error
  }
  return writes
    .map(({ write, timeMs }) => ({ ...write, afterMs: timeMs - startMs }))
    .toSorted((a, b) => a.afterMs - b.afterMs)
}

function refusal(reason: string): SimulatorStartError {
  return new SimulatorStartError(`read the timeline: ${reason}`, {
    code: 'BERTH_SIMULATOR_TIMELINE',
    hint: 'Use an audit log of level Request, such as --audit-log writes.',
  })
}

/** Undefined for an event that is not replayed. */
function writeOf(event: AuditEvent, line: number): Omit<TimelineWrite, 'afterMs'> | undefined {
  const { requestURI: path, requestObject, objectRef } = event
  const method = METHODS.get(event.verb)
  if (method === undefined || !isReplayed(event)) return undefined
  if (!path.startsWith('/')) throw refusal(`line ${line} has no requestURI`)
  if (method === 'DELETE') return { method, path, contentType: JSON_TYPE, body: optionsOf(requestObject) }
  const isPatchOfList = method === 'PATCH' && Array.isArray(requestObject)
  if (!isPatchOfList && !isObject(requestObject)) throw refusal(`line ${line} has no requestObject`)
  const contentType = method === 'PATCH' ? patchType(path, requestObject) : JSON_TYPE
  const body =
    method === 'PATCH' ? patchOf(requestObject) : objectOf(requestObject as JsonObject, objectRef?.name ?? '')
  return { method, path, contentType, body }
}

const JSON_TYPE = 'application/json'

function isReplayed({ isStoredWrite, username, userAgent, objectRef }: AuditEvent): boolean {
  return (
    isStoredWrite &&
    objectRef !== undefined &&
    !CONTROL_PLANE.test(username) &&
    !SIMULATED_COMPONENTS.test(userAgent) &&
    !RESOURCES_LEFT_OUT.has(objectRef.resource) &&
    !REVIEW_GROUPS.has(objectRef.apiGroup) &&
    SUBRESOURCES.has(objectRef.subresource)
  )
}

/** Returns the object without what belongs to the recorded cluster. A generated name becomes the name of the object. */
function objectOf({ metadata, deleteOptions, ...rest }: JsonObject, name: string): unknown {
  const { generateName, ...kept } = withoutIdentity(metadata)
  const isNamed = kept['name'] !== undefined || name === ''
  return {
    ...rest,
    // Those of an Eviction.
    ...(deleteOptions !== undefined && { deleteOptions: optionsOf(deleteOptions) }),
    metadata: { ...kept, ...(isNamed ? { ...(generateName !== undefined && { generateName }) } : { name }) },
  }
}

function withoutIdentity(metadata: unknown): JsonObject {
  const { resourceVersion: _version, uid: _uid, ...kept } = isObject(metadata) ? metadata : {}
  return kept
}

/** Returns the patch without its preconditions on the recorded object. */
function patchOf(patch: unknown): unknown {
  if (!Array.isArray(patch)) {
    const { metadata, ...rest } = patch as JsonObject
    return metadata === undefined ? patch : { ...rest, metadata: withoutIdentity(metadata) }
  }
  return patch.filter(
    (step) =>
      !(
        isObject(step) &&
        /^\/metadata\/(?:uid|resourceVersion)$/.test(typeof step['path'] === 'string' ? step['path'] : '')
      ),
  )
}

/** Returns the options of a deletion without its preconditions, which name an object of the recorded cluster. */
function optionsOf(recorded: unknown): unknown {
  if (typeof recorded !== 'object' || recorded === null) return undefined
  const { preconditions: _preconditions, ...rest } = recorded as { readonly preconditions?: unknown }
  return rest
}

/** An audit log does not contain the type of a patch; its form and query show it. */
function patchType(path: string, body: unknown): string {
  if (Array.isArray(body)) return 'application/json-patch+json'
  const { apiVersion, kind } = body as { readonly apiVersion?: unknown; readonly kind?: unknown }
  if (/[?&]force=/.test(path) || (apiVersion !== undefined && kind !== undefined && /[?&]fieldManager=/.test(path)))
    return 'application/apply-patch+yaml'
  return /^\/apis?\/(?:v1|apps|batch|policy|networking\.k8s\.io|autoscaling)\b/.test(path)
    ? 'application/strategic-merge-patch+json'
    : 'application/merge-patch+json'
}
