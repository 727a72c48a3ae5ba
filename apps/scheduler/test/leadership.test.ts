import type { ApiHandler } from '@berth/types'
import { expect, test } from 'vitest'
import { startTestCluster } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'

/** An API server whose watches deliver nothing while its cache is stale. Reads of the newest state are always fresh. */
function staleCache(): { readonly intercept: (handle: ApiHandler) => ApiHandler; isStale: boolean } {
  const cache = {
    isStale: false,
    intercept: (handle: ApiHandler): ApiHandler => {
      const hold = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
        for await (const chunk of chunks) if (!cache.isStale) yield chunk
      }
      return async (request) => {
        const response = await handle(request)
        const isNewest = !request.path.includes('watch=1') || request.path.includes('sendInitialEvents')
        // A WatchList from before the cache became stale goes on as a watch.
        return isNewest && cache.isStale ? response : { ...response, body: hold(response.body) }
      }
    },
  }
  return cache
}

test('decides only on a view as new as the election, although the watch cache is stale', async () => {
  const cache = staleCache()
  const election = Promise.withResolvers<void>()
  await using cluster = await startTestCluster({ intercept: cache.intercept, startAfter: election.promise })
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('waiting', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  cache.isStale = true
  // The previous leader places a pod before it loses the Lease.
  await cluster.createPod('placed', { requests: { [DONGLE]: '1' }, spec: { nodeName: 'node-a' } })
  await cluster.settle()
  expect(cluster.view.pod('default/placed')).toBeUndefined()
  election.resolve()
  await cluster.clock.advance(2_000)
  expect(cluster.view.pod('default/placed')).toBeDefined()
  expect((await cluster.pod('waiting')).spec.nodeName).toBeUndefined()
  expect(await cluster.events('waiting')).toEqual([
    expect.stringContaining('0/1 nodes are available: 1 Insufficient example.com/dongle.'),
  ])
})
