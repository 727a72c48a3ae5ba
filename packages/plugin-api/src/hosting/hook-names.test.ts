import { describe, expect, test } from 'vitest'
import { hookHosts, refuseUnsupportedHooks } from './hook-names.ts'
import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'

const hooksOf = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, () => {}])) as SchedulingHooks

describe('refuseUnsupportedHooks', () => {
  const decideHooks = [
    'queueingHint',
    'preFilter',
    'filter',
    'preScore',
    'score',
    'normalizeScore',
    'bindingAnnotations',
  ]
  const effectHooks = ['postFilter', 'reserve', 'unreserve', 'permit', 'preBind', 'bind', 'postBind']
  test.for([
    { host: 'scheduler', runs: ['preEnqueue', 'queueSort', ...decideHooks, ...effectHooks] },
    { host: 'extender', runs: [...decideHooks, 'bind', 'processPreemption'] },
  ] as const)('lets every hook of the $host pass', ({ host, runs }) => {
    const names = Object.entries(hookHosts)
      .filter(([, hosts]) => hosts.includes(host))
      .map(([name]) => name)
    expect(new Set(names)).toEqual(new Set(runs))
    expect(() => refuseUnsupportedHooks(host, hooksOf(...names), 'x')).not.toThrow()
  })

  test.for([
    {
      host: 'extender',
      hooks: ['filter', 'permit', 'reserve'],
      says: 'use plugin mine in the extender: it cannot run permit, reserve',
    },
    {
      host: 'scheduler',
      hooks: ['processPreemption'],
      says: 'use plugin mine in the scheduler: it cannot run processPreemption',
    },
    { host: 'scheduler', hooks: ['fliter'], says: '"fliter" is not a hook' },
    { host: 'extender', hooks: ['preEnqueue'], says: 'it cannot run preEnqueue' },
    {
      host: 'scheduler',
      hooks: ['queueingHint', 'score'],
      says: 'queueingHint never runs, because the plugin rejects no pod',
    },
  ] as const)('$host refuses $hooks', ({ host, hooks, says }) => {
    expect(() => refuseUnsupportedHooks(host, hooksOf(...hooks), 'mine')).toThrow(
      expect.objectContaining({ code: 'BERTH_PLUGIN_HOOK_UNSUPPORTED', message: expect.stringContaining(says) }),
    )
  })

  test.for([
    { host: 'extender', hook: 'permit', hint: 'Only the scheduler runs this hook.' },
    { host: 'scheduler', hook: 'processPreemption', hint: 'Only the extender runs this hook.' },
  ] as const)('says which program runs $hook when the $host refuses it', ({ host, hook, hint }) => {
    expect(() => refuseUnsupportedHooks(host, hooksOf(hook), 'x')).toThrow(expect.objectContaining({ hint }))
  })

  test('suggests the hook that was meant', () => {
    expect(() => refuseUnsupportedHooks('scheduler', hooksOf('fliter'), 'x')).toThrow(
      expect.objectContaining({ hint: 'Did you mean "filter"?' }),
    )
  })
})
