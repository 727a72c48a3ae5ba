import type { KubernetesList } from '@berth/types'
import { createLineSplitter } from './line-splitter.ts'
import { createListSplitter } from './list-splitter.ts'
import type { ListReader, WatchReader } from './stream-reader.ts'
import { parseFrame } from './watch-frame.ts'

/** Creates a reader of a watch in JSON: one frame per line. */
export function jsonWatchReader(): WatchReader {
  const lines = createLineSplitter()
  return { push: (chunk) => lines.push(chunk), parse: (line) => parseFrame(String(line)) }
}

/**
 * Creates a reader of a list in JSON.
 *
 * @param type - Added to every item, because the server omits it there.
 */
export function jsonListReader(type: { readonly kind: string; readonly apiVersion: string }): ListReader {
  const splitter = createListSplitter()
  return {
    push: (chunk) => splitter.push(chunk),
    parse: (text) => ({ ...type, ...(JSON.parse(String(text)) as object) }),
    metadata: () => (JSON.parse(splitter.envelope()) as Partial<KubernetesList<unknown>>).metadata ?? {},
  }
}
