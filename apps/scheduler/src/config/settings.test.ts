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
      lease: undefined,
      profiles: [{ schedulerName: 'other' }],
    })
  })

  test('turns leader election off through the file', () => {
    expect(load(`${header}leaderElection: { leaderElect: false }`).lease).toBeUndefined()
    expect(load(`${header}leaderElection: { leaderElect: false }`, ['--leader-elect']).lease).toBeDefined()
  })

  test('does not check the times of the Lease without leader election', () => {
    const text = `${header}leaderElection: { leaderElect: false, leaseDuration: 5s }`
    expect(load(text).lease).toBeUndefined()
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
