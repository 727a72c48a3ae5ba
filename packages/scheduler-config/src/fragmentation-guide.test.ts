import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPluginRegistry } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { buildProfiles } from './build-profiles.ts'
import { kubeSchedulerConfiguration } from './kube-scheduler-configuration.ts'

const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }) }
const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/keep-blocks-whole.md'), 'utf8')
const NAME = 'NodeResourcesFragmentation'

function weightOf(profiles: unknown): number | undefined {
  const settings = z.strictObject(kubeSchedulerConfiguration).parse(profiles)
  const env = () => ({ log: silentLogger, clock, random: () => 0 })
  const [profile] = buildProfiles({ ...settings, extenders: [] }, createPluginRegistry([]), env)
  return profile?.framework.plugins.find(({ plugin }) => plugin.name === NAME)?.weight
}

test('enables the score with the configuration in docs/guides/keep-blocks-whole.md', () => {
  const yaml = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
  const { apiVersion: _version, kind: _kind, ...profiles } = parse(yaml) as Record<string, unknown>
  expect(weightOf(profiles)).toBe(5)
})

test('does not enable the score unless a profile names it', () => {
  expect(weightOf({})).toBeUndefined()
  expect(weightOf({ profiles: [{ plugins: { score: { enabled: [{ name: NAME }] } } }] })).toBe(1)
})

test('checks the arguments of the score', () => {
  const pluginConfig = [{ name: NAME, args: { resources: [{ name: 'cpu' }] } }]
  expect(() => weightOf({ profiles: [{ pluginConfig }] })).toThrow('resources[0].name: it has no domain')
})
