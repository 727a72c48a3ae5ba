import { resourceRefs } from '@berth/k8s-client'
import { describe, expect, test } from 'vitest'
import { addObject, addProgramPod, addReportingNode } from '../extensions/surveyed-objects.ts'
import { testCluster, type TestCluster } from '../test-cluster.ts'
import { addEvent, onlyFinding, reportOf } from './report-of.ts'

const dongle = 'example.com/dongle'
const kubelet = '/var/lib/kubelet/device-plugins'

async function addPluginDaemonSet(cluster: TestCluster, namespace = 'kube-system'): Promise<void> {
  const template = {
    metadata: { labels: { app: 'plugin' } },
    spec: {
      containers: [{ name: 'plugin', image: 'plugin' }],
      volumes: [{ name: 'sockets', hostPath: { path: kubelet } }],
    },
  }
  await addObject(
    cluster,
    'daemonSets',
    'plugin',
    { spec: { selector: { matchLabels: { app: 'plugin' } }, template } },
    { namespace, annotations: { 'berth.dev/resources': dongle } },
  )
}

describe('kubelet-sockets', () => {
  test('accepts a plugin that is ready on a node that lists its resource', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', { amounts: { [dongle]: '4' } })
    await addPluginDaemonSet(cluster)
    await addProgramPod(cluster, 'plugin-1', { owner: 'DaemonSet/plugin', hostPaths: [kubelet] })
    expect(await reportOf(cluster, 'kubelet-sockets')).toMatchObject({
      status: 'ok',
      examined: ['DaemonSet kube-system/plugin with 1 pods.'],
    })
  })

  test('finds the root directory of the kubelet that another pod of the node uses', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a')
    await addProgramPod(cluster, 'plugin-1', { owner: 'DaemonSet/plugin', hostPaths: [kubelet], isReady: false })
    await addProgramPod(cluster, 'csi-1', { hostPaths: ['/var/lib/k0s/kubelet/plugins/disk.example.com'] })
    const message = `MountVolume.SetUp failed for volume "sockets" : hostPath type check failed: ${kubelet} is not a directory`
    const pod = { kind: 'Pod', namespace: 'kube-system', name: 'plugin-1' }
    await addEvent(cluster, pod, { reason: 'FailedMount', message })
    expect(await onlyFinding(cluster, 'kubelet-sockets')).toEqual({
      severity: 'problem',
      sentence: 'Pod kube-system/plugin-1 cannot mount the directory of the kubelet on node node-a.',
      evidence: [
        `Event FailedMount: ${message}`,
        'Pod kube-system/csi-1 on the same node uses a kubelet with the root directory /var/lib/k0s/kubelet.',
      ],
      fix: {
        sentence: "Set devicePlugin.kubeletDir of Berth's chart to /var/lib/k0s/kubelet, and upgrade the release.",
        commands: ['kubectl describe pod plugin-1 -n kube-system'],
        safety: 'The command only reads.',
        state: 'reads-only',
        reason: '',
      },
    })
  })

  test('reports a plugin that is not ready, and one whose resource the kubelet does not list', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a')
    await addPluginDaemonSet(cluster)
    await addProgramPod(cluster, 'plugin-1', { owner: 'DaemonSet/plugin', hostPaths: [kubelet] })
    await addProgramPod(cluster, 'plugin-2', { owner: 'DaemonSet/plugin', hostPaths: [kubelet], isReady: false })
    const { status, findings } = await reportOf(cluster, 'kubelet-sockets')
    expect(status).toBe('problem')
    expect(findings.map(({ sentence }) => sentence)).toEqual([
      `The kubelet of node node-a does not list ${dongle}, although pod kube-system/plugin-1 is ready.`,
      'Pod kube-system/plugin-2 of DaemonSet kube-system/plugin is not ready, so the kubelet of node node-a may not list its devices.',
    ])
    expect(findings[1]?.fix.commands).toEqual(['kubectl logs plugin-2 -n kube-system --all-containers --tail=50'])
  })
})

describe('pod-security', () => {
  async function withLevel(level: string | undefined): Promise<TestCluster> {
    const cluster = testCluster()
    const labels = level === undefined ? {} : { 'pod-security.kubernetes.io/enforce': level }
    await addObject(cluster, 'namespaces', 'berth-system', {}, { labels })
    await addPluginDaemonSet(cluster, 'berth-system')
    return cluster
  }

  test.for(['baseline', 'restricted'])('proposes a label for a namespace that enforces %s', async (level) => {
    const cluster = await withLevel(level)
    const message = `pods "plugin-x" is forbidden: violates PodSecurity "${level}:latest": hostPath volumes`
    await addEvent(
      cluster,
      { kind: 'DaemonSet', namespace: 'berth-system', name: 'plugin' },
      { reason: 'FailedCreate', message },
    )
    const finding = await onlyFinding(cluster, 'pod-security')
    expect(finding.evidence).toContain(`Event FailedCreate: ${message}`)
    expect(finding.fix).toMatchObject({
      state: 'verified',
      commands: ['kubectl label namespace berth-system pod-security.kubernetes.io/enforce=privileged --overwrite'],
    })
    const { metadata } = await cluster.client.get<{ metadata: { labels: Record<string, string> } }>(
      resourceRefs.namespaces,
      { name: 'berth-system' },
    )
    expect(metadata.labels['pod-security.kubernetes.io/enforce']).toBe(level)
  })

  test.for([undefined, 'privileged'])('accepts a namespace that enforces %s', async (level) => {
    expect(await reportOf(await withLevel(level), 'pod-security')).toMatchObject({ status: 'ok', findings: [] })
  })
})

