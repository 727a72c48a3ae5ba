import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { ClusterAccess } from '@berth/k8s-client'

/** Bytes of a response body and the lines in it. Each event of a watch is one line. */
export interface ByteCount {
  readonly bytes: number
  readonly lines: number
}

/** A watch whose events are counted and dropped. */
export interface CountedWatch extends Disposable {
  count(): ByteCount
}

const NEWLINE = 0x0a

/** Sends a GET and counts the whole response body. Throws Error unless the status is 200. */
export async function countBody(access: ClusterAccess, path: string): Promise<ByteCount> {
  const response = await get(access, path)
  const count = counting(response)
  await once(response, 'end')
  return count()
}

/** Opens a watch of a collection that starts now. Throws Error unless the status is 200. */
export async function countWatch(access: ClusterAccess, path: string): Promise<CountedWatch> {
  const newest = await get(access, `${path}?limit=1`)
  const { metadata } = JSON.parse(await textOf(newest)) as { readonly metadata: { readonly resourceVersion: string } }
  const response = await get(access, `${path}?watch=1&resourceVersion=${metadata.resourceVersion}`)
  response.on('error', () => undefined)
  return { count: counting(response), [Symbol.dispose]: () => response.destroy() }
}

function counting(response: IncomingMessage): () => ByteCount {
  let bytes = 0
  let lines = 0
  response.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1
  })
  return () => ({ bytes, lines })
}

async function get(access: ClusterAccess, path: string): Promise<IncomingMessage> {
  const { headers } = await access.credentials()
  const { hostname, port } = new URL(access.server)
  const outgoing = request({ hostname, port, path, ca: access.ca, headers, agent: false })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200)
    throw new Error(`GET ${path}: status ${response.statusCode}: ${await textOf(response)}`)
  return response
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
