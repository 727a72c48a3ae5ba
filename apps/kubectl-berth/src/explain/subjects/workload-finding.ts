import { shellCommand } from '@berth/text/shell-command'
import { isDnsSubdomain, type Workload } from '@berth/types'
import { latestEvent, type CoreEvent } from '../observed/core-event.ts'
import type { Obstacle } from '../observed/find-obstacles.ts'

interface Condition {
  readonly type?: string
  readonly status?: string
  readonly message?: string
}

/** The kinds of workloads that a suggested command may name. */
const knownKinds: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job'])

/** Returns `kind/name` of a workload, in lower case, as kubectl takes it. */
export function workloadName({ kind = 'workload', metadata }: Workload): string {
  return `${kind.toLowerCase()}/${metadata.name ?? ''}`
}

/**
 * Explains why a workload has no pod, from its spec and conditions and from the events about it and its ReplicaSets.
 *
 * @param events - Undefined where this user may not list events.
 */
export function missingPods(workload: Workload, events: readonly CoreEvent[] | undefined): Obstacle {
  return {
    kind: 'no-pods',
    sentence: `${titleOf(workload)} has no pods: ${reasonOf(workload, events)}`,
    commands: describeCommand(workload),
  }
}

/** Says that the pods of a workload are not known, because this user may not list these types. */
export function unknownPods(workload: Workload, unlisted: readonly string[]): Obstacle {
  return {
    kind: 'pods-unknown',
    sentence: `The pods of ${titleOf(workload)} are unknown: this user may not list ${unlisted.join(' and ')}.`,
    commands: describeCommand(workload),
  }
}

function titleOf({ kind = 'Workload', metadata }: Workload): string {
  return `${kind} ${metadata.namespace ?? 'default'}/${metadata.name ?? ''}`
}

function describeCommand(workload: Workload): readonly string[] {
  const { namespace = 'default', name = '' } = workload.metadata
  const isValid = knownKinds.has(workload.kind ?? '') && isDnsSubdomain(name) && isDnsSubdomain(namespace)
  return isValid ? [shellCommand('kubectl', 'describe', workloadName(workload), '-n', namespace)] : []
}

function reasonOf({ spec, status, kind }: Workload, events: readonly CoreEvent[] | undefined): string {
  if (spec?.['suspend'] === true) return 'it is suspended (spec.suspend is true).'
  if ((spec?.replicas ?? 1) === 0) return 'spec.replicas is 0.'
  const conditions = (status?.['conditions'] ?? []) as readonly Condition[]
  const failure = conditions.find(({ type, status: state }) => type === 'ReplicaFailure' && state === 'True')
  const event = latestEvent((events ?? []).filter(({ reason }) => reason === 'FailedCreate'))
  const refusal = failure?.message ?? event?.message
  if (refusal !== undefined) return `its controller cannot create them: ${refusal}`
  if (kind === 'DaemonSet' && status?.['desiredNumberScheduled'] === 0) return 'it selects no node.'
  if (kind === 'Job' && conditions.some(({ type, status: state }) => type === 'Complete' && state === 'True'))
    return 'it is complete.'
  if (events === undefined) return 'its controller has created none, and why is unknown: this user may not list events.'
  return 'its controller has created none and reports no failure. Is the controller manager running?'
}
