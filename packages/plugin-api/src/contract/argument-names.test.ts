import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { extendedResourceName, namespacedName, qualifiedName, resourceName } from './argument-names.ts'

describe('extendedResourceName', () => {
  test.for(['example.com/dongle', 'berth.dev/gpu-slice', 'a.example.com/B_1.x'])('accepts %s', (name) => {
    expect(extendedResourceName.parse(name)).toBe(name)
  })

  test.for([
    { name: 'cpu', says: '"cpu" is not an extended resource: it has no domain: write it as example.com/name' },
    {
      name: 'kubernetes.io/x',
      says: '"kubernetes.io/x" is not an extended resource: the domain kubernetes.io belongs',
    },
    { name: '-.-/x', says: 'the part before the slash is not a lower-case DNS name' },
    { name: 'example.com/x-', says: 'the name does not consist of letters, digits' },
    { name: `example.com/${'x'.repeat(64)}`, says: 'the name has more than 63 characters' },
  ])('refuses $name, and says why', ({ name, says }) => {
    expect(extendedResourceName.safeParse(name).error?.issues[0]?.message).toContain(says)
  })

  test('describes the rules in JSON Schema beside the description of the argument', () => {
    expect(z.toJSONSchema(extendedResourceName.describe('The resource.'))).toMatchObject({
      type: 'string',
      description: 'The resource.',
      pattern: expect.stringContaining('a-z0-9'),
    })
  })
})

describe('resourceName', () => {
  test.for(['cpu', 'memory', 'ephemeral-storage', 'hugepages-2Mi', 'example.com/dongle'])('accepts %s', (name) => {
    expect(resourceName.parse(name)).toBe(name)
  })

  test.for(['', 'cpus', 'hugepages-', 'pods', 'example.com/', 'any text'])('refuses "%s"', (name) => {
    expect(resourceName.safeParse(name).error?.issues[0]?.message).toContain(
      'cpu, memory, ephemeral-storage, hugepages-SIZE and extended resources can be named',
    )
  })
})

describe('qualifiedName', () => {
  test.for(['rack', 'example.com/rack', 'topology.kubernetes.io/zone'])('accepts %s', (name) => {
    expect(qualifiedName.parse(name)).toBe(name)
  })

  test.for([
    { name: '', says: 'the name is empty' },
    { name: 'a b', says: '"a b" cannot name a label or an annotation: the name does not consist of letters' },
    { name: 'a/b/c', says: 'it has more than one slash' },
  ])('refuses "$name", and says why', ({ name, says }) => {
    expect(qualifiedName.safeParse(name).error?.issues[0]?.message).toContain(says)
  })
})

describe('namespacedName', () => {
  test.for(['berth-system/quotas', 'a/b.c'])('accepts %s', (name) => {
    expect(namespacedName.parse(name)).toBe(name)
  })

  test.for(['quotas', '/quotas', 'a/b/c', 'a.b/c', 'A/b', 'a/b-', `a/${'b'.repeat(400)}`])('refuses %s', (name) => {
    expect(namespacedName.safeParse(name).success).toBe(false)
  })
})
