import { SCALARS, type Field, type FieldType, type ObjectType, type Scalar, type TypeMap } from './field-type.ts'

/**
 * Reads the compact type notation:
 *
 * ```
 * @ io.k8s.api.core.v1                                    package of what follows
 * Pod object | What it is.                                a type; `object`: with apiVersion and kind; `atomic`
 *   containers []Container! #2 map=name patch=merge:name  a field: name, type, `!` when required, how lists merge
 * ```
 *
 * `[]T` is a list and `{}T` a map with string keys. `#2` is the number in protobuf, `#2.1` that of a field of an
 * embedded message, `*` says that zero is a value and not an absence.
 */
export function parseTypes(texts: readonly string[]): TypeMap {
  const types = new Map<string, ObjectType>()
  let packageName = ''
  let fields = new Map<string, Field>()
  for (const line of texts.join('\n').split('\n')) {
    if (line === '') continue
    const [head = '', description] = line.split(' | ')
    const described = description === undefined ? {} : { description }
    const [first = '', ...words] = head.trim().split(' ')
    if (line.startsWith('  ')) {
      fields.set(first, { name: first, ...parseField(words), ...described })
    } else if (first === '@') {
      packageName = words[0] ?? ''
    } else {
      fields = new Map()
      const isRoot = words.includes('object')
      types.set(first, {
        name: first,
        package: packageName,
        isRoot,
        isAtomic: words.includes('atomic'),
        ...described,
        fields,
      })
    }
  }
  return types
}

function parseField(words: readonly string[]): Omit<Field, 'name' | 'description'> {
  const [type = 'any', ...options] = words
  let list: Field['list']
  let patch: Field['patch']
  let wire: Field['wire']
  for (const option of options) {
    if (option.startsWith('#')) {
      const numbers = option.slice(1).replace('*', '').split('.').map(Number)
      wire = { numbers, keepsZero: option.endsWith('*') }
    }
    const [name, value = ''] = option.split('=')
    if (name === 'map') list = { kind: 'map', keys: value.split(',') }
    else if (name === 'set') list = { kind: 'set' }
    else if (name === 'patch') {
      const [strategies = '', key] = value.split(':')
      patch = { strategies: strategies.split(','), ...(key === undefined ? {} : { key }) }
    }
  }
  return {
    type: parseType(type.replace(/!$/, '')),
    isRequired: type.endsWith('!'),
    isAtomic: options.includes('atomic'),
    ...(list === undefined ? {} : { list }),
    ...(patch === undefined ? {} : { patch }),
    ...(wire === undefined ? {} : { wire }),
  }
}

function parseType(text: string): FieldType {
  if (text.startsWith('[]')) return { kind: 'list', element: parseType(text.slice(2)) }
  if (text.startsWith('{}')) return { kind: 'map', element: parseType(text.slice(2)) }
  return isScalar(text) ? { kind: 'scalar', scalar: text } : { kind: 'ref', name: text }
}

function isScalar(name: string): name is Scalar {
  return Object.hasOwn(SCALARS, name)
}
