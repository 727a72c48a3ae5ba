import { expect, test } from 'vitest'
import { z } from 'zod'
import { withPluginArgs } from './plugin-args.ts'

const entry = (): object => ({
  type: 'object',
  properties: { name: { type: 'string' }, args: { type: 'object' } },
})
const list = (key: string, items: object): object => ({ properties: { [key]: { type: 'array', items } } })
const schema = {
  properties: {
    extender: { properties: { config: list('plugins', entry()) } },
    scheduler: { properties: { config: list('profiles', list('pluginConfig', entry())) } },
  },
}

/** Returns the conditions that each of the two plugin lists puts on its entries. */
function conditionsOf(edited: object): readonly (readonly unknown[])[] {
  const text = JSON.stringify(edited)
  const found = [...text.matchAll(/"allOf":(\[.*?\}\}\}\])/g)]
  return found.map(([, list = '']) => JSON.parse(list) as unknown[])
}

test('validates the arguments of a plugin with the schema of the plugin that the entry names', () => {
  const [extender = [], scheduler = []] = conditionsOf(withPluginArgs(schema))
  const isPreemption = (condition: unknown): boolean => JSON.stringify(condition).includes('"DefaultPreemption"')
  expect(scheduler.filter(isPreemption)).toHaveLength(1)
  expect(extender).toEqual(scheduler.filter((condition) => !isPreemption(condition)))
  expect(extender).toContainEqual(
    expect.objectContaining({ if: { properties: { name: { const: 'InterPodAffinity' } } } }),
  )
  const text = JSON.stringify(extender.find((condition) => JSON.stringify(condition).includes('hardPodAffinityWeight')))
  const { then } = JSON.parse(text) as { then: { properties: { args: object } } }
  const args = z.fromJSONSchema(then.properties.args as z.core.JSONSchema.JSONSchema)
  expect(args.safeParse({ hardPodAffinityWeight: 5 }).success).toBe(true)
  expect(args.safeParse({ hardPodAffinityWeight: 101 }).success).toBe(false)
  expect(args.safeParse({ hardPodAffinity: 5 }).success).toBe(false)
})

test('throws when the schema lacks a list of plugins', () => {
  expect(() => withPluginArgs({ properties: {} })).toThrow('has no extender')
})
