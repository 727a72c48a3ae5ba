import { describe, expect, test } from 'vitest'
import { testCluster } from '../test-cluster.ts'
import { survey, found } from './survey-of.ts'
import { addObject, addProgramPod, addReportingNode, setStatusOf } from './surveyed-objects.ts'

const dongle = 'example.com/dongle'

describe('extended resources', () => {
  test('names who wrote the amounts, by the managed fields of the nodes', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', { amounts: { [dongle]: '4' } })
    await addReportingNode(cluster, 'node-b', { amounts: { [dongle]: '2' }, manager: 'kubectl-patch' })
    await addReportingNode(cluster, 'node-c', { amounts: { 'example.com/seat': '7' }, manager: 'berth-advertiser' })
    await cluster.addPod('holder', { [dongle]: '3' }, { nodeName: 'node-a' })
    const { extensions } = await survey(cluster, 'extended-resources')
    expect(extensions).toMatchObject([
      {
        name: dongle,
        use: 'used',
        health: 'healthy',
        usedBy: ['pod default/holder'],
        evidence: [
          '4 units on node node-a: written by the kubelet, for a device plugin.',
          '2 units on node node-b: written by the field manager kubectl-patch.',
        ],
      },
      {
        name: 'example.com/seat',
        use: 'unused',
        evidence: ["7 units on node node-c: written by Berth's advertiser."],
      },
    ])
  })

  test('unhealthy units and names that were left at 0 are not healthy', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', {
      capacity: { cpu: '4', [dongle]: '4', 'example.com/gone': '0' },
      allocatable: { cpu: '4', [dongle]: '3', 'example.com/gone': '0' },
    })
    const { lines } = await found(cluster, 'extended-resources')
    expect(lines).toEqual([`${dongle}: unused, unhealthy`, 'example.com/gone: unused, unhealthy'])
    expect(await cluster.run('extensions', 'extended-resources')).toContain('Node node-a: 3 of 4 units are allocatable')
  })
})

test('a resource that only a DeviceClass backs is listed, and nothing is claimed about its health', async () => {
  const cluster = testCluster()
  await addObject(cluster, 'deviceClasses', 'gpu', { spec: { extendedResourceName: 'example.com/gpu' } })
  const { lines, first } = await found(cluster, 'extended-resources')
  expect(lines).toEqual(['example.com/gpu: unused, unknown'])
  expect(first.evidence).toEqual(['DeviceClass gpu backs it, so a DRA driver allocates it.'])
})

describe('device plugins', () => {
  test('are the programs that mount the directory of the kubelet, with the resources of their nodes', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', { amounts: { [dongle]: '4' } })
    await addReportingNode(cluster, 'node-b', { amounts: { 'example.com/seat': '4' }, manager: 'kubectl-patch' })
    const hostPaths = ['/var/lib/kubelet/device-plugins/']
    await addProgramPod(cluster, 'plugin-1', { owner: 'DaemonSet/plugin', hostPaths })
    await addProgramPod(cluster, 'other-1', { owner: 'DaemonSet/other', hostPaths: ['/var/log'] })
    await cluster.addPod('holder', { [dongle]: '1' }, { nodeName: 'node-a' })
    const { lines, first } = await found(cluster, 'device-plugins')
    expect(lines).toEqual(['DaemonSet kube-system/plugin: used, healthy'])
    expect(first.evidence).toEqual([
      '1 of 1 pods are ready. They mount /var/lib/kubelet/device-plugins.',
      `Its nodes alone offer, by the kubelet: ${dongle}.`,
    ])
  })

  test('those of the plugin watcher count, drivers of CSI and DRA do not', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a')
    await addObject(cluster, 'csiDrivers', 'disk.example.com', { spec: {} })
    const registry = '/var/lib/kubelet/plugins_registry'
    await addProgramPod(cluster, 'berth-1', {
      owner: 'DaemonSet/berth-device-plugin',
      hostPaths: [`${registry}/berth`],
      isReady: false,
    })
    await addProgramPod(cluster, 'csi-1', {
      owner: 'DaemonSet/csi',
      hostPaths: [registry, '/var/lib/kubelet/plugins/disk.example.com'],
    })
    await addObject(
      cluster,
      'daemonSets',
      'berth-device-plugin',
      {
        spec: {
          selector: { matchLabels: { app: 'a' } },
          template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
        },
      },
      { namespace: 'kube-system', annotations: { 'berth.dev/resources': `${dongle},example.com/seat` } },
    )
    const { lines, first } = await found(cluster, 'device-plugins')
    expect(lines).toEqual(['DaemonSet kube-system/berth-device-plugin: unused, unhealthy'])
    expect(first.evidence[1]).toBe(`It declares ${dongle}, example.com/seat (annotation berth.dev/resources).`)
  })
})

