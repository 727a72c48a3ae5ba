import { eventually } from '@berth/testing'
import type { ApiResponse } from '@berth/types'
import type { ConformanceTarget } from '@berth/api-conformance'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
/** Number of changes that an API server keeps for a collection that was idle for a while. */
const CHANGES = 100
const EXPIRY_TIMEOUT_MS = 300_000

/**
 * Changes ConfigMaps until the API server's watch cache has dropped the first change of any of them. A new API server keeps
 * every change, so no resourceVersion is too old: its cache of a kind holds a hundred, and more while the oldest is younger
 * than 75 s.
 */
export async function expireWatchHistory({
  handle,
  runId,
}: Pick<ConformanceTarget, 'handle' | 'runId'>): Promise<void> {
  const path = `${CONFIG_MAPS}/expired-${runId}`
  const send = async (method: 'POST' | 'PATCH' | 'DELETE', at: string, body?: object): Promise<void> => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }
    const bytes = body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }
    const { status, body: answer } = await handle({ method, path: at, headers, ...bytes })
    for await (const _ of answer) continue
    if (status >= 300) throw new Error(`${method} ${at}: ${status}`)
  }
  const isExpired = async (): Promise<true | undefined> => {
    if (await isTooOld(handle)) return true
    for (let i = 0; i < CHANGES; i++) await send('PATCH', path, { data: { i: String(i) } })
    return undefined
  }
  await send('POST', CONFIG_MAPS, { metadata: { name: `expired-${runId}` } })
  try {
    const what = 'the API server to drop the first change of a ConfigMap'
    await eventually(isExpired, { what, timeoutMs: EXPIRY_TIMEOUT_MS, signal: new AbortController().signal })
  } finally {
    await send('DELETE', path)
  }
}

/** Returns whether a watch from the first resourceVersion is refused. */
async function isTooOld(handle: ConformanceTarget['handle']): Promise<boolean> {
  const abort = new AbortController()
  const watch = '/api/v1/configmaps?watch=true&resourceVersion=1&timeoutSeconds=5'
  const response = await handle({ method: 'GET', path: watch, headers: {}, signal: abort.signal })
  const text = await firstText(response)
  abort.abort()
  return response.status === 410 || text.startsWith('{"type":"ERROR"')
}

async function firstText({ body }: ApiResponse): Promise<string> {
  for await (const chunk of body) return new TextDecoder().decode(chunk)
  return ''
}
