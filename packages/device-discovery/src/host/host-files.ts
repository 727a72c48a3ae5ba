import { access, readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** Reads files of a host whose root directory may be mounted elsewhere. All paths are absolute paths of the host. */
export interface HostFiles {
  /** Returns the path at which this process finds the file. */
  locate(path: string): string
  /**
   * Returns the text of a file without surrounding white space. Undefined if it cannot be read: attributes of sysfs come
   * and go with their device, and a driver may return an error.
   */
  text(path: string): Promise<string | undefined>
  /** Returns the sorted names in a directory; empty if it is missing. @throws The error of a directory that cannot be read. */
  names(directory: string): Promise<readonly string[]>
  /** Follows all links and returns a path of the host; undefined if it is missing or leads out of the root. */
  real(path: string): Promise<string | undefined>
  /** Returns whether the path exists, after following links. */
  exists(path: string): Promise<boolean>
}

/** Creates the files of a host. @param root - The directory in which the root of the host is mounted. */
export function hostFiles(root: string): HostFiles {
  const locate = (path: string): string => join(root, path)
  let realRoot: string | undefined
  return {
    locate,
    async text(path) {
      try {
        return (await readFile(locate(path), 'utf8')).trim()
      } catch {
        return undefined
      }
    },
    async names(directory) {
      try {
        return (await readdir(locate(directory))).toSorted()
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
    },
    async real(path) {
      realRoot ??= await realpath(root).catch(() => undefined)
      const base = realRoot ?? root
      const found = await realpath(locate(path)).catch(() => undefined)
      if (found === undefined || base === '/') return found
      if (found === base) return '/'
      return found.startsWith(`${base}/`) ? found.slice(base.length) : undefined
    },
    exists: (path) =>
      access(locate(path)).then(
        () => true,
        () => false,
      ),
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}
