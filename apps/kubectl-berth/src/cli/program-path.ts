import { delimiter, dirname, join } from 'node:path'

/** How this program was called. */
export interface ProgramCall {
  /** `process.argv`. In a single executable, its second word is the name by which the caller called it. */
  readonly argv: readonly string[]
  /** `process.execPath`. */
  readonly execPath: string
  readonly isSingleExecutable: boolean
  /** The variable PATH. */
  readonly path: string | undefined
  readonly exists: (path: string) => boolean
}

/**
 * Returns the path of this program, as it was called. A symbolic link is kept, because kubectl finds plugins by the
 * directory of the link. A shell passes only the name of a program that it found in the PATH.
 */
export function programPath({ argv, execPath, isSingleExecutable, path = '', exists }: ProgramCall): string {
  const [, called = execPath] = argv
  if (!isSingleExecutable || dirname(called) !== '.' || called.startsWith('.')) return called
  const inPath = path
    .split(delimiter)
    .filter((dir) => dir !== '')
    .map((dir) => join(dir, called))
  return inPath.find(exists) ?? execPath
}
