import { resourceRefs } from '@berth/k8s-client'
import { describe, expect, test } from 'vitest'
import {
  addConfiguredScheduler,
  addObject,
  addProgramPod,
  addReportingNode,
  addSchedulerConfiguration,
  authorityPem,
} from '../extensions/surveyed-objects.ts'
import { testCluster, type TestCluster } from '../test-cluster.ts'
import { addEvent, onlyFinding, reportOf } from './report-of.ts'

const dayMs = 86_400_000

/** A scheduler with a configuration in a ConfigMap of its name; as a pod of a Deployment when it has `owner`. */
async function addScheduler(
  cluster: TestCluster,
  name: string,
  configuration: object,
  { owner, configMap = name }: { readonly owner?: string; readonly configMap?: string } = {},
): Promise<void> {
  if (configMap === name) await addSchedulerConfiguration(cluster, name, configuration)
  await addConfiguredScheduler(cluster, name, {
    configMap,
    ...(owner !== undefined && { owner: `ReplicaSet/${owner}-5d`, labels: { 'pod-template-hash': '5d' } }),
  })
}

describe('scheduler-names', () => {
  const profiles = [{ schedulerName: 'packing' }]
  const lease = (resourceName: string): object => ({ leaderElection: { resourceName } })

  async function addDeployment(cluster: TestCluster, name: string): Promise<void> {
    const labels = { app: name }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } }
    await cluster.create(resourceRefs.deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: 'default' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    } as never)
  }

  /** Two schedulers of one name with different Leases, of which the second is a pod of the Deployment `second`. */
  async function withTwoSchedulers(): Promise<TestCluster> {
    const cluster = testCluster()
    await addScheduler(cluster, 'first-scheduler', { profiles, ...lease('first') })
    await addScheduler(cluster, 'second-scheduler', { profiles, ...lease('second') }, { owner: 'second' })
    return cluster
  }

  test('two schedulers with different Leases serve one name at the same time', async () => {
    const cluster = await withTwoSchedulers()
    await addDeployment(cluster, 'second')
    const { sentence, evidence, fix } = await onlyFinding(cluster, 'scheduler-names')
    expect(sentence).toBe('2 schedulers place the pods with the schedulerName packing at the same time.')
    expect(evidence).toEqual([
      'Pod default/first-scheduler (ConfigMap default/first-scheduler) competes for the Lease kube-system/first.',
      'Pod default/second-scheduler (ConfigMap default/second-scheduler) competes for the Lease kube-system/second.',
    ])
    expect(fix).toMatchObject({
      state: 'verified',
      commands: ['kubectl scale deployment second -n default --replicas=0'],
    })
  })

  test('two replicas without leader election are two schedulers; one replica is enough', async () => {
    const cluster = testCluster()
    await addDeployment(cluster, 'twin')
    const configuration = { profiles, leaderElection: { leaderElect: false } }
    await addScheduler(cluster, 'scheduler-1', configuration, { owner: 'twin' })
    await addScheduler(cluster, 'scheduler-2', configuration, { owner: 'twin', configMap: 'scheduler-1' })
    const { fix } = await onlyFinding(cluster, 'scheduler-names')
    expect(fix.commands).toEqual(['kubectl scale deployment twin -n default --replicas=1'])
  })

  test('replicas that compete for one Lease are one scheduler', async () => {
    const cluster = testCluster()
    await addScheduler(cluster, 'scheduler-1', { profiles, ...lease('one') })
    await addScheduler(cluster, 'scheduler-2', { profiles, ...lease('one') })
    expect(await reportOf(cluster, 'scheduler-names')).toMatchObject({ status: 'ok', findings: [] })
  })

  test('a pod that is named like a scheduler and has the configuration of another program serves no name', async () => {
    const cluster = testCluster()
    await addScheduler(cluster, 'first-scheduler', { kind: 'KubeSchedulerConfiguration', ...lease('first') })
    await addScheduler(cluster, 'report-scheduler', { kind: 'ReportConfiguration', profiles: ['weekly'] })
    expect(await reportOf(cluster, 'scheduler-names')).toMatchObject({
      status: 'ok',
      examined: ['ConfigMap default/first-scheduler: default-scheduler with the Lease kube-system/first.'],
    })
  })

  test('a fix that this user may not make keeps its command and says so', async () => {
    const cluster = await withTwoSchedulers()
    await addDeployment(cluster, 'second')
    cluster.forbid('scale')
    const { fix } = await onlyFinding(cluster, 'scheduler-names')
    expect(fix).toMatchObject({ state: 'untried', commands: [expect.stringContaining('kubectl scale')] })
    expect(fix.reason).toContain('This user may not make the change')
  })

  test('a fix that the API server refuses is shown without its command', async () => {
    // The Deployment does not exist.
    const cluster = await withTwoSchedulers()
    const { fix } = await onlyFinding(cluster, 'scheduler-names')
    expect(fix).toMatchObject({ state: 'untried', commands: [], reason: expect.stringContaining('A dry run failed') })
  })
})

