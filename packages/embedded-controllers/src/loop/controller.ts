import type { Change, ObjectWriter, ServerContext } from '@berth/embedded-api-server'
import type { OwnerIndex } from './owner-index.ts'

/** What controllers are made of. */
export interface ControllerParts {
  readonly context: ServerContext
  readonly client: ObjectWriter
  readonly owners: OwnerIndex
  /** PEM of the authority that signed the server's certificate; `''` where nothing is served. */
  readonly rootCa: string
}

/** One control loop. */
export interface Controller {
  readonly name: string
  /** The storages whose changes it looks at; default: all. */
  readonly storages?: readonly string[]
  /** The keys that a change gives work for; in whatever form `reconcile` reads. Called before the change is visible to anybody else. */
  interest(storage: string, change: Change): readonly string[]
  /**
   * Brings the world one step nearer to what is wanted. It runs again when that step makes changes of interest, and
   * after the time that it asks for with `again`: the last wish of a turn counts, the next turn takes it back.
   */
  reconcile(key: string, again: (delayMs: number) => void): void
}
