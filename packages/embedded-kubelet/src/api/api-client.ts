import type { ApiHandler, KubernetesObject, WatchEvent } from '@berth/types'
import { KubeletApiError } from './kubelet-api-error.ts'

/** Sends the kubelet's requests to the API server. */
export interface ApiClient {
  /** @throws KubeletApiError for a status above 299 */
  send<T = KubernetesObject>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<T>
  /** Returns the events of a watch, until the server ends it or the signal aborts. */
  watch<T>(path: string, signal: AbortSignal): AsyncIterable<WatchEvent<T>>
}

/** Maximum size of an incomplete watch event. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024

/** Returns a client that sends JSON through `handler`. PATCH requests are merge patches. */
export function createApiClient(handler: ApiHandler, headers: Readonly<Record<string, string>> = {}): ApiClient {
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
      if (response.status > 299) throw apiError(method, path, response.status, text)
      return (text === '' ? {} : JSON.parse(text)) as T
    },

    async *watch<T>(path: string, signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
      const response = await handler({ method: 'GET', path, headers: common, signal })
      const decoder = new TextDecoder()
      let buffered = ''
      if (response.status > 299) {
        for await (const chunk of response.body) buffered += decoder.decode(chunk, { stream: true })
        throw apiError('GET', path, response.status, buffered)
      }
      for await (const chunk of response.body) {
        const lines = (buffered + decoder.decode(chunk, { stream: true })).split('\n')
        buffered = lines.pop() ?? ''
        if (buffered.length > MAX_EVENT_BYTES) throw apiError('GET', path, 500, 'a watch event is larger than 16 MiB')
        for (const line of lines) if (line !== '') yield JSON.parse(line) as WatchEvent<T>
      }
    },
  }
}

function apiError(method: string, path: string, status: number, text: string): KubeletApiError {
  let message = text.slice(0, 200)
  try {
    message = (JSON.parse(text) as { message?: string }).message ?? message
  } catch {
    // Not a Status object: keep the raw text.
  }
  return new KubeletApiError(`${method} ${path}: ${status} ${message}`, status)
}
