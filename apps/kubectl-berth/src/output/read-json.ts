import { text as readText } from 'node:stream/consumers'
import type { ApiClient } from '@berth/k8s-client'

/** Reads a JSON object at a path of the API server. `value` is undefined when the response is not a JSON object. */
export async function readJson(
  client: Pick<ApiClient, 'raw'>,
  path: string,
  { signal, accept = 'application/json' }: { readonly signal: AbortSignal; readonly accept?: string },
): Promise<{ readonly status: number; readonly value: object | undefined }> {
  const { status, body } = await client.raw({ method: 'GET', path, headers: { accept }, signal })
  const text = await readText(body)
  try {
    const value: unknown = JSON.parse(text)
    return { status, value: typeof value === 'object' && value !== null ? value : undefined }
  } catch {
    return { status, value: undefined }
  }
}
