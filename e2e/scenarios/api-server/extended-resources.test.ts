import { systemClock } from '@berth/clock'
import { connectCluster, type Cluster, type ResourceRef } from '@berth/k8s-client'
import { eventually, extendedResourceDefinition, kubectlBinary, specSamples } from '@berth/testing'
import { silentLogger, type ExtendedResource } from '@berth/types'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRealApiServer, type RealApiServer } from '../../real-api-server/real-api-server.ts'

const definitions: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}
const objects: ResourceRef = {
  group: 'berth.dev',
  version: 'v1alpha1',
  plural: 'extendedresources',
  kind: 'ExtendedResource',
  namespaced: false,
}

describe('ExtendedResource objects on a real kube-apiserver', () => {
  const parts = new AsyncDisposableStack()
  let server: RealApiServer
  let cluster: Cluster

  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { KUBECONFIG: join(server.dir, 'admin.kubeconfig'), HOME: server.dir }
    return (await promisify(execFile)(await kubectlBinary(), args, { env })).stdout
  }
  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    eventually(look, { what, timeoutMs: 60_000, signal: new AbortController().signal })

  beforeAll(async () => {
    server = parts.use(await startRealApiServer())
    writeFileSync(join(server.dir, 'admin.kubeconfig'), server.kubeconfig(), { mode: 0o600 })
    const world = { clock: systemClock(), random: Math.random, log: silentLogger }
    cluster = parts.use(connectCluster({ access: server.access(), ...world, qps: 0, userAgent: 'e2e/1' }))
    // The server refuses a definition whose estimated CEL cost is above its limit.
    await cluster.client.create(definitions, extendedResourceDefinition())
    await until('the definition to be served', async () =>
      (await cluster.servedResources('berth.dev/v1alpha1')).has('extendedresources') ? true : undefined,
    )
  })
  afterAll(() => parts.disposeAsync())

  test.for(specSamples.map((sample, index) => ({ ...sample, index })))(
    'the API server agrees with the samples on $it',
    async ({ spec, refusal, index }) => {
      const object = { metadata: { name: `sample-${index}` }, spec } as unknown as ExtendedResource
      const answer = await cluster.client.create<ExtendedResource>(objects, object).then(() => 'accepted', String)
      expect(answer).toContain(refusal ?? 'accepted')
    },
  )

  test('the name of the resource cannot be changed', async () => {
    const change = { spec: { resourceName: 'example.com/other' } }
    const patched = cluster.client.patch(objects, { name: 'sample-0' }, change, { type: 'merge' })
    await expect(patched).rejects.toThrow('resourceName cannot be changed')
  })

  test('kubectl prints the columns, and explains every field', async () => {
    expect((await kubectl('get', 'xres', 'sample-0')).split('\n')[0]?.split(/\s+/)).toEqual([
      'NAME',
      'RESOURCE',
      'UNITS',
      'SOURCE',
      'NODES',
      'ON',
      'ADVERTISED',
      'REASON',
      'AGE',
    ])
    const explained = await kubectl('explain', 'extendedresources.spec.precedence')
    expect(explained.replaceAll(/\s+/g, ' ')).toContain('the one with the highest precedence applies')
    const all = await kubectl('explain', 'extendedresources', '--recursive')
    for (const field of [
      'resourceName',
      'maxAgeSeconds',
      'matchExpressions',
      'nodesAdvertised',
      'lastTransitionTime',
    ]) {
      expect(all).toContain(field)
    }
  })
})
