import { builtInKinds } from './built-in-kinds.ts'
import type { ResourceKind } from './resource-kind.ts'

/** The kinds that the server serves. */
export interface KindRegistry {
  /** Returns a kind by group, version and plural name. */
  find(group: string, version: string, plural: string): ResourceKind | undefined
  all(): readonly ResourceKind[]
  /** Replaces the kinds of a CustomResourceDefinition. A built-in kind with the same path takes precedence. */
  define(definition: string, kinds: readonly ResourceKind[]): void
}

/** Creates a registry with the built-in kinds. */
export function createKindRegistry(): KindRegistry {
  const pathOf = ({ group, version, plural }: ResourceKind): string => `${group}/${version}/${plural}`
  const builtIn = new Map(builtInKinds.map((kind) => [pathOf(kind), kind]))
  const defined = new Map<string, readonly ResourceKind[]>()
  let all = builtInKinds
  let byPath: ReadonlyMap<string, ResourceKind> = builtIn
  return {
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    all: () => all,
    define(definition, kinds) {
      if (kinds.length === 0) defined.delete(definition)
      else defined.set(definition, kinds)
      const own = [...defined.values()].flat().filter((kind) => !builtIn.has(pathOf(kind)))
      all = [...builtInKinds, ...own]
      byPath = new Map(all.map((kind) => [pathOf(kind), kind]))
    },
  }
}
