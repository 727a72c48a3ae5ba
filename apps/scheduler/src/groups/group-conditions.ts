import { podGroupKey } from '@berth/fit-engine'
import { podGroupResource } from '@berth/cluster-view'
import { type ApiClient, isApiStatus } from '@berth/k8s-client'
import type { Clock, GroupCondition, Logger, ObjectMeta, PodGroup } from '@berth/types'
import { timestamp } from '../report/pod-conditions.ts'
import { createRecentWrites } from '../report/recent-writes.ts'

/** Whether the group is scheduled, under kube-scheduler's reasons. */
export type GroupOutcome =
  | { readonly status: 'True'; readonly reason: 'Scheduled'; readonly message: string }
  | { readonly status: 'False'; readonly reason: 'Unschedulable' | 'SchedulerError'; readonly message: string }

/** Writes whether groups are scheduled into their status. */
export interface GroupConditions {
  /**
   * Writes the outcome of the latest attempt, if it differs from the condition. A group that was scheduled once stays
   * scheduled. Only Kubernetes' own groups have this condition. Never rejects.
   */
  report(group: PodGroup, outcome: GroupOutcome): Promise<void>
}

/** Dependencies of {@link createGroupConditions}. */
export interface GroupConditionParts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
  /** Called right before each write: false once another replica may schedule. */
  readonly mayStart: () => boolean
}

/** The part of a group that an outcome is compared with. */
type KnownGroup = Pick<PodGroup, 'metadata' | 'conditions'>

interface GroupObject {
  readonly metadata: ObjectMeta
  readonly status?: { readonly conditions?: readonly GroupCondition[] }
}

function knownPart({ metadata, status }: GroupObject): KnownGroup {
  const { uid, resourceVersion, generation } = metadata
  return {
    metadata: {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(generation !== undefined && { generation }),
    },
    conditions: status?.conditions ?? [],
  }
}

/** Attempts to write one condition while others change the group. */
const MAX_ATTEMPTS = 3

/** Returns the name of the condition in a version of the API. */
function conditionType({ version }: PodGroup): string {
  return version === 'v1alpha2' ? 'PodGroupScheduled' : 'PodGroupInitiallyScheduled'
}

/**
 * Returns the conditions of the group with the outcome; undefined when nothing is to be written.
 *
 * @see kubernetes/kubernetes pkg/scheduler/schedule_one_podgroup.go updatePodGroupCondition (v1.36)
 */
export function withGroupCondition(
  conditions: readonly GroupCondition[],
  outcome: GroupOutcome & { readonly type: string; readonly generation: number | undefined; readonly nowMs: number },
): readonly GroupCondition[] | undefined {
  const { type, status, reason, message, generation, nowMs } = outcome
  const current = conditions.find((condition) => condition.type === type)
  if (current?.status === 'True' && status !== 'True') return undefined
  const isSame =
    current?.status === status &&
    current.reason === reason &&
    (current.message ?? '') === message &&
    (current.observedGeneration ?? generation) === generation
  if (isSame) return undefined
  const now = timestamp(nowMs)
  const condition: GroupCondition = {
    type,
    status,
    reason,
    message,
    lastTransitionTime: current?.status === status ? (current.lastTransitionTime ?? now) : now,
    ...(generation !== undefined && { observedGeneration: generation }),
  }
  return current === undefined
    ? [...conditions, condition]
    : conditions.map((each) => (each.type === type ? condition : each))
}

/** Creates a writer. While a condition is being written, only the newest outcome of the group is kept. */
export function createGroupConditions(parts: GroupConditionParts): GroupConditions {
  const { client, clock, log, signal, mayStart } = parts
  const next = new Map<string, { readonly group: PodGroup; readonly outcome: GroupOutcome } | undefined>()

  const recent = createRecentWrites<KnownGroup>()

  /** Returns the group as the API server has it; undefined if it is gone. */
  const read = async (group: PodGroup): Promise<KnownGroup | undefined> => {
    const { ref, version, metadata } = group
    const target = { namespace: ref.namespace, name: ref.name }
    const found = await client.find<GroupObject>(podGroupResource(ref.api, version), target, { signal })
    return found === undefined || found.metadata.uid !== metadata.uid ? undefined : knownPart(found)
  }

  const write = async (group: PodGroup, outcome: GroupOutcome): Promise<void> => {
    const { ref, version } = group
    const target = { namespace: ref.namespace, name: ref.name }
    const key = podGroupKey(ref)
    const type = conditionType(group)
    let current = recent.newest(key, group)
    for (let attempt = 1; ; attempt++) {
      if (current === undefined) {
        current = await read(group)
        if (current === undefined) return
        recent.wrote(key, current)
      }
      const { metadata, conditions } = current
      const { uid, resourceVersion, generation } = metadata
      const wanted = withGroupCondition(conditions, { ...outcome, type, generation, nowMs: clock.now() })
      if (wanted === undefined) return
      try {
        const written = await client.patch<GroupObject>(
          podGroupResource(ref.api, version),
          target,
          { metadata: { uid, resourceVersion }, status: { conditions: wanted } },
          { type: 'merge', subresource: 'status', priority: 'low', signal, mayStart },
        )
        recent.wrote(key, knownPart(written))
        return
      } catch (error) {
        if (!isApiStatus(error, 409) || attempt === MAX_ATTEMPTS) {
          recent.failed(key, error)
          throw error
        }
        current = undefined
      }
    }
  }

  return {
    async report(group, outcome) {
      if (group.ref.api !== 'scheduling.k8s.io') return
      const key = podGroupKey(group.ref)
      const isWriting = next.has(key)
      next.set(key, { group, outcome })
      if (isWriting) return
      for (let report = next.get(key); report !== undefined; report = next.get(key)) {
        next.set(key, undefined)
        try {
          await write(report.group, report.outcome)
        } catch (error) {
          if (!signal.aborted && !isApiStatus(error, 404)) {
            log.warn({ err: error, podGroup: key }, 'Condition of the pod group could not be written')
          }
        }
      }
      next.delete(key)
    },
  }
}
