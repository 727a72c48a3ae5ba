import { readFileSync } from 'node:fs'
import { createPluginRegistry } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { buildProfiles, type Profile } from '@berth/scheduler-config'
import { parse } from 'yaml'
import { loadSettings, type Settings } from '../src/config/settings.ts'

const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }) }

function load(argv: readonly string[]): { readonly settings: Settings; readonly profile: Profile | undefined } {
  const settings = loadSettings({ argv, env: {} })
  if (settings.kind === 'exit') throw new Error(settings.text)
  const env = () => ({ log: silentLogger, clock, random: () => 0 })
  return { settings, profile: buildProfiles(settings, createPluginRegistry([]), env)[0] }
}

const ran = (profile: Profile | undefined) =>
  profile?.framework.plugins.map(({ plugin, weight }) => ({ name: plugin.name, weight, hooks: Object.keys(plugin) }))

describe.for(['1.34', '1.35', '1.36'])('the configuration that kube-scheduler %s writes', (version) => {
  const file = new URL(`kube-scheduler-config/${version}.yaml`, import.meta.url).pathname
  const argv = ['--config', file]

  test('loads unchanged, with the limits and the Lease of kube-scheduler', () => {
    expect(load(argv).settings).toMatchObject({
      kubeconfig: '/etc/kubernetes/scheduler.conf',
      qps: 50,
      burst: 100,
      lease: { name: 'kube-scheduler', namespace: 'kube-system', durationMs: 15_000 },
      profiles: [{ schedulerName: 'default-scheduler' }],
    })
  })

  test('runs the same plugins as no configuration, in the same order', () => {
    const [{ profile }, { profile: byDefault }] = [load(argv), load([])]
    expect(ran(profile)).toEqual(ran(byDefault))
    expect(profile?.framework.filterOrder).toBeUndefined()
    expect(profile?.effects.map(({ name }) => name)).toEqual(['DefaultPreemption'])
  })

  test('says of every key without effect why it has none', () => {
    const { idle } = load(argv).settings
    expect(idle.map(({ key }) => key)).toEqual([
      'parallelism',
      'percentageOfNodesToScore',
      'enableProfiling',
      'enableContentionProfiling',
      expect.stringMatching(/^profiles\[0\]\.plugins\.multiPoint\.enabled\[\d+\]$/),
      'profiles[0].pluginConfig[1].args',
    ])
    expect(idle.filter(({ reason }) => reason === '')).toEqual([])
  })

  test('follows a changed weight', () => {
    const text = readFileSync(file, 'utf8').replace('weight: 3', 'weight: 0')
    const settings = loadSettings({ argv, env: {}, readFile: () => text })
    if (settings.kind === 'exit') throw new Error(settings.text)
    const env = () => ({ log: silentLogger, clock, random: () => 0 })
    const [profile] = buildProfiles(settings, createPluginRegistry([]), env)
    expect(ran(profile)?.find(({ name }) => name === 'TaintToleration')?.weight).toBe(1)
  })
})

describe('a configuration with every key', () => {
  const everyKey = new URL('kube-scheduler-config/every-key.yaml', import.meta.url)

  /** Returns every key of an object and of the objects in it. */
  const keysIn = (value: unknown): readonly string[] => {
    if (Array.isArray(value)) return value.flatMap(keysIn)
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)])
  }

  test('has all keys of the types of kube-scheduler 1.34 to 1.36', () => {
    const text = readFileSync(new URL('kube-scheduler-config/keys.json', import.meta.url), 'utf8')
    const keysByType = JSON.parse(text) as Readonly<Record<string, readonly string[]>>
    const used = new Set(keysIn(parse(readFileSync(everyKey, 'utf8'))))
    const all = [...new Set(Object.values(keysByType).flat())]
    expect(all.length).toBeGreaterThan(70)
    expect(all.filter((key) => !used.has(key))).toEqual([])
  })

  test('loads, and every key is honoured or has a reason for its lack of effect', () => {
    const { settings, profile } = load(['--config', everyKey.pathname])
    expect(settings).toMatchObject({
      qps: 70,
      burst: 140,
      backoff: { initialMs: 2_000, maxMs: 20_000 },
      lease: { name: 'kube-scheduler', durationMs: 20_000, renewDeadlineMs: 12_000, retryPeriodMs: 3_000 },
    })
    expect(settings.extenders.map(({ urlPrefix }) => urlPrefix)).toHaveLength(3)
    expect(settings.idle.map(({ key }) => key)).toEqual([
      'parallelism',
      'percentageOfNodesToScore',
      'delayCacheUntilActive',
      'enableProfiling',
      'enableContentionProfiling',
      'clientConnection.acceptContentTypes',
      'profiles[0].percentageOfNodesToScore',
      'profiles[0].pluginConfig[1].args',
    ])
    const weights = new Map(ran(profile)?.map(({ name, weight }) => [name, weight]))
    expect([weights.get('TaintToleration'), weights.get('NodeResourcesFit')]).toEqual([4, 5])
    expect(weights.has('ImageLocality')).toBe(false)
    const [firstFilter = -1] = profile?.framework.filterOrder ?? []
    expect(profile?.framework.plugins[firstFilter]?.plugin.name).toBe('NodePorts')
    expect(profile?.volumeBinding).toEqual({ bindTimeoutMs: 300_000 })
    expect(profile?.effects[0]?.preemption).toEqual({ minCandidateNodesPercentage: 5, minCandidateNodesAbsolute: 50 })
  })
})
