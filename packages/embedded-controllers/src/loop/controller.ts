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
  /** Names of the store's collections whose changes the controller handles. Default: all. */
  readonly storages?: readonly string[]
  /** Returns the keys to reconcile after a change of the collection `storage`. Called before watches see the change. */
  keysFor(storage: string, change: Change): readonly string[]
  /**
   * Brings the actual state one step closer to the desired state. It runs again after changes for which `keysFor` returns
   * the key.
   *
   * @param requeueAfter - Runs the key again after a delay. A later call replaces the delay, and the next run of the key
   *   cancels it.
   */
  reconcile(key: string, requeueAfter: (delayMs: number) => void): void
}
