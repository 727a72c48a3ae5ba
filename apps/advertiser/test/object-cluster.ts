import { resourceRefs, type ResourceRef } from '@berth/k8s-client'
import type { BerthPlugin } from '@berth/plugin-api'
import { extendedResourceDefinition } from '@berth/testing'
import { splitNamespacedName, type ConfigMap, type ExtendedResource, type ExtendedResourceSpec } from '@berth/types'
import type { Advertiser } from '../src/advertiser.ts'
import { extendedResources } from '../src/objects/definition/object-api.ts'
import { testCluster, type TestCluster } from './test-cluster.ts'

const definitions: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

/** The ConfigMap with the allowed names in these tests. */
export const ALLOWED = 'berth-system/berth-allowed-names'
export const DONGLE = 'example.com/dongle'

/** A cluster that serves ExtendedResource objects, with the nodes node-a and node-b. */
export interface ObjectCluster extends AsyncDisposable {
  readonly base: TestCluster
  create(name: string, spec: Partial<ExtendedResourceSpec>): Promise<void>
  /** Creates the object `dongles` with 4 units on every node, starts the advertiser, and waits until it has settled. */
  advertise(spec?: Partial<ExtendedResourceSpec>): Promise<Advertiser>
  change(name: string, spec: Partial<ExtendedResourceSpec>): Promise<void>
  delete(name: string): Promise<void>
  /** Returns undefined if the object does not exist. */
  find(name: string): Promise<ExtendedResource | undefined>
  /** Returns the conditions that hold, as `type reason`, sorted; `Advertised=False` with its reason. */
  conditions(name: string): Promise<readonly string[]>
  /** Replaces the allowed names and domains. */
  allow(data: Readonly<Record<string, string>>): Promise<void>
  /** Returns what each node offers of a resource: [node-a, node-b]. */
  offered(resourceName?: string): Promise<readonly unknown[]>
}

/** Installs the definition and waits until it is served. */
export async function installDefinition({ admin, clock }: TestCluster): Promise<void> {
  await admin.create(definitions, extendedResourceDefinition())
  await clock.settle()
}

/** Starts a cluster with the definition. */
export async function objectCluster(plugins: readonly BerthPlugin[] = []): Promise<ObjectCluster> {
  const base = await testCluster(plugins)
  const { admin, clock } = base
  await installDefinition(base)
  for (const node of ['node-a', 'node-b']) await base.addNode(node)
  const create: ObjectCluster['create'] = async (name, spec) => {
    const whole = { resourceName: DONGLE, nodes: { selector: {} }, ...spec }
    const object = { apiVersion: 'berth.dev/v1alpha1', kind: 'ExtendedResource', metadata: { name }, spec: whole }
    await admin.create(extendedResources, object)
  }
  const find: ObjectCluster['find'] = (name) => admin.find<ExtendedResource>(extendedResources, { name })

  return {
    base,
    create,
    async advertise(spec = { units: 4 }) {
      await create('dongles', spec)
      const advertiser = await base.startWithObjects([])
      await clock.advance(5_000)
      return advertiser
    },
    async change(name, spec) {
      await admin.patch(extendedResources, { name }, { spec }, { type: 'merge' })
    },
    async delete(name) {
      await admin.delete(extendedResources, { name })
    },
    find,
    async conditions(name) {
      const { conditions = [] } = (await find(name))?.status ?? {}
      return conditions
        .map(({ type, status, reason }) => (status === 'True' ? `${type} ${reason}` : `${type}=${status} ${reason}`))
        .toSorted()
    },
    async allow(data) {
      const metadata = splitNamespacedName(ALLOWED)
      const configMap: ConfigMap = { metadata, data }
      const exists = (await admin.find(resourceRefs.configMaps, metadata)) !== undefined
      await (exists
        ? admin.update(resourceRefs.configMaps, configMap)
        : admin.create(resourceRefs.configMaps, configMap))
    },
    offered: async (resourceName = DONGLE) =>
      await Promise.all(
        ['node-a', 'node-b'].map(async (node) => (await base.node(node)).status?.capacity?.[resourceName]),
      ),
    [Symbol.asyncDispose]: () => base[Symbol.asyncDispose](),
  }
}
