import { access, constants, readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** An executable on this machine that kubectl runs as a command of its own. */
export interface KubectlPlugin {
  /** The words of the command: `berth`, `foo bar`. */
  readonly command: string
  readonly path: string
  readonly isExecutable: boolean
  /** Path of the file that kubectl runs instead, because its directory comes first; undefined when this one runs. */
  readonly shadowedBy: string | undefined
}

const PREFIX = 'kubectl-'

/**
 * Finds the kubectl plugins on a PATH, in its order. Directories that cannot be read have none, as for kubectl.
 *
 * @param path - The PATH variable; undefined: empty.
 * @see k8s.io/kubectl pkg/cmd/plugin (v0.36)
 */
export async function findKubectlPlugins(path: string | undefined): Promise<readonly KubectlPlugin[]> {
  const found: KubectlPlugin[] = []
  const first = new Map<string, string>()
  const dirs = new Set((path ?? '').split(delimiter).filter((dir) => dir.trim() !== ''))
  for (const dir of dirs) {
    const files = (await readdir(dir).catch(() => [])).filter((file) => file.startsWith(PREFIX)).toSorted()
    for (const file of files) {
      const full = join(dir, file)
      const isExecutable = await access(full, constants.X_OK).then(
        () => true,
        () => false,
      )
      found.push({ command: commandOf(file), path: full, isExecutable, shadowedBy: first.get(file) })
      if (!first.has(file)) first.set(file, full)
    }
  }
  return found
}

/** A dash separates words of the command, an underscore stands for a dash. */
function commandOf(file: string): string {
  const name = file.slice(PREFIX.length).replace(/\.(?:exe|bat|cmd|com|ps1)$/i, '')
  return name.replaceAll('-', ' ').replaceAll('_', '-')
}
