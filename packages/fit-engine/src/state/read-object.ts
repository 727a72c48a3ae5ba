import { BerthError, type ObjectMeta } from '@berth/types'
import { StateError } from '../errors.ts'

/**
 * Calls `read` and adds the object's kind and name to any error that it throws.
 *
 * @param kind - For the message, such as `pod` or `node`.
 * @throws StateError BERTH_FIT_UNREADABLE when `read` throws.
 */
export function readObject<T>(kind: string, { namespace, name = '' }: ObjectMeta, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const object = namespace == null || namespace === '' ? name : `${namespace}/${name}`
    const reason = cause instanceof Error ? cause.message : String(cause)
    const hint = cause instanceof BerthError ? cause.hint : undefined
    throw new StateError(`read ${kind} ${object}: ${reason}`, {
      code: 'BERTH_FIT_UNREADABLE',
      cause,
      ...(hint !== undefined && { hint }),
    })
  }
}
