/** Runs the tests of mirrors, calls, events and faults over protobuf: the servers of these tests are wrapped. */
import { expect, test, vi } from 'vitest'
import { inProtobuf } from '../src/testing.ts'

const used = vi.hoisted(() => ({ clusters: 0 }))

vi.mock(import('../src/connect-cluster.ts'), async (original) => {
  const actual = await original()
  return {
    connectCluster(options) {
      used.clusters += 1
      const { handler } = options
      return actual.connectCluster({
        ...options,
        encoding: 'protobuf',
        ...(handler !== undefined && { handler: inProtobuf(handler) }),
      })
    },
  }
})

await import('./reflector.test.ts')
await import('./reflector-failures.test.ts')
await import('./client.test.ts')
await import('./event-recorder.test.ts')
await import('./event-delivery.test.ts')
await import('./faults.test.ts')

test('these tests used protobuf', () => expect(used.clusters).toBeGreaterThan(400))
