import { SourceMap, type SourceMapPayload } from 'node:module'
import type { CallFrame } from './merge-stacks.ts'

/** The source of a dependency in a bundle: the package is what tells. */
const PACKAGE = /node_modules\/(?:\.pnpm\/[^/]+\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\//
/** Frames of Node itself that only pass on what they call. */
const PASSING = new Set([
  'processImmediate',
  'processTicksAndRejections',
  'runNextTicks',
  'runMicrotasks',
  'callbackTrampoline',
  'processTimers',
  'listOnTimeout',
])

/**
 * Returns a function that names the frames of a bundle after their sources: `addScores fit-engine/src/decide/score-pass`.
 * Frames of Node are named `connect node:http2`. Frames that only pass a call on have no name.
 *
 * @param bundle - The name of the file of the bundle.
 */
export function sourceNames(bundle: string, map: SourceMapPayload): (frame: CallFrame) => string | undefined {
  const sources = new SourceMap(map)
  return ({ functionName, url, lineNumber, columnNumber }) => {
    if (PASSING.has(functionName)) return undefined
    const name = functionName === '' ? '(anonymous)' : functionName
    if (!url.endsWith(`/${bundle}`)) return url === '' ? name : `${name} ${url}`
    const entry = sources.findEntry(lineNumber, columnNumber)
    const source = 'originalSource' in entry ? entry.originalSource : ''
    return `${name} ${PACKAGE.exec(source)?.[1] ?? shortened(source)}`
  }
}

/** Returns the path of a source without the way to it. */
function shortened(source: string): string {
  return source.replace(/^(?:\.\.\/)+(?:packages\/)?/, '').replace(/\.ts$/, '')
}
