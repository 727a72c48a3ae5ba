import { readFileSync } from 'node:fs'
import { createPluginRegistry } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { buildProfiles, type Profile } from '@berth/scheduler-config'
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
