import { expect, test } from 'vitest'
import { patchedObject } from './patched-object.ts'

const node = { kind: 'Node', metadata: { name: 'a', labels: { x: '1' } }, status: { capacity: { cpu: '4', gpu: '1' } } }

test('merges objects, replaces other values and removes members that the patch sets to null', () => {
  const patch = { metadata: { labels: { x: null, y: '2' } }, status: { capacity: { gpu: '3', fpga: '1' } } }
  expect(patchedObject(node, patch)).toEqual({
    kind: 'Node',
    metadata: { name: 'a', labels: { y: '2' } },
    status: { capacity: { cpu: '4', gpu: '3', fpga: '1' } },
  })
})

test('creates what is missing, without the members that are null', () => {
  expect(patchedObject({ kind: 'Node' }, { status: { capacity: { cpu: '1', gpu: null } } })).toEqual({
    kind: 'Node',
    status: { capacity: { cpu: '1' } },
  })
})

test.for([{ status: { conditions: [{ type: 'Ready' }] } }, [{ op: 'add', path: '/x' }], 'text', undefined])(
  'does not apply %j',
  (patch) => {
    expect(patchedObject(node, patch)).toBeUndefined()
  },
)

test('takes a member named __proto__ as a member', () => {
  const patched = patchedObject(node, JSON.parse('{"status":{"capacity":{"__proto__":"1"}}}'))
  expect(JSON.stringify(patched)).toContain('"__proto__":"1"')
  expect(Object.getPrototypeOf((patched as unknown as typeof node).status.capacity)).toBe(Object.prototype)
})
