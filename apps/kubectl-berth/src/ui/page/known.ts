import { applyChange } from '../model/model-changes.ts'
import { MAX_POINTS, mergedPoint, type UiPoint, withItem } from '../model/ui-point.ts'
import type { FeedKind, UiMessage, UiModel } from '../model/ui-model.ts'

/** Current knowledge about the cluster. */
export interface Known {
  /** Undefined until the first model has arrived. */
  readonly model: UiModel | undefined
  /** The timeline, oldest first. Bounded as on the server. */
  readonly points: readonly UiPoint[]
  readonly feed: FeedKind
  /** Why the model may be out of date; undefined while it is not. */
  readonly problem: string | undefined
}

/** State of a page that has received nothing. */
export const nothingKnown: Known = { model: undefined, points: [], feed: 'live', problem: undefined }

/** Returns what is known after a message. */
export function afterMessage(known: Known, message: UiMessage): Known {
  switch (message.kind) {
    case 'start':
      return { model: message.model, points: message.points, feed: message.feed, problem: undefined }
    case 'model':
      return { ...known, model: message.model, points: withPoints(known.points, message.points) }
    case 'change': {
      const { points, model } = known
      if (model === undefined) return known
      return { ...known, model: applyChange(model, message), points: withPoints(points, message.points) }
    }
    case 'failed':
      return { ...known, problem: `The cluster cannot be read: ${message.sentence}. Trying again.` }
    case 'recovered':
      return { ...known, problem: undefined }
    case 'beat':
      return known
  }
}

function withPoints(points: readonly UiPoint[], more: readonly UiPoint[]): readonly UiPoint[] {
  return more.reduce((all, point) => withItem(all, point, MAX_POINTS, mergedPoint), points)
}
