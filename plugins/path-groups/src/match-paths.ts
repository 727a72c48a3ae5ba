import { dirname, join } from 'node:path'
import type { HostFiles } from '@berth/device-discovery'
import { KEY } from './args.ts'

/** A path that matches, and the text that {@link KEY} stands for in it. */
export interface MatchingPath {
  readonly path: string
  /** Undefined if the pattern has no key. */
  readonly key: string | undefined
}

/**
 * Lists the paths of the host that match a pattern, sorted. A pattern without wildcards matches itself, so that a missing
 * node is noticed.
 */
export async function matchingPaths(pattern: string, host: HostFiles): Promise<readonly MatchingPath[]> {
  if (!/[*?]|\{key\}/.test(pattern)) return [{ path: pattern, key: undefined }]
  const [, ...parts] = pattern.split('/')
  let directories = ['/']
  for (const part of parts) {
    const matches = /[*?]|\{key\}/.test(part)
      ? (await Promise.all(directories.map((directory) => namesLike(directory, part, host)))).flat()
      : directories.map((directory) => join(directory, part))
    directories = matches
  }
  const whole = new RegExp(`^${toExpression(pattern)}$`, 'u')
  return directories.toSorted().flatMap((path) => {
    const found = whole.exec(path)
    return found === null ? [] : [{ path, key: found.groups?.['key'] }]
  })
}

async function namesLike(directory: string, part: string, host: HostFiles): Promise<readonly string[]> {
  const expression = new RegExp(`^${toExpression(part)}$`, 'u')
  return (await host.names(directory)).filter((name) => expression.test(name)).map((name) => join(directory, name))
}

/** The first key is a group, and each further one must be equal to it. */
function toExpression(pattern: string): string {
  let hasKey = false
  return pattern.replaceAll(/\{key\}|[*?]|[\\^$.+()|[\]{}]/g, (match) => {
    if (match === KEY) {
      const expression = hasKey ? String.raw`\k<key>` : '(?<key>[^/]+?)'
      hasKey = true
      return expression
    }
    return match === '*' ? '[^/]*' : match === '?' ? '[^/]' : `\\${match}`
  })
}

/** Returns the directories in which matches may appear: those before the first wildcard. */
export function directoryOf(pattern: string): string {
  const start = pattern.search(/[*?]|\{key\}/)
  return dirname(start < 0 ? pattern : `${pattern.slice(0, start)}x`)
}
