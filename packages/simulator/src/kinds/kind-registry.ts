import { builtInKinds } from './built-in-kinds.ts'
import type { ResourceKind } from './resource-kind.ts'

/** The resources that the server serves at the moment. */
export interface KindRegistry {
  /** By group, version and plural name. */
  find(group: string, version: string, plural: string): ResourceKind | undefined
  /** By the `apiVersion` and `kind` of an object. */
  findKind(apiVersion: string, kind: string): ResourceKind | undefined
  all(): readonly ResourceKind[]
  add(kind: ResourceKind): void
  remove(kind: ResourceKind): void
}

/** A registry of the built-in kinds. */
export function createKindRegistry(): KindRegistry {
  const byPath = new Map<string, ResourceKind>()
  const byKind = new Map<string, ResourceKind>()
  const pathOf = (kind: ResourceKind): string => `${kind.group}/${kind.version}/${kind.plural}`
  const kindOf = (kind: ResourceKind): string =>
    `${kind.group === '' ? kind.version : `${kind.group}/${kind.version}`} ${kind.kind}`
  const add = (kind: ResourceKind): void => {
    byPath.set(pathOf(kind), kind)
    byKind.set(kindOf(kind), kind)
  }
  for (const kind of builtInKinds) add(kind)
  return {
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    findKind: (apiVersion, kind) => byKind.get(`${apiVersion} ${kind}`),
    all: () => [...byPath.values()],
    add,
    remove(kind) {
      byPath.delete(pathOf(kind))
      byKind.delete(kindOf(kind))
    },
  }
}
