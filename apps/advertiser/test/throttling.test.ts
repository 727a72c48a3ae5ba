import type { ApiResponse } from '@berth/types'
import { expect, test } from 'vitest'
import { CONCURRENCY } from '../src/write/concurrency.ts'
import { testCluster } from './test-cluster.ts'

const NAME = 'example.com/dongle'
const NODES = 3 * CONCURRENCY

function throttled(retryAfterSeconds: number): ApiResponse {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 429, reason: 'TooManyRequests' }
  return {
    status: 429,
    headers: { 'content-type': 'application/json', 'retry-after': String(retryAfterSeconds) },
    body: (async function* body() {
      yield Buffer.from(JSON.stringify(status))
    })(),
  }
}

test('writes to a busy API server with few requests in flight, and repeats each when the server says so', async () => {
  await using cluster = await testCluster()
  let isBusy = true
  let writes = 0
  cluster.intercept(({ method, path }) => {
    if (method !== 'PATCH' || !path.includes('/status')) return undefined
    writes += 1
    return isBusy ? throttled(5) : undefined
  })
  await cluster.start([{ name: NAME, units: 4, nodes: { selector: {} } }])
  const names = Array.from({ length: NODES }, (_, i) => `node-${i}`)
  for (const name of names) await cluster.addNode(name)

  await cluster.clock.advance(4_900)
  expect(writes).toBe(CONCURRENCY)
  // Up to a tenth later, so that refused clients do not come back at once.
  await cluster.clock.advance(700)
  expect(writes).toBe(2 * CONCURRENCY)
  isBusy = false
  await cluster.clock.advance(5_600)
  for (const name of names) expect((await cluster.node(name)).status?.allocatable?.[NAME]).toBe('4')
  expect(await cluster.metric('berth_advertiser_failures_total')).toMatch(/ 0$/)
})
