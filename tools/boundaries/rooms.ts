import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One workspace package. */
export interface Room {
  /** From the root of the repository: `packages/types`. */
  readonly path: string
  /** `@berth/types`. */
  readonly name: string
  /** `types`, `app`, `plugin`: what turbo.json says of it. */
  readonly tag: string
}

/** Every workspace package that has a tag, sorted by path. */
export function rooms(root: string): readonly Room[] {
  return globSync('{packages,apps,plugins,examples/plugins}/*/package.json', { cwd: root })
    .map((manifest) => dirname(manifest))
    .toSorted()
    .map((path) => ({
      path,
      name: (readJson(join(root, path, 'package.json')) as { readonly name: string }).name,
      tag: (readJson(join(root, path, 'turbo.json')) as { readonly tags: readonly string[] }).tags[0] ?? '',
    }))
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
