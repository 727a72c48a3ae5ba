import { reviewVictims } from '@berth/fit-engine'
import type { RecordedPreempt } from '@berth/scheduler-config'
import { type CallDifference, type ReplayedOn } from './call-difference.ts'

const NOT_A_CANDIDATE = 'not a candidate'

/** Returns the proposed nodes with other victims, and those that become or no longer are a candidate. */
export function replayPreempt(
  { pod, proposed, reviewed }: RecordedPreempt,
  { profile, state, nowMs, random }: ReplayedOn,
): CallDifference {
  const required = new Map(proposed.map(([node, uids]) => [node, new Set(uids)]))
  const disruptionBudgets = state.objects.list('podDisruptionBudgets')
  const found = reviewVictims(profile.framework, state, pod, required, { nowMs, random, disruptionBudgets })
  const before = new Map(reviewed)
  const after = new Map(found.map(({ node, victims }) => [node, victims.map(({ metadata }) => metadata.uid ?? '')]))
  return {
    nodes: proposed.flatMap(([node]) => {
      const nameOf = namesOn(node, state)
      const [was, is] = [victimText(before.get(node), nameOf), victimText(after.get(node), nameOf)]
      return was === is ? [] : [{ node, before: was, after: is }]
    }),
  }
}

/** Returns a function that returns the name of a pod on the node, or its uid if it is not there. */
function namesOn(node: string, state: ReplayedOn['state']): (uid: string) => string {
  const row = state.rowOf(node)
  const pods = row === undefined ? [] : state.podsOn(row)
  const names = new Map(
    pods.map(({ metadata: { uid = '', namespace = '', name = '' } }) => [uid, `${namespace}/${name}`]),
  )
  return (uid) => names.get(uid) ?? uid
}

function victimText(uids: readonly string[] | undefined, nameOf: (uid: string) => string): string {
  return uids === undefined ? NOT_A_CANDIDATE : `evicts ${uids.map(nameOf).toSorted().join(', ')}`
}
