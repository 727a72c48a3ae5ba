import type { Json } from '../json.ts'

/** The collections that a history changes, by their path in the API. */
export const collectionPaths = {
  nodes: '/api/v1/nodes',
  pods: '/api/v1/namespaces/default/pods',
  poddisruptionbudgets: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
} as const

/** A collection that a history changes. */
export type CollectionName = keyof typeof collectionPaths

/** One write to the API server. `patch` is a merge patch; a patch of an object that no longer exists has no effect. */
export type Change =
  | { readonly verb: 'create'; readonly in: CollectionName; readonly object: Json }
  | {
      readonly verb: 'patch'
      readonly in: CollectionName
      readonly name: string
      readonly subresource?: 'status'
      readonly patch: Json
    }
  | { readonly verb: 'delete'; readonly in: CollectionName; readonly name: string }

/** Writes that are sent one right after the other, once the scheduler is at rest. */
export type Step = readonly Change[]

/** The steps that change a cluster, one after the other. */
export interface History {
  readonly seed: number
  readonly steps: readonly Step[]
}

/** PriorityClasses of the pods. */
export const priorityClasses = [
  { name: 'low', value: -10 },
  { name: 'medium', value: 100 },
  { name: 'high', value: 1000 },
  { name: 'polite', value: 500, preemptionPolicy: 'Never' },
] as const
