import type { Advertiser } from '../../src/advertiser.ts'
import { extendedResources } from '../../src/objects/definition/object-api.ts'
import type { ExtendedResource } from '@berth/types'
import type { TestCluster } from '../test-cluster.ts'
import { installDefinition } from '../object-cluster.ts'
import { toResources } from './random-cluster.ts'

/** Declared units by `node resource`. */
export type Declared = ReadonlyMap<string, number>

/** A way to declare resources: entries of the file, or objects. */
export interface Declaring {
  /** Starts the advertiser with what is declared. */
  start(declared: Declared): Promise<Advertiser>
  /** Replaces what is declared, with the objects directly on the server. */
  replace(advertiser: Advertiser, declared: Declared): Promise<void>
  /** Returns the names of the objects that exist. */
  remaining(): Promise<readonly string[]>
}

/** Declares resources in the file. */
export function declareInFile(cluster: TestCluster): Declaring {
  return {
    start: (declared) => cluster.start(toResources(declared)),
    replace: async (advertiser, declared) => advertiser.reconfigure(cluster.setup(toResources(declared))),
    remaining: async () => [],
  }
}

/**
 * Declares each amount as an object, beside another object for the same resource and node with other units and a lower
 * precedence, which must never apply.
 */
export async function declareAsObjects(cluster: TestCluster): Promise<Declaring> {
  await installDefinition(cluster)
  const { admin } = cluster
  const names = new Map<string, readonly string[]>()
  let created = 0

  async function replace(declared: Declared): Promise<void> {
    for (const [key, units] of declared) {
      const [node = '', resourceName = ''] = key.split(' ')
      const known = names.get(key)
      const variants = [
        { precedence: 1, units },
        { precedence: -1, units: units + 20 },
      ]
      // A name is not used again, because a deleted object exists until its resource is withdrawn.
      const own = known ?? variants.map(() => `object-${created++}`)
      names.set(key, own)
      for (const [index, variant] of variants.entries()) {
        const name = own[index] ?? ''
        const spec = { resourceName, nodes: { names: [node] }, ...variant }
        const object: ExtendedResource = { metadata: { name }, spec }
        if (known === undefined) await admin.create(extendedResources, object)
        else await admin.patch(extendedResources, { name }, { spec }, { type: 'merge' })
      }
    }
    for (const [key, own] of names) {
      if (declared.has(key)) continue
      names.delete(key)
      // The one that does not apply first, so that it never does.
      for (const name of own.toReversed()) await admin.delete(extendedResources, { name })
    }
  }

  return {
    async start(declared) {
      await replace(declared)
      return await cluster.startWithObjects([])
    },
    replace: (_, declared) => replace(declared),
    remaining: async () => (await admin.list(extendedResources)).items.map(({ metadata }) => metadata?.name ?? ''),
  }
}
