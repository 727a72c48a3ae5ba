import { isBound, isTerminal } from '@berth/resources'
import { printableLine } from '@berth/text/printable'
import type { Pod } from '@berth/types'
import { isWaiting } from '../../explain/subjects/is-waiting.ts'
import { type ChangeCounts, type ChangeKind, MAX_EXAMPLES, type NamedChange, noChanges } from '../model/ui-point.ts'

/** Counts the changes of one step of the timeline. */
export interface ChangeCounter {
  add(kind: ChangeKind, name: string): void
  /** Counts the differences of a pod from its version before; undefined for a new one. */
  podSeen(name: string, old: Pod | undefined, pod: Pod): void
  /** Counts a pod that was deleted. */
  podLeft(name: string, last: Pod): void
  /** Returns the changes since the last call, without those before the first. */
  take(): { readonly counts: ChangeCounts; readonly examples: readonly NamedChange[]; readonly isEmpty: boolean }
}

/** Creates a counter. */
export function countChanges(): ChangeCounter {
  let isStarted = false
  let counts: Record<ChangeKind, number> = { ...noChanges }
  let examples: NamedChange[] = []
  let isEmpty = true
  /** The pods that became pending and still are: most pods that arrive are placed and started at once. */
  const pending = new Set<string>()

  const add = (kind: ChangeKind, name: string): void => {
    counts[kind]++
    isEmpty = false
    if (examples.length < MAX_EXAMPLES) examples.push([kind, printableLine(name)])
  }

  return {
    add,
    podSeen(name, old, pod) {
      if (old === undefined && !isTerminal(pod)) add('arrived', name)
      if (isBound(pod) && !isTerminal(pod) && (old === undefined || !isBound(old))) add('placed', name)
      if (!isWaiting(pod)) pending.delete(name)
      else if (old === undefined || !isWaiting(old)) pending.add(name)
      if (old !== undefined && !isTerminal(old) && isTerminal(pod)) add('ended', name)
    },
    podLeft(name, last) {
      pending.delete(name)
      if (!isTerminal(last)) add('ended', name)
    },
    take() {
      for (const name of pending) add('pending', name)
      const taken = isStarted ? { counts, examples, isEmpty } : { counts: noChanges, examples: [], isEmpty: false }
      isStarted = true
      counts = { ...noChanges }
      examples = []
      isEmpty = true
      pending.clear()
      return taken
    },
  }
}
