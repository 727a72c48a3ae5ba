import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { descriptionsOf } from './descriptions.ts'
import { createSchema, groupVersions, type FieldType, type ObjectType } from './index.ts'

const allGroupVersions = Object.values(groupVersions)
const schema = createSchema(allGroupVersions)
const types = allGroupVersions.flatMap((file) =>
  Object.keys(file.types).map((name) => schema.type(`${file.package}.${name}`) as ObjectType),
)

function pod(): ObjectType {
  return schema.kind('v1', 'Pod')?.type as ObjectType
}

/** Types that protobuf writes as one message inside another, by the number of the message. */
function inlinedBy(type: ObjectType): readonly (readonly [number, string])[] {
  return [...(type.members ?? [])].flatMap(([number, member]) =>
    member.kind === 'inlined' ? [[number, member.object.name] as const] : [],
  )
}

describe('the generated files', () => {
  test('every file is part of groupVersions', () => {
    const names = readdirSync(join(import.meta.dirname, 'gen')).filter((name) => name.endsWith('.json'))
    const versions = allGroupVersions.map(({ group, version }) => `${group.split('.')[0] || 'core'}-${version}.json`)
    expect(versions.toSorted()).toEqual(names.toSorted())
  })

  test('every type that a field refers to exists', () => {
    // Reading the fields throws where a type is missing.
    expect(types.flatMap((type) => [...type.fields.keys()]).length).toBeGreaterThan(2_000)
    expect(types.every((type) => type.members !== undefined)).toBe(true)
  })

  test('a protobuf number stands for one member of its message', () => {
    const repeated = allGroupVersions.flatMap((file) =>
      Object.entries(file.types).flatMap(([name, { fields, inlined = {} }]) => {
        const numbers = [...Object.values(inlined), ...Object.values(fields).flatMap(({ number }) => number ?? [])]
        return new Set(numbers).size === numbers.length ? [] : [name]
      }),
    )
    expect(repeated).toEqual([])
  })

  test('inlined fields do not hide each other', () => {
    const hidden = types.filter((type) => {
      const names = [...(type.members?.values() ?? [])].flatMap((member) =>
        member.kind === 'field' ? member.field.name : [...member.object.fields.keys()],
      )
      return new Set(names).size !== names.length
    })
    expect(hidden).toEqual([])
  })

  test('every list of owned items names keys that its items have', () => {
    const keysOf = (type: FieldType): ReadonlySet<string> =>
      new Set(type.kind === 'list' && type.element.kind === 'object' ? type.element.object.fields.keys() : [])
    const wrong = types.flatMap((type) =>
      [...type.fields.values()]
        .filter(({ list, type: shape }) => list?.kind === 'map' && !list.keys.every((key) => keysOf(shape).has(key)))
        .map(({ name }) => `${type.name}.${name}`),
    )
    expect(wrong).toEqual([])
  })

  test('descriptions speak of types and fields that exist', () => {
    const strangers = types.flatMap((type) =>
      Object.keys(descriptionsOf(type.modelName)?.fields ?? {})
        .filter((name) => !type.fields.has(name))
        .map((name) => `${type.name}.${name}`),
    )
    expect(strangers).toEqual([])
    expect(types.filter((type) => descriptionsOf(type.modelName) === undefined)).toEqual([])
  })
})

describe('createSchema', () => {
  test('knows a kind with its resource', () => {
    expect(schema.kind('apps/v1', 'Deployment')?.resource).toEqual({
      plural: 'deployments',
      isNamespaced: true,
      subresources: ['scale', 'status'],
    })
    expect(schema.kind('v1', 'Node')?.resource?.isNamespaced).toBe(false)
    expect(schema.kind('v1', 'PodList')?.resource).toBeUndefined()
    expect(schema.kind('v1', 'Unicorn')).toBeUndefined()
    expect(schema.type('io.k8s.api.core.v1.Unicorn')).toBeUndefined()
    expect(schema.kinds().length).toBeGreaterThan(100)
  })

  test('knows how lists are owned and patched', () => {
    const spec = schema.type('io.k8s.api.core.v1.PodSpec')
    expect(spec?.fields.get('containers')).toMatchObject({
      isRequired: true,
      list: { kind: 'map', keys: ['name'] },
      patch: { strategies: ['merge'], key: 'name' },
    })
    expect(spec?.fields.get('volumes')?.patch).toEqual({ strategies: ['merge', 'retainKeys'], key: 'name' })
    expect(spec?.fields.get('tolerations')?.list).toEqual({ kind: 'atomic' })
    expect(spec?.fields.get('nodeSelector')?.isAtomic).toBe(true)
    expect(schema.type('io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector')?.isAtomic).toBe(true)
  })

  test('shows the fields of inlined types as the type’s own, and where protobuf keeps them', () => {
    const volume = schema.type('io.k8s.api.core.v1.Volume') as ObjectType
    expect(volume.fields.has('emptyDir')).toBe(true)
    expect(inlinedBy(volume)).toEqual([[2, 'VolumeSource']])
    expect(volume.members?.get(1)).toMatchObject({ kind: 'field', field: { name: 'name' } })
  })

  test('knows how Go writes a field', () => {
    const members = schema.type('io.k8s.api.core.v1.PodSpec')?.members
    expect(members?.get(4)).toMatchObject({
      field: { name: 'terminationGracePeriodSeconds' },
      encoding: { isPointer: true },
    })
    expect(members?.get(10)).toMatchObject({
      field: { name: 'nodeName' },
      encoding: { isPointer: false, keepsEmpty: false },
    })
    const verbs = schema.type('io.k8s.apimachinery.pkg.apis.meta.v1.APIResource')?.members?.get(4)
    expect(verbs).toMatchObject({ field: { name: 'verbs' }, encoding: { isWrapped: true } })
    expect(schema.type('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool')?.isUnion).toBe(
      true,
    )
  })

  test('works with the group versions that an app needs', () => {
    const small = createSchema([groupVersions.metaV1, groupVersions.coreV1])
    expect(small.kind('v1', 'Pod')?.type.fields.get('metadata')?.type).toMatchObject({ object: { name: 'ObjectMeta' } })
    expect(small.kind('apps/v1', 'Deployment')).toBeUndefined()
    expect(() => createSchema([groupVersions.coreV1]).kind('v1', 'Pod')?.type.fields).toThrow('lacks the type')
  })

  test('describes types and fields, inlined ones included', () => {
    expect(descriptionsOf(pod().modelName)?.fields['spec']).toContain('desired behavior of the pod')
    expect(descriptionsOf('io.k8s.api.core.v1.Volume')?.fields['emptyDir']).toContain('emptyDir')
    expect(descriptionsOf('io.k8s.api.core.v1.Unicorn')).toBeUndefined()
  })
})
