import type { FieldEntry, GroupVersionFile, TypeEntry } from './generated-files.ts'
import type { Encoding, Field, FieldType, Member, ObjectType, Scalar } from './object-type.ts'

/** A kind of the Kubernetes API. */
export interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly type: ObjectType
  /** Absent for kinds without an endpoint of their own, such as lists. */
  readonly resource?: {
    readonly plural: string
    readonly isNamespaced: boolean
    /** Subresources with a client method upstream: `status`, `scale`, `resize`. Streams such as `log` are not listed. */
    readonly subresources: readonly string[]
  }
}

/** Looks up kinds and types of some group versions. */
export interface Schema {
  /** @param apiVersion - `v1` or `apps/v1`. */
  kind(apiVersion: string, kind: string): Kind | undefined
  /** @param modelName - OpenAPI name, such as `io.k8s.api.core.v1.Pod`. */
  type(modelName: string): ObjectType | undefined
  kinds(): readonly Kind[]
}

/**
 * Builds lookups over group versions. A type is built when it is first read, so large groups cost nothing until then.
 *
 * @param groupVersions - They must include the group versions that their types refer to.
 */
export function createSchema(groupVersions: readonly GroupVersionFile[]): Schema {
  const types = new Map<string, ObjectType>()
  for (const { package: packageName, types: entries } of groupVersions) {
    for (const [name, entry] of Object.entries(entries)) {
      const modelName = `${packageName}.${name}`
      types.set(modelName, new GeneratedType(name, packageName, entry, types))
    }
  }
  const kinds = groupVersions.flatMap((file) => kindsOf(file, types))
  const kindsByName = new Map(kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]))
  return {
    kind: (apiVersion, kind) => kindsByName.get(`${apiVersion} ${kind}`),
    type: (modelName) => types.get(modelName),
    kinds: () => kinds,
  }
}

function apiVersionOf({ group, version }: Kind): string {
  return group === '' ? version : `${group}/${version}`
}

function kindsOf(file: GroupVersionFile, types: ReadonlyMap<string, ObjectType>): readonly Kind[] {
  const { group, version } = file
  return Object.entries(file.kinds).map(([kind, { plural, namespaced: isNamespaced = false, subresources = [] }]) => ({
    group,
    version,
    kind,
    type: typeNamed(`${file.package}.${kind}`, types),
    ...(plural === undefined ? {} : { resource: { plural, isNamespaced, subresources } }),
  }))
}

function typeNamed(modelName: string, types: ReadonlyMap<string, ObjectType>): ObjectType {
  const type = types.get(modelName)
  if (type === undefined) throw new Error(`the schema lacks the type ${modelName}`)
  return type
}

/** A type that reads its entry when its fields are first asked for. */
class GeneratedType implements ObjectType {
  readonly name: string
  readonly modelName: string
  readonly isRoot: boolean
  readonly isUnion: boolean
  readonly isAtomic: boolean
  readonly #package: string
  readonly #entry: TypeEntry
  readonly #types: ReadonlyMap<string, ObjectType>
  #fields: ReadonlyMap<string, Field> | undefined
  #members: ReadonlyMap<number, Member> | undefined

  constructor(name: string, packageName: string, entry: TypeEntry, types: ReadonlyMap<string, ObjectType>) {
    this.name = name
    this.modelName = `${packageName}.${name}`
    this.isRoot = entry.root ?? false
    this.isUnion = entry.union ?? false
    this.isAtomic = entry.atomic ?? false
    this.#package = packageName
    this.#entry = entry
    this.#types = types
  }

  get fields(): ReadonlyMap<string, Field> {
    if (this.#fields === undefined) {
      const inlined = this.#inlined().flatMap(([, object]) => [...object.fields])
      const own = Object.entries(this.#entry.fields).map(([name, entry]) => [name, this.#field(name, entry)] as const)
      this.#fields = new Map([...inlined, ...own])
    }
    return this.#fields
  }

  get members(): ReadonlyMap<number, Member> {
    this.#members ??= new Map<number, Member>([
      ...this.#inlined().map(([number, object]) => [number, { kind: 'inlined', object }] as const),
      ...Object.entries(this.#entry.fields).flatMap(([name, entry]) => {
        const field = this.fields.get(name)
        if (entry.number === undefined || field === undefined) return []
        return [[entry.number, { kind: 'field', field, encoding: encodingOf(entry) }] as const]
      }),
    ])
    return this.#members
  }

  #inlined(): readonly (readonly [number, ObjectType])[] {
    return Object.entries(this.#entry.inlined ?? {}).map(([name, number]) => [number, this.#typeNamed(name)])
  }

  #typeNamed(name: string): ObjectType {
    return typeNamed(name.includes('.') ? name : `${this.#package}.${name}`, this.#types)
  }

  #field(name: string, entry: FieldEntry): Field {
    const list = listOf(entry)
    const { patchStrategy: strategies, patchMergeKey: key } = entry
    return {
      name,
      type: this.#fieldType(entry.type),
      isRequired: entry.required ?? false,
      isAtomic: entry.atomic ?? false,
      ...(list === undefined ? {} : { list }),
      ...(strategies === undefined ? {} : { patch: { strategies, ...(key === undefined ? {} : { key }) } }),
    }
  }

  #fieldType(text: string): FieldType {
    if (text.startsWith('[]')) return { kind: 'list', element: this.#fieldType(text.slice(2)) }
    if (text.startsWith('{}')) return { kind: 'map', element: this.#fieldType(text.slice(2)) }
    return isScalar(text) ? { kind: 'scalar', scalar: text } : { kind: 'object', object: this.#typeNamed(text) }
  }
}

function listOf({ listType, listMapKeys = [] }: FieldEntry): Field['list'] {
  if (listType === 'map') return { kind: 'map', keys: listMapKeys }
  return listType === 'set' || listType === 'atomic' ? { kind: listType } : undefined
}

function encodingOf(entry: FieldEntry): Encoding {
  return {
    isPointer: entry.pointer ?? false,
    keepsEmpty: entry.keepsEmpty ?? false,
    omitsZero: entry.omitsZero ?? false,
    isWrapped: entry.wrapped ?? false,
  }
}

const SCALARS: ReadonlySet<string> = new Set<Scalar>([
  'string',
  'bytes',
  'bool',
  'int32',
  'int64',
  'double',
  'Quantity',
  'Time',
  'MicroTime',
  'IntOrString',
  'RawExtension',
  'FieldsV1',
  'JSON',
])

function isScalar(name: string): name is Scalar {
  return SCALARS.has(name)
}
