import { describe, expect, test } from 'vitest'
import { hasFormat } from '../values/formats.ts'
import { fillDefaults } from '../values/fill-defaults.ts'
import { parseJsonPath } from './json-path.ts'
import { compareVersions } from './kinds-of-definition.ts'
import { pruneUnknownFields } from '../../schema/structural/prune-unknown-fields.ts'
import { parseStructuralSchema } from '../../schema/structural/structural-schema.ts'
import { validateSchema } from './validate-schema.ts'

const schemaOf = (properties: object): ReturnType<typeof parseStructuralSchema> =>
  parseStructuralSchema({ type: 'object', properties })

describe('prune', () => {
  test('drops fields that the schema does not have, at every depth, and returns their paths', () => {
    const schema = schemaOf({
      a: { type: 'object', properties: { b: { type: 'string' } } },
      list: { type: 'array', items: { type: 'object', properties: { c: { type: 'integer' } } } },
    })
    const { value, unknownFields } = pruneUnknownFields(
      { kind: 'X', a: { b: '1', z: 1 }, list: [{ c: 1, y: 2 }], x: {} },
      schema,
    )
    expect(value).toEqual({ kind: 'X', a: { b: '1' }, list: [{ c: 1 }] })
    expect(unknownFields).toEqual(['a.z', 'list[0].y', 'x'])
  })

  test('keeps unknown fields where the schema preserves them, but prunes known fields there', () => {
    const open = { 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'object' } } }
    const { value } = pruneUnknownFields({ open: { any: [{ x: 1 }], a: { gone: 1 } } }, schemaOf({ open }))
    expect(value).toEqual({ open: { any: [{ x: 1 }], a: {} } })
  })

  test('keeps values under any key where additional properties are allowed', () => {
    const map = { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } }
    expect(pruneUnknownFields({ map: { one: { a: '1', b: '2' } } }, schemaOf({ map })).value).toEqual({
      map: { one: { a: '1' } },
    })
  })
})

describe('defaults', () => {
  const schema = schemaOf({
    a: { type: 'object', default: {}, properties: { b: { type: 'string', default: 'b' } } },
    c: { type: 'string', nullable: true, default: 'c' },
    list: { type: 'array', items: { type: 'object', properties: { d: { type: 'integer', default: 1 } } } },
  })

  test.for([
    ['fill missing fields, also inside other defaults', {}, { a: { b: 'b' }, c: 'c' }],
    ['keep a null if the field is nullable', { a: {}, c: null }, { a: { b: 'b' }, c: null }],
    ['replace a null if the field is not nullable', { a: null, c: '' }, { a: { b: 'b' }, c: '' }],
    ['drop a null if the field has no default', { a: { b: '' }, c: '', list: null }, { a: { b: '' }, c: '' }],
    [
      'fill the items of lists',
      { a: {}, c: '', list: [{}, { d: 2 }] },
      { a: { b: 'b' }, c: '', list: [{ d: 1 }, { d: 2 }] },
    ],
  ] as const)('defaults %s', ([, value, expected]) => {
    const filled = fillDefaults<object>(value, schema)
    expect(filled).toEqual(expected)
    expect(fillDefaults(filled, schema)).toBe(filled)
  })
})

describe('JSON paths', () => {
  const object = {
    a: { b: 1, 'c.d': 2 },
    list: [
      { type: 'x', n: 1 },
      { type: 'y', n: 2 },
    ],
  }

  test.for([
    ['.a.b', [1]],
    ["['a'].b", [1]],
    [String.raw`.a.c\.d`, [2]],
    ['.list[0].n', [1]],
    ['.list[-1].n', [2]],
    ['.list[*].n', [1, 2]],
    ['.list[0:1].n', [1]],
    ['.list[?(@.type=="y")].n', [2]],
    ['.list[?(@.n!=1)].type', ['y']],
    ['.nothing.here', []],
    ['.constructor', []],
  ] as const)('%s selects %j', ([path, expected]) => {
    expect(parseJsonPath(path)?.(object)).toEqual(expected)
  })

  test.for(['a.b', '.a[', '..a', '.a[?(x)]'])('%s is not a JSON path', (path) => {
    expect(parseJsonPath(path)).toBeUndefined()
  })
})

test.for([
  ['ipv4', '10.0.0.1', true],
  ['ipv4', '10.0.0', false],
  ['cidr', '10.0.0.0/8', true],
  ['cidr', '10.0.0.0/33', false],
  ['date-time', '2026-01-01T00:00:00Z', true],
  ['date-time', '2026-01-01', false],
  ['duration', '1h30m', true],
  ['duration', 'soon', false],
  ['byte', 'YQ==', true],
  ['byte', 'YQ=', false],
  ['hostname', 'a.example.com', true],
  ['hostname', 'a b', false],
  ['uuid', '00000000-0000-0000-0000-000000000000', true],
  ['mac', '00:11:22:33:44:55', true],
  ['mac', '00:11', false],
  ['k8s-short-name', 'Abc', false],
  ['of-my-own', 'anything', true],
] as const)('hasFormat(%s, %s) is %s', ([format, text, expected]) => {
  expect(hasFormat(text, format)).toBe(expected)
})

test('versions are ordered by stability, then by number', () => {
  const versions = ['v1alpha1', 'foo', 'v2beta1', 'v1', 'v10', 'v2beta2', 'bar']
  expect(versions.toSorted(compareVersions)).toEqual(['v10', 'v1', 'v2beta2', 'v2beta1', 'v1alpha1', 'bar', 'foo'])
})

test.for([
  [
    'a map list whose key is not a property',
    { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: { type: 'object' } },
  ],
  [
    'map keys of a list that is not a map',
    { type: 'array', 'x-kubernetes-list-map-keys': ['k'], items: { type: 'object' } },
  ],
  ['a list type on a string', { type: 'string', 'x-kubernetes-list-type': 'set' }],
  ['a map type on a list', { type: 'array', 'x-kubernetes-map-type': 'atomic', items: { type: 'string' } }],
  ['an unknown map type', { type: 'object', 'x-kubernetes-map-type': 'liquid' }],
  ['an embedded object without properties', { type: 'object', 'x-kubernetes-embedded-resource': true }],
  ['an embedded string', { type: 'string', 'x-kubernetes-embedded-resource': true }],
  ['preserve-unknown-fields set to false', { type: 'object', 'x-kubernetes-preserve-unknown-fields': false }],
  ['an empty validation rule', { type: 'object', 'x-kubernetes-validations': [{ rule: ' ' }] }],
] as const)('a schema with %s is refused', ([, property]) => {
  expect(validateSchema({ type: 'object', properties: { spec: property } }, 's')).not.toEqual([])
})
