import { type Amount, toAmount } from '../../state/resources/amount.ts'

/** The amounts that a pod requests of the resources that a scorer considers, in the scorer's order. */
export type ScoredRequests = readonly (readonly [name: string, request: Amount])[]

/** Returns the requests of the named resources, 0 for a resource that is not requested. */
export function scoredRequests(names: readonly string[], requests: ReadonlyMap<string, bigint>): ScoredRequests {
  return names.map((name) => [name, toAmount(requests.get(name) ?? 0n)] as const)
}
