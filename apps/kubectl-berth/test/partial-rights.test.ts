import { resourceRefs } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { PendingModel } from '../src/ui/model/pending-model.ts'
import { onlyFinding } from './doctor/report-of.ts'
import {
  addConfiguredScheduler,
  addObject,
  addProgramPod,
  addReportingNode,
  addSchedulerConfiguration,
} from './extensions/surveyed-objects.ts'
import { survey } from './extensions/survey-of.ts'
import { testCluster, type TestCluster } from './test-cluster.ts'
import { bearer, whileServing } from './ui/while-serving.ts'
import { uiRequest } from './ui/ui-request.ts'

const dongle = 'example.com/dongle'
const claimVolume = [{ name: 'data', persistentVolumeClaim: { claimName: 'web-data' } }]

/** A node with two dongles that pod `holder` holds, a pending pod `web`, and a namespace `lab`. */
async function smallCluster(web: Parameters<TestCluster['addPod']>[2] = {}): Promise<TestCluster> {
  const cluster = testCluster()
  await cluster.addNode('node-a', { [dongle]: '2' })
  await cluster.create(resourceRefs.namespaces, { metadata: { name: 'lab' } })
  await cluster.addPod('holder', { [dongle]: '2' }, { nodeName: 'node-a' })
  await cluster.addPod('web', { [dongle]: '1' }, web)
  return cluster
}

/** A Deployment `shop` with a ReplicaSet and a pending pod. */
async function addDeployment(cluster: TestCluster): Promise<void> {
  const labels = { app: 'shop' }
  const resources = { requests: { [dongle]: '1' }, limits: { [dongle]: '1' } }
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'ctr', image: 'nginx', resources }], restartPolicy: 'Always' },
  }
  const spec = { replicas: 1, selector: { matchLabels: labels }, template }
  const owned = (kind: string, { metadata }: KubernetesObject) => ({
    ownerReferences: [
      { apiVersion: 'apps/v1', kind, name: metadata?.name ?? '', uid: metadata?.uid ?? '', controller: true },
    ],
  })
  const deployment = await cluster.create(resourceRefs.deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', namespace: 'default' },
    spec,
  } as never)
  const set = await cluster.create(resourceRefs.replicaSets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'shop-1', namespace: 'default', ...owned('Deployment', deployment) },
    spec,
  } as never)
  await cluster.addPod('shop-1-x', { [dongle]: '1' }, { metadata: { labels, ...owned('ReplicaSet', set) } })
}

