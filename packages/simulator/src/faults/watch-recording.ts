import { errorText } from '@berth/text/error-text'
import type { ApiRequest } from '@berth/types'

/**
 * One line of a recording, as JSON. Times are milliseconds since the recording began; `id` tells the exchanges apart.
 * Bodies are text: an API server's answers are JSON.
 */
export type RecordedLine =
  | {
      readonly atMs: number
      readonly id: number
      readonly kind: 'request'
      readonly method: ApiRequest['method']
      readonly path: string
    }
  | {
      readonly atMs: number
      readonly id: number
      readonly kind: 'head'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly atMs: number; readonly id: number; readonly kind: 'chunk'; readonly text: string }
  /** The body ended, or the connection broke. */
  | { readonly atMs: number; readonly id: number; readonly kind: 'end'; readonly isBroken: boolean }

/**
 * Reads a recording.
 *
 * @throws SyntaxError naming the line that is none
 */
export function parseRecording(text: string): readonly RecordedLine[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return []
    try {
      return [lineOf(JSON.parse(line))]
    } catch (cause) {
      throw new SyntaxError(`line ${i + 1} of the recording: ${errorText(cause)}`, { cause })
    }
  })
}

function lineOf(value: unknown): RecordedLine {
  const line = value as RecordedLine
  const isWhole = typeof line === 'object' && line !== null && Number.isFinite(line.atMs) && Number.isInteger(line.id)
  if (!isWhole || !['request', 'head', 'chunk', 'end'].includes(line.kind)) throw new TypeError('not a recorded line')
  return line
}

/** What an exchange is about: method, path, and whether it watches. Versions and timeouts differ from run to run. */
export function subjectOf(method: string, path: string): string {
  const url = new URL(path, 'http://localhost')
  const kept = ['fieldSelector', 'labelSelector', 'sendInitialEvents'].flatMap((name) => {
    const value = url.searchParams.get(name)
    return value === null ? [] : [`${name}=${value}`]
  })
  const isWatch = ['1', 'true'].includes(url.searchParams.get('watch') ?? '')
  return [isWatch ? 'WATCH' : method, url.pathname, ...kept].join(' ')
}
