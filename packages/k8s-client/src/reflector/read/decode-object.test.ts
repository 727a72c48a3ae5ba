import type { KubernetesObject } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { decodeObject, dropManagedFields } from './decode-object.ts'

const same = (object: KubernetesObject): KubernetesObject => object

describe('decodeObject', () => {
  test.for([
    [
      { metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7' } },
      { key: 'n/a', uid: 'u', resourceVersion: '7' },
    ],
    [{ metadata: { name: 'a' } }, { key: 'a', uid: '', resourceVersion: '' }],
  ] as const)('%j has the identity %j', ([raw, identity]) => {
    expect(decodeObject(raw, same)).toMatchObject({ kind: 'decoded', object: raw, ...identity })
  })

  test.for([
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { metadata: null },
    { metadata: { name: 7 } },
    { metadata: { name: '' } },
  ])('%j is unreadable, without a key', (raw) => {
    expect(decodeObject(raw, same)).toMatchObject({ kind: 'unreadable', key: undefined })
  })

  test('reports key and version of an object whose projection throws', () => {
    const cause = new Error('no')
    const raw = { metadata: { name: 'a', resourceVersion: '7' } }
    const refuse = (): never => {
      throw cause
    }
    expect(decodeObject(raw, refuse)).toEqual({ kind: 'unreadable', key: 'a', resourceVersion: '7', cause })
  })
})

test('dropManagedFields keeps everything else', () => {
  const metadata = { name: 'a', labels: { b: 'c' } }
  expect(dropManagedFields({ metadata: { ...metadata, managedFields: [{}] } })).toEqual({ metadata })
  const bare = { metadata }
  expect(dropManagedFields(bare)).toBe(bare)
})
