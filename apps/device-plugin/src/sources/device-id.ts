import { MAX_DEVICE_ID_LENGTH } from '@berth/kubelet-api'
import { createHash } from 'node:crypto'

/**
 * The id of the device behind a path: its letters and digits, as far as the kubelet takes them. What would be cut or
 * replaced is told apart by a hash, so that different paths have different ids, on every start the same.
 */
export function deviceId(path: string, slot?: number): string {
  const readable = path.replaceAll(/[^A-Za-z0-9._]+/g, '-').replaceAll(/^-+|-+$/g, '')
  const suffix = slot === undefined ? '' : `-${slot}`
  const isExact = `/${readable.replaceAll('-', '/')}` === path
  const hash = isExact ? '' : `-${createHash('sha256').update(path).digest('hex').slice(0, 8)}`
  if (readable.length + hash.length + suffix.length <= MAX_DEVICE_ID_LENGTH) return `${readable}${hash}${suffix}`
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 8)
  const room = MAX_DEVICE_ID_LENGTH - digest.length - suffix.length - 1
  // The end of a path tells more than its beginning.
  return `${readable.slice(-room).replace(/^[^A-Za-z0-9]+/, '')}-${digest}${suffix}`
}
