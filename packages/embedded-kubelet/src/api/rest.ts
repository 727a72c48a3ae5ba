import type { ApiHandler, KubernetesObject, WatchEvent } from '@berth/types'
import { KubeletApiError } from './kubelet-api-error.ts'

/** What a simulated kubelet says to the API server. */
export interface Rest {
  /** @throws KubeletApiError for an answer above 299 */
  send<T = KubernetesObject>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<T>
  /** Events of a watch until the server ends it or the signal aborts. */
  watch<T>(path: string, signal: AbortSignal): AsyncIterable<WatchEvent<T>>
}

/** Largest line of a watch that is kept. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024

/** Speaks JSON over `handler`; PATCH is a merge patch. */
export function createRest(handler: ApiHandler, headers: Readonly<Record<string, string>> = {}): Rest {
  const common = { 'user-agent': 'berth-simulated-kubelet', accept: 'application/json', ...headers }
  return {
    async send<T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const response = await handler({
        method,
        path,
        headers: { ...common, ...(body !== undefined && { 'content-type': type }) },
        ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
      })
      const chunks: Uint8Array[] = []
      for await (const chunk of response.body) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString('utf8')
      if (response.status > 299) throw refusal(method, path, response.status, text)
      return (text === '' ? {} : JSON.parse(text)) as T
    },

    async *watch<T>(path: string, signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
      const response = await handler({ method: 'GET', path, headers: common, signal })
      const decoder = new TextDecoder()
      let rest = ''
      if (response.status > 299) {
        for await (const chunk of response.body) rest += decoder.decode(chunk, { stream: true })
        throw refusal('GET', path, response.status, rest)
      }
      for await (const chunk of response.body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = lines.pop() ?? ''
        if (rest.length > MAX_FRAME_BYTES) throw refusal('GET', path, 500, 'a watch frame without end')
        for (const line of lines) if (line !== '') yield JSON.parse(line) as WatchEvent<T>
      }
    },
  }
}

function refusal(method: string, path: string, status: number, text: string): KubeletApiError {
  let message = text.slice(0, 200)
  try {
    message = (JSON.parse(text) as { message?: string }).message ?? message
  } catch {
    // Not a Status object: the raw text says more than nothing.
  }
  return new KubeletApiError(`${method} ${path}: ${status} ${message}`, status)
}
