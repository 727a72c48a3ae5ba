import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInPolicies } from '@berth/built-in-plugins'
import { createPluginRegistry } from '@berth/plugin-api'
import { buildProfiles, readSchedulerConfiguration } from '@berth/scheduler-config'
import { silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../../../..')
const registry = createPluginRegistry(builtInPolicies.map((plugin) => ({ plugin, origin: 'built in' })))
const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => {} }) }
const env = () => ({ log: silentLogger, clock, random: () => 0 })

interface Document {
  readonly kind?: string
  readonly plugins?: readonly { readonly name: string; readonly args?: object }[]
}

const examples = globSync('plugins/*/README.md', { cwd: root }).flatMap((file) => {
  const blocks = readFileSync(join(root, file), 'utf8').matchAll(/^( *)```yaml\n([^]*?)^ *```$/gm)
  return [...blocks].map(([, indent = '', text = ''], i) => {
    const yaml = text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    return { name: `${file}, block ${i + 1}`, yaml, document: parse(yaml) as Document }
  })
})

const forScheduler = examples.filter(({ document }) => document.kind === 'KubeSchedulerConfiguration')
const forExtender = examples.filter(({ document }) => document.plugins !== undefined)

test('every policy has an example for each program', () => {
  expect(forScheduler.length).toBeGreaterThanOrEqual(6)
  expect(forExtender.length).toBeGreaterThanOrEqual(6)
})

test.for(forScheduler)('the scheduler accepts $name', ({ name, yaml }) => {
  const configuration = readSchedulerConfiguration(name, () => yaml)
  expect(buildProfiles(configuration, registry, env)).toHaveLength(1)
})

test.for(forExtender)('the plugins accept the arguments in $name', ({ document }) => {
  const contributed = (document.plugins ?? []).filter(({ name }) => registry.has('scheduling', name))
  expect(contributed).toHaveLength(1)
  for (const { name, args } of contributed) expect(() => registry.createScheduling(name, args, env())).not.toThrow()
})
