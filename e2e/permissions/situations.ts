import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { lacksGate } from '../cluster/version-differences.ts'
import { causeVolumeWrites } from '../real-scheduler/cause-kube-scheduler-writes.ts'
import { createPod, isUsed, NAMESPACE, ref, SEAT, until, untilAudited, untilRefused, type Session } from './session.ts'

/** A second resource, whose amount has a source later. */
export const CORES = 'example.com/cores'
/** Whether Kubernetes has pod groups of its own. */
export const hasGangs: boolean = !lacksGate('GenericWorkload')
const claims = ref('', 'persistentvolumeclaims', 'PersistentVolumeClaim', true)
const podGroups = ref('scheduling.k8s.io', 'podgroups', 'PodGroup', true, 'v1alpha2')
const pluginPodGroups = ref('scheduling.x-k8s.io', 'podgroups', 'PodGroup', true, 'v1alpha1')

/** Lets the scheduler bind volumes, refuse a pod twice for the same reason, and refuse gangs, which stay. */
export async function causeSchedulerWrites(session: Session): Promise<void> {
  const { admin } = session
  const { client } = admin
  const schedulerName = 'berth-scheduler'
  const remove = (name: string): Promise<unknown> => client.delete(resourceRefs.pods, { namespace: NAMESPACE, name })
  const waiting = await causeVolumeWrites({ client, namespace: NAMESPACE, schedulerName, prefix: 'ours-' })
  await untilAudited(session, schedulerName, '/persistentvolumes patch')
  await untilAudited(session, schedulerName, '/persistentvolumeclaims patch')
  for (const name of waiting) await remove(name)

  // Each change of a label of the node wakes the pod, for which there is still no volume that is large enough.
  const claim = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'ours-existing',
    resources: { requests: { storage: '1Gi' } },
  }
  await client.create(claims, { metadata: { namespace: NAMESPACE, name: 'large' }, spec: claim })
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'large' } }]
  await createPod(session, 'without-volume', { schedulerName, volumes }, { limits: {} })
  await untilRefused(session, 'without-volume')
  const isRepeated = isUsed(session, schedulerName, 'events.k8s.io/events patch')
  let changes = 0
  await until('the scheduler to refuse the pod twice', async () => {
    const labels = { 'example.com/changes': `${++changes}` }
    await client.patch(resourceRefs.nodes, { name: 'node-1' }, { metadata: { labels } }, { type: 'merge' })
    await pause(1_000)
    return isRepeated() ? true : undefined
  })
  await remove('without-volume')

  if (hasGangs) {
    const metadata = { namespace: NAMESPACE, name: 'gang' }
    const group = { metadata, spec: { schedulingPolicy: { gang: { minCount: 2 } } } }
    await client.create(podGroups, group)
    for (const name of ['gang-1', 'gang-2'])
      await createPod(session, name, { schedulerName, schedulingGroup: { podGroupName: 'gang' } })
    await untilAudited(session, schedulerName, 'scheduling.k8s.io/podgroups/status patch')
  }
  const ofPlugins = { metadata: { namespace: NAMESPACE, name: 'squad' }, spec: { minMember: 2 } }
  await client.create(pluginPodGroups, ofPlugins)
  await createPod(session, 'squad-1', { schedulerName }, { labels: { 'scheduling.x-k8s.io/pod-group': 'squad' } })
}

/** Reports the health of the device of a pod on node-1. */
function reportHealth({ admin }: Session, name: string, health: 'Healthy' | 'Unhealthy'): Promise<unknown> {
  const resources = [{ resourceID: 'seat-0', health }]
  const running = { name: 'main', image: 'none', imageID: '', ready: true, restartCount: 0, state: { running: {} } }
  const allocatedResourcesStatus = [{ name: SEAT, resources }]
  const status = { phase: 'Running', containerStatuses: [{ ...running, allocatedResourcesStatus }] }
  const target = { namespace: NAMESPACE, name }
  return admin.client.patch(resourceRefs.pods, target, { status }, { type: 'merge', subresource: 'status' })
}

/** Reports the device of a pod as unhealthy again and again. The pod has no controller, so that the eviction only reports it. */
export async function loseDeviceTwice(session: Session): Promise<void> {
  const { admin } = session
  await createPod(session, 'bare', { nodeName: 'node-1' })
  const hasEvent = isUsed(session, 'berth-eviction', 'events.k8s.io/events patch')
  await until('the eviction to report the same twice', async () => {
    await reportHealth(session, 'bare', 'Unhealthy')
    await pause(2_500)
    await reportHealth(session, 'bare', 'Healthy')
    await pause(500)
    return hasEvent() ? true : undefined
  })
  await admin.client.delete(resourceRefs.pods, { namespace: NAMESPACE, name: 'bare' })
}

/** Changes an amount of the advertiser until it has reported the same drift twice. */
export async function driftTwice(session: Session): Promise<void> {
  const { admin } = session
  const isReported = isUsed(session, 'berth-advertiser', 'events.k8s.io/events patch')
  await until('the advertiser to report the same drift twice', async () => {
    const amounts = { [CORES]: '99' }
    await admin.client.patchNodeStatus(
      'node-1',
      { status: { capacity: amounts, allocatable: amounts } },
      { fieldManager: 'e2e' },
    )
    await pause(2_000)
    return isReported() ? true : undefined
  })
}

/** Reports the device of a pod as unhealthy, so that the pod is evicted. */
export async function loseDevice(session: Session): Promise<void> {
  const { admin } = session
  const target = { namespace: NAMESPACE, name: 'loser' }
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'owner', uid: 'owner', controller: true }
  const containers = [{ name: 'main', image: 'none', resources: { limits: { [SEAT]: '1' } } }]
  const spec = { nodeName: 'node-1', terminationGracePeriodSeconds: 0, containers }
  await admin.client.create<Pod>(resourceRefs.pods, { metadata: { ...target, ownerReferences: [owner] }, spec })
  await reportHealth(session, 'loser', 'Unhealthy')
  await until('the pod to be evicted', async () => {
    const pod = await admin.client.find<Pod>(resourceRefs.pods, target)
    return pod === undefined || pod.metadata.deletionTimestamp !== undefined ? true : undefined
  })
}

/**
 * Takes the seat away that pods use. The advertiser then asks which pods do. The other resource gets a source, for which the advertiser
 * reads the whole node.
 */
export async function lowerBelowUse(session: Session): Promise<void> {
  const file = join(session.dir, 'advertiser', 'config.yaml')
  const config = parse(readFileSync(file, 'utf8')) as object
  const nodes = { selector: {} }
  const source = {
    plugin: 'node-expression',
    args: { expression: "quantity(node.status.capacity['cpu']).asInteger()" },
  }
  const resources = [
    { name: SEAT, units: 0, nodes },
    { name: CORES, source, nodes },
  ]
  writeFileSync(file, JSON.stringify({ ...config, resources }))
  await untilAudited(session, 'berth-advertiser', '/pods list')
  await untilAudited(session, 'berth-advertiser', '/nodes get')
}