async function deletePods({ client }: TestCluster): Promise<void> {
  for (const name of ['web', 'holder'])
    await client.delete(resourceRefs.pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
}

/** A scheduler `packing` in the namespace default, with fields of its configuration. */
async function addScheduler(cluster: TestCluster, fields: object): Promise<void> {
  await addSchedulerConfiguration(cluster, 'scheduler', {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    profiles: [{ schedulerName: 'packing' }],
    ...fields,
  })
  await addConfiguredScheduler(cluster, 'kube-scheduler-1', { configMap: 'scheduler' })
}

interface Case {
  readonly it: string
  readonly forbid?: readonly string[]
  readonly forbidClusterWide?: readonly string[]
  readonly arrange?: (cluster: TestCluster) => Promise<unknown>
  readonly web?: Parameters<TestCluster['addPod']>[2]
  readonly argv: readonly string[]
  /** In the output, the notes or the error. */
  readonly says: string
  readonly saysNot: RegExp
}

const requests = ['--requests', `${dongle}=1`]
const cases: readonly Case[] = [
  {
    it: 'the node of a pod',
    forbid: ['nodes'],
    web: { nodeName: 'node-a' },
    argv: ['explain', 'pod', 'web'],
    says: 'was not evaluated: this user may not list nodes',
    saysNot: /does not exist|delete pod/,
  },
  {
    it: 'a claim',
    forbid: ['persistentvolumeclaims'],
    web: { volumes: claimVolume },
    argv: ['explain', 'pod', 'web'],
    says: 'Not evaluated: spec.volumes[data]: this user may not list persistentvolumeclaims in namespace default.',
    saysNot: /does not exist|not found/,
  },
  {
    it: 'a claim of another namespace',
    forbidClusterWide: ['persistentvolumeclaims'],
    arrange: (cluster) => cluster.addPod('far', {}, { volumes: claimVolume, metadata: { namespace: 'lab' } }),
    argv: ['explain', '--all-pending', '-A', '-o', 'wide'],
    says: 'Not evaluated: spec.volumes[data]: this user may not list persistentvolumeclaims in namespace lab.',
    saysNot: /does not exist|not found/,
  },
  {
    it: 'the volumes to which claims could be bound',
    forbid: ['persistentvolumes', 'storageclasses'],
    web: { volumes: claimVolume },
    arrange: (cluster) =>
      cluster.create(resourceRefs.persistentVolumeClaims, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'web-data', namespace: 'default' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: 'fast',
          volumeName: 'pv-1',
        },
      } as never),
    argv: ['explain', 'pod', 'web'],
    says: 'spec.volumes[data]: this user may not list persistentvolumes and storageclasses.',
    saysNot: /does not exist|not found|non-existent/,
  },
  {
    it: 'a claim of a pod that whatif places',
    forbid: ['persistentvolumeclaims'],
    arrange: (cluster) => cluster.addPod('other', {}, { volumes: claimVolume }),
    argv: ['whatif', '--drain', 'node-a'],
    says: 'default/other: spec.volumes[data]: this user may not list persistentvolumeclaims in namespace default.',
    saysNot: /not found/,
  },
  {
    it: 'the pods of a Deployment',
    forbid: ['pods'],
    arrange: addDeployment,
    argv: ['explain', 'deploy/shop'],
    says: 'The pods of Deployment default/shop are unknown: this user may not list pods.',
    saysNot: /has no pods|has created none/,
  },
  {
    it: 'the ReplicaSets of a Deployment',
    forbid: ['replicasets'],
    arrange: addDeployment,
    argv: ['explain', 'deploy/shop'],
    says: 'The pods of Deployment default/shop are unknown: this user may not list replicasets.',
    saysNot: /has no pods|has created none/,
  },
  {
    it: 'the events about a Job without pods',
    forbid: ['events'],
    arrange: (cluster) =>
      cluster.create(resourceRefs.jobs, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'train', namespace: 'default' },
        spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } } },
      } as never),
    argv: ['explain', 'job/train'],
    says: 'its controller has created none, and why is unknown: this user may not list events.',
    saysNot: /reports no failure/,
  },
  {
    it: 'the pods of a Deployment whose requests change',
    forbid: ['pods'],
    arrange: addDeployment,
    argv: ['whatif', 'deploy/shop', ...requests],
    says: 'try a change of deployment default/shop: this user may not list pods',
    saysNot: /has no pods|not found/,
  },
  {
    it: 'the ReplicaSets of a Deployment whose requests change',
    forbid: ['replicasets'],
    arrange: addDeployment,
    argv: ['whatif', 'deploy/shop', ...requests],
    says: 'try a change of deployment default/shop: this user may not list replicasets',
    saysNot: /has no pods|not found/,
  },
  {
    it: 'a pod whose requests change',
    forbid: ['pods'],
    argv: ['whatif', 'pod', 'web', ...requests],
    says: 'try a change of pod default/web: this user may not list pods',
    saysNot: /not found/,
  },
  {
    it: 'pending pods',
    forbid: ['pods'],
    argv: ['explain', '--all-pending'],
    says: 'Whether pods of namespace default are pending is unknown: this user may not list pods.',
    saysNot: /No pod/,
  },
  {
    it: 'pending pods of other namespaces',
    forbidClusterWide: ['pods'],
    arrange: deletePods,
    argv: ['explain', '--all-pending', '-A'],
    says: 'Whether pods of other namespaces than default are pending is unknown: this user may not list pods there.',
    saysNot: /No pod of the cluster/,
  },
  {
    it: 'pods that a drain would evict',
    forbid: ['pods'],
    argv: ['whatif', '--drain', 'node-a'],
    says: 'Whether pods are pending or lose their node is unknown: this user may not list pods.',
    saysNot: /No pod/,
  },
  {
    it: 'pods of other namespaces that a drain would evict',
    forbidClusterWide: ['pods'],
    arrange: deletePods,
    argv: ['whatif', '--drain', 'node-a'],
    says: 'No pod of namespace default is pending or loses its node. Pods of other namespaces are unknown: this user may not list them.',
    saysNot: /No pod is pending/,
  },
  {
    it: 'the holders of a resource',
    forbid: ['pods'],
    web: { nodeSelector: { disk: 'ssd' } },
    arrange: (cluster) => cluster.addPod('large', { [dongle]: '3' }),
    argv: ['explain', 'pod', 'large'],
    says: 'unknown',
    saysNot: /<none>/,
  },
  {
    it: 'who requests a resource',
    forbid: ['nodes', 'pods'],
    argv: ['capacity'],
    says: 'Which pods with a node request it is unknown: this user may not list pods.',
    saysNot: /No pod with a node/,
  },
  {
    it: 'who requests a resource in other namespaces',
    forbid: ['nodes'],
    forbidClusterWide: ['pods'],
    argv: ['capacity', 'example.com/other'],
    says: 'No pod of namespace default with a node requests it.',
    saysNot: /No pod with a node/,
  },
  {
    it: 'who holds devices',
    forbid: ['pods'],
    argv: ['capacity', '--devices'],
    says: 'Who holds which device is unknown: this user may not list pods.',
    saysNot: /No pod status/,
  },
]

