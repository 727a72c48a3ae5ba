import type { ResourceRef } from '@berth/k8s-client'
import type { ObjectMeta, ObjectReference } from '@berth/types'

/** Events in their `v1` form, which every server can select by the object that they are about. */
export const coreEvents: ResourceRef = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true }

/** `v1.Event`, cut. Older programs fill `source` and `lastTimestamp`; newer ones `reportingComponent` and `eventTime`. */
export interface CoreEvent {
  readonly metadata: ObjectMeta
  readonly involvedObject?: ObjectReference
  readonly reason?: string
  readonly message?: string
  readonly type?: string
  readonly source?: { readonly component?: string }
  readonly reportingComponent?: string
  readonly eventTime?: string | null
  readonly lastTimestamp?: string | null
  readonly series?: { readonly lastObservedTime?: string } | null
}

/** Returns when an event was last observed, in milliseconds since the epoch; 0 when it does not say. */
export function eventTimeMs(event: CoreEvent): number {
  const { series, lastTimestamp, eventTime, metadata } = event
  const time = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? ''
  const timeMs = Date.parse(time)
  return Number.isNaN(timeMs) ? 0 : timeMs
}

/** Returns the program that wrote an event; empty when the event does not say. */
export function reporterOf({ reportingComponent = '', source }: CoreEvent): string {
  return reportingComponent === '' ? (source?.component ?? '') : reportingComponent
}

/** Returns the event that was observed last; undefined when there is none. */
export function latestEvent(events: readonly CoreEvent[]): CoreEvent | undefined {
  return events.toSorted((a, b) => eventTimeMs(b) - eventTimeMs(a))[0]
}
