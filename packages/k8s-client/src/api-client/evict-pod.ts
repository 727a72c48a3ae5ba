import type { Pod } from '@berth/types'
import type { RestClient } from '../calls/rest-client.ts'
import type { EvictOptions, EvictOutcome } from './api-client.ts'
import { isApiStatus } from '../errors/api-error.ts'
import { objectPath, resourceRefs } from '../api-conventions/resource-ref.ts'

/** A failed precondition on the uid: rest.BeforeDelete and the storage say it in different words. */
const OTHER_UID = /UID in (the )?precondition/i
/** Cause in the answer when a disruption budget forbids an eviction (policyv1.DisruptionBudgetCause). */
const BUDGET_CAUSE = 'DisruptionBudget'

/**
 * Evicts a pod. A 429 is not retried, because the caller decides when to try again: it is `blocked` if a disruption budget
 * forbids the eviction now, and an error if the server throttles or a webhook refuses. If the name belongs to a pod with
 * another uid, that pod is not evicted and the outcome is `gone`.
 *
 * @throws ApiError, TransportError for everything else
 * @see kubernetes pkg/registry/core/pod/storage/eviction.go (v1.36)
 */
export async function evictPod(rest: RestClient, pod: Pod, options: EvictOptions = {}): Promise<EvictOutcome> {
  const { gracePeriodSeconds, dryRun, ...callOptions } = options
  const target = { namespace: pod.metadata.namespace ?? 'default', name: pod.metadata.name ?? '' }
  const { uid } = pod.metadata
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: target,
    deleteOptions: {
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(dryRun === true ? { dryRun: ['All'] } : {}),
      ...(uid === undefined ? {} : { preconditions: { uid } }),
    },
  }
  try {
    await rest.json<unknown>({
      ...callOptions,
      subject: { verb: 'create', resource: 'pods/eviction', object: `${target.namespace}/${target.name}` },
      method: 'POST',
      path: objectPath(resourceRefs.pods, target, 'eviction'),
      body,
      retriesThrottled: false,
    })
    return { kind: 'evicted' }
  } catch (error) {
    if (isApiStatus(error, 404)) return { kind: 'gone' }
    // The precondition on the uid failed: another pod has replaced this one.
    if (isApiStatus(error, 409) && uid !== undefined && OTHER_UID.test(error.serverMessage)) return { kind: 'gone' }
    if (!isApiStatus(error, 429) || !error.causes.some(({ reason }) => reason === BUDGET_CAUSE)) throw error
    return { kind: 'blocked', message: error.serverMessage, retryAfterMs: error.retryAfterMs }
  }
}
