import { lstat, readlink } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'

/** The calls of `node:fs/promises` that follow a path step by step. */
export interface PathCalls {
  readonly lstat: (path: string) => Promise<{
    readonly uid: number
    readonly mode: number
    isSymbolicLink(): boolean
  }>
  readonly readlink: (path: string) => Promise<string>
}

/** Linux refuses a path with more links. */
const MAX_LINKS = 40
const WRITABLE_BY_OTHERS = 0o022

/**
 * Creates a function that returns whether only root can change what a path leads to: every directory on the way, also
 * through links, belongs to root and is writable by root only. The result for a directory is cached, so create a new
 * function for each scan.
 *
 * @returns The function rejects with the error of `lstat` or `readlink` if the path cannot be followed.
 */
export function createRootControl(calls: PathCalls = { lstat, readlink }): (path: string) => Promise<boolean> {
  const checked = new Map<string, Promise<boolean>>()
  const check = async (directory: string): Promise<boolean> => {
    const { uid, mode } = await calls.lstat(directory)
    return uid === 0 && (mode & WRITABLE_BY_OTHERS) === 0
  }
  const isTrusted = (directory: string): Promise<boolean> => {
    const result = checked.get(directory) ?? check(directory)
    checked.set(directory, result)
    return result
  }

  return async (path) => {
    const names = path.split('/')
    let directory = '/'
    let links = 0
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      if (name === '' || name === '.') continue
      if (name === '..') {
        directory = dirname(directory)
        continue
      }
      if (!(await isTrusted(directory))) return false
      const next = join(directory, name)
      if ((await calls.lstat(next)).isSymbolicLink()) {
        if (++links > MAX_LINKS) return false
        const target = await calls.readlink(next)
        if (isAbsolute(target)) directory = '/'
        names.unshift(...target.split('/'))
      } else directory = next
    }
    return true
  }
}
