import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'

/** A Deployment of two pods, of which one waits; its service; and a pod of its own. */
export async function webShop(): Promise<TestCluster> {
  const cluster = testCluster()
  const labels = { app: 'web' }
  const metadata = { name: 'web', namespace: 'default', labels }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'ctr', image: 'nginx' }] } }
  const spec = { replicas: 2, selector: { matchLabels: labels }, template }
  const deployment = await cluster.create(resourceRefs.deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec,
  } as never)
  const set = await cluster.create(resourceRefs.replicaSets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web-5d', namespace: 'default', ownerReferences: [owner(deployment, 'Deployment')] },
    spec,
  } as never)
  const ownerReferences = [owner(set, 'ReplicaSet')]
  const running = await cluster.addPod(
    'web-5d-a',
    { [dongle]: '3' },
    { nodeName: 'node-a', metadata: { labels, ownerReferences } },
  )
  const waiting = await cluster.addPod('web-5d-b', { [dongle]: '2' }, { metadata: { labels, ownerReferences } })
  const ready = {
    phase: 'Running',
    containerStatuses: [{ name: 'ctr', ready: true, restartCount: 1, state: { running: {} }, image: '', imageID: '' }],
  }
  await setStatus(cluster, running, ready)
  const message = `0/1 nodes are available: 1 Insufficient ${dongle}. preemption: 0/1 nodes are available.`
  await setStatus(cluster, waiting, {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  })
  await cluster.create(resourceRefs.services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: labels, ports: [{ port: 80 }], clusterIP: '10.0.0.7' },
  } as never)
  await cluster.create(resourceRefs.services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'other', namespace: 'default' },
    spec: { selector: { app: 'other' }, ports: [{ port: 80 }], clusterIP: '10.0.0.8' },
  } as never)
  await setStatus(cluster, await cluster.addPod('extended-resource-demo', {}, { nodeName: 'node-a' }), ready)
  await cluster.terminal.clock.advance((7 * 24 + 23) * 3_600_000)
  return cluster
}

/** Returns the owner reference of a controller. */
export function owner(
  { metadata }: { readonly metadata?: { readonly name?: string; readonly uid?: string } },
  kind: string,
) {
  return { apiVersion: 'apps/v1', kind, name: metadata?.name ?? '', uid: metadata?.uid ?? '', controller: true }
}

/** Writes the status of a pod in the namespace default. */
export async function setStatus({ client }: TestCluster, { metadata }: Pod, status: object): Promise<void> {
  const target = { namespace: 'default', name: metadata.name ?? '' }
  await client.patch(resourceRefs.pods, target, { status }, { type: 'merge', subresource: 'status' })
}
