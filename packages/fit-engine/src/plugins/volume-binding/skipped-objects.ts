import type { ObjectMeta } from '@berth/types'
import { readObject } from '../../state/read-object.ts'

/** Objects that a decision skips because they cannot be read. */
export class SkippedObjects {
  #first: string | undefined
  #count = 0

  /**
   * Returns the result of `read`; undefined when it throws, which is recorded.
   *
   * @param kind - Kind of the object, for the message.
   */
  read<T>(kind: string, metadata: ObjectMeta, read: () => T): T | undefined {
    try {
      return readObject(kind, metadata, read)
    } catch (error) {
      this.#first ??= error instanceof Error ? error.message : String(error)
      this.#count += 1
      return undefined
    }
  }

  /** The reason why the first object was skipped, and the number of others; undefined when none was skipped. */
  get reason(): string | undefined {
    if (this.#first === undefined) return undefined
    const others = this.#count - 1
    return `${this.#first}; ${others === 0 ? 'it is left out' : `it and ${others} more are left out`}`
  }
}