describe('client-limits', () => {
  const configuration = (qps: number | undefined): object => ({
    profiles: [{ schedulerName: 'packing' }],
    ...(qps !== undefined && { clientConnection: { qps } }),
  })

  async function withWaiting(qps: number | undefined, count: number): Promise<TestCluster> {
    const cluster = testCluster()
    await addScheduler(cluster, 'scheduler-1', configuration(qps))
    for (let i = 0; i < count; i++) await cluster.addPod(`waiting-${i}`, {}, { schedulerName: 'packing' })
    return cluster
  }

  test('warns when the limit makes a backlog take long', async () => {
    const { severity, sentence, evidence, fix } = await onlyFinding(await withWaiting(2, 40), 'client-limits')
    expect([severity, sentence]).toEqual([
      'warning',
      'The client of packing may send 2 requests per second, so it places at most 1 pods per second.',
    ])
    expect(evidence).toContain('Writing their bindings and events takes at least 40s.')
    expect(fix).toMatchObject({
      state: 'reads-only',
      commands: ['kubectl get configmap scheduler-1 -n default -o yaml'],
      sentence: expect.stringContaining('clientConnection: {qps: 500, burst: 1000} in ConfigMap default/scheduler-1'),
    })
  })

  test.for([
    { qps: undefined, count: 40 },
    { qps: 500, count: 40 },
  ])('accepts $qps requests per second for $count pods', async ({ qps, count }) => {
    expect(await reportOf(await withWaiting(qps, count), 'client-limits')).toMatchObject({ status: 'ok' })
  })
})

describe('extender-calls', () => {
  const url = 'https://127.0.0.1:8888'
  const withExtender = (isIgnorable: boolean): object => ({
    profiles: [{ schedulerName: 'packing' }],
    extenders: [{ urlPrefix: url, filterVerb: 'filter', ignorable: isIgnorable }],
  })

  test.for([
    { isIgnorable: false, severity: 'problem' },
    { isIgnorable: true, severity: 'warning' },
  ])('takes a failed call from a recent event as a $severity', async ({ isIgnorable, severity }) => {
    const cluster = testCluster()
    await addScheduler(cluster, 'scheduler-1', withExtender(isIgnorable))
    const message = `Post "${url}/filter": dial tcp 127.0.0.1:8888: connect: connection refused`
    await addEvent(
      cluster,
      { kind: 'Pod', namespace: 'default', name: 'a' },
      { reason: 'FailedScheduling', message, component: 'packing' },
    )
    const finding = await onlyFinding(cluster, 'extender-calls')
    expect(finding.severity).toBe(severity)
    expect(finding.evidence).toContain(`Event FailedScheduling: ${message}`)
    expect(finding.fix.commands).toEqual(['kubectl logs scheduler-1 -n default --all-containers --tail=50'])
    await cluster.terminal.clock.advance(11 * 60_000)
    expect(await reportOf(cluster, 'extender-calls')).toMatchObject({ status: 'ok', findings: [] })
  })

  test('finds the failed call of an extender whose URL has a password, and does not show the password', async () => {
    const cluster = testCluster()
    const extenders = [{ urlPrefix: 'https://me:secret@extender.example.com:8888/', filterVerb: 'filter' }]
    await addScheduler(cluster, 'scheduler-1', { profiles: [{ schedulerName: 'packing' }], extenders })
    // Go hides the password in the errors of its HTTP client, not the user.
    const message = 'Post "https://me:***@extender.example.com:8888/filter": dial tcp: connection refused'
    await addEvent(cluster, { kind: 'Pod', namespace: 'default', name: 'a' }, { reason: 'FailedScheduling', message })
    const finding = await onlyFinding(cluster, 'extender-calls')
    expect(finding.sentence).toContain('The extender https://…@extender.example.com:8888/ does not answer')
    expect(finding.evidence).toContain(`Event FailedScheduling: ${message}`)
    expect(JSON.stringify(finding)).not.toContain('secret')
  })

  test('reports an extender whose Service has no endpoint', async () => {
    const cluster = testCluster()
    await cluster.create(resourceRefs.services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'extender', namespace: 'default' },
      spec: { ports: [{ port: 443 }], clusterIP: '10.96.0.7' },
    } as never)
    const extenders = [{ urlPrefix: 'https://extender.default.svc', filterVerb: 'filter' }]
    await addScheduler(cluster, 'scheduler-1', { profiles: [{ schedulerName: 'packing' }], extenders })
    const { evidence } = await onlyFinding(cluster, 'extender-calls')
    expect(evidence).toContain('Service default/extender has no ready endpoint.')
  })
})

