import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runOrThrow } from '../cluster/run-command.ts'

const MODULE = 'k8s.io/kubernetes'

/** A Go module that builds programs of Kubernetes. */
export interface PinnedModule {
  /** Folder of go.mod and go.sum. Created if it does not exist. */
  readonly dir: string
  /** Path of the module. */
  readonly name: string
  /** For example `v1.34.4`. */
  readonly version: string
  /** Programs below `k8s.io/kubernetes/cmd`. */
  readonly programs: readonly string[]
}

/**
 * Writes the go.mod and go.sum with which Go builds unmodified programs of a version of Kubernetes.
 *
 * @returns The packages of the programs.
 * @throws Error with the output of Go when the version does not exist.
 */
export async function pinKubernetes({ dir, name, version, programs }: PinnedModule): Promise<readonly string[]> {
  mkdirSync(dir, { recursive: true })
  const go = (...args: readonly string[]): Promise<string> =>
    runOrThrow('go', args, { cwd: dir, timeoutMs: 30 * 60_000 })
  const { Dir } = JSON.parse(await go('mod', 'download', '-json', `${MODULE}@${version}`)) as { readonly Dir: string }
  const source = readFileSync(join(Dir, 'go.mod'), 'utf8')
  // Without the notes at its top, which are about the source tree.
  writeFileSync(join(dir, 'go.mod'), source.slice(source.search(/^module /m)))
  copyFileSync(join(Dir, 'go.sum'), join(dir, 'go.sum'))
  // The module names its own libraries with version v0.0.0 and takes them from its source tree.
  const { Replace } = JSON.parse(await go('mod', 'edit', '-json')) as {
    readonly Replace: readonly { readonly Old: { readonly Path: string }; readonly New: { readonly Path: string } }[]
  }
  const replaced = Replace.filter(({ New }) => New.Path.startsWith('./staging/')).map(
    ({ Old: { Path } }) => `-replace=${Path}=${Path}@${version.replace(/^v1\./, 'v0.')}`,
  )
  await go('mod', 'edit', `-module=${name}`, ...replaced, `-require=${MODULE}@${version}`)
  const packages = programs.map((program) => `${MODULE}/cmd/${program}`)
  // Adds the checksums of those libraries.
  await go('list', '-mod=mod', '-deps', ...packages)
  return packages
}
