import { ConfigError } from '@berth/process/errors'
import { describe, expect, test } from 'vitest'
import { loadSettings, type Settings } from './settings.ts'

const header = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n'

function load(text: string, argv: readonly string[] = []): Settings {
  const settings = loadSettings({ argv: ['--config', 'scheduler.yaml', ...argv], env: {}, readFile: () => text })
  if (settings.kind === 'exit') throw new Error(settings.text)
  return settings
}

describe('loadSettings', () => {
  test('defaults to one profile, a Lease and the default limits', () => {
    const settings = loadSettings({ argv: [], env: {} })
    expect(settings).toMatchObject({
      kind: 'settings',
      profiles: [{ schedulerName: 'berth-scheduler' }],
      lease: {
        name: 'berth-scheduler',
        namespace: 'kube-system',
        durationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2_000,
      },
      backoff: { initialMs: 1_000, maxMs: 10_000 },
      qps: 1_000,
      burst: 2_000,
      extenders: [],
    })
  })

  test('reads a KubeSchedulerConfiguration', () => {
    const settings = load(`${header}
parallelism: 16
percentageOfNodesToScore: 0
podInitialBackoffSeconds: 2
podMaxBackoffSeconds: 20
leaderElection: { leaderElect: true, resourceName: mine, resourceNamespace: berth, leaseDuration: 30s, renewDeadline: 20s, retryPeriod: 500ms }
clientConnection: { qps: 50, burst: 100, kubeconfig: /etc/kubeconfig, contentType: application/vnd.kubernetes.protobuf }
profiles: [{ schedulerName: one }, { schedulerName: two }]
extenders:
  - urlPrefix: https://127.0.0.1:8888/
    filterVerb: filter
    httpTimeout: 1500ms
    nodeCacheCapable: true
`)
    expect(settings).toMatchObject({
      kubeconfig: '/etc/kubeconfig',
      qps: 50,
      burst: 100,
      backoff: { initialMs: 2_000, maxMs: 20_000 },
      lease: { name: 'mine', namespace: 'berth', durationMs: 30_000, renewDeadlineMs: 20_000, retryPeriodMs: 500 },
      profiles: [{ schedulerName: 'one' }, { schedulerName: 'two' }],
      extenders: [{ urlPrefix: 'https://127.0.0.1:8888/', ignorable: false, weight: 0 }],
    })
  })

  test('flags override the file', () => {
    const argv = ['--kubeconfig', '/mine', '--kube-api-qps', '7', '--leader-elect=false', '--scheduler-name', 'other']
    const text = `${header}clientConnection: { qps: 50, kubeconfig: /theirs }\nprofiles: [{ schedulerName: one }]\n`
    expect(load(text, argv)).toMatchObject({
      kubeconfig: '/mine',
      qps: 7,
      burst: 14,
      lease: { isElection: false, name: 'other', namespace: 'kube-system' },
      profiles: [{ schedulerName: 'other' }],
    })
  })

  test('has the defaults of kube-scheduler under its name', () => {
    const settings = loadSettings({ argv: [], env: {}, program: '/usr/local/bin/kube-scheduler' })
    expect(settings).toMatchObject({
      profiles: [{ schedulerName: 'default-scheduler' }],
      lease: { name: 'kube-scheduler', namespace: 'kube-system' },
      healthAddress: undefined,
      secureServing: { address: '0.0.0.0:10259', certFile: undefined },
    })
    const plain = loadSettings({ argv: ['--health-address', '127.0.0.1:9'], env: {}, program: 'kube-scheduler' })
    expect(plain).toMatchObject({ healthAddress: '127.0.0.1:9' })
  })

  test('serves HTTPS only with --secure-port under its own name', () => {
    expect(loadSettings({ argv: [], env: {}, program: '/app/scheduler/main.js' })).toMatchObject({
      healthAddress: '0.0.0.0:9402',
      secureServing: undefined,
    })
    const argv = [
      '--secure-port',
      '10259',
      '--bind-address=::1',
      '--tls-cert-file',
      'crt',
      '--tls-private-key-file',
      'key',
    ]
    expect(loadSettings({ argv, env: {} })).toMatchObject({
      secureServing: { address: '[::1]:10259', certFile: 'crt', keyFile: 'key' },
    })
  })

  test('reads the flags of the leader election', () => {
    const argv = [
      '--leader-elect-resource-name=mine',
      '--leader-elect-resource-namespace=ours',
      '--leader-elect-resource-lock=leases',
      '--leader-elect-lease-duration=1m0s',
      '--leader-elect-renew-deadline=40s',
      '--leader-elect-retry-period=5s',
    ]
    expect(load(header, argv).lease).toEqual({
      isElection: true,
      name: 'mine',
      namespace: 'ours',
      durationMs: 60_000,
      renewDeadlineMs: 40_000,
      retryPeriodMs: 5_000,
    })
  })

  test.for([
    { argv: ['-v', '2'], level: 'info' },
    { argv: ['-v=4'], level: 'debug' },
    { argv: ['--v=10', '--log-level=warn'], level: 'warn' },
  ])('logs at level $level with $argv', ({ argv, level }) => {
    expect(loadSettings({ argv, env: {} })).toMatchObject({ logLevel: level })
  })

  test('reads null and the values that kube-scheduler writes for unset keys as unset', () => {
    const text = `${header}clientConnection: { qps: 0, burst: 0, kubeconfig: "" }\nprofiles: null\nextenders: ~\n`
    expect(load(text)).toMatchObject({
      qps: 1_000,
      burst: 2_000,
      kubeconfig: undefined,
      profiles: [{ schedulerName: 'berth-scheduler' }],
    })
  })

  test('says which keys have no effect, and why', () => {
    const text = `${header}delayCacheUntilActive: true
profiles:
  - schedulerName: a
    percentageOfNodesToScore: 30
    plugins: { preEnqueue: { disabled: [{ name: SchedulingGates }] } }
`
    expect(load(text).idle).toEqual([
      { key: 'delayCacheUntilActive', reason: expect.stringContaining('failover') as string },
      { key: 'profiles[0].percentageOfNodesToScore', reason: expect.stringContaining('every node') as string },
      { key: 'profiles[0].plugins.preEnqueue.disabled[0]', reason: expect.stringContaining('API server') as string },
    ])
    expect(load(header).idle).toEqual([])
  })

  test('turns leader election off through the file', () => {
    const text = `${header}leaderElection: { leaderElect: false }`
    expect(load(text).lease).toMatchObject({ isElection: false, name: 'berth-scheduler' })
    expect(load(text, ['--leader-elect']).lease.isElection).toBe(true)
    expect(load(text, ['--scheduler-name', 'mine']).lease.name).toBe('mine')
    expect(load(text, ['--scheduler-name', 'mine', '--leader-elect-resource-name', 'ours']).lease.name).toBe('ours')
  })

  test('does not check the times of the Lease without leader election', () => {
    const text = `${header}leaderElection: { leaderElect: false, leaseDuration: 5s }`
    expect(load(text).lease).toMatchObject({ isElection: false, durationMs: 15_000 })
    expect(() => load(text, ['--leader-elect'])).toThrow('leaderElection.leaseDuration')
  })

  test.for([
    {
      it: 'a Lease that expires before the renew deadline',
      text: 'leaderElection: { leaseDuration: 5s }',
      says: 'leaderElection.leaseDuration: must be longer than renewDeadline (10 s), and is 5 s',
    },
    {
      it: 'a renew deadline without time for a second attempt',
      text: 'leaderElection: { renewDeadline: 2s }',
      says: 'leaderElection.renewDeadline: must be longer than 1.2 times retryPeriod (2.4 s), and is 2 s',
    },
    {
      it: 'a Lease duration that is not in whole seconds',
      text: 'leaderElection: { leaseDuration: 12500ms }',
      says: 'leaderElection.leaseDuration: must be whole seconds, and is 12.5 s',
    },
    {
      it: 'an unknown key, with a suggestion',
      text: 'profile: []',
      says: 'profile: no such key; did you mean "profiles"?',
    },
    {
      it: 'an unknown nested key',
      text: 'profiles: [{ schedulerName: a, plugin: {} }]',
      says: 'profiles[0].plugin: no such key',
    },
    { it: 'another API version', text: 'apiVersion: kubescheduler.config.k8s.io/v1beta3', says: 'apiVersion: ' },
    {
      it: 'two profiles with the same name',
      text: 'profiles: [{ schedulerName: a }, { schedulerName: a }]',
      says: 'profiles[1].schedulerName: duplicate schedulerName',
    },
    {
      it: 'an extender without a weight',
      text: 'extenders: [{ urlPrefix: "http://a", prioritizeVerb: p }]',
      says: 'extenders[0].weight: must have a positive weight applied to it',
    },
    {
      it: 'two extenders that bind',
      text: 'extenders: [{ urlPrefix: "http://a", bindVerb: b }, { urlPrefix: "http://b", bindVerb: b }]',
      says: 'found 2 extenders implementing bind; only one extender can implement bind',
    },
    {
      it: 'a resource with two managers',
      text: 'extenders: [{ urlPrefix: "http://a", managedResources: [{ name: a.b/c }] }, { urlPrefix: "http://b", managedResources: [{ name: a.b/c }] }]',
      says: 'extenders[1].managedResources[0].name: duplicate extender managed resource name',
    },
    {
      it: 'an invalid name of a managed resource',
      text: 'extenders: [{ urlPrefix: "http://a", managedResources: [{ name: cpu }] }]',
      says: 'is an invalid extended resource name',
    },
    {
      it: 'insecure TLS with a CA',
      text: 'extenders: [{ urlPrefix: "https://a", tlsConfig: { insecure: true, caFile: f } }]',
      says: 'extenders[0].tlsConfig.insecure: specifying a root certificates file',
    },
    {
      it: 'an invalid duration',
      text: 'extenders: [{ urlPrefix: "http://a", httpTimeout: 5 }]',
      says: 'extenders[0].httpTimeout: ',
    },
    {
      it: 'an invalid address',
      text: 'extenders: [{ urlPrefix: "127.0.0.1:8888" }]',
      says: 'extenders[0].urlPrefix: ',
    },
    {
      it: 'a maximum backoff below the initial one',
      text: 'podInitialBackoffSeconds: 20',
      says: 'podMaxBackoffSeconds: must be greater than or equal to podInitialBackoffSeconds',
    },
    {
      it: 'arguments of one plugin twice',
      text: 'profiles: [{ pluginConfig: [{ name: NodeAffinity }, { name: NodeAffinity }] }]',
      says: 'profiles[0].pluginConfig[1].name: duplicate name',
    },
    {
      it: 'a plugin that generates placements of pod groups',
      text: 'profiles: [{ plugins: { placementGenerate: { enabled: [{ name: TopologyPlacementGenerator }] } } }]',
      says: 'profiles[0].plugins.placementGenerate.enabled: Berth places pod groups without plugins',
    },
    { it: 'text that is not YAML', text: '{', says: 'read KubeSchedulerConfiguration scheduler.yaml: ' },
    { it: 'a list', text: '[]', says: 'the document: ' },
  ])('refuses $it', ({ text, says }) => {
    expect(() => load(text)).toThrow(
      expect.objectContaining({
        code: 'BERTH_SCHEDULER_CONFIG_INVALID',
        message: expect.stringContaining(says) as string,
      }),
    )
  })

  test('refuses --scheduler-name with several profiles', () => {
    const text = `${header}profiles: [{ schedulerName: one }, { schedulerName: two }]`
    expect(() => load(text, ['--scheduler-name', 'x'])).toThrow('the configuration has several profiles')
  })

  test('names a file that cannot be read', () => {
    expect(() => loadSettings({ argv: ['--config', '/nowhere.yaml'], env: {} })).toThrow('/nowhere.yaml')
  })

  test('prints the flags and the whole configuration with --print-config', () => {
    const exit = loadSettings({
      argv: ['--print-config', '--config', 'f'],
      env: {},
      readFile: () => `${header}extenders: [{ urlPrefix: "http://a" }]`,
    })
    expect(exit).toMatchObject({ kind: 'exit', code: 0 })
    expect(exit.kind === 'exit' && exit.text).toMatch(
      /healthAddress[^]*---[^]*schedulerName: berth-scheduler[^]*urlPrefix: http:\/\/a/,
    )
  })

  test('prints the usage and exits 0 with --help', () => {
    expect(loadSettings({ argv: ['--help'], env: {} })).toMatchObject({ kind: 'exit', code: 0 })
  })
})

