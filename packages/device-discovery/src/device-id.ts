import { createHash } from 'node:crypto'

/** The kubelet's limit (`MAX_DEVICE_ID_LENGTH` of kubelet-api, which plugins cannot import). */
export const MAX_ID_LENGTH = 63

/**
 * Derives a device id from a path, the same on every start: `/dev/ttyUSB0` becomes `dev-ttyUSB0`. When the id does not
 * show the whole path, because characters were replaced or cut, a hash keeps the ids of different paths different.
 *
 * @param slot - Appended as `-SLOT`, for several devices on one path.
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

/** Returns the first eight hexadecimal digits of the text's SHA-256, to keep shortened names different. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
