import { readFileSync } from 'node:fs'
import { resourceRefs } from '@berth/k8s-client'
import type { Pod, PodGroupApi } from '@berth/types'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { boundPods, createGroup, servePodGroups } from './pod-group-cluster.ts'
import { startTestCluster } from './test-cluster.ts'

const guide = readFileSync(new URL('../../../docs/guides/schedule-gangs.md', import.meta.url), 'utf8')
/** The blocks of the guide that name this test. */
const testedBy = /<!-- tested by: apps\/scheduler\/test\/gangs-guide\.test\.ts -->\n```yaml\n([\s\S]*?)```/g
const blocks = [...guide.matchAll(testedBy)].map(([, text = '']) => text)

interface Group {
  readonly apiVersion: `${PodGroupApi}/${string}`
  readonly metadata: { readonly name: string }
  readonly spec: object
}

interface Job {
  readonly spec: { readonly parallelism: number; readonly template: Pick<Pod, 'metadata' | 'spec'> }
}

test.for([0, 1])('manifest %i of the guide starts the job as a whole', async (i) => {
  const [group, job] = parseAllDocuments(blocks[i] ?? '').map((document) => document.toJS() as unknown) as [Group, Job]
  const [api = '', version = ''] = group.apiVersion.split('/')
  const groupApi = { api: api as PodGroupApi, version }
  await using cluster = await startTestCluster()
  await servePodGroups(cluster, groupApi)
  await cluster.createNode('node-a', { 'example.com/dongle': '2' })
  await createGroup(cluster, groupApi, group.metadata.name, group.spec)
  const { parallelism, template } = job.spec
  for (let member = 0; member < parallelism; member++) {
    const metadata = { ...template.metadata, name: `train-${member}`, namespace: 'default' }
    await cluster.admin.client.create<Pod>(resourceRefs.pods, { ...template, metadata })
  }
  await cluster.clock.advance(12_000)
  expect(await boundPods(cluster)).toEqual([])
  await cluster.createNode('node-b', { 'example.com/dongle': '1' })
  await cluster.clock.advance(12_000)
  expect(await boundPods(cluster)).toHaveLength(parallelism)
})
