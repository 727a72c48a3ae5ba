import type { ExtendedResource, ExtendedResourceCondition, ExtendedResourceStatus } from '@berth/types'
import { MAX_CONFLICTS, MAX_MESSAGE_LENGTH } from '../definition/status-schema.ts'
import type { ReadObject } from '../read/read-object.ts'
import type { NodeOutcome } from './node-outcomes.ts'

/** A condition without its time. */
type Fact = Pick<ExtendedResourceCondition, 'type' | 'status' | 'reason' | 'message'>

/** An object with its results on the nodes, from which its status is made. */
export interface ObjectFacts {
  readonly read: Exclude<ReadObject, { readonly kind: 'foreign' }>
  /** Results on the nodes that it selects; empty unless it declares something. */
  readonly selected: readonly NodeOutcome[]
  /** The nodes where its resource is still to be withdrawn. */
  readonly remaining: readonly NodeOutcome[]
  /** Names of nodes that it names and that do not exist. */
  readonly missing: readonly string[]
}

/**
 * Returns the status of an object. A condition keeps its time until its status changes.
 *
 * @param nowMs - Milliseconds since the epoch.
 */
export function objectStatus(object: ExtendedResource, facts: ObjectFacts, nowMs: number): ExtendedResourceStatus {
  const { generation = 0 } = object.metadata
  const { selected, remaining } = facts
  const all = [...selected, ...remaining]
  const conflicts = all
    .filter(({ kind }) => !['advertised', 'pending', 'unrecorded'].includes(kind))
    .toSorted((a, b) => (a.node < b.node ? -1 : 1))
  const failed = conflicts.find(({ kind }) => kind === 'failed')
  const before = new Map((object.status?.conditions ?? []).map((condition) => [condition.type, condition]))
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`
  return {
    observedGeneration: generation,
    nodesMatched: selected.length,
    nodesAdvertised: selected.filter(({ kind }) => kind === 'advertised').length,
    conflictCount: conflicts.length,
    ...(conflicts.length > 0 && {
      conflicts: conflicts
        .slice(0, MAX_CONFLICTS)
        .map(({ node, reason, message }) => ({ node, reason, message: bounded(message) })),
    }),
    ...(failed !== undefined && { lastError: bounded(`${failed.node}: ${failed.message}`) }),
    conditions: conditionFacts(facts, conflicts).map(({ message, ...fact }) => {
      const known = before.get(fact.type)
      const lastTransitionTime = known?.status === fact.status ? known.lastTransitionTime : now
      return { ...fact, message: bounded(message), observedGeneration: generation, lastTransitionTime }
    }),
  }
}

function conditionFacts(facts: ObjectFacts, conflicts: readonly NodeOutcome[]): readonly Fact[] {
  const { read } = facts
  const refused: readonly Fact[] =
    read.kind === 'refused' ? [{ type: read.reason, status: 'True', reason: read.reason, message: read.message }] : []
  return [
    advertised(facts, conflicts),
    ...refused,
    ...summary('Held', 'held', conflicts),
    ...summary('Overridden', 'overridden', conflicts),
    ...summary('Failed', 'failed', conflicts),
  ]
}

function advertised({ read, selected, remaining, missing }: ObjectFacts, conflicts: readonly NodeOutcome[]): Fact {
  const no = (reason: string, message: string): Fact => ({ type: 'Advertised', status: 'False', reason, message })
  if (read.kind === 'refused') return no(read.reason, read.message)
  if (read.kind === 'deleted') return no('Withdrawing', `the resource remains on ${count(remaining.length)}`)
  const on = selected.filter(({ kind }) => kind === 'advertised').length
  const waiting = selected.find(({ kind }) => kind !== 'advertised')
  if (waiting !== undefined) {
    const { node, reason, message } = conflicts[0] ?? waiting
    return no(reason, `${on} of ${count(selected.length)}; ${node}: ${message}`)
  }
  if (missing.length > 0) return no('MissingNodes', `no node is named ${missing.join(', ')}`)
  if (selected.length === 0) return no('NoNodes', 'no node matches the selector')
  return {
    type: 'Advertised',
    status: 'True',
    reason: 'AllNodes',
    message: `${count(selected.length)} ${selected.length === 1 ? 'offers' : 'offer'} the resource`,
  }
}

/** Returns a condition for the outcomes of one kind; none without such an outcome. */
function summary(type: string, kind: NodeOutcome['kind'], conflicts: readonly NodeOutcome[]): readonly Fact[] {
  const [first, ...others] = conflicts.filter((outcome) => outcome.kind === kind)
  if (first === undefined) return []
  const more = others.length > 0 ? `, and ${count(others.length)} more` : ''
  return [{ type, status: 'True', reason: first.reason, message: `${first.node}: ${first.message}${more}` }]
}

function count(nodes: number): string {
  return nodes === 1 ? '1 node' : `${nodes} nodes`
}

function bounded(text: string): string {
  // The API server stores no half of a surrogate pair, so that the status would always differ from the stored one.
  return (text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…`).toWellFormed()
}
