import type { Event } from '@berth/types'
import type { ApiClient } from '../api-client/api-client.ts'
import { resourceRefs } from '../api-conventions/resource-ref.ts'
import type { CallOptions } from '../calls/call-options.ts'
import { ApiError } from '../errors/api-error.ts'

/** Time limit for one write of an event. */
const DEADLINE_MS = 10_000

/** Whether an event may still be sent; see {@link CallOptions.mayStart}. */
type MayStart = CallOptions['mayStart']

/** Sends events to the API server. Rejects like {@link ApiClient}. */
export interface EventWriter {
  create(event: Event, mayStart: MayStart, priority: 'normal' | 'low'): Promise<void>
  /** Updates the series of an event that exists. */
  patch(event: Event, body: { readonly series: unknown }, mayStart: MayStart): Promise<void>
  readonly counts: { readonly created: number; readonly seriesPatched: number }
}

/** Creates a writer. */
export function createEventWriter(
  client: Pick<ApiClient, 'create' | 'patch'>,
  options: { readonly signal: AbortSignal; readonly onWritten: (event: Event) => void },
): EventWriter {
  const { signal, onWritten } = options
  const counts = { created: 0, seriesPatched: 0 }
  const callOf = (mayStart: MayStart): CallOptions => ({
    signal,
    deadlineMs: DEADLINE_MS,
    retriesThrottled: false,
    ...(mayStart !== undefined && { mayStart }),
  })
  return {
    counts,
    async create(event, mayStart, priority) {
      try {
        await client.create(resourceRefs.events, event, { ...callOf(mayStart), priority })
      } catch (error) {
        // The name is unique: an earlier attempt whose response was lost has created the event.
        if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
      }
      counts.created += 1
      onWritten(event)
    },
    async patch(event, body, mayStart) {
      const { namespace, name = '' } = event.metadata
      const target = { namespace, name }
      await client.patch(resourceRefs.events, target, body, { ...callOf(mayStart), priority: 'low', type: 'merge' })
      counts.seriesPatched += 1
      onWritten(event)
    },
  }
}
