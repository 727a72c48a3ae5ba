import type { DeviceSite } from '@berth/api-conformance'

/** A new namespace that can hold pods. Disposing deletes it. */
export interface TestNamespace extends AsyncDisposable {
  readonly name: string
}

/** Creates the namespace and waits for its service account. */
export async function openTestNamespace({
  handle,
  runId,
  pause,
}: Pick<DeviceSite, 'handle' | 'runId' | 'pause'>): Promise<TestNamespace> {
  const name = `devices-${runId}`
  const headers = { 'content-type': 'application/json' }
  const send = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<number> => {
    const bytes = body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }
    const response = await handle({ method, path, headers, ...bytes })
    for await (const _ of response.body) continue
    return response.status
  }
  await send('POST', '/api/v1/namespaces', { metadata: { name } })
  const account = `/api/v1/namespaces/${name}/serviceaccounts/default`
  for (let i = 0; i < 1_200 && (await send('GET', account)) !== 200; i++) await pause(100)
  return {
    name,
    async [Symbol.asyncDispose]() {
      await send('DELETE', `/api/v1/namespaces/${name}`)
    },
  }
}
