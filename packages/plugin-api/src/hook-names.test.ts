import { describe, expect, test } from 'vitest'
import { hookHosts, refuseUnsupportedHooks } from './hook-names.ts'
import type { SchedulingHost } from './hook-names.ts'
import type { SchedulingHooks } from './scheduling-plugin.ts'

const hooksOf = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, () => {}])) as SchedulingHooks

describe('refuseUnsupportedHooks', () => {
  test.for(['scheduler', 'extender'] as readonly SchedulingHost[])('lets every hook of the %s pass', (host) => {
    const names = Object.entries(hookHosts)
      .filter(([, hosts]) => hosts.includes(host))
      .map(([name]) => name)
    expect(names.length).toBeGreaterThan(5)
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
    { host: 'scheduler', hooks: ['fliter'], says: '"fliter" is no hook' },
  ] as const)('$host refuses $hooks', ({ host, hooks, says }) => {
    expect(() => refuseUnsupportedHooks(host, hooksOf(...hooks), 'mine')).toThrow(
      expect.objectContaining({ code: 'BERTH_PLUGIN_HOOK_UNSUPPORTED', message: expect.stringContaining(says) }),
    )
  })

  test('suggests the hook that was meant', () => {
    expect(() => refuseUnsupportedHooks('scheduler', hooksOf('fliter'), 'x')).toThrow(
      expect.objectContaining({ hint: 'Did you mean "filter"?' }),
    )
  })
})
