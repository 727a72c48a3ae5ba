import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  createPluginRegistry,
  defineDeviceSource,
  defineResourceSource,
  defineSchedulingPlugin,
  perNode,
  refuseUnsupportedHooks,
} from '../index.ts'
import type { BerthPlugin, SchedulingHooks } from '../index.ts'
import { checkPlugin } from '../loading/check-plugin.ts'
import { runDeviceSource, runResourceSource, runSchedulingPlugin } from '../testing.ts'

const base = { apiVersion: 'berth.dev/v1' as const, name: 'mine', description: 'D.', argsSchema: z.strictObject({}) }
const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }) }
const env = { log: silentLogger, clock, random: () => 0, resourceName: 'example.com/resource' }
const registryOf = (plugin: BerthPlugin) => createPluginRegistry([{ plugin, origin: 'here' }])
const scheduling = (create: () => unknown) =>
  defineSchedulingPlugin({ ...base, create: create as () => SchedulingHooks })
const refusal = (code: string, message: string, hint: string): unknown =>
  expect.objectContaining({
    code,
    message: expect.stringContaining(message) as string,
    hint: expect.stringContaining(hint) as string,
  })

class Misspelt {
  score(): void {}
  fliter(): void {}
}

class WithHelpers {
  score(): void {}
  scores(): number {
    return 1
  }
  readTable(): void {}
}

describe('a scheduling plugin with a misspelt hook', () => {
  test.for([
    // @ts-expect-error -- perNode has no filtr; the types refuse it, too.
    { it: 'among per-node functions', create: () => perNode({ filtr: () => 'no' }), says: '"filtr" is not a hook' },
    { it: 'beside a correct one', create: () => ({ score() {}, filtr() {} }), says: '"filtr" is not a hook' },
    { it: 'in a class', create: () => new Misspelt(), says: '"fliter" is not a hook' },
  ])('$it is refused by the host and by the kit, with the name that was meant', ({ create, says }) => {
    expect(() => registryOf(scheduling(create)).createScheduling('mine', {}, env)).toThrow(
      refusal('BERTH_PLUGIN_HOOK_UNSUPPORTED', `create plugin mine: `, 'Did you mean "filter"?'),
    )
    expect(() => runSchedulingPlugin(scheduling(create))).toThrow(
      refusal('BERTH_PLUGIN_CONTRACT', says, 'Did you mean "filter"?'),
    )
  })

  test('is refused by the types of define functions', () => {
    // @ts-expect-error -- hooks belong into the result of create.
    defineSchedulingPlugin({ ...base, create: () => ({ filter() {} }), filter() {} })
    // @ts-expect-error -- a resource source has compute, not comput.
    defineResourceSource({ ...base, create: () => ({ comput: () => Promise.resolve() }) })
    // @ts-expect-error -- the hooks have no fliter, beside a correct hook.
    defineSchedulingPlugin({ ...base, create: () => ({ filter() {}, fliter() {} }) })
    // @ts-expect-error -- the hooks have no fliter.
    expect(defineSchedulingPlugin({ ...base, create: (): SchedulingHooks => ({ fliter() {} }) }).name).toBe('mine')
  })
})

test('accepts a class with methods of its own', () => {
  const hooks = registryOf(scheduling(() => new WithHelpers())).createScheduling('mine', {}, env)
  expect(Object.keys(hooks)).toEqual(['score'])
})

test.for([
  {
    it: 'a hook that is not a function',
    hooks: { filter: true },
    says: '"filter" is not a function',
    hint: 'Give filter',
  },
  { it: 'no hook', hooks: {}, says: 'it has no hook', hint: 'at least one hook' },
  { it: 'normalizeScore without score', hooks: { normalizeScore() {} }, says: 'never runs', hint: 'Add score' },
  {
    it: 'preScore without score',
    hooks: { filter() {}, preScore() {} },
    says: 'preScore never runs',
    hint: 'Add score',
  },
])('a host refuses $it', ({ hooks, says, hint }) => {
  expect(() => refuseUnsupportedHooks('scheduler', hooks as SchedulingHooks, 'mine')).toThrow(
    refusal('BERTH_PLUGIN_HOOK_UNSUPPORTED', says, hint),
  )
})

test('a host sees the hooks of a class', () => {
  class Reserves {
    reserve(): undefined {}
  }
  expect(() => refuseUnsupportedHooks('extender', new Reserves(), 'mine')).toThrow('it cannot run reserve')
})

test.for([
  { key: 'filter', hint: 'Return filter from create' },
  { key: 'discover', hint: 'Return discover from create' },
  { key: 'creat', hint: 'Did you mean "create"?' },
])('refuses $key beside create', ({ key, hint }) => {
  const plugin = { ...scheduling(() => ({ filter() {} })), [key]: () => {} }
  expect(() => checkPlugin(plugin, 'here')).toThrow(
    refusal('BERTH_PLUGIN_HOOK_UNSUPPORTED', `plugin "mine": "${key}" is not a function of a plugin`, hint),
  )
})

describe('a source', () => {
  const device = (source: object) => defineDeviceSource({ ...base, create: () => source as never })
  const resource = (source: object) => defineResourceSource({ ...base, create: () => source as never })
  const working = { async *discover() {}, allocate: () => ({}) }

  test('with a misspelt function is refused, with the name that was meant', async () => {
    const plugin = device({ ...working, prob: () => {} })
    const says = refusal('BERTH_PLUGIN_HOOK_UNSUPPORTED', 'create plugin mine: "prob" is not a hook', '"probe"')
    expect(() => registryOf(plugin).createDeviceSource('mine', {}, env)).toThrow(says)
    await expect(runDeviceSource(plugin)).rejects.toEqual(says)
    await expect(runResourceSource(resource({ comput() {} }))).rejects.toEqual(
      refusal('BERTH_PLUGIN_HOOK_UNSUPPORTED', 'create plugin mine: "comput" is not a hook', '"compute"'),
    )
  })

  test('without a function that it needs is refused', () => {
    expect(() => registryOf(device({ allocate() {} })).createDeviceSource('mine', {}, env)).toThrow(
      refusal('BERTH_PLUGIN_SHAPE', 'create plugin mine: the source has no discover', 'discover and allocate'),
    )
    expect(() => registryOf(resource({})).createResourceSource('mine', {}, env)).toThrow('the source has no compute')
  })
})

test.for(['createScheduling', 'createDeviceSource', 'createResourceSource'] as const)(
  '%s refuses an async create',
  (create) => {
    const options = { ...base, create: (() => Promise.reject(new Error('late'))) as never }
    const plugins = [defineSchedulingPlugin(options), defineDeviceSource(options), defineResourceSource(options)]
    const registry = createPluginRegistry(plugins.map((plugin) => ({ plugin, origin: 'here' })))
    expect(() => registry[create]('mine', {}, env)).toThrow(
      refusal('BERTH_PLUGIN_CREATE', 'create plugin mine: create returned a promise, expected', 'synchronous'),
    )
  },
)
