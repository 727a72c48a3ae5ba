import { resourceRefs } from '@berth/k8s-client'
import { defineResourceSource } from '@berth/plugin-api'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { sourceSchema } from '../src/sources/source-options.ts'
import { refused } from './api-answers.ts'
import { testCluster, type TestCluster } from './test-cluster.ts'

const name = 'example.com/seat'

/** A source whose answer the test sets. */
function answering(first: number | Error) {
  const state = { answer: first }
  const plugin = defineResourceSource({
    apiVersion: 'berth.dev/v1',
    name: 'test-source',
    description: 'Returns the answer of the test.',
    argsSchema: z.strictObject({}),
    create: (_, { clock }) => ({
      async compute() {
        if (state.answer instanceof Error) throw state.answer
        return { units: state.answer, observedAtMs: clock.now() }
      },
    }),
  })
  return { state, plugin }
}

const declare = (options: object) => [
  { name, source: sourceSchema.parse({ plugin: 'test-source', ...options }), nodes: { selector: {} } },
]

async function offered(cluster: TestCluster): Promise<unknown> {
  const { capacity, allocatable } = (await cluster.node('node-a')).status ?? {}
  return [capacity?.[name], allocatable?.[name]]
}

test('a source of free units keeps the total while pods start and end', async () => {
  const { state, plugin } = answering(5)
  await using cluster = await testCluster([plugin])
  await cluster.addNode('node-a')
  await cluster.start(declare({ reading: 'free', everySeconds: 10 }))
  expect(await offered(cluster)).toEqual(['5', '5'])

  await cluster.addPod('holder', 'node-a', { [name]: '3' })
  await cluster.addPod('elsewhere', 'node-b', { [name]: '9' })
  state.answer = 2
  await cluster.clock.advance(10_000)
  expect(await offered(cluster)).toEqual(['5', '5'])

  await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name: 'holder' }, { gracePeriodSeconds: 0 })
  state.answer = 5
  await cluster.clock.advance(10_000)
  expect(await offered(cluster)).toEqual(['5', '5'])
})

test('a source of free units changes nothing when the pods of a node cannot be listed', async () => {
  const { state, plugin } = answering(5)
  await using cluster = await testCluster([plugin])
  await cluster.addNode('node-a')
  await cluster.start(declare({ reading: 'free', everySeconds: 10 }))
  cluster.intercept(({ path }) => (path.startsWith('/api/v1/pods') ? refused(403, 'Forbidden') : undefined))
  state.answer = 9
  await cluster.clock.advance(10_000)
  expect(await offered(cluster)).toEqual(['5', '5'])
  expect(cluster.lines).toContainEqual(
    expect.objectContaining({ message: 'A resource source query failed', resourceName: name }),
  )
})

test('a node offers the minimum after keepSeconds without an answer, but never less than what pods hold', async () => {
  const { state, plugin } = answering(8)
  await using cluster = await testCluster([plugin])
  await cluster.addNode('node-a')
  await cluster.addPod('holder', 'node-a', { [name]: '3' })
  await cluster.start(declare({ min: 1, everySeconds: 10, maxAgeSeconds: 60, keepSeconds: 120 }))
  state.answer = new Error('away')
  await cluster.clock.advance(120_000)
  expect(await offered(cluster)).toEqual(['8', '8'])
  await cluster.clock.advance(10_000)
  expect(await offered(cluster)).toEqual(['3', '3'])
  expect(cluster.lines).toContainEqual({
    level: 'warn',
    message: 'Stopped keeping the last value of a resource source',
    node: 'node-a',
    plugin: 'test-source',
    resourceName: name,
  })
  await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name: 'holder' }, { gracePeriodSeconds: 0 })
  await cluster.clock.advance(15_000)
  expect(await offered(cluster)).toEqual(['1', '1'])
  state.answer = 8
  await cluster.clock.advance(10_000)
  expect(await offered(cluster)).toEqual(['8', '8'])
})
