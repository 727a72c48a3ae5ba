import type { ObjectMeta } from '@berth/types'
import { readObject } from '../../state/read-object.ts'

/** Objects of others that a decision passes over because they cannot be read. */
export class Omissions {
  #first: string | undefined
  #count = 0

  /**
   * What `read` answers; undefined where it throws, which is noted.
   *
   * @param kind - Of the object, as a person says it.
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

  /** Why the first of them was passed over, and how many others were; undefined when none was. */
  get reason(): string | undefined {
    if (this.#first === undefined) return undefined
    const others = this.#count - 1
    return `${this.#first}; ${others === 0 ? 'it is left out' : `it and ${others} more are left out`}`
  }
}