describe('DRA drivers', () => {
  test('an incomplete pool and a class without slices are not healthy; claims are the users', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a')
    const pool = { name: 'node-a', generation: 1, resourceSliceCount: 2 }
    const spec = { driver: 'gpu.example.com', nodeName: 'node-a', pool, devices: [{ name: 'gpu-0' }] }
    await addObject(cluster, 'resourceSlices', 'slice-1', { spec })
    await addObject(cluster, 'deviceClasses', 'nic', {
      spec: { selectors: [{ cel: { expression: 'device.driver == "nic.example.com"' } }] },
    })
    await addObject(cluster, 'resourceClaims', 'claim', {
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
    })
    const results = [{ request: 'gpu', driver: 'gpu.example.com', pool: 'node-a', device: 'gpu-0' }]
    await setStatusOf(
      cluster,
      'resourceClaims',
      { name: 'claim', namespace: 'default' },
      {
        allocation: { devices: { results } },
        reservedFor: [{ resource: 'pods', name: 'trainer', uid: 'u' }],
      },
    )
    const { lines, first } = await found(cluster, 'dra-drivers')
    expect(lines).toEqual(['gpu.example.com: used, unhealthy', 'nic.example.com: unused, unhealthy'])
    expect(first.usedBy).toEqual(['ResourceClaim default/claim', 'pod default/trainer'])
    expect(first.evidence).toContain('Pool node-a is incomplete: 1 of 2 ResourceSlices of its newest generation exist.')
  })
})

describe('CSI drivers', () => {
  test('one that no node has registered and one that cannot attach are not healthy', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a')
    for (const name of ['fine.example.com', 'lost.example.com', 'stuck.example.com'])
      await addObject(cluster, 'csiDrivers', name, { spec: {} })
    const drivers = ['fine.example.com', 'stuck.example.com'].map((name) => ({ name, nodeID: 'a', topologyKeys: [] }))
    await addObject(cluster, 'csiNodes', 'node-a', { spec: { drivers } })
    await addObject(cluster, 'storageClasses', 'fast', { provisioner: 'fine.example.com' })
    await addObject(cluster, 'volumeAttachments', 'a', {
      spec: { attacher: 'stuck.example.com', nodeName: 'node-a', source: { persistentVolumeName: 'pv-1' } },
    })
    await setStatusOf(
      cluster,
      'volumeAttachments',
      { name: 'a' },
      {
        attached: false,
        attachError: { message: 'no such disk' },
      },
    )
    const { lines, first } = await found(cluster, 'csi-drivers')
    expect(lines).toEqual([
      'fine.example.com: used, healthy',
      'lost.example.com: unused, unhealthy',
      'stuck.example.com: unused, unhealthy',
    ])
    expect(first.usedBy).toEqual(['StorageClass fast'])
    expect(await cluster.run('extensions', 'csi-drivers')).toContain('cannot attach pv-1 to node node-a: no such disk')
  })
})

describe('nodes', () => {
  test('a network plugin is the program that mounts the directories of CNI, and nodes say what fails', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', { isReady: false, message: 'cni plugin not initialized' })
    await addProgramPod(cluster, 'net-1', { owner: 'DaemonSet/net', hostPaths: ['/etc/cni/net.d', '/run'] })
    const { lines, first } = await found(cluster, 'networks')
    expect(lines).toEqual(['DaemonSet kube-system/net: used, unhealthy'])
    expect(first.evidence).toContain('Node node-a is not ready: cni plugin not initialized')
  })

  test('runtimes are grouped by version; a RuntimeClass needs a node with its handler', async () => {
    const cluster = testCluster()
    const nodeInfo = (version: string): object => ({ containerRuntimeVersion: version })
    await addReportingNode(cluster, 'node-a', {
      nodeInfo: nodeInfo('containerd://2.1.4'),
      runtimeHandlers: [{ name: 'runc' }],
    })
    await addReportingNode(cluster, 'node-b', { nodeInfo: nodeInfo('cri-o://1.36.0'), isReady: false, message: 'gone' })
    await cluster.addPod('a', {}, { nodeName: 'node-a' })
    cluster.serve('/apis/node.k8s.io/v1/runtimeclasses', {
      metadata: {},
      items: [
        { metadata: { name: 'plain' }, handler: 'runc' },
        { metadata: { name: 'sandbox' }, handler: 'runsc' },
      ],
    })
    const { lines, first } = await found(cluster, 'runtimes')
    expect(lines).toEqual([
      'RuntimeClass plain: unused, healthy',
      'RuntimeClass sandbox: unused, unhealthy',
      'containerd://2.1.4: used, healthy',
      'cri-o://1.36.0: unused, unhealthy',
    ])
    expect(first.evidence).toEqual(['1 of 2 nodes report its handler runc.'])
  })

  test('virtual nodes are recognized by their labels and taints', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a')
    await addReportingNode(cluster, 'aci', { labels: { type: 'virtual-kubelet' } })
    await addReportingNode(cluster, 'sim', {
      isReady: false,
      spec: { taints: [{ key: 'berth.dev/simulated', value: 'true', effect: 'NoSchedule' }] },
    })
    await cluster.addPod('a', {}, { nodeName: 'aci' })
    const { lines } = await found(cluster, 'virtual-nodes')
    expect(lines).toEqual(['aci: used, healthy', 'sim: unused, unhealthy'])
  })
})