describe('extender-certificates', () => {
  const secrets = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

  /** An extender that mounts these certificates as the Secrets `server` and `client`. */
  async function withCertificates(
    ...pairs: readonly { readonly name: string; readonly certificate: string; readonly authority: string }[]
  ): Promise<TestCluster> {
    const cluster = testCluster()
    for (const { name, certificate, authority } of pairs)
      await cluster.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'default', labels: { 'app.kubernetes.io/part-of': 'berth' } },
        data: {
          'tls.crt': Buffer.from(certificate).toString('base64'),
          'ca.crt': Buffer.from(authority).toString('base64'),
          'tls.key': Buffer.from('secret key').toString('base64'),
        },
      } as never)
    await addProgramPod(cluster, 'extender-1', {
      namespace: 'default',
      labels: { 'app.kubernetes.io/component': 'extender' },
      volumes: pairs.map(({ name }) => ({ name, secret: { secretName: name } })),
    })
    return cluster
  }
  const pemFor = (fromDays: number, toDays: number): Promise<string> => {
    const nowMs = testCluster().terminal.clock.now()
    return authorityPem(new Date(nowMs + fromDays * dayMs), new Date(nowMs + toDays * dayMs))
  }

  test.for([
    { fromDays: -2, toDays: 300, status: 'ok', says: /^$/ },
    { fromDays: -60, toDays: 9, status: 'warning', says: /expires in 9d\.$/ },
    { fromDays: -300, toDays: 29, status: 'warning', says: /expires in 29d\.$/ },
    // Renewed after two thirds of 30 days.
    { fromDays: -20, toDays: 10, status: 'ok', says: /^$/ },
    { fromDays: -9, toDays: -2, status: 'problem', says: /expired 2d(?:\d+h)? ago\.$/ },
    { fromDays: 2, toDays: 9, status: 'problem', says: /is not valid for another \S+\.$/ },
  ])('from day $fromDays to day $toDays: $status', async ({ fromDays, toDays, status, says }) => {
    const pem = await pemFor(fromDays, toDays)
    const cluster = await withCertificates({ name: 'server', certificate: pem, authority: pem })
    const report = await reportOf(cluster, 'extender-certificates')
    expect(report.status).toBe(status)
    expect(report.findings.map(({ sentence }) => sentence).join('\n')).toMatch(says)
    expect(JSON.stringify(report)).not.toContain('secret key')
  })

  test('finds a certificate that the other side does not trust', async () => {
    const [one, other] = await Promise.all([pemFor(-2, 300), pemFor(-2, 300)])
    const cluster = await withCertificates(
      { name: 'server', certificate: one, authority: one },
      { name: 'client', certificate: one, authority: other },
    )
    const { findings, status } = await reportOf(cluster, 'extender-certificates')
    expect(status).toBe('problem')
    expect(findings[0]?.sentence).toContain('is not signed by the CA of Secret default/client')
    expect(findings[0]?.fix.sentence).toContain('Upgrade the release to a chart with the authority')
  })

  test('says which Secret it may not read', async () => {
    const pem = await pemFor(-2, 300)
    const cluster = await withCertificates({ name: 'server', certificate: pem, authority: pem })
    cluster.forbid('server')
    expect(await reportOf(cluster, 'extender-certificates')).toMatchObject({
      status: 'unknown',
      missing: ['The dates of Secret default/server are unknown: grant the verb "get" on this Secret to this user.'],
    })
  })
})

test('a scheduler whose file cannot be read shows its election and its limit on /configz', async () => {
  const cluster = testCluster()
  await addScheduler(cluster, 'scheduler-1', {}, { configMap: 'missing' })
  cluster.serve('/api/v1/namespaces/default/pods/https%3Ascheduler-1%3A10259/proxy/configz', {
    componentconfig: {
      Profiles: [{ SchedulerName: 'packing' }],
      LeaderElection: { LeaderElect: true, ResourceName: 'packing', ResourceNamespace: 'ops' },
      ClientConnection: { QPS: 70, Burst: 100 },
    },
  })
  const source = '/configz of pod default/scheduler-1'
  expect((await reportOf(cluster, 'client-limits')).examined).toEqual([`${source}: 70 requests per second.`])
  expect((await reportOf(cluster, 'scheduler-names')).examined).toEqual([
    `${source}: packing with the Lease ops/packing.`,
  ])
})

test('a kubeadm scheduler that is configured by flags has the default limit and its Lease', async () => {
  const cluster = testCluster()
  await addReportingNode(cluster, 'node-a')
  await addObject(cluster, 'leases', 'kube-scheduler', {}, { namespace: 'kube-system' })
  await addProgramPod(cluster, 'kube-scheduler-node-a', {
    containers: [
      { name: 'a', image: 'registry/kube-scheduler:v1.36.3', command: ['kube-scheduler', '--leader-elect=true'] },
    ],
  })
  const source = 'flags of pod kube-system/kube-scheduler-node-a'
  expect((await reportOf(cluster, 'client-limits')).examined).toEqual([`${source}: 50 requests per second.`])
  expect((await reportOf(cluster, 'scheduler-names')).examined).toEqual([
    `${source}: default-scheduler with the Lease kube-system/kube-scheduler.`,
  ])
})
