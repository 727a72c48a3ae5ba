import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineResourceSource } from '../contract/resource-source.ts'
import { defineSchedulingPlugin } from '../contract/scheduling-plugin.ts'
import { kitEnv } from '../testing/kit-env.ts'
import { createPluginRegistry } from './plugin-registry.ts'

const greeter = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'greeter',
  description: 'D.',
  argsSchema: z.strictObject({
    weight: z.number().default(2),
    deep: z.strictObject({ list: z.array(z.string()) }).optional(),
  }),
  create: ({ weight }) => {
    if (weight < 0) throw new Error('weight is negative')
    return { score: (_pod, candidates, scores) => void scores.fill(weight, 0, candidates.count) }
  },
})
const counter = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'greeter',
  description: 'Same name, other kind.',
  argsSchema: z.strictObject({}),
  create: () => ({ compute: () => Promise.resolve({ units: 1, observedAtMs: 0 }) }),
})
const registry = createPluginRegistry([greeter, counter].map((plugin) => ({ plugin, origin: 'here' })))

describe('createPluginRegistry', () => {
  test('allows the same name for different kinds', () => {
    expect(registry.list().map(({ kind }) => kind)).toEqual(['resource-source', 'scheduling'])
    expect(registry.list('scheduling')).toHaveLength(1)
    expect(registry.has('device-source', 'greeter')).toBe(false)
  })

  test('creates with defaults when there are no arguments', () => {
    expect(registry.createScheduling('greeter', undefined, kitEnv())).toHaveProperty('score')
    expect(registry.createResourceSource('greeter', {}, kitEnv())).toHaveProperty('compute')
  })

  test.for([
    { it: 'an unknown argument', args: { wieght: 1 }, says: 'args.wieght: no such key' },
    { it: 'a wrong type', args: { weight: 'x' }, says: 'args.weight: Invalid input: expected number' },
    { it: 'a wrong nested type', args: { deep: { list: ['a', 1] } }, says: 'args.deep.list[1]:' },
    { it: 'arguments that are not an object', args: 3, says: 'args: Invalid input' },
  ])('refuses $it by its path', ({ args, says }) => {
    expect(() => registry.createScheduling('greeter', args, kitEnv())).toThrow(
      expect.objectContaining({ code: 'BERTH_PLUGIN_ARGS', message: expect.stringContaining(says) }),
    )
  })

  test('names the plugin whose create function throws', () => {
    expect(() => registry.createScheduling('greeter', { weight: -1 }, kitEnv())).toThrow(
      expect.objectContaining({ code: 'BERTH_PLUGIN_CREATE', message: 'create plugin greeter: weight is negative' }),
    )
  })

  test('suggests the nearest name and lists the available plugins', () => {
    expect(() => registry.createScheduling('greter', {}, kitEnv())).toThrow(
      expect.objectContaining({ code: 'BERTH_PLUGIN_UNKNOWN', hint: 'Available: greeter. Did you mean "greeter"?' }),
    )
    expect(() => registry.createDeviceSource('greeter', {}, kitEnv())).toThrow(
      expect.objectContaining({ hint: 'No plugins are available.' }),
    )
  })
})
