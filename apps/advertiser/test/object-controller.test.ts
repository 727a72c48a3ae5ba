import type { ExtendedResource, Node } from '@berth/types'
import { expect, test } from 'vitest'
import { FINALIZER } from '../src/objects/definition/object-api.ts'
import { startObjectController } from '../src/objects/object-controller.ts'
import type { ReadObject } from '../src/objects/read/read-object.ts'
import { OWNER, testCluster } from './test-cluster.ts'

/** Counts how often an object is compared with the nodes. */
class CountedNodes extends Map<string, Node> {
  reads = 0
  override values(): MapIterator<Node> {
    this.reads += 1
    return super.values()
  }
}

function claimed(name: string, resourceVersion: string): ExtendedResource {
  const annotations = { 'berth.dev/advertised-by': JSON.stringify({ owner: OWNER, since: '2026-01-01T00:00:00Z' }) }
  const spec = { resourceName: `example.com/${name}`, units: 1, nodes: { selector: {} } }
  return { metadata: { name, resourceVersion, finalizers: [FINALIZER], annotations }, spec }
}

test('a change of one object compares only this object with the nodes, and a change of the setup all of them', async () => {
  await using cluster = await testCluster()
  const { client, clock, dependencies } = cluster
  const nodes = new CountedNodes()
  const names = ['a', 'b', 'c']
  const store = new Map(names.map((name) => [name, claimed(name, '1')]))
  const refused: ReadObject = { kind: 'refused', reason: 'NotAllowed', message: 'no' }
  const declared = { read: new Map(names.map((name) => [name, refused])), parts: [] }
  const setup = cluster.setup([])
  await using controller = startObjectController({
    ...dependencies,
    client,
    objects: { store },
    nodes: { store: nodes },
    declared,
    setup,
    mayWrite: () => true,
  })
  /** Returns the number of comparisons since the last call. */
  const comparisons = async (): Promise<number> => {
    await clock.settle()
    await controller.settled()
    const { reads } = nodes
    nodes.reads = 0
    return reads
  }
  await comparisons()
  store.set('a', claimed('a', '2'))
  controller.update(declared, setup)
  expect(await comparisons()).toBe(1)
  controller.update({ ...declared, read: new Map([...declared.read, ['b', { ...refused, message: 'never' }]]) }, setup)
  expect(await comparisons()).toBe(1)
  controller.update(declared, cluster.setup([]))
  expect(await comparisons()).toBe(3)
})
