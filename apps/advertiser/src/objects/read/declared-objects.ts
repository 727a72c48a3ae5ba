import { errorText } from '@berth/text/error-text'
import type { ExtendedResource } from '@berth/types'
import type { PreparedDeclarations } from '../../config/setup.ts'
import type { Declaration } from '../../plan/declaration.ts'
import { readObject, type ReadObject, type ReadObjectOptions } from './read-object.ts'

/** The objects of one moment, read and prepared to run. */
export interface DeclaredObjects {
  /** By the name of the object. */
  readonly read: ReadonlyMap<string, ReadObject>
  /** The declarations of the objects that declare something. An unchanged object keeps its part. */
  readonly parts: readonly PreparedDeclarations[]
}

interface Entry {
  readonly key: string
  readonly read: ReadObject
  readonly part: PreparedDeclarations | undefined
}

/**
 * Creates a reader that keeps what it has prepared as long as an object does not change, so that the values of its source
 * stay.
 *
 * @param prepare - Creates the source of a declaration. If it throws, the object is invalid and the others are not affected.
 */
export function createObjectReader(
  prepare: (declarations: readonly Declaration[]) => PreparedDeclarations,
): (objects: Iterable<ExtendedResource>, options: ReadObjectOptions) => DeclaredObjects {
  let entries: ReadonlyMap<string, Entry> = new Map()
  return (objects, options) => {
    const next = new Map<string, Entry>()
    for (const object of objects) {
      const name = object.metadata.name ?? ''
      const read = readObject(object, options)
      const key = keyOf(object, read)
      const known = entries.get(name)
      next.set(name, known?.key === key ? known : { key, ...prepareObject(read, prepare) })
    }
    entries = next
    return {
      read: new Map([...next].map(([name, entry]) => [name, entry.read])),
      parts: [...next.values()].flatMap(({ part }) => part ?? []),
    }
  }
}

/** Two states of an object with the same key declare the same. */
function keyOf({ metadata }: ExtendedResource, read: ReadObject): string {
  const result =
    read.kind === 'declares'
      ? read.declaration.amount.kind === 'unclaimed'
      : read.kind === 'refused'
        ? read.message
        : read.kind
  return JSON.stringify([metadata.uid, metadata.generation, read.kind, result])
}

function prepareObject(
  read: ReadObject,
  prepare: (declarations: readonly Declaration[]) => PreparedDeclarations,
): Omit<Entry, 'key'> {
  if (read.kind !== 'declares') return { read, part: undefined }
  try {
    return { read, part: prepare([read.declaration]) }
  } catch (error) {
    return { read: { kind: 'refused', reason: 'Invalid', message: errorText(error) }, part: undefined }
  }
}
