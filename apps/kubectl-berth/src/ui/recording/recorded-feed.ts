import { isRecord, type Pod } from '@berth/types'
import { projectNode, projectPod } from '@berth/cluster-view'
import { isNamedObject } from '../../snapshot/object-list-file.ts'
import type { UiFeed } from '../feed.ts'
import { buildUiModel } from '../model/build-ui-model.ts'
import { createClusterTable } from '../cluster/cluster-table.ts'
import { applyObserved, type ObservedChange } from '../cluster/observed-change.ts'
import { createHistory } from '../model/history.ts'
import { MAX_POINTS } from '../model/ui-point.ts'
import type { Recording } from './read-recording.ts'

/** Shortest time between two points. */
const MIN_STEP_MS = 500

/** Returns the feed of a recording; undefined when it holds neither nodes nor pods. The whole recording is its timeline. */
export function recordedFeed({ changes, unknownCount }: Recording): UiFeed | undefined {
  const [first, last] = [changes[0], changes.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const stepMs = Math.max(MIN_STEP_MS, Math.ceil((last.timeMs - first.timeMs) / (MAX_POINTS - 1)))
  // The file bounds the number of rows.
  const history = createHistory({ maxPoints: MAX_POINTS, maxRows: Infinity })
  const table = createClusterTable()
  let unreadableCount = 0
  const steps = Map.groupBy(changes, ({ timeMs }) => Math.floor((timeMs - first.timeMs) / stepMs))
  for (const step of steps.values()) {
    for (const { change } of step) if (!applyUntrusted(table, change)) unreadableCount++
    const taken = table.takeStep(step.at(-1)?.timeMs ?? 0)
    if (taken !== undefined) history.add(taken)
  }
  const notes = notesOf(unknownCount, unreadableCount)
  const modelOf = (moment: ReturnType<typeof history.latest>) =>
    moment === undefined ? undefined : buildUiModel(moment, notes)
  const latest = modelOf(history.latest())
  return {
    kind: 'recording',
    use: () => ({ [Symbol.dispose]: () => undefined }),
    latest: () => latest,
    at: (timeMs) => modelOf(history.at(timeMs)),
    pointsAfter: (sequence) => history.after(sequence),
    problem: () => undefined,
    subscribe: () => () => undefined,
  }
}

function notesOf(unknownCount: number, unreadableCount: number): readonly string[] {
  return [
    ...(unknownCount === 0
      ? []
      : [
          `Writes that are not shown, because the recording holds no response to them: ${unknownCount}. Record with audit level RequestResponse, or with kubectl berth ui --record.`,
        ]),
    ...(unreadableCount === 0 ? [] : [`Objects that are not shown, because they cannot be read: ${unreadableCount}.`]),
  ]
}

/** The objects of a file may have any fields. A node or pod that the projection accepts has what the table reads. */
function applyUntrusted(table: ReturnType<typeof createClusterTable>, change: ObservedChange): boolean {
  if (!isNamedObject(change.object)) return false
  if (change.verb === 'delete') return applyObserved(table, change)
  try {
    return change.kind === 'Node'
      ? applyObserved(table, { ...change, object: projectNode(change.object) })
      : hasContainers(change.object) && applyObserved(table, { ...change, object: projectPod(change.object) })
  } catch {
    return false
  }
}

function hasContainers({ spec }: Pod): boolean {
  return isRecord(spec) && Array.isArray(spec.containers) && ['string', 'undefined'].includes(typeof spec.nodeName)
}
