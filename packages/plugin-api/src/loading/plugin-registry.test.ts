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

  describe('configMapsOf', () => {
    const reader = (configMaps: (args: { readonly names: readonly string[] }) => readonly string[]) =>
      createPluginRegistry([
        {
          plugin: defineSchedulingPlugin({
            apiVersion: 'berth.dev/v1',
            name: 'reader',
            description: 'D.',
            argsSchema: z.strictObject({ names: z.array(z.string()).default([]) }),
            configMaps,
            create: () => ({ filter: () => {} }),
          }),
          origin: 'here',
        },
      ])

    test('returns what the plugin reads with these arguments; nothing for a plugin that reads none', () => {
      const own = reader(({ names }) => names)
      expect(own.configMapsOf('reader', { names: ['ops/limits'] })).toEqual(['ops/limits'])
      expect(own.configMapsOf('reader', undefined)).toEqual([])
      expect(registry.configMapsOf('greeter', undefined)).toEqual([])
    })

    test.for([
      {
        it: 'a name without a namespace',
        names: ['limits'],
        says: 'configMaps returned "limits", expected NAMESPACE/NAME',
      },
      { it: 'a path', names: ['a/b', 'a/b/c'], says: 'configMaps returned "a/b/c"' },
      { it: 'a selector', names: ['ops/x,metadata.namespace=kube-system'], says: 'expected NAMESPACE/NAME' },
    ])('refuses $it, and names the plugin', ({ names, says }) => {
      expect(() => reader((args) => args.names).configMapsOf('reader', { names })).toThrow(
        expect.objectContaining({
          code: 'BERTH_PLUGIN_CREATE',
          message: expect.stringMatching(new RegExp(`^create plugin reader: .*${says}`)),
        }),
      )
    })

    test('refuses a function that throws or returns no list', () => {
      const throwing = reader(() => {
        throw new Error('no idea')
      })
      expect(() => throwing.configMapsOf('reader', {})).toThrow('create plugin reader: configMaps failed: no idea')
      const one = reader(() => 'ops/limits' as never)
      expect(() => one.configMapsOf('reader', {})).toThrow('configMaps returned "ops/limits", expected NAMESPACE/NAME')
    })
  })
})
