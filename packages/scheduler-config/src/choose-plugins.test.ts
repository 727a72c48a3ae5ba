import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { choosePlugins } from './choose-plugins.ts'
import { type ExtensionPoint, kubeSchedulerConfiguration } from './kube-scheduler-configuration.ts'

const defaults = ['a', 'b', 'c']

function choose(plugins: string): ReturnType<typeof choosePlugins> {
  const { profiles } = z
    .strictObject(kubeSchedulerConfiguration)
    .parse({ profiles: [{ plugins: parse(plugins) as unknown }] })
  return choosePlugins(profiles[0]?.plugins ?? {}, { defaults, path: 'plugins' })
}

describe('choosePlugins', () => {
  // The expected orders are those of kube-scheduler 1.36 for the same plugin sets.
  test.for<{ it: string; plugins: string; at?: ExtensionPoint; order: string }>([
    { it: 'the defaults', plugins: '{}', order: 'a b c' },
    {
      it: 'the defaults before a plugin of the point',
      plugins: '{ filter: { enabled: [{ name: x }] } }',
      order: 'a b c x',
    },
    { it: 'a default that the point lists first', plugins: '{ filter: { enabled: [{ name: c }] } }', order: 'c a b' },
    {
      it: 'defaults that the point lists in the order of the point',
      plugins: '{ filter: { enabled: [{ name: c }, { name: x }, { name: b }] } }',
      order: 'c b a x',
    },
    {
      it: 'exactly the list of the point after *',
      plugins: '{ filter: { disabled: [{ name: "*" }], enabled: [{ name: c }, { name: a }] } }',
      order: 'c a',
    },
    {
      it: 'a default that is disabled and listed again last',
      plugins: '{ filter: { disabled: [{ name: a }], enabled: [{ name: a }] } }',
      order: 'b c a',
    },
    {
      it: 'multiPoint entries in the place of the defaults that they replace',
      plugins: '{ multiPoint: { enabled: [{ name: c }, { name: x }, { name: a }] } }',
      order: 'a b c x',
    },
    {
      it: 'multiPoint entries in their own order after *',
      plugins: '{ multiPoint: { disabled: [{ name: "*" }], enabled: [{ name: c }, { name: a }] } }',
      order: 'c a',
    },
    {
      it: 'another point unchanged',
      plugins: '{ filter: { enabled: [{ name: c }] } }',
      at: 'preFilter',
      order: 'a b c',
    },
  ])('orders $it', ({ plugins, at = 'filter', order }) => {
    expect(choose(plugins).order.get(at)?.join(' ')).toBe(order)
  })

  test.for([
    {
      it: 'keeps the default weight of a plugin that no entry scores',
      plugins: '{ filter: { enabled: [{ name: a, weight: 7 }] } }',
      weight: undefined,
    },
    {
      it: 'takes the weight of the score entry',
      plugins: '{ score: { enabled: [{ name: a, weight: 7 }] }, multiPoint: { enabled: [{ name: a, weight: 5 }] } }',
      weight: 7,
    },
    {
      it: 'takes the weight of the multiPoint entry',
      plugins: '{ multiPoint: { enabled: [{ name: a, weight: 5 }] } }',
      weight: 5,
    },
    { it: 'counts an entry without a weight as 1', plugins: '{ score: { enabled: [{ name: a }] } }', weight: 1 },
    { it: 'counts weight 0 as 1', plugins: '{ multiPoint: { enabled: [{ name: a, weight: 0 }] } }', weight: 1 },
  ])('$it', ({ plugins, weight }) => {
    expect(choose(plugins).plugins.get('a')?.weight).toBe(weight)
  })

  test('refuses a plugin that one list names twice', () => {
    expect(() => choose('{ filter: { enabled: [{ name: a }, { name: a }] } }')).toThrow(
      'read plugins.filter.enabled[1]: plugin a is listed in plugins.filter.enabled[0] already',
    )
  })
})
