import type { Clock, Logger, Random } from '@berth/types'
import type { ExpressionCache } from '../../schema/cel/expression-cache.ts'
import type { JsonCache } from '../../schema/json/json-cache.ts'
import type { KindRegistry } from '../kinds/kind-registry.ts'
import type { Store } from '../../store/store.ts'

/** What every verb of the API server works with. */
export interface ServerContext {
  readonly store: Store
  readonly kinds: KindRegistry
  readonly jsonOf: JsonCache
  readonly expressionOf: ExpressionCache
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Whether roles decide who may do what. */
  readonly hasRbac: boolean
  /** What tokens of service accounts are signed with. */
  readonly tokenKey: string
}
