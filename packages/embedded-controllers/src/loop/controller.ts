import type { Change, ObjectWriter, ServerContext } from '@berth/embedded-api-server'
import type { OwnerIndex } from './owner-index.ts'

/** The dependencies of every controller. */
export interface ControllerDependencies {
  readonly context: ServerContext
  readonly writer: ObjectWriter
  readonly owners: OwnerIndex
  /** PEM of the certificate authority of the API server; `''` when the server is not served over HTTPS. */
  readonly rootCa: string
}

/** One control loop. */
export interface Controller {
  readonly name: string
  /** The collections whose changes the controller handles. Default: all. */
  readonly storages?: readonly string[]
  /** Returns the keys to reconcile because of a change. Called before other clients see the change. */
  keysFor(storage: string, change: Change): readonly string[]
  /**
   * Brings the actual state one step closer to the desired state. It runs again after changes for which `keysFor` returns
   * the key, and after the time passed to `requeueAfter`. Only the last call of a run counts, and the next run cancels it.
   */
  reconcile(key: string, requeueAfter: (delayMs: number) => void): void
}
