import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A workspace package. */
export interface WorkspacePackage {
  /** Path from the root of the repository, for example `packages/types`. */
  readonly path: string
  /** For example `@berth/types`. */
  readonly name: string
  /** Its tag in turbo.json, for example `types`, `app` or `plugin`. */
  readonly tag: string
}

/** Returns every workspace package that has a tag, sorted by path. */
export function workspacePackages(root: string): readonly WorkspacePackage[] {
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
