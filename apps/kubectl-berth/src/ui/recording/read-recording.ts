import { type AuditEvent, isRecord, type KubernetesObject, type Node, type Pod, readAuditLog } from '@berth/types'
import type { ObservedChange } from '../cluster/observed-change.ts'
import { patchedObject } from './patched-object.ts'
import { OBSERVED } from './recorded-line.ts'

/** A change of a recording. */
export interface RecordedChange {
  readonly timeMs: number
  readonly change: ObservedChange
}

/** The content of a recording. */
export interface Recording {
  /** In the order of their times. */
  readonly changes: readonly RecordedChange[]
  /** Number of writes whose effect the recording does not tell, such as of patches without the response. */
  readonly unknownCount: number
}

interface WriteEvent {
  readonly event: AuditEvent
  readonly ref: WrittenRef
}

/**
 * Reads an audit log (`audit.k8s.io/v1`, one event on each line): the successful writes of nodes and pods. Holds nothing else of
 * the log.
 *
 * @throws AuditLineError with the number of the first line that is not an audit event.
 */
export async function readRecording(lines: Iterable<string> | AsyncIterable<string>): Promise<Recording> {
  const writes: WriteEvent[] = []
  for await (const { event } of readAuditLog(lines)) {
    const ref = writtenRef(event)
    if (ref !== undefined) writes.push({ event, ref })
  }
  const known = new Map<string, KubernetesObject>()
  let unknownCount = 0
  const changes: RecordedChange[] = []
  for (const { event, ref } of writes.toSorted((a, b) => a.event.timeMs - b.event.timeMs)) {
    const { timeMs } = event
    const key = `${ref.kind} ${ref.namespace}/${ref.name}`
    const before = known.get(key)
    const after = objectAfter(event, ref, before)
    if (after === 'unknown') unknownCount++
    else if (after !== 'gone') {
      known.set(key, after)
      changes.push({ timeMs, change: observed(ref.kind, before === undefined ? 'create' : 'update', after) })
    } else if (before !== undefined) {
      known.delete(key)
      changes.push({ timeMs, change: observed(ref.kind, 'delete', before) })
    }
  }
  return { changes, unknownCount }
}

/** The node or pod that an event writes. */
interface WrittenRef {
  readonly kind: 'Node' | 'Pod'
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

const SUBRESOURCES: ReadonlySet<string> = new Set(['', 'status', 'binding', 'resize'])

/** Undefined for reads, refused writes, dry runs and other objects. */
function writtenRef({ isStoredWrite, objectRef, requestObject, responseObject }: AuditEvent): WrittenRef | undefined {
  if (!isStoredWrite || objectRef === undefined) return undefined
  const { apiGroup, resource, subresource, namespace, name } = objectRef
  const isKnown = apiGroup === '' && (resource === 'nodes' || resource === 'pods') && SUBRESOURCES.has(subresource)
  if (!isKnown) return undefined
  return {
    kind: resource === 'nodes' ? 'Node' : 'Pod',
    namespace,
    // Only the response holds a generated name.
    name: name || nameIn(requestObject) || nameIn(responseObject),
    subresource,
  }
}

function nameIn(object: unknown): string {
  return isRecord(object) && isRecord(object['metadata']) ? textOf(object['metadata']['name']) : ''
}

/** Returns the object after an event, as far as the event tells. */
function objectAfter(
  event: AuditEvent,
  ref: WrittenRef,
  before: KubernetesObject | undefined,
): KubernetesObject | 'gone' | 'unknown' {
  const { verb, requestObject, responseObject, annotations } = event
  const answered = asKind(responseObject, ref.kind)
  if (verb === 'deletecollection' || ref.name === '') return 'unknown'
  if (verb === 'delete') return answered !== undefined && isEnding(answered) ? answered : 'gone'
  if (answered !== undefined) return answered
  const sent = asKind(requestObject, ref.kind)
  const isWhole = isRecord(annotations) && annotations[OBSERVED] === 'true'
  if (sent !== undefined && (isWhole || (verb === 'create' && ref.subresource === ''))) return named(sent, ref)
  if (before === undefined) return 'unknown'
  if (ref.subresource === 'binding') return bound(before, requestObject)
  const written = verb === 'patch' ? patchedObject(before, requestObject) : sent
  if (written === undefined) return 'unknown'
  // The API server takes either the status or the rest.
  const { status } = (ref.subresource === 'status' ? written : before) as { readonly status?: unknown }
  return {
    ...(ref.subresource === 'status' ? before : written),
    ...(status !== undefined && { status }),
  }
}

function asKind(value: unknown, kind: string): KubernetesObject | undefined {
  if (!isRecord(value) || value['kind'] !== kind || !isRecord(value['metadata'])) return undefined
  return value
}

function named(object: KubernetesObject, { name, namespace }: WrittenRef): KubernetesObject {
  const metadata = { ...object.metadata, name, ...(namespace !== '' && { namespace }) }
  return { ...object, metadata }
}

/** A pod that is being deleted stays until its containers have ended. */
function isEnding({ metadata }: KubernetesObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = (metadata ?? {}) as Record<string, unknown>
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds !== 0
}

function bound(pod: KubernetesObject, binding: unknown): KubernetesObject | 'unknown' {
  const target = isRecord(binding) ? binding['target'] : undefined
  const nodeName = isRecord(target) ? textOf(target['name']) : ''
  if (nodeName === '') return 'unknown'
  return { ...pod, spec: { ...(pod as Pod).spec, nodeName } } as KubernetesObject
}

function observed(kind: WrittenRef['kind'], verb: ObservedChange['verb'], object: KubernetesObject): ObservedChange {
  return kind === 'Node' ? { kind, verb, object: object as Node } : { kind, verb, object: object as Pod }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
