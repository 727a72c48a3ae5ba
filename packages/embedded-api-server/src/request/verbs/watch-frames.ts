import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import type { StatusError } from '../../schema/status/status-error.ts'
import type { Presentation } from '../content/negotiate.ts'
import { bookmarkOf, presentObject } from '../content/present.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import type { Change } from '../../store/change-history.ts'
import type { Selection } from '../parameters/selection.ts'

/** Encodes the events of one watch as JSON frames in the requested form. */
export interface WatchFrames {
  /** Returns the frame of an object that existed before the watch started. */
  existing(object: ApiObject): string
  /** Returns the frame of a change; undefined when the selection includes neither the old nor the new state. */
  change(change: Change): string | undefined
  bookmark(endsInitialEvents: boolean): string
  error(error: StatusError): string
}

/** Creates the encoder of one watch. */
export function createWatchFrames(
  context: ServerContext,
  request: ResourceRequest,
  { presentation, selection }: { readonly presentation: Presentation; readonly selection: Selection },
): WatchFrames {
  const frame = (type: string, json: string): string => `{"type":"${type}","object":${json}}`
  let isFirstObject = true
  const present = (object: ApiObject): string => {
    const json = presentObject(context, request, presentation, object)
    if (presentation !== 'table' || isFirstObject) {
      isFirstObject = false
      return json
    }
    // Only the first table of a watch has column definitions.
    return JSON.stringify({ ...(JSON.parse(json) as object), columnDefinitions: null })
  }
  return {
    existing: (object) => frame('ADDED', present(object)),
    change(change) {
      const { type, object, previous } = change
      const wasSelected = previous !== undefined && selection.includes(previous)
      const isSelected = type !== 'DELETED' && selection.includes(object)
      if (isSelected) return frame(wasSelected ? 'MODIFIED' : 'ADDED', present(object))
      return wasSelected ? frame('DELETED', present(objectWhenDeselected(change, previous))) : undefined
    },
    bookmark: (endsInitialEvents) =>
      frame('BOOKMARK', bookmarkOf(request.kind, presentation, context.store.revision, endsInitialEvents)),
    error: ({ status }) => frame('ERROR', JSON.stringify(status)),
  }
}

/** Returns an object that left the selection: its last selected state, with the revision of the change. */
function objectWhenDeselected(change: Change, previous: ApiObject): ApiObject {
  return change.type === 'DELETED'
    ? change.object
    : withMetadata(previous, { resourceVersion: String(change.revision) })
}