describe('stale-resources', () => {
  const leftover = { capacity: { cpu: '4', [dongle]: '0' }, allocatable: { cpu: '4', [dongle]: '0' } }

  test('removes a name with 0 units by a command that was tried, and that fixes it', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', leftover)
    const { fix, severity } = await onlyFinding(cluster, 'stale-resources')
    expect([severity, fix.state, fix.commands.length]).toEqual(['warning', 'verified', 1])
    const [, patch = ''] = / -p '(.*)'$/.exec(fix.commands[0] ?? '') ?? []
    expect(fix.commands[0]).toMatch(/^kubectl patch node node-a --subresource=status --type=json -p '/)
    await cluster.client.patch(resourceRefs.nodes, { name: 'node-a' }, JSON.parse(patch), {
      type: 'json',
      subresource: 'status',
    })
    expect(await reportOf(cluster, 'stale-resources')).toMatchObject({ status: 'nothing', findings: [] })
  })

  test('tests for 0, so that the command fails once the node has units again', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', leftover)
    const { fix } = await onlyFinding(cluster, 'stale-resources')
    const [, patch = ''] = / -p '(.*)'$/.exec(fix.commands[0] ?? '') ?? []
    const amounts = { [dongle]: '4' }
    const options = { fieldManager: 'kubelet' }
    await cluster.client.patchNodeStatus('node-a', { status: { capacity: amounts, allocatable: amounts } }, options)
    const again = cluster.client.patch(resourceRefs.nodes, { name: 'node-a' }, JSON.parse(patch), {
      type: 'json',
      subresource: 'status',
    })
    await expect(again).rejects.toMatchObject({ status: 422 })
  })

  test.for([
    { it: 'a pod requests', holder: true, declared: false },
    { it: 'a device plugin of the node declares', holder: false, declared: true },
  ])('keeps a name that $it', async ({ holder, declared }) => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', leftover)
    if (holder) await cluster.addPod('holder', { [dongle]: '1' }, { nodeName: 'node-a' })
    if (declared) {
      await addPluginDaemonSet(cluster)
      await addProgramPod(cluster, 'plugin-1', { owner: 'DaemonSet/plugin', hostPaths: [kubelet] })
    }
    expect(await reportOf(cluster, 'stale-resources')).toMatchObject({ status: 'ok', findings: [] })
  })

  test('reports units of which none is allocatable as a problem', async () => {
    const cluster = testCluster()
    const allocatable = { cpu: '4', [dongle]: '0' }
    await addReportingNode(cluster, 'node-a', { capacity: { cpu: '4', [dongle]: '4' }, allocatable })
    expect(await onlyFinding(cluster, 'stale-resources')).toMatchObject({
      severity: 'problem',
      sentence: `No unit of ${dongle} is allocatable on node node-a.`,
      fix: { commands: ['kubectl get pods -A --field-selector spec.nodeName=node-a'] },
    })
  })

  test('judges nothing without the right to list pods', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', leftover)
    cluster.forbid('pods')
    const { status, missing } = await reportOf(cluster, 'stale-resources')
    expect([status, missing.join()]).toEqual(['unknown', expect.stringContaining('grant the verb "list" on "pods"')])
  })

  test('tries the fixes of 50 names, and says that it did not try the others', async () => {
    const cluster = testCluster()
    const zeros = Object.fromEntries(Array.from({ length: 53 }, (_, index) => [`example.com/gone-${index}`, '0']))
    await addReportingNode(cluster, 'node-a', { capacity: { cpu: '4', ...zeros }, allocatable: { cpu: '4', ...zeros } })
    const { findings } = await reportOf(cluster, 'stale-resources')
    const states = findings.map(({ fix }) => fix.state)
    expect(states.filter((state) => state === 'verified')).toHaveLength(50)
    expect(findings.at(-1)?.fix.reason).toContain('It was not tried')
  })

  test('prints commands for five nodes, and counts the others', async () => {
    const cluster = testCluster()
    for (let i = 0; i < 7; i++) await addReportingNode(cluster, `node-${i}`, leftover)
    const { sentence, fix } = await onlyFinding(cluster, 'stale-resources')
    expect(sentence).toContain('node-4 and 2 more')
    expect([fix.commands.length, fix.state]).toEqual([5, 'verified'])
  })
})
