import { objectPath, collectionPath, resourceRefs } from '@berth/k8s-client'
import type { ObservedChange, ObservedVerb } from '../cluster/observed-change.ts'

/** The annotation of events whose requestObject is the whole object, as a watch delivered it. */
export const OBSERVED = 'ui.berth.dev/observed'

/** The object is gone when its end is recorded. A replay has no kubelet that could end a pod within a grace period. */
const AT_ONCE = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 }

const STATUS_CODES: Readonly<Record<ObservedVerb, number>> = { create: 201, update: 200, delete: 200 }

/**
 * Returns the line of a recording for a change: an audit event of the write that would make it. Leaves out annotations:
 * some hold copies of whole manifests.
 *
 * @param number - Number of the line.
 */
export function recordedLine({ verb, kind, object }: ObservedChange, timeMs: number, number: number): string {
  const ref = kind === 'Node' ? resourceRefs.nodes : resourceRefs.pods
  const { name = '', namespace } = object.metadata
  const { annotations: _, ...metadata } = object.metadata
  const target = { name, ...(kind === 'Pod' && { namespace: namespace ?? 'default' }) }
  const timestamp = new Date(timeMs).toISOString()
  return `${JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Request',
    auditID: `recording-${number}`,
    stage: 'ResponseComplete',
    requestURI: verb === 'create' ? collectionPath(ref, namespace) : objectPath(ref, target),
    verb,
    user: {},
    userAgent: 'kubectl-berth-ui',
    objectRef: { resource: ref.plural, apiVersion: ref.version, ...target },
    responseStatus: { metadata: {}, code: STATUS_CODES[verb] },
    requestObject: verb === 'delete' ? AT_ONCE : { ...object, apiVersion: 'v1', kind, metadata },
    requestReceivedTimestamp: timestamp,
    stageTimestamp: timestamp,
    annotations: { [OBSERVED]: 'true' },
  })}\n`
}