/** Returns the hint of the error that refuses a Policy; empty when nothing is thrown. */
function hintOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError && error.code === 'BERTH_SCHEDULER_CONFIG_POLICY') return error.hint ?? ''
    throw error
  }
  return ''
}

describe('a scheduler Policy', () => {
  const policy = JSON.stringify({
    predicates: [
      { name: 'HostName' },
      { name: 'MatchNodeSelector' },
      { name: 'PodFitsResources' },
      { name: 'Mystery' },
    ],
    priorities: [{ name: 'LeastRequestedPriority', weight: 2 }],
    extenders: [
      {
        urlPrefix: 'http://127.0.0.1:12345/api/scheduler',
        filterVerb: 'filter',
        enableHttps: false,
        httpTimeout: 1_500_000_000,
      },
    ],
  })

  test('is refused with a translation that loads', () => {
    const hint = hintOf(() => load(policy))
    expect(hint).toContain('# No equivalent plugin: Mystery')
    const translated = load(hint.slice(hint.indexOf('\n\n') + 2))
    expect(translated.profiles[0]?.plugins).toMatchObject({
      filter: {
        disabled: [{ name: '*' }],
        enabled: [{ name: 'NodeName' }, { name: 'NodeAffinity' }, { name: 'NodeResourcesFit' }],
      },
      score: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeResourcesFit', weight: 2 }] },
    })
    expect(translated.extenders).toMatchObject([
      { urlPrefix: 'http://127.0.0.1:12345/api/scheduler', httpTimeout: '1500ms' },
    ])
  })

  test('with MostRequestedPriority is translated to a scoring strategy', () => {
    expect(() => load('kind: Policy\npriorities: [{ name: MostRequestedPriority, weight: 1 }]')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('MostAllocated') as string }),
    )
  })
})
