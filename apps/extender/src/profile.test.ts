import { createPluginRegistry, type SchedulingPlugin } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { buildProfile } from './profile.ts'

const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }) }
const env = () => ({ log: silentLogger, clock, random: () => 0 })

function plugin(name: string, hooks: ReturnType<SchedulingPlugin['create']>): SchedulingPlugin {
  return {
    kind: 'scheduling',
    apiVersion: 1,
    name,
    description: 'A test.',
    argsSchema: z.strictObject({}),
    create: () => hooks,
  }
}

const registry = createPluginRegistry(
  [
    plugin('scores', { score() {} }),
    plugin('filters', { filter() {} }),
    plugin('binds', { bind: () => ({ kind: 'bound' }) }),
    plugin('reserves', { reserve: () => undefined }),
  ].map((entry) => ({ plugin: entry, origin: 'here' })),
)
const entry = (
  name: string,
  args: Record<string, unknown> = {},
  weight = 1,
): { name: string; weight: number; args: Record<string, unknown> } => ({ name, weight, args })

describe('buildProfile', () => {
  test('keeps the order, and knows the highest total', () => {
    const { framework, maxTotal } = buildProfile(
      [entry('scores', {}, 3), entry('filters'), entry('NodeResourcesFit')],
      registry,
      env,
    )
    expect(framework.plugins.map(({ plugin: { name } }) => name)).toEqual(['scores', 'filters', 'NodeResourcesFit'])
    expect(maxTotal).toBe(400)
  })

  test.for([
    {
      it: 'a plugin that does not exist',
      entries: [entry('nothing')],
      says: 'read plugins[0]: there is no plugin nothing',
    },
    {
      it: 'an unknown argument',
      entries: [entry('scores'), entry('filters', { sides: 6 })],
      says: 'read plugins[1]: read the arguments of plugin filters: args.sides: no such key',
    },
    {
      it: 'a wrong argument of the fit plugin',
      entries: [entry('NodeResourcesFit', { ignored: [] })],
      says: 'read plugins[0]: the arguments of NodeResourcesFit are wrong',
    },
    {
      it: 'arguments where there are none',
      entries: [entry('ImageLocality', { a: 1 })],
      says: 'takes no arguments here',
    },
    { it: 'a plugin that binds', entries: [entry('binds')], says: 'serves no bind verb' },
    { it: 'a plugin with hooks of the scheduler', entries: [entry('reserves')], says: 'it cannot run reserve' },
    { it: 'a plugin that is there twice', entries: [entry('scores'), entry('scores')], says: 'there twice' },
  ])('refuses $it', ({ entries, says }) => {
    expect(() => buildProfile(entries, registry, env)).toThrow(
      expect.objectContaining({
        code: 'BERTH_EXTENDER_CONFIG_PLUGIN',
        message: expect.stringContaining(says) as string,
      }),
    )
  })
})
