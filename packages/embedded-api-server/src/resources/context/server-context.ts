import type { Clock, Logger, Random } from '@berth/types'
import type { ExpressionCache } from '../../schema/cel/expression-cache.ts'
import type { JsonCache } from '../../schema/json/json-cache.ts'
import type { KindRegistry } from '../kinds/kind-registry.ts'
import type { Store } from '../../store/store.ts'

/** The state and dependencies that all request handlers of one API server share. */
export interface ServerContext {
  readonly store: Store
  readonly kinds: KindRegistry
  readonly jsonOf: JsonCache
  readonly expressionOf: ExpressionCache
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Whether RBAC authorizes requests. Without it, every authenticated user may do everything. */
  readonly hasRbac: boolean
  /** The key that service account tokens are signed with. */
  readonly tokenKey: string
}