describe('says nothing about what may not be listed', () => {
  test.for(cases)('$it', async ({ forbid = [], forbidClusterWide = [], arrange, web, argv, says, saysNot }) => {
    const cluster = await smallCluster(web)
    await arrange?.(cluster)
    cluster.forbid(...forbid)
    cluster.forbidClusterWide(...forbidClusterWide)
    const output = await cluster.run(...argv).catch((error: unknown) => String(error))
    const text = `${output} ${cluster.terminal.notes()}`.replaceAll(/\s+/g, ' ')
    expect(text).toContain(says)
    expect(text).not.toMatch(saysNot)
  })

  test.for([['explain', 'pod', 'web'], ['explain', '--all-pending'], ['whatif', '--drain', 'node-a'], ['capacity']])(
    'in JSON, where %j names what is missing',
    async (argv) => {
      const cluster = await smallCluster()
      cluster.forbid('pods')
      expect(JSON.parse(await cluster.run(...argv, '-o', 'json'))).toMatchObject({ missing: ['pods'] })
    },
  )

  test('extensions of a kind of which nothing could be read', async () => {
    const cluster = testCluster()
    cluster.forbid('clusterroles', 'customresourcedefinitions')
    expect(await cluster.run('extensions', 'custom-resources')).toContain('\nnone in what could be read\n')
  })

  test('the members of a pod group', async () => {
    const cluster = await smallCluster()
    cluster.serve('/apis', {
      kind: 'APIGroupList',
      groups: [{ name: 'scheduling.x-k8s.io', preferredVersion: { version: 'v1alpha1' } }],
    })
    cluster.serve('/apis/scheduling.x-k8s.io/v1alpha1', {
      resources: [{ name: 'podgroups', namespaced: true, kind: 'PodGroup' }],
    })
    cluster.serve('/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups/band', {
      metadata: { name: 'band', namespace: 'default' },
      spec: { minMember: 3 },
    })
    await cluster.addPod('drums', {}, { metadata: { labels: { 'scheduling.x-k8s.io/pod-group': 'band' } } })
    cluster.forbid('pods')
    cluster.serve('/api/v1/namespaces/default/pods/drums', {
      metadata: { name: 'drums', namespace: 'default', labels: { 'scheduling.x-k8s.io/pod-group': 'band' } },
      spec: { containers: [] },
    })
    const text = (await cluster.run('explain', 'pod', 'drums')).replaceAll(/\s+/g, ' ')
    expect(text).toContain('pod group default/band was not evaluated: this user may not list pods')
  })

  test('pending pods, in the page of ui', async () => {
    const cluster = await smallCluster()
    cluster.forbid('pods')
    await whileServing(cluster, [], async (address) => {
      const { body } = await uiRequest(`${address.origin}/api/pending`, { headers: bearer(address) })
      expect(JSON.parse(body) as PendingModel).toMatchObject({
        groups: [],
        summary: 'Whether pods are pending is unknown: this user may not list pods.',
      })
    })
  })

  test.for<{
    readonly it: string
    readonly forbid: readonly string[]
    readonly kind: string
    readonly arrange: (cluster: TestCluster) => Promise<unknown>
    readonly says: string
  }>([
    {
      it: 'ResourceSlices of a DRA driver',
      forbid: ['resourceslices'],
      kind: 'dra-drivers',
      arrange: (cluster) =>
        addObject(cluster, 'deviceClasses', 'gpus', {
          spec: { selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }] },
        }),
      says: 'Its ResourceSlices and devices are unknown.',
    },
    {
      it: 'CSINodes and CSIDrivers of a storage driver',
      forbid: ['csinodes', 'csidrivers'],
      kind: 'csi-drivers',
      arrange: (cluster) =>
        addObject(cluster, 'persistentVolumes', 'pv-1', {
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            csi: { driver: 'disk.example.com', volumeHandle: '1' },
          },
        }),
      says: 'Which nodes have registered it (CSINode) is unknown.',
    },
    {
      it: 'the pods of a network plugin',
      forbid: ['pods'],
      kind: 'networks',
      arrange: (cluster) =>
        addReportingNode(cluster, 'node-b', {
          conditions: [{ type: 'NetworkUnavailable', status: 'False', reason: 'FlannelIsUp' }],
        }),
      says: 'Which pods mount the directories of CNI is unknown, so the plugin has no name here.',
    },
    {
      it: 'the Lease of a cloud provider',
      forbid: ['leases'],
      kind: 'cloud-providers',
      arrange: (cluster) => addReportingNode(cluster, 'node-b', { spec: { providerID: 'aws:///eu/i-1' } }),
      says: 'Whether there is a Lease cloud-controller-manager is unknown.',
    },
    {
      it: 'the nodes of a RuntimeClass',
      forbid: ['nodes'],
      kind: 'runtimes',
      arrange: async (cluster) =>
        cluster.serve('/apis/node.k8s.io/v1/runtimeclasses', {
          metadata: {},
          items: [{ metadata: { name: 'fast' }, handler: 'fast' }],
        }),
      says: 'Which nodes have its handler fast is unknown.',
    },
    {
      it: 'the nodes of a device plugin',
      forbid: ['nodes'],
      kind: 'device-plugins',
      arrange: (cluster) =>
        addProgramPod(cluster, 'plugin-x', {
          owner: 'DaemonSet/plugin',
          hostPaths: ['/var/lib/kubelet/device-plugins'],
        }),
      says: 'What it offers is unknown.',
    },
    {
      it: 'the Services of an extender',
      forbid: ['services'],
      kind: 'extenders',
      arrange: (cluster) =>
        addScheduler(cluster, { extenders: [{ urlPrefix: 'https://extender.default.svc', filterVerb: 'filter' }] }),
      says: 'Whether a Service has this address is unknown.',
    },
    {
      it: 'the checks of the API server',
      forbid: ['readyz'],
      kind: 'kms',
      arrange: (cluster) =>
        addProgramPod(cluster, 'kube-apiserver-a', {
          labels: { component: 'kube-apiserver' },
          containers: [
            {
              name: 'kube-apiserver',
              image: 'i',
              command: ['kube-apiserver', '--encryption-provider-config=/etc/kms.yaml'],
            },
          ],
        }),
      says: 'Whether the API server checks a KMS plugin is unknown.',
    },
  ])('$it, in extensions', async ({ forbid, kind, arrange, says }) => {
    const cluster = testCluster()
    await arrange(cluster)
    cluster.forbid(...forbid)
    const { extensions } = await survey(cluster, kind)
    expect(extensions).toHaveLength(1)
    const evidence = extensions.flatMap((one) => one.evidence).join(' ')
    expect(evidence).toContain(says)
    expect(evidence).not.toMatch(
      /\bNo (?:ResourceSlice|CSIDriver|Service|node|pod|Lease|extended resource)\b|names no check/,
    )
  })
  test('the size of the cluster, in doctor', async () => {
    const cluster = testCluster()
    await addScheduler(cluster, { clientConnection: { qps: 1 } })
    for (let i = 0; i < 20; i++) await cluster.addPod(`waits-${i}`, {}, { schedulerName: 'packing' })
    cluster.forbid('nodes')
    cluster.forbidClusterWide('pods')
    const { evidence } = await onlyFinding(cluster, 'client-limits')
    expect(evidence).toContain('At least 20 of its pods wait, and the number of nodes is unknown.')
  })

  test('a scheduler whose Lease expired, without the events that it may have written', async () => {
    const cluster = await smallCluster({ schedulerName: 'tiny' })
    await addObject(
      cluster,
      'leases',
      'tiny',
      { spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:00.000000Z' } },
      { namespace: 'kube-system' },
    )
    cluster.forbid('events')
    const text = (await cluster.run('explain', 'pod', 'web')).replaceAll(/\s+/g, ' ')
    expect(text).toMatch(
      /Scheduler tiny: unknown\. Its Lease kube-system\/tiny expired, .* and events could not be read\./,
    )
  })
})
