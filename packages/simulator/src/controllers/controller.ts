import type { ServerContext } from '../server/server-context.ts'
import type { Change } from '../store/collection.ts'
import type { ControllerClient } from './controller-client.ts'
import type { OwnerIndex } from './owner-index.ts'

/** What controllers are made of. */
export interface ControllerParts {
  readonly context: ServerContext
  readonly client: ControllerClient
  readonly owners: OwnerIndex
}

/** One control loop. */
export interface Controller {
  readonly name: string
  /** The keys that a change gives work for; in whatever form `reconcile` reads. Called before the change is visible to anybody else. */
  interest(storage: string, change: Change): readonly string[]
  /** Brings the world one step nearer to what is wanted. It runs again when that step makes changes of interest. */
  reconcile(key: string): void
}
