import { errorText } from '@berth/text/error-text'
import type { ApiRequest } from '@berth/types'

/**
 * One line of a recording, as JSON. `atMs` counts from the start of the recording, `id` identifies the exchange. Bodies
 * are text, because responses of an API server are JSON.
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
 * Parses a recording.
 *
 * @throws SyntaxError with the number of the invalid line.
 */
export function parseRecording(text: string): readonly RecordedLine[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return []
    try {
      return [checkedLine(JSON.parse(line))]
    } catch (cause) {
      throw new SyntaxError(`line ${i + 1} of the recording: ${errorText(cause)}`, { cause })
    }
  })
}

function checkedLine(value: unknown): RecordedLine {
  const line = value as RecordedLine
  const isWhole = typeof line === 'object' && line !== null && Number.isFinite(line.atMs) && Number.isInteger(line.id)
  if (!isWhole || !['request', 'head', 'chunk', 'end'].includes(line.kind)) throw new TypeError('not a recorded line')
  return line
}

/** Returns what an exchange is about: method, path and selectors, without versions and timeouts, which differ per run. */
export function subjectOf(method: string, path: string): string {
  const url = new URL(path, 'http://localhost')
  const kept = ['fieldSelector', 'labelSelector', 'sendInitialEvents'].flatMap((name) => {
    const value = url.searchParams.get(name)
    return value === null ? [] : [`${name}=${value}`]
  })
  const isWatch = ['1', 'true'].includes(url.searchParams.get('watch') ?? '')
  return [isWatch ? 'WATCH' : method, url.pathname, ...kept].join(' ')
}
