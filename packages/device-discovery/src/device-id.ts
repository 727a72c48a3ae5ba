import { createHash } from 'node:crypto'

/** The kubelet's limit (`MAX_DEVICE_ID_LENGTH` of kubelet-api, which plugins cannot import). */
export const MAX_ID_LENGTH = 63

/**
 * Derives a device id from a path: its letters and digits, up to the kubelet's limit. When characters are replaced or
 * cut, a hash is added, so that different paths have different ids and an id is the same on every start.
 */
export function deviceId(path: string, slot?: number): string {
  const readable = path.replaceAll(/[^A-Za-z0-9._]+/g, '-').replaceAll(/^-+|-+$/g, '')
  const suffix = slot === undefined ? '' : `-${slot}`
  const isExact = `/${readable.replaceAll('-', '/')}` === path
  const hash = isExact ? '' : `-${shortHash(path)}`
  if (readable.length + hash.length + suffix.length <= MAX_ID_LENGTH) return `${readable}${hash}${suffix}`
  const digest = shortHash(path)
  const room = MAX_ID_LENGTH - digest.length - suffix.length - 1
  // The end of a path is more specific than its start.
  return `${readable.slice(-room).replace(/^[^A-Za-z0-9]+/, '')}-${digest}${suffix}`
}

/** Returns eight hexadecimal digits that are the same on every start, to keep shortened names different. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
