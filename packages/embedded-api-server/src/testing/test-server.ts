import { createTestClock, seededRandom, type TestClock } from '@berth/clock/testing'
import type { ApiRequest } from '@berth/types'
import { createApiServer, type ApiServer, type ApiServerOptions } from '../api-server.ts'
import { callJson, type CallOptions, type JsonResponse } from './call-json.ts'

/** An API server with a manual clock and repeatable randomness. */
export interface TestServer extends ApiServer {
  readonly clock: TestClock
  call(method: ApiRequest['method'], path: string, options?: CallOptions): Promise<JsonResponse>
}

/** Creates a server for one test. */
export function createTestServer(options: Pick<ApiServerOptions, 'rbac' | 'audit' | 'webhooks'> = {}): TestServer {
  const clock = createTestClock()
  const server = createApiServer({ clock, random: seededRandom(1), ...options })
  return { ...server, clock, call: (method, path, options) => callJson(server.handle, method, path, options) }
}

/** Reads the frames of a watch. Ends the watch on disposal. */
export interface WatchReader extends Disposable {
  /** Returns the next frame; undefined when the watch has ended. */
  next(): Promise<any> // oxlint-disable-line typescript/no-explicit-any -- tests read into JSON of every shape
}

/** Starts a watch. */
export async function openWatch(
  server: ApiServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<WatchReader> {
  const abort = new AbortController()
  const response = await server.handle({ method: 'GET', path, headers, signal: abort.signal })
  const chunks = response.body[Symbol.asyncIterator]()
  const frames: string[] = []
  return {
    async next() {
      while (frames.length === 0) {
        const { done, value } = await chunks.next()
        if (done === true) return undefined
        frames.push(...new TextDecoder().decode(value).trim().split('\n'))
      }
      return JSON.parse(frames.shift() ?? '')
    },
    [Symbol.dispose]: () => abort.abort(),
  }
}

/** Returns a pod manifest with `resources` as requests and limits. */
export function podManifest(
  name: string,
  resources: Readonly<Record<string, string | number>> = {},
  spec: object = {},
): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      containers: [{ name: 'main', image: 'nginx:1.7.9', resources: { requests: resources, limits: resources } }],
      ...spec,
    },
  }
}

/** Returns a node manifest. */
export function nodeManifest(
  name: string,
  capacity: Readonly<Record<string, string | number>> = { cpu: 4, memory: '8Gi', pods: 110 },
): object {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { capacity, allocatable: capacity } }
}
