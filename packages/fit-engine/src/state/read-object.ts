import { BerthError, type ObjectMeta } from '@berth/types'
import { StateError } from '../errors.ts'
import { objectKey } from './cluster-objects.ts'

/**
 * Calls `read` and adds the object's kind and name to any error that it throws.
 *
 * @param kind - For the message, such as `pod` or `node`.
 * @throws StateError BERTH_FIT_UNREADABLE when `read` throws.
 */
export function readObject<T>(kind: string, metadata: ObjectMeta, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const hint = cause instanceof BerthError ? cause.hint : undefined
    throw new StateError(`read ${kind} ${objectKey(metadata)}: ${reason}`, {
      code: 'BERTH_FIT_UNREADABLE',
      cause,
      ...(hint !== undefined && { hint }),
    })
  }
}
