import { builtInKinds } from './built-in-kinds.ts'
import type { ResourceKind } from './resource-kind.ts'

/** The resources that the server serves. */
export interface KindRegistry {
  /** By group, version and plural name. */
  find(group: string, version: string, plural: string): ResourceKind | undefined
  all(): readonly ResourceKind[]
}

/** A registry of the built-in kinds. */
export function createKindRegistry(): KindRegistry {
  const byPath = new Map(builtInKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.plural}`, kind]))
  return {
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    all: () => builtInKinds,
  }
}
