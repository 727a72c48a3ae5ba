import { applyJsonMergePatch } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { typeOfKind } from '../../schema/built-in-types.ts'
import { rootCursor } from '../../schema/cursor.ts'
import { applyJsonPatch } from './json-patch.ts'
import { applyStrategicMergePatch } from './strategic-merge-patch.ts'

describe('applyJsonPatch', () => {
  const node = { status: { capacity: { cpu: '4' } } }

  test('adds a key with an escaped slash and does not change the target object', () => {
    const patch = [{ op: 'add', path: '/status/capacity/example.com~1dongle', value: '4' }]
    expect(applyJsonPatch(node, patch)).toEqual({ status: { capacity: { cpu: '4', 'example.com/dongle': '4' } } })
    expect(node).toEqual({ status: { capacity: { cpu: '4' } } })
  })

  test('changes only one of two fields that share a value', () => {
    const shared = { cpu: '4' }
    const target = { capacity: shared, allocatable: shared }
    expect(applyJsonPatch(target, [{ op: 'remove', path: '/capacity/cpu' }])).toEqual({
      capacity: {},
      allocatable: { cpu: '4' },
    })
  })

  test.for([
    { it: 'the removal of an absent key', patch: [{ op: 'remove', path: '/status/capacity/x' }] },
    { it: 'the replacement of an absent key', patch: [{ op: 'replace', path: '/status/capacity/x', value: '1' }] },
    { it: 'an addition below an absent parent', patch: [{ op: 'add', path: '/status/nothing/x', value: '1' }] },
    { it: 'a failed test', patch: [{ op: 'test', path: '/status/capacity/cpu', value: '5' }] },
    { it: 'an unknown operation', patch: [{ op: 'shift', path: '/status' }] },
    { it: 'a path through __proto__', patch: [{ op: 'add', path: '/__proto__/x', value: 1 }] },
    { it: 'a path that is not a JSON pointer', patch: [{ op: 'add', path: 'status', value: 1 }] },
    { it: 'a source that is not a JSON pointer', patch: [{ op: 'copy', from: 'status', path: '/a' }] },
    { it: 'a source in __proto__', patch: [{ op: 'move', from: '/__proto__/toString', path: '/a' }] },
    { it: 'an operation that is not an object', patch: [7] },
  ])('refuses $it with 422', ({ patch }) => {
    expect(() => applyJsonPatch(node, patch)).toThrow('the server rejected our request due to an error in our request')
  })

  test('refuses a patch that is not a list or is too long', () => {
    expect(() => applyJsonPatch(node, {})).toThrow('cannot unmarshal object')
    expect(() =>
      applyJsonPatch(
        node,
        Array.from({ length: 10_001 }, () => ({})),
      ),
    ).toThrow('maximum operations')
  })
})

describe('applyMergePatch', () => {
  test.for([
    { target: { a: 1, b: 2 }, patch: { b: null, c: 3 }, result: { a: 1, c: 3 } },
    { target: { a: { b: 1 } }, patch: { a: { c: null, d: { e: null } } }, result: { a: { b: 1, d: {} } } },
    { target: { a: [1, 2] }, patch: { a: [3] }, result: { a: [3] } },
    { target: { a: 'x' }, patch: { a: { b: 1 } }, result: { a: { b: 1 } } },
  ])('merges $patch into $target as $result', ({ target, patch, result }) => {
    expect(applyJsonMergePatch(target, patch)).toEqual(result)
  })
})

describe('applyStrategicMergePatch', () => {
  const pod = rootCursor(typeOfKind('v1', 'Pod'))
  const containers = [
    { name: 'a', image: 'x', env: [{ name: 'K', value: '1' }] },
    { name: 'b', image: 'y' },
  ]
  test.for([
    {
      it: 'merges containers by name',
      patch: { spec: { containers: [{ name: 'b', image: 'z' }] } },
      expected: [containers[0], { name: 'b', image: 'z' }],
    },
    {
      it: 'adds a container',
      patch: { spec: { containers: [{ name: 'c', image: 'z' }] } },
      expected: [{ name: 'c', image: 'z' }, ...containers],
    },
    {
      it: 'deletes a container',
      patch: { spec: { containers: [{ name: 'a', $patch: 'delete' }] } },
      expected: [containers[1]],
    },
    {
      it: 'merges environment variables by name',
      patch: { spec: { containers: [{ name: 'a', env: [{ name: 'L', value: '2' }] }] } },
      expected: [
        {
          name: 'a',
          image: 'x',
          env: [
            { name: 'L', value: '2' },
            { name: 'K', value: '1' },
          ],
        },
        containers[1],
      ],
    },
    {
      it: 'replaces the list',
      patch: { spec: { containers: [{ $patch: 'replace' }, { name: 'n', image: 'n' }] } },
      expected: [{ name: 'n', image: 'n' }],
    },
    {
      it: 'orders the list',
      patch: { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
      expected: [containers[1], containers[0]],
    },
  ])('$it', ({ patch, expected }) => {
    expect(applyStrategicMergePatch({ spec: { containers } }, patch, pod)).toEqual({ spec: { containers: expected } })
  })

  test('replaces lists without a merge key, removes fields set to null, and follows the directives of objects', () => {
    const target = {
      metadata: { labels: { a: '1', b: '2' }, finalizers: ['x/y'] },
      spec: { tolerations: [{ key: 'a' }], hostNetwork: true },
    }
    const patch = {
      metadata: { labels: { $patch: 'replace', c: '3' }, '$deleteFromPrimitiveList/finalizers': ['x/y'] },
      spec: { tolerations: [{ key: 'b' }], hostNetwork: null },
    }
    expect(applyStrategicMergePatch(target, patch, pod)).toEqual({
      metadata: { labels: { c: '3' }, finalizers: [] },
      spec: { tolerations: [{ key: 'b' }] },
    })
  })

  test('merges lists of strings as sets and keeps only the keys that $retainKeys names', () => {
    const target = { metadata: { finalizers: ['a/b'] }, spec: { volumes: [{ name: 'v', emptyDir: {} }] } }
    const patch = {
      metadata: { finalizers: ['a/b', 'c/d'] },
      spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/' } }] },
    }
    expect(applyStrategicMergePatch(target, patch, pod)).toEqual({
      metadata: { finalizers: ['c/d', 'a/b'] },
      spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
    })
  })

  test.for([
    [{ spec: { containers: [{ image: 'z' }] } }, 'merge key: name'],
    [{ spec: { containers: ['z'] } }, 'merges a list of objects'],
    [{ spec: { $patch: 'twist' } }, 'unknown patch type'],
  ] as const)('refuses the patch %o', ([patch, message]) => {
    expect(() => applyStrategicMergePatch({ spec: { containers } }, patch, pod)).toThrow(message)
  })
})
