import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { resourceRefs } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { testCluster } from './test-cluster.ts'

const documents = (file: string): readonly KubernetesObject[] =>
  parseAllDocuments(readFileSync(join(import.meta.dirname, '../../../examples', file), 'utf8')).map(
    (document) => document.toJS() as KubernetesObject,
  )
const placed = (object: KubernetesObject, spec: object = {}): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, namespace: 'default' },
  ...('spec' in object && { spec: { ...(object.spec as object), ...spec } }),
})

describe('examples', () => {
  test('dongle: the second pod waits for a dongle, and explain says how many there are and who holds them', async () => {
    const cluster = testCluster()
    await cluster.addNode('node-1', { 'example.com/dongle': '4' })
    const [first = {}] = documents('dongle/extended-resource-pod.yaml')
    const [second = {}] = documents('dongle/extended-resource-pod-2.yaml')
    await cluster.create(resourceRefs.pods, placed(first, { nodeName: 'node-1' }))
    await cluster.create(resourceRefs.pods, placed(second))
    expect(await cluster.run('explain', 'pod', 'extended-resource-demo-2')).toContain(
      'node-1   no     example.com/dongle   2      4     1      default/extended-resource-demo (3)',
    )
  })

  test('brief: a Deployment of two pods behind a service', async () => {
    const cluster = testCluster()
    const [deployment = {}, service = {}] = documents('brief/web.yaml')
    await cluster.create(resourceRefs.deployments, placed(deployment))
    await cluster.create(resourceRefs.services, placed(service))
    const text = await cluster.run('brief')
    expect(text).toMatch(/^DEPLOYMENT .*\n +SVC .*\nweb +0\/2 .*\n└─ svc\/web +ClusterIP /)
  })
})
